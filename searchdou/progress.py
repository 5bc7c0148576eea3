"""Progress on stderr: what is under way, how fast, how long yet; in place on a terminal, else a line now and then."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Collection, Iterator
from time import monotonic
from typing import TypeVar

from searchdou.arena.stats import Floats, plus_minus

PATIENCE = 2.0                # seconds that nobody minds: what ends sooner says nothing
OFTEN, SELDOM = 0.3, 20.0     # seconds from line to line, on a terminal and in a log
T = TypeVar("T")


def clock(seconds: float) -> str:
    """h:mm:ss.

    >>> clock(3725.2)
    '1:02:05'
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


def speed(rate: float) -> str:
    """Three digits, none of them for show.

    >>> speed(0.01234), speed(12.34), speed(12345.6)
    ('0.0123', '12.3', '12,346')
    """
    return f"{rate:.3g}" if rate < 100 else f"{rate:,.0f}"


def shortened(name: str, room: int) -> str:
    """A name that fits.

    >>> shortened("search:samples=9 v greed", 10)
    'search:sa…'
    """
    return name if len(name) <= room else name[:max(0, room - 1)] + "…"


class Line:
    """The line itself: when it is due, and where it goes.

    Nothing is told in the first two seconds, and a terminal is left as it was. A line that is `kept` begins at once, and
    the last of every piece of work stays.
    """

    def __init__(self, *, kept: bool = False) -> None:
        self.kept = kept
        self.began, self.told = monotonic(), -math.inf

    def due(self, *, last: bool = False) -> bool:
        """Whether it is time for another one; for the last it always is, once we have begun."""
        now = monotonic()
        if not self.kept and now - self.began < PATIENCE:
            return False
        return last or now - self.told >= (OFTEN if sys.stderr.isatty() else SELDOM)

    def tell(self, name: str, rest: str, *, last: bool = False) -> None:
        """Show `name: rest`; where a terminal is narrow, the name gives way."""
        self.told = monotonic()
        text, end = f"{name}: {rest}", "\n"
        if sys.stderr.isatty():
            if not last:
                width = _width() - 1
                text, end = f"{shortened(name, width - len(rest) - 2)}: {rest}"[:width], ""
            elif not self.kept:
                text = end = ""
            text = f"\r\x1b[2K{text}"
        print(text, end=end, file=sys.stderr, flush=True)


def _width() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


class Progress:
    """Pieces of work that are counted, with their rate and the time left.

    The first call says how many there were before: they are no work of ours and count for no rate.
    """

    def __init__(self, name: str, total: int, unit: str, line: Line | None = None) -> None:
        self.name, self.total, self.unit, self.line = name, total, unit, line or Line()
        self.found: int | None = None
        self.began = monotonic()

    def __call__(self, done: int, more: str = "") -> None:
        """So many are done; `more` is told behind."""
        rest, last = self.rest(done, more), done >= self.total
        if self.line.due(last=last):
            self.line.tell(self.name, rest, last=last)

    def rest(self, done: int, more: str = "") -> str:
        """All but the name."""
        if self.found is None:
            self.found, self.began = done, monotonic()
        words, played, seconds = [f"{done} of {self.total} {self.unit}"], done - self.found, monotonic() - self.began
        if played > 0 and seconds > 0:
            left = (self.total - done) * seconds / played
            words += [f"{speed(played / seconds)} {self.unit}/s", f"{clock(left)} left" if left else f"in {clock(seconds)}"]
        return ", ".join([*words, more] if more else words)


def of_match(name: str, deals: int, line: Line | None = None) -> Callable[[int, Floats], None]:
    """Progress of a match as `run_match` tells it, with the running mean and its 95% interval."""
    progress = Progress(name, deals, "deals", line)
    return lambda done, values: progress(done, interval(values))


def interval(values: Floats) -> str:
    """The mean of what was played so far ± half its 95% interval."""
    return plus_minus(values, 2) if values.size else ""


def each(items: Collection[T], name: str, unit: str, line: Line | None = None) -> Iterator[T]:
    """The items one by one, with progress meanwhile."""
    progress = Progress(name, len(items), unit, line)
    for done, item in enumerate(items):
        progress(done)
        yield item
    progress(len(items))
