"""Side a against side b on numbered deals: in this process or in several, resumable, with every outcome kept."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable, Generator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import searchdou
from searchdou import agents
from searchdou.arena.formats import Format, format_of
from searchdou.arena.stats import Floats
from searchdou.arena.table import Clock, play
from searchdou.errors import SearchDouError

CHUNK = 8  # deals handed to a worker at a time


@dataclass(frozen=True)
class MatchSettings:
    """What decides the outcome of a match; two runs with equal settings give equal outcomes."""

    game: str
    a: str                     # agent specs
    b: str
    deals: int
    seed: int = 0
    rules: str = "standard"
    time_s: float = 1.0        # the limit a move of an outside program (`cmd:`)
    start_s: float = 60.0      # how much longer its first answer may take

    def __post_init__(self) -> None:
        if self.deals < 1:
            raise SearchDouError(f"a match needs at least one deal, not {self.deals}")
        if not self.time_s > 0:
            raise SearchDouError(f"the time limit a move must be above 0 s, not {self.time_s}")
        if not self.start_s >= 0:
            raise SearchDouError(f"the time to start must be 0 s or more, not {self.start_s}")

    @property
    def format(self) -> Format:
        return format_of(self.game, self.rules)


@dataclass
class MatchResult:
    """Outcomes of side a by deal and game, [deals, 2], and both sides' clocks."""

    settings: MatchSettings
    outcomes: Floats
    clocks: dict[str, Clock] = field(default_factory=lambda: {"a": Clock(), "b": Clock()})

    def summary(self) -> dict[str, Any]:
        """All figures of the match as plain data."""
        result = self.settings.format.summary(self.outcomes)
        result["seconds_per_decision"] = {side: clock.seconds_per_decision for side, clock in self.clocks.items()}
        result["forfeits"] = {side: {"total": sum(clock.forfeits.values()), **clock.forfeits, "reasons": clock.reasons}
                              for side, clock in self.clocks.items()}
        return {**result, **asdict(self.settings), "version": searchdou.__version__}


class _Sides:
    """The two players of a match, built once in every process that plays part of it."""

    def __init__(self, settings: MatchSettings) -> None:
        self.settings = settings
        self.players = [_player(settings, spec) for spec in (settings.a, settings.b)]

    def play(self, number: int) -> tuple[int, list[float], list[Clock]]:
        outcomes, clocks = [], [Clock(), Clock()]
        for state, sides in self.settings.format.games(self.settings.seed, number):
            play(state, [self.players[side] for side in sides], [clocks[side] for side in sides])
            outcomes.append(self.settings.format.outcome(state, sides))
        return number, outcomes, clocks

    def close(self) -> None:
        for player in self.players:
            if hasattr(player, "close"):
                player.close()


def _player(settings: MatchSettings, spec: str) -> agents.Player:
    parsed = agents.Spec.parse(spec)
    if parsed.name == "cmd":
        from searchdou.arena.bots import CommandPlayer
        return CommandPlayer(settings.game, parsed.settings[0][1], settings.time_s, settings.start_s)
    return agents.make(settings.game, parsed)


_sides: _Sides | None = None  # of this worker process


def _begin(settings: MatchSettings) -> None:
    import atexit
    global _sides
    _sides = _Sides(settings)
    atexit.register(_sides.close)


def _work(numbers: list[int]) -> list[tuple[int, list[float], list[Clock]]]:
    assert _sides is not None
    return [_sides.play(number) for number in numbers]


def run_match(settings: MatchSettings, *, workers: int = 1, out: Path | None = None,
              progress: Callable[[int, Floats], None] = lambda done, values: None) -> MatchResult:
    """Play the match; with `out` every deal is written there at once, and deals found there are not played again.

    `progress(done, values)` is called after every deal with the number done and one value a deal.
    """
    if workers < 1:
        raise SearchDouError(f"a match needs at least one worker, not {workers}")
    format_of(settings.game, settings.rules)  # an unknown name is told before a file or a process is made
    done = _read(out, settings) if out else {}
    todo = [number for number in range(settings.deals) if number not in done]
    sink = _Sink(out, settings) if out else None
    values = [np.mean(outcomes) for outcomes, _ in done.values()]
    progress(len(done), np.array(values))
    try:
        with closing(_played(settings, todo, workers)) as played:  # an interrupt ends programs and workers at once
            for number, outcomes, clocks in played:
                done[number] = (outcomes, clocks)
                if sink:
                    sink.write(number, outcomes, clocks)
                values.append(np.mean(outcomes))
                progress(len(done), np.array(values))
    finally:
        if sink:
            sink.close()
    result = MatchResult(settings, np.array([done[number][0] for number in range(settings.deals)]))
    for number in range(settings.deals):
        for side, clock in zip("ab", done[number][1], strict=True):
            result.clocks[side].add(clock)
    return result


def _played(settings: MatchSettings, todo: list[int], workers: int
            ) -> Generator[tuple[int, list[float], list[Clock]], None, None]:
    if workers == 1 or len(todo) <= CHUNK:
        sides = _Sides(settings)
        try:
            for number in todo:
                yield sides.play(number)
        finally:
            sides.close()
        return
    _Sides(settings).close()  # a bad spec is told here once, not by every worker
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, initializer=_begin, initargs=(settings,)) as pool:
        futures = [pool.submit(_work, todo[i:i + CHUNK]) for i in range(0, len(todo), CHUNK)]
        try:
            for future in as_completed(futures):
                yield from future.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


class _Sink:
    """Appends one JSON line a deal, after a first line with the settings."""

    def __init__(self, path: Path, settings: MatchSettings) -> None:
        fresh = not path.exists() or path.stat().st_size == 0
        self.file = path.open("a")
        if fresh:
            self._line({"settings": asdict(settings), "version": searchdou.__version__})

    def write(self, number: int, outcomes: list[float], clocks: list[Clock]) -> None:
        self._line({"deal": number, "outcomes": outcomes, "clocks": [asdict(clock) for clock in clocks]})

    def _line(self, data: dict[str, Any]) -> None:
        self.file.write(json.dumps(data) + "\n")
        self.file.flush()

    def close(self) -> None:
        self.file.close()


def _read(path: Path, settings: MatchSettings) -> dict[int, tuple[list[float], list[Clock]]]:
    """The deals an earlier run of the same match has written; a last line cut short is dropped."""
    if not path.exists() or path.stat().st_size == 0:
        return {}
    ours = asdict(settings)
    try:
        text = path.read_text()
        whole = text[:text.rfind("\n") + 1]
        lines = whole.splitlines() or [text]
        header = json.loads(lines[0])["settings"]
        rows = [json.loads(line) for line in lines[1:]]
        done = {int(row["deal"]): (list(row["outcomes"]), [Clock(**clock) for clock in row["clocks"]]) for row in rows}
        changed = [key for key in {**ours, **header} if key != "deals" and header.get(key) != ours.get(key)]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SearchDouError(f"{path} is not a match file of ours: {error!r}") from None
    if changed:
        key = changed[0]
        raise SearchDouError(f"{path} holds another match: its {key} is {header.get(key)!r}, not {ours.get(key)!r}")
    if whole != text:
        path.write_text(whole)
    return {number: row for number, row in done.items() if number < settings.deals}
