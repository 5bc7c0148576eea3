"""Ten thousand mixed games that must leave nothing behind: searchdou bench soak [--games 10000] [--seed 1]   (make soak)

Both games, all rule sets, every seat its own agent: hand-written ones, `net`, `search` at tiny budgets, programs that
misbehave in every way the protocol allows; between them records and weights that are bad. What is counted and allowed:

- crashes: any exception other than `SearchDouError` for bad input, or a game that does not replay from its record; none.
- illegal moves of our own agents; none. (Those of a hostile program are forfeits, which are counted and expected.)
- bad input that is accepted: records cut short or contradicting themselves, weights cut short or of another game; none.
- memory: RSS at the end less RSS after the first fifth of the games (and after every agent has played once), below 5% or
  20 MB. Caches with a bound are emptied and freed pages given back before we look: these are kept by choice and cannot leak.
- file handles and threads more than then, child processes left over: none.

What is played follows from the seed and the number of a game alone, so a game that failed is repeated by `--first NUMBER
--games 1`. Status 1 when anything is found.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import random
import shlex
import shutil
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load, save

import searchdou
from searchdou import agents, games
from searchdou.arena.bots import CommandPlayer
from searchdou.arena.table import Clock, play
from searchdou.errors import IllegalAction, SearchDouError
from searchdou.progress import Line, clock, speed

MORE_RSS = (0.05, 20 * 2**20)       # memory may grow by the larger of this share and these bytes
MARKS = 20                          # how often memory is looked at
CHEAP = {"gongzhu": ["random", "if", "greed:samples=4"], "doudizhu": ["random", "rule"]}
SEARCH = {
    "gongzhu": ["search:samples=1,sims=2,solve=8", "search:samples=2,sims=4,solve=12",
                "search:samples=2,sims=1,mode=flat,solve=0",
                "search:samples=2,sims=3,leaf=rollout,policy=rule,backup=mean,solve=8", "search:samples=2,mode=ismcts",
                "search:samples=2,sims=2,weights=bayes,strata=equal,solve=8", "search:samples=2,sims=2,threads=2,solve=8",
                "search:time=0.001,solve=8"],
    "doudizhu": ["search:samples=1", "search:samples=2,solve=8", "search:samples=2,leaf=value,mode=tree,backup=best,sims=3",
                 "search:samples=1,leaf=rollout,policy=rule,trust=0,moves=3", "search:samples=2,weights=iec,strata=exact",
                 "search:samples=2,threads=2", "search:samples=1,bids=net", "search:time=0.001"]}
KINDS = {"cheap": 55, "net": 15, "search": 20, "records": 8, "weights": 1, "hostile": 1}     # shares, in percent
RULES = ("standard", "douzero", "rlcard", "openspiel", "botzone")
FRESH = 0.05                        # how often a seat's agent is built anew
TIME_S, START_S = 0.05, 0.5         # of hostile programs

# Each misbehaves in its own way; `requests` reads what it is asked.
HEAD = "import json, os, sys, time\nrequests = map(json.loads, sys.stdin)\n"
HOSTILE = {
    "garbage": "for r in requests: print('oink {', flush=True)",
    "not JSON objects": "for r in requests: print('[' * 9000, flush=True)",
    "illegal": "for r in requests: print(json.dumps({'card': 'S2', 'play': '3333444455556666', 'bid': 7}), flush=True)",
    "wrong types": "for r in requests: print(json.dumps({'card': [1], 'play': None, 'bid': 'x'}), flush=True)",
    "silent": "for r in requests: pass",
    "late": "for r in requests:\n    time.sleep(0.2)\n    print('{}', flush=True)",
    "dies at once": "sys.exit(3)",
    "dies half-way": "for n, r in enumerate(requests):\n    if n == 3: os._exit(1)\n    print('{}', flush=True)",
    "floods a line": "sys.stdin.readline()\nwhile True: sys.stdout.write('x' * 65536)",
    "floods lines": "while True: print('oink')",
    "does not read": "while True:\n    print('{}', flush=True)\n    time.sleep(0.002)",
    "has a child": "import subprocess\n"
                   "subprocess.run([sys.executable, '-S', '-c', 'import time; time.sleep(99)', sys.argv[0]])"}


@dataclass(frozen=True)
class Mark:
    """What this process holds at one moment; None where the system does not tell."""

    games: int
    rss: int | None
    handles: int | None
    threads: int


@dataclass
class Report:
    """What was played and what was found."""

    seed: int
    wanted: int
    played: Counter[str] = field(default_factory=Counter)       # games by kind
    forfeits: Counter[str] = field(default_factory=Counter)     # of hostile programs, by kind
    refused: Counter[str] = field(default_factory=Counter)      # bad input, by kind
    crashes: list[str] = field(default_factory=list)            # where and why, in words
    illegal: list[str] = field(default_factory=list)
    accepted: list[str] = field(default_factory=list)           # bad input that was taken for good
    marks: list[Mark] = field(default_factory=list)
    base: Mark | None = None                                    # after the warm-up
    children: list[str] = field(default_factory=list)           # left over at the end
    seconds: float = 0.0

    @property
    def games(self) -> int:
        return sum(self.played.values())

    def checks(self) -> list[tuple[str, str, str, bool]]:
        """(what, found, allowed, whether that is well)."""
        rows = [(what, str(len(found)), "0", not found) for what, found in (
            ("crashes", self.crashes), ("illegal moves", self.illegal), ("bad input accepted", self.accepted),
            ("child processes left", self.children))]
        base, end = self.base, self.marks[-1] if self.marks else None
        if base is None or end is None:
            return [*rows, ("memory, handles, threads", "not told, the warm-up was not over", "", True)]
        if base.rss is None or end.rss is None or base.handles is None or end.handles is None:
            rows.append(("memory, file handles", "not told by this system", "", True))
        else:
            more, most = end.rss - base.rss, max(MORE_RSS[0] * base.rss, MORE_RSS[1])
            rows.append(("memory, RSS", f"{base.rss / 2**20:.0f} MB after {base.games:,} games, {more / 2**20:+.1f} MB at "
                         "the end", f"{most / 2**20:.0f} MB more", more < most))
            rows.append(("file handles", *more_than(base.handles, end.handles)))
        return [*rows, ("threads", *more_than(base.threads, end.threads))]

    @property
    def well(self) -> bool:
        return all(row[3] for row in self.checks())

    def text(self) -> str:
        """The page."""
        def counts(counter: Counter[str]) -> str:
            return ", ".join(f"{count:,} {kind}" for kind, count in sorted(counter.items())) or "none"
        rate = self.games / max(1e-9, self.seconds)
        lines = [f"`searchdou bench soak --games {self.wanted} --seed {self.seed}`: {self.games:,} games in "
                 f"{clock(self.seconds)} ({rate:.0f}/s), SearchDou {searchdou.__version__}", "",
                 "| | found | allowed | |", "|---|---|---|---|"]
        lines += [f"| {what} | {found} | {allowed} | {'ok' if well else 'NOT WELL'} |"
                  for what, found, allowed, well in self.checks()]
        lines += ["", f"Games: {counts(self.played)}. Refused as they should be: {counts(self.refused)}. Forfeits of "
                  f"hostile programs: {counts(self.forfeits)}."]
        for what, all_found in (("crash", self.crashes), ("illegal", self.illegal), ("accepted", self.accepted),
                                ("left", self.children)):
            lines += [f"- {what}: {words}" for words in all_found[:10]]
        return "\n".join(lines)

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        return {**vars(self), "marks": [asdict(mark) for mark in self.marks], "base": self.base and asdict(self.base),
                "games": self.games, "well": self.well, "version": searchdou.__version__, "checks": [
                    dict(zip(("what", "found", "allowed", "well"), row, strict=True)) for row in self.checks()]}


def more_than(base: int, end: int) -> tuple[str, str, bool]:
    """A count that may not grow: found, allowed, whether that is well."""
    return f"{end - base:+d} on {base}", "0 more", end <= base


class Soak:
    """Plays numbered games and keeps count; `folder` is for the programs and weights it writes."""

    def __init__(self, folder: Path, wanted: int, seed: int = 1) -> None:
        self.folder, self.report = folder, Report(seed, wanted)
        self.before = set(processes(str(folder)))       # not of our making
        self.players: dict[tuple[str, str], Any] = {}
        self.weights = Path(searchdou.__file__).parent / "weights"
        for name, code in HOSTILE.items():
            (folder / f"{name.replace(' ', '_')}.py").write_text(f"{HEAD}{code}\n")
        # The first games: every agent at all seats of a table, so that all there is to load is loaded in the warm-up.
        self.first = [(game, spec) for game in games.GAMES for spec in [*CHEAP[game], "net", *SEARCH[game]]]

    def game(self, number: int) -> None:
        """Game `number`, with whatever belongs to its kind; nothing it does escapes but Ctrl-C."""
        chance = random.Random(f"{self.report.seed} {number}")
        game = chance.choice(games.GAMES)
        kind = chance.choices(list(KINDS), list(KINDS.values()))[0]
        only = None
        if number < len(self.first):
            (game, only), kind = self.first[number], "search" if "search" in self.first[number][1] else "cheap"
        self.report.played[kind] += 1
        where = f"game {number} ({kind}, {game})"
        try:
            state = self._play(game, kind, chance, only)
            if kind == "records":
                self._records(game, state, chance, where)
            elif kind == "weights":
                self._weights(game, chance, where)
        except IllegalAction as error:
            self.report.illegal.append(f"{where}: {error}")
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            self.report.crashes.append(f"{where}: {error!r} at {Path(place.filename).name}:{place.lineno}")

    def _play(self, game: str, kind: str, chance: random.Random, only: str | None) -> Any:
        """One game to its end, replayed from its record."""
        module = games.load(game)
        table = module.Game() if game == "gongzhu" else module.Game(
            module.rule_set(chance.choice(RULES)), bidding=chance.random() < 0.5)
        state = table.deal(chance.getrandbits(32))
        specs = [only or self._spec(game, kind, chance) for _ in range(table.seats)]
        hostile = chance.randrange(table.seats) if kind == "hostile" else None
        with contextlib.ExitStack() as closing:
            seats = [self._player(game, spec, chance) for spec in specs]
            if hostile is not None:
                program = chance.choice(list(HOSTILE)).replace(" ", "_")
                command = f"{shlex.quote(sys.executable)} -S -E {shlex.quote(str(self.folder / program))}.py"
                seats[hostile] = closing.enter_context(contextlib.closing(CommandPlayer(game, command, TIME_S, START_S)))
            clocks = [Clock() for _ in seats]
            play(state, seats, clocks)
        for seat, told in enumerate(clocks):
            if told.forfeits and seat != hostile:
                raise AssertionError(f"{specs[seat]} forfeited: {told.reasons}")
            self.report.forfeits.update(told.forfeits)
        again = module.load(module.dump(state, seed=self.report.seed))
        if again.payoffs() != state.payoffs() or again.history != state.history:
            raise AssertionError("the record does not replay to the same game")
        return state

    def _spec(self, game: str, kind: str, chance: random.Random) -> str:
        if kind == "search":
            return chance.choice(SEARCH[game] + CHEAP[game])
        return "net" if kind == "net" and chance.random() < 0.7 else chance.choice(CHEAP[game])

    def _player(self, game: str, spec: str, chance: random.Random) -> Any:
        if (game, spec) not in self.players or chance.random() < FRESH:
            self.players[game, spec] = touched(agents.make(game, spec))
        return self.players[game, spec]

    def _must_refuse(self, what: str, where: str, read: Callable[[], Any]) -> None:
        try:
            read()
        except SearchDouError:
            self.report.refused[what] += 1
        else:
            self.report.accepted.append(f"{where}: {what}")

    def _records(self, game: str, state: Any, chance: random.Random, where: str) -> None:
        module = games.load(game)
        line = module.dump(state, seed=self.report.seed)
        for what, bad in bad_records(line, chance):
            self._must_refuse(what, where, lambda bad=bad: module.load(bad))  # type: ignore[misc]
        for _ in range(4):      # one character changed: a bad record, or by luck a good one, and nothing else
            at = chance.randrange(len(line))
            with contextlib.suppress(SearchDouError):
                module.load(line[:at] + chance.choice('0123456789JQK"[]{},:x\0') + line[at + 1:])

    def _weights(self, game: str, chance: random.Random, where: str) -> None:
        other = next(name for name in games.GAMES if name != game)
        name = chance.choice(sorted(path.name for path in self.weights.glob(f"{game}-blueprint*")))
        folder = self.folder / "weights"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for path in self.weights.glob(f"{game}-*"):
            (folder / path.name).symlink_to(path)
        (folder / name).unlink()
        good, foreign = (self.weights / name).read_bytes(), next(self.weights.glob(f"{other}-*")).read_bytes()
        for what, bad in bad_weights(good, foreign, chance):
            (folder / name).write_bytes(bad)
            self._must_refuse(what, where, lambda: agents.make(game, f"net:nets={folder}"))
        (folder / name).unlink()
        self._must_refuse("missing weights", where, lambda: agents.make(game, f"net:nets={folder}"))

    def mark(self) -> Mark:
        """What we hold now, once what is over had a moment to end."""
        until = time.monotonic() + 2.0
        while self.children() and time.monotonic() < until:
            time.sleep(0.05)
        free_what_is_kept_by_choice()
        mark = Mark(self.report.games, rss(), handles(), threading.active_count())
        self.report.marks.append(mark)
        return mark

    def children(self) -> list[str]:
        """Processes that we have started, or that were started from our folder, and that still run."""
        return sorted(set(processes(str(self.folder))) - self.before)


# --- bad input --------------------------------------------------------------------------------------------------------


def bad_records(line: str, chance: random.Random) -> Iterator[tuple[str, str]]:
    """Ways to spoil a record that no reader may accept."""
    def changed(**fields: Any) -> str:
        return json.dumps({**json.loads(line), **fields})
    record = json.loads(line)
    hands, moves, result = record["deal"]["hands"], record["moves"], record["result"]
    yield "record cut short", line[:chance.randrange(len(line))]
    yield "record of another result", changed(result={**result, "payoffs": [x + 1 for x in result["payoffs"]]})
    yield "record without a result", changed(result=None)
    yield "record with a move too many", changed(moves=[*moves, chance.choice(moves or ["3"])])
    if moves:
        yield "record with a move too few", changed(moves=moves[:-1])
    yield "record with a card too few", changed(deal={**record["deal"], "hands": [hands[0][:-2], *hands[1:]]})
    yield "record of another format", changed(format="oink")
    key = chance.choice([key for key in record if key != "extra"])
    yield "record without a field", json.dumps({name: value for name, value in record.items() if name != key})
    junk = chance.choice([{}, 7, "oink", [[]], [None], -1, 1e300, {"hands": 5}])
    yield "record with junk in a field", changed(**{chance.choice(["deal", "moves", "result", "format", "version"]): junk})


def bad_weights(good: bytes, foreign: bytes, chance: random.Random) -> Iterator[tuple[str, bytes]]:
    """Ways to spoil a file of weights that no reader may accept."""
    yield "weights cut short", good[:chance.randrange(len(good))]
    yield "weights of nothing", b""
    yield "weights of noise", chance.randbytes(4096)
    yield "weights of another game", foreign
    tensors = dict(load(good))
    length = int.from_bytes(good[:8], "little")
    meta = json.loads(good[8:8 + length])["__metadata__"]
    name = chance.choice(sorted(key for key in tensors if tensors[key].dtype.kind == "f"))     # whole numbers are finite
    broken = tensors[name].copy()
    broken.flat[chance.randrange(broken.size)] = chance.choice([float("nan"), float("inf")])
    yield "weights that are not finite", save({**tensors, name: broken}, meta)
    yield "weights without a tensor", save({key: value for key, value in tensors.items() if key != name}, meta)


# --- what the system says of us ---------------------------------------------------------------------------------------


def touched(thing: Any, depth: int = 6) -> Any:
    """`thing`, with every page of its arrays written to once.

    Scratch of a search (trees, the solver's table) costs memory only when it is first reached, which may be late in a soak
    and would look like a leak.
    """
    if isinstance(thing, np.ndarray):
        if thing.flags.writeable and thing.dtype != bool:
            thing.reshape(-1).view(np.uint8)[::4096] |= 0
    elif depth and not isinstance(thing, type):
        inner = thing if isinstance(thing, list | tuple) else vars(thing).values() if hasattr(thing, "__dict__") else ()
        for part in list(inner):
            touched(part, depth - 1)
    return thing


def free_what_is_kept_by_choice() -> None:
    """Empty our caches that have a bound, and have the allocator give back free pages: what is left is in use, or lost."""
    for name, module in list(sys.modules.items()):
        if name.startswith(("searchdou", "inference", "mcts")):
            for thing in list(vars(module).values()):
                if hasattr(thing, "cache_clear") and thing.cache_parameters()["maxsize"] is not None:
                    thing.cache_clear()
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):      # only glibc has it
        ctypes.CDLL(None).malloc_trim(0)


def rss() -> int | None:
    """Bytes of memory that are ours and resident."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return None


def handles() -> int | None:
    """Open file handles."""
    try:
        return len(os.listdir("/proc/self/fd"))
    except OSError:
        return None


def processes(words: str) -> Iterator[str]:
    """Living processes that are our children or have `words` in their command line."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:         # it has just ended
            continue
        if int(entry.name) != os.getpid() and state != "Z" and (int(parent) == os.getpid() or words in command):
            yield f"process {entry.name}: {command[:100]}"


# --- the run ----------------------------------------------------------------------------------------------------------


def told(report: Report, began: float) -> str:
    """The progress line."""
    seconds = time.monotonic() - began
    rate = report.games / max(1e-9, seconds)
    memory = rss()
    left = clock((report.wanted - report.games) / max(rate, 1e-9))
    return (f"{report.games:,} of {report.wanted:,} games, {speed(rate)} games/s, {left} left, "
            f"{len(report.crashes)} crashes, {len(report.illegal)} illegal moves, {len(report.accepted)} accepted"
            f"{'' if memory is None else f', RSS {memory / 2**20:.0f} MB'}")


def soaked(wanted: int, seed: int, first: int = 0) -> Report:
    """Play games first .. first + wanted - 1; Ctrl-C ends it early, and the report then wants more than was played."""
    began, line = time.monotonic(), Line()
    with tempfile.TemporaryDirectory(prefix="searchdou-soak-") as folder:
        soak = Soak(Path(folder), wanted, seed)
        report = soak.report
        warm = max(wanted // 5, len(soak.first) if first == 0 else 0)
        try:
            for number in range(first, first + wanted):
                soak.game(number)
                if report.games == warm:
                    report.base = soak.mark()
                elif report.games % max(1, wanted // MARKS) == 0:
                    soak.mark()
                last = number == first + wanted - 1
                if line.due(last=last):
                    line.tell("soak", told(report, began), last=last)
        except KeyboardInterrupt:
            print("\nstopped; the report so far:", file=sys.stderr)
        if report.games > warm:
            soak.mark()
        report.children = soak.children()
    report.seconds = time.monotonic() - began
    return report


def run(games: int = 10_000, seed: int = 1, first: int = 0, as_json: bool = False) -> None:
    """Soak and print; status 1 when anything was found, 130 when stopped."""
    if games < 1 or first < 0:
        raise SearchDouError(f"a soak needs at least one game and a first number of 0 or more, not {games} and {first}")
    report = soaked(games, seed, first)
    print(json.dumps(report.plain()) if as_json else report.text())
    if not report.well:
        raise SystemExit(1)
    if report.games < games:
        raise KeyboardInterrupt
