"""Side a against side b on numbered deals: in this process, in several or on a cluster, resumed from a store that keeps
every deal."""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
from collections.abc import Callable, Generator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import searchdou
from searchdou import agents
from searchdou.arena.formats import Format, format_of
from searchdou.arena.stats import Floats
from searchdou.arena.store import Store
from searchdou.arena.table import Clock, Played, play
from searchdou.cluster import Cluster
from searchdou.errors import SearchDouError
from searchdou.processes import end_with_parent

MOST_DEALS = 10 ** 9
MOST_WORKERS = 1024
LONGEST = 1e6            # seconds: the system's own timers end somewhere beyond
FEW = 8  # up to so many deals are played here: other processes take a second to start


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
        if self.deals > MOST_DEALS:
            raise SearchDouError(f"a match has at most {MOST_DEALS:,} deals, not {self.deals}")
        if not self.time_s > 0:
            raise SearchDouError(f"the time limit a move must be above 0 s, not {self.time_s}")
        if not self.start_s >= 0:
            raise SearchDouError(f"the time to start must be 0 s or more, not {self.start_s}")
        if max(self.time_s, self.start_s) > LONGEST:
            raise SearchDouError(f"a move or the start of a program may take {LONGEST:,.0f} s at most, not "
                                 f"{max(self.time_s, self.start_s)}")

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


class Sides:
    """The two players of a match, built once in every process that plays part of it."""

    def __init__(self, settings: MatchSettings) -> None:
        self.settings = settings
        self.players = [_player(settings, spec) for spec in (settings.a, settings.b)]

    def play(self, number: int) -> Played:
        outcomes, clocks = [], [Clock(), Clock()]
        for state, sides in self.settings.format.games(self.settings.seed, number):
            play(state, [self.players[side] for side in sides], [clocks[side] for side in sides])
            outcomes.append(self.settings.format.outcome(state, sides))
        return Played(number, outcomes, clocks)

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


_sides: Sides | None = None  # of this worker process


def _begin(settings: MatchSettings) -> None:
    global _sides
    signal.signal(signal.SIGINT, signal.SIG_IGN)        # Ctrl-C is for the process that began the match, which ends us
    _sides = Sides(settings)
    atexit.register(_sides.close)
    signal.signal(signal.SIGTERM, _end)
    end_with_parent(_sides.close)


def _end(number: int, frame: Any) -> None:
    """Leave at once; the programs of `cmd:` agents go too."""
    assert _sides is not None
    _sides.close()
    os._exit(1)


def _work(number: int) -> Played:
    assert _sides is not None
    return _sides.play(number)


def run_match(settings: MatchSettings, *, workers: int = 1, cores: int = 1, store: Store | Path | None = None,
              fresh: bool = False, cluster: Cluster | None = None,
              progress: Callable[[int, Floats], None] = lambda done, values: None) -> MatchResult:
    """Play the match; with a `store` every deal is kept there at once, and deals found there are not played again.

    `fresh` begins another attempt instead, beside those that are kept. With a `cluster` its workers play instead of
    processes here. Players that think on several threads want as many `cores` each: so many times fewer play at once.
    `progress(done, values)` is called at the beginning with what the store has, and after every deal, with
    the number done and one value a deal.
    """
    for what, number in (("worker", workers), ("core a worker", cores)):
        if number < 1:
            raise SearchDouError(f"a match needs at least one {what}, not {number}")
        if number > MOST_WORKERS:
            raise SearchDouError(f"a match is played with at most {MOST_WORKERS:,} of a {what}, not {number}")
    format_of(settings.game, settings.rules)  # an unknown name is told before a file or a process is made
    with ExitStack() as stack:
        if isinstance(store, Path):
            store = stack.enter_context(Store(store))
        match = store.begin(settings, fresh) if store else 0
        done = store.deals(match, settings.deals) if store else {}
        todo = [number for number in range(settings.deals) if number not in done]
        values = np.empty(settings.deals)
        values[:len(done)] = [np.mean(deal.outcomes) for deal in done.values()]
        progress(len(done), values[:len(done)])
        # Closed at once after an interrupt: programs and workers end with it.
        played = stack.enter_context(closing(_played(settings, todo, workers, cores, cluster)))
        for deal in played:
            done[deal.number] = store.add(match, deal) if store else deal
            values[len(done) - 1] = np.mean(done[deal.number].outcomes)
            progress(len(done), values[:len(done)])
    result = MatchResult(settings, np.array([done[number].outcomes for number in range(settings.deals)]))
    for number in range(settings.deals):
        for side, clock in zip("ab", done[number].clocks, strict=True):
            result.clocks[side].add(clock)
    return result


def _played(settings: MatchSettings, todo: list[int], workers: int, cores: int, cluster: Cluster | None
            ) -> Generator[Played, None, None]:
    if cluster and todo:
        from searchdou.arena.cluster import played
        yield from played(cluster, settings, todo, cores)
        return
    workers = max(1, workers // cores)
    if workers == 1 or len(todo) <= FEW:
        sides = Sides(settings)
        try:
            for number in todo:
                yield sides.play(number)
        finally:
            sides.close()
        return
    Sides(settings).close()  # a bad spec is told here once, not by every worker
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, initializer=_begin, initargs=(settings,)) as pool:
        futures = [pool.submit(_work, number) for number in todo]  # one by one: what is played can be kept at once
        try:
            for future in as_completed(futures):
                yield future.result()
        except BrokenProcessPool:
            raise SearchDouError("a process that played was killed (out of memory?); what is in the store is kept, and the "
                                 "same command goes on from it") from None
        except BaseException:
            workers_now = list(pool._processes.values())
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in workers_now:                  # deals under way are lost; waiting for them may take minutes
                worker.terminate()
            raise
