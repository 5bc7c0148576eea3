"""The soak: a short one finds nothing, and everything that is planted is found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from searchdou.errors import SearchDouError
from searchdou.games import gongzhu

HOUSE = Path(__file__).resolve().parents[2]
sys.path.append(str(HOUSE / "benchmarks"))      # its scripts share code among themselves

import soak  # noqa: E402

LINUX = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc to count memory and processes")


@pytest.fixture
def cheap(monkeypatch):
    """Hand-written agents alone, so that a soak takes a second."""
    monkeypatch.setattr(soak, "SEARCH", {"gongzhu": [], "doudizhu": []})
    monkeypatch.setattr(soak, "KINDS", {"cheap": 1})


@pytest.fixture
def plant(cheap, monkeypatch):
    """Do something after every game; `held` keeps what it leaves behind until the test is over."""
    held, play = [], soak.play

    def planted(deed):
        def playing(*arguments):
            state = play(*arguments)
            held.append(deed(len(held)))
            return state
        monkeypatch.setattr(soak, "play", playing)
        return held
    return planted


def failed(report):
    return [row[0] for row in report.checks() if not row[3]]


def test_a_short_soak_finds_nothing():
    report = soak.soaked(60, seed=1)
    assert report.well, report.text()
    assert report.games == 60
    assert set(report.played) == set(soak.KINDS)
    assert report.forfeits
    assert report.base.games == 23
    assert {kind.split()[0] for kind in report.refused} == {"record", "weights", "missing"}
    plain = json.loads(json.dumps(report.plain()))
    assert plain["well"] is True
    assert plain["played"] == report.played
    assert "| crashes | 0 | 0 | ok |" in report.text()


@pytest.mark.parametrize("name", soak.HOSTILE)
@pytest.mark.parametrize("game", ["doudizhu", "gongzhu"])
def test_every_hostile_program_is_hostile_and_ends(game, name, cheap, monkeypatch, tmp_path):
    """Each forfeits something in a game, no game fails by it, and nothing of it is left."""
    monkeypatch.setattr(soak, "KINDS", {"hostile": 1})
    monkeypatch.setattr(soak, "HOSTILE", {name: soak.HOSTILE[name]})
    monkeypatch.setattr(soak.games, "GAMES", (game,))
    soaking = soak.Soak(tmp_path, 1, seed=2)
    soaking.game(100)
    soaking.mark()
    report = soaking.report
    assert not report.crashes + report.illegal
    assert sum(report.forfeits.values()) > 0
    assert not soaking.children()


@LINUX
def test_a_leak_of_memory_is_found(plant):
    plant(lambda n: bytearray(b"x") * 2**21)
    report = soak.soaked(60, seed=1)
    assert failed(report) == ["memory, RSS"]
    assert "NOT WELL" in report.text()


@LINUX
def test_a_leak_of_handles_is_found(plant):
    held = plant(lambda n: open(os.devnull))  # noqa: SIM115 (that is the leak)
    assert failed(soak.soaked(40, seed=1)) == ["file handles"]
    for file in held:
        file.close()


def test_a_leak_of_threads_is_found(plant):
    stop = threading.Event()

    def start(n):
        thread = threading.Thread(target=stop.wait)
        thread.start()
        return thread
    held = plant(start)
    assert failed(soak.soaked(40, seed=1)) == ["threads"]
    stop.set()
    for thread in held:
        thread.join()


@LINUX
def test_a_process_left_over_is_found(plant):
    held = plant(lambda n: n == 38 and subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"]))
    report = soak.soaked(40, seed=1)
    assert "child processes left" in failed(report)
    assert "time.sleep(60)" in report.text()
    for process in filter(None, held):
        process.kill()
        process.wait()


def test_a_crash_is_found_and_the_rest_is_played(plant):
    def fail(n):
        if n == 7:
            raise RuntimeError("planted")
    plant(fail)
    report = soak.soaked(30, seed=1)
    assert failed(report) == ["crashes"]
    assert report.games == 30
    assert all("RuntimeError('planted') at test_soak.py" in crash for crash in report.crashes)


def test_an_agent_that_crashes_is_found(cheap, monkeypatch):
    class Bad:
        def act(self, infoset):
            raise ZeroDivisionError
    monkeypatch.setattr(soak.agents, "make", lambda game, spec: Bad())
    report = soak.soaked(8, seed=1)
    assert (len(report.crashes), len(report.illegal)) == (8, 0)
    assert report.crashes[0].startswith("game 0 (cheap, doudizhu): ZeroDivisionError()")


def test_an_illegal_move_is_found(cheap, monkeypatch):
    class Bad:
        def act(self, infoset):
            return gongzhu.Move(next(card for card in range(52) if not infoset.packed_hand >> card & 1))
    monkeypatch.setattr(soak.agents, "make", lambda game, spec: Bad())
    monkeypatch.setattr(soak.games, "GAMES", ("gongzhu",))
    report = soak.soaked(5, seed=1)
    assert (len(report.crashes), len(report.illegal)) == (0, 5)
    assert "game 0 (cheap, gongzhu)" in report.illegal[0]


def test_bad_input_that_is_accepted_is_found(cheap, monkeypatch):
    """A reader that believes everything."""
    monkeypatch.setattr(soak, "KINDS", {"records": 1})
    monkeypatch.setattr(soak.games, "GAMES", ("gongzhu",))
    good, read = {}, gongzhu.load

    def believe(line):
        good["state"] = good.get("state") or read(line)
        try:
            return read(line)
        except SearchDouError:
            return good["state"]
    monkeypatch.setattr(soak.games.load("gongzhu"), "load", believe)
    report = soak.soaked(6, seed=1)
    assert not report.crashes
    assert any("record cut short" in words for words in report.accepted)
    assert failed(report) == ["bad input accepted"]


def test_other_errors_of_bad_input_are_crashes(cheap, monkeypatch):
    monkeypatch.setattr(soak, "KINDS", {"records": 1})
    monkeypatch.setattr(soak, "bad_records", lambda line, chance: [("record as bytes", 5)])
    report = soak.soaked(4, seed=1, first=100)
    assert report.well                      # even that is refused, as it should be
    monkeypatch.setattr(soak.Soak, "_must_refuse", lambda *_: [].pop())
    assert all("IndexError" in crash for crash in soak.soaked(4, seed=1, first=100).crashes)
    assert len(soak.soaked(4, seed=1, first=100).crashes) == 4


def test_a_seed_makes_it_repeatable(cheap, monkeypatch):
    seen = []
    play = soak.play
    monkeypatch.setattr(soak, "play", lambda state, *rest: seen.append(state.deal) or play(state, *rest))
    soak.soaked(8, seed=4)
    soak.soaked(8, seed=4)
    assert seen[:8] == seen[8:]
    soak.soaked(1, seed=4, first=5)
    assert seen[16] == seen[5]
    soak.soaked(1, seed=5, first=5)
    assert seen[17] != seen[5]


def test_an_interrupt_prints_the_report_so_far(plant, capsys):
    def stop(n):
        if n == 10:
            raise KeyboardInterrupt
    plant(stop)
    with pytest.raises(KeyboardInterrupt):
        soak.run(games=50, seed=1)
    out = capsys.readouterr().out
    assert "`searchdou bench soak --games 50 --seed 1`: 11 games in" in out
    assert "| crashes | 0 | 0 | ok |" in out


def test_the_status_says_whether_it_is_well(cheap, monkeypatch, capsys):
    soak.run(games=6, seed=1, as_json=True)
    assert json.loads(capsys.readouterr().out)["well"]
    monkeypatch.setattr(soak.agents, "make", lambda game, spec: None)
    with pytest.raises(SystemExit) as status:
        soak.run(games=6, seed=1)
    assert status.value.code == 1
    with pytest.raises(SearchDouError, match="at least one game"):
        soak.run(games=0)
