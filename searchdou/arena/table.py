"""One game at one table: players by seat, the clock, and what happens to a bot that fails."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from searchdou.agents import Player


class Forfeit(Exception):
    """Raised by a player that has no valid answer; the table plays a legal default in its place."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind      # 'late', 'illegal', 'garbled' or 'dead'


@dataclass
class Clock:
    """Decisions and seconds of one side, and the moves it forfeited."""

    decisions: int = 0
    seconds: float = 0.0
    forfeits: dict[str, int] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)  # the first few, in words

    def add(self, other: Clock) -> None:
        self.decisions += other.decisions
        self.seconds += other.seconds
        for kind, count in other.forfeits.items():
            self.forfeits[kind] = self.forfeits.get(kind, 0) + count
        self.reasons = (self.reasons + other.reasons)[:5]

    @property
    def seconds_per_decision(self) -> float:
        return self.seconds / self.decisions if self.decisions else 0.0


class Played(NamedTuple):
    """A deal of a match: side a's outcome of each of its games, and the clocks of sides a and b."""

    number: int
    outcomes: list[float]
    clocks: list[Clock]


def play(state: Any, players: Sequence[Player], clocks: Sequence[Clock]) -> Any:
    """Play `state` to its end, in place; `players` and `clocks` by seat. Returns it."""
    while not state.is_over:
        seat = state.turn
        infoset, clock = state.infoset(), clocks[seat]
        began = time.perf_counter()
        try:
            action = _action(players[seat], state, infoset)
        except Forfeit as forfeit:
            action = default_action(infoset)
            clock.forfeits[forfeit.kind] = clock.forfeits.get(forfeit.kind, 0) + 1
            clock.reasons = [*clock.reasons, f"{forfeit.kind}: {forfeit}"][:5]
        clock.seconds += time.perf_counter() - began
        clock.decisions += 1
        state.act(action)
    return state


def _action(player: Any, state: Any, infoset: Any) -> Any:
    """What a player does with what it may know: an InfoSet, unless it is one that cheats by name (`oracle`)."""
    if getattr(player, "sees_all_hands", False):
        return player.act_open(state)
    return player.act(infoset)


def default_action(infoset: Any) -> Any:
    """What is played for a bot that forfeits: the first legal action, in both games the most modest one."""
    return infoset.legal_actions()[0]
