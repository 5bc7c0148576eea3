"""Progress: on a terminal in place, in a log a line now and then, and nothing of what ends soon."""

import re
import sys

import numpy as np
import pytest

from searchdou import progress
from searchdou.progress import Line, Progress, clock, each, of_match, speed


@pytest.fixture
def now(monkeypatch):
    """A clock to be set: now[0]."""
    time = [100.0]
    monkeypatch.setattr(progress, "monotonic", lambda: time[0])
    return time


@pytest.fixture
def terminal(monkeypatch, capsys):
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda _: True)      # pytest makes another stream of it for the test


def test_figures():
    assert [clock(s) for s in (0, 59.6, 3725.2, 360000)] == ["0:00:00", "0:01:00", "1:02:05", "100:00:00"]
    assert [speed(r) for r in (0.01234, 1.0, 12.34, 99.99, 12345.6)] == ["0.0123", "1", "12.3", "100", "12,346"]


def test_what_ends_soon_says_nothing(now, capsys):
    for _ in each(range(10), "work", "games"):
        now[0] += 0.1
    assert capsys.readouterr().err == ""


def test_a_log_has_a_line_now_and_then(now, capsys):
    for _ in each(range(50), "work", "games"):
        now[0] += 1
    assert capsys.readouterr().err.splitlines() == [
        "work: 2 of 50 games, 1 games/s, 0:00:48 left", "work: 22 of 50 games, 1 games/s, 0:00:28 left",
        "work: 42 of 50 games, 1 games/s, 0:00:08 left", "work: 50 of 50 games, 1 games/s, in 0:00:50"]


def test_a_terminal_is_drawn_in_place_and_left_as_it_was(now, terminal, capsys):
    for _ in each(range(4), "work", "games"):
        now[0] += 1
    assert capsys.readouterr().err == ("\r\x1b[2Kwork: 2 of 4 games, 1 games/s, 0:00:02 left"
                                       "\r\x1b[2Kwork: 3 of 4 games, 1 games/s, 0:00:01 left\r\x1b[2K")


def test_a_line_that_is_kept(now, terminal, capsys):
    told = Progress("a match", 2, "deals", Line(kept=True))
    told(0)
    told(1)             # too soon
    now[0] += 0.5
    told(1)
    told(2)
    assert capsys.readouterr().err == ("\r\x1b[2Ka match: 0 of 2 deals"
                                       "\r\x1b[2Ka match: 1 of 2 deals, 2 deals/s, 0:00:00 left"
                                       "\r\x1b[2Ka match: 2 of 2 deals, 4 deals/s, in 0:00:00\n")


def test_a_narrow_terminal_cuts_the_name(now, terminal, capsys, monkeypatch):
    told = Progress("search:" + 100 * "x", 9, "deals", Line(kept=True))
    told(1)
    line = capsys.readouterr().err.removeprefix("\r\x1b[2K")
    assert len(line) == 79
    assert line.endswith("xx…: 1 of 9 deals")
    for width in (1, 5, 20):
        monkeypatch.setattr(progress, "_width", lambda width=width: width)
        now[0] += 1
        told(2)
        assert len(capsys.readouterr().err.removeprefix("\r\x1b[2K")) <= width


def test_what_was_found_is_no_work_of_ours(now):
    told = Progress("a match", 100, "deals")
    assert told.rest(80) == "80 of 100 deals"
    now[0] += 10
    assert told.rest(85) == "85 of 100 deals, 0.5 deals/s, 0:00:30 left"


def test_the_running_interval(now, capsys):
    told = of_match("a match", 3, Line(kept=True))
    values = np.array([120.0, 100.0, 140.0])
    for done in range(4):
        told(done, values[:done])
        now[0] += 30
    lines = capsys.readouterr().err.splitlines()
    assert [re.sub(r".*/s, [^,]*, ", "", line) for line in lines] == [
        "a match: 0 of 3 deals", "+120.00", "+110.00 ± 127.06", "+120.00 ± 49.68"]


def test_pieces_that_share_a_line_are_one_long_work(now, capsys):
    line = Line()
    for name in ("one", "two"):
        for _ in each(range(3), name, "games", line):
            now[0] += 0.5
    assert capsys.readouterr().err.splitlines() == ["two: 1 of 3 games, 2 games/s, 0:00:01 left",
                                                    "two: 3 of 3 games, 2 games/s, in 0:00:02"]
