"""Deals played until an interval is narrow enough, and the progress line meanwhile.

The rule: deals are played in blocks, and after 64, 128, 256, ... of them we look. A match stops at the first look at which
half its 95% interval (Student's t) is at most the target, or at its most deals. It looks at the width of the interval and
never at where it lies, so it does not stop on luck: this is the fixed-width rule of Chow and Robbins (1965), whose coverage
tends to 95% as the target shrinks. 64 deals at least, and values that are not all alike, guard against a variance estimated
from too little. What it costs, simulated (8,000 matches each; tests/benchmarks/test_budgets.py repeats it): coverage 94.7%
for normal values, 94.0% for shares of two games, 92.8% for values as lopsided as an exponential's (94.5% without the rule),
where mean and width go together; its skewness is 2, that of a deal's points about 0.3.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from searchdou.arena.stats import Floats, half95, plus_minus
from searchdou.progress import Line, clock, speed

FIRST_LOOK = 64
RULE = ("Looks at {looks} deals; a cell stops at the first where half its 95% interval is at most {target:g} ({unit}), or "
        "at its most deals. The rule looks at the width of the interval, never at where it lies (the fixed-width rule of "
        "Chow and Robbins); simulated, its intervals cover 93 to 95%.")


def looks(most: int, first: int = FIRST_LOOK) -> list[int]:
    """Numbers of deals after which a cell is looked at: 64, 128, 256, ... and its most.

    >>> looks(300)
    [64, 128, 256, 300]
    """
    found = []
    while first < most:
        found.append(first)
        first *= 2
    return [*found, most]


def until_told(play: Callable[[int], Floats], most: int, target: float) -> tuple[Floats, bool]:
    """Values by deal up to the look that ends a cell, and whether the target ended it; `play(n)` gives those of n deals."""
    values = np.empty(0)
    for deals in looks(most):
        values = play(deals)
        if deals >= FIRST_LOOK and values.std() > 0 and half95(values) <= target:
            return values, True
    return values, False


class Work(NamedTuple):
    """A match to come: what it is called, its most deals, and the seconds a deal may take, about (for the ETA alone)."""

    name: str
    most: int
    seconds: float


class Teller:
    """Progress on stderr: rate, what is left and the running interval."""

    def __init__(self, works: Sequence[Work], unit: str, digits: int) -> None:
        self.works, self.unit, self.digits = works, unit, digits
        self.began = time.monotonic()
        self.worked = 0.0       # so far, in the seconds that were guessed
        self.line = Line(kept=True)
        self.begin(0)

    def begin(self, number: int) -> None:
        """Go on to match `number`."""
        self.number, self.look, self.found, self.done, self.since = number, 0, 0, 0, self.began

    def __call__(self, look: int, done: int, values: Floats) -> None:
        """`done` deals on the way to `look`, with their values."""
        work, now = self.works[self.number], time.monotonic()
        if look != self.look:           # what was found in the store is no work of ours
            self.look, self.found, self.since = look, done, now
        else:
            self.worked += (done - self.done) * work.seconds
        self.done = done
        if not self.line.due(last=done == look):
            return
        words = [f"{done} of {look} deals"]
        played, seconds = done - self.found, now - self.since
        if played and seconds > 0:
            words.append(f"{speed(played / seconds)} deals/s, {clock((look - done) * seconds / played)} to this look")
        if self.worked:
            left = (work.most - done) * work.seconds + sum(w.most * w.seconds for w in self.works[self.number + 1:])
            words.append(f"{clock(left * (now - self.began) / self.worked)} in all at most")
        if done > 1:
            words.append(f"{plus_minus(values, self.digits)} {self.unit}")
        self.line.tell(f"{self.number + 1} of {len(self.works)}, {work.name}", ", ".join(words), last=done == look)
