"""The results store: what identifies a match, what a kill costs, many writers, files that are not ours."""

import dataclasses
import io
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import searchdou
from searchdou.agents.gongzhu_greed import GreedPlayer
from searchdou.agents.identity import identify, weights_hash
from searchdou.arena import match as module
from searchdou.arena import results
from searchdou.arena import store as store_module
from searchdou.arena.match import MatchSettings, run_match
from searchdou.arena.store import APPLICATION, Store
from searchdou.arena.table import Clock, Played
from searchdou.errors import SearchDouError
from tests.conftest import processes

HOUSE = Path(__file__).resolve().parent.parent.parent
SETTINGS = {"doudizhu": MatchSettings("doudizhu", "rule", "random", 10, seed=1),
            "gongzhu": MatchSettings("gongzhu", "if", "random", 10, seed=1)}
EVERY_GAME = pytest.mark.parametrize("game", sorted(SETTINGS))
MATCH = SETTINGS["gongzhu"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / "results.sqlite"


@pytest.fixture
def dealt(monkeypatch):
    """The numbers of the deals that are really played, in order."""
    numbers = []
    play = module.Sides.play

    def counted(self, number):
        numbers.append(number)
        return play(self, number)
    monkeypatch.setattr(module.Sides, "play", counted)
    return numbers


def changed(settings, **change):
    return dataclasses.replace(settings, **change)


def figures(result):
    """All that must not depend on how the match was run: everything but the clock."""
    return {key: value for key, value in result.summary().items() if key != "seconds_per_decision"}


def kept(path, match=1):
    with Store(path, write=False) as store:
        return store.rows(match)


def outcomes(path, match=1):
    return {row["number"]: [row["outcome_1"], row["outcome_2"]] for row in kept(path, match)}


def interrupted_at(stop):
    def progress(done, values):
        if done == stop:
            raise KeyboardInterrupt
    return progress


# -- resuming -------------------------------------------------------------------------------------------------


@EVERY_GAME
def test_what_is_kept_is_not_played_again(game, path, dealt):
    alone = run_match(SETTINGS[game])
    dealt.clear()
    full = run_match(SETTINGS[game], store=path)
    assert dealt == list(range(10))
    assert figures(full) == figures(alone)
    assert list(outcomes(path).values()) == alone.outcomes.tolist()
    dealt.clear()
    told = []
    again = run_match(SETTINGS[game], store=path, progress=lambda done, values: told.append((done, len(values))))
    assert (dealt, told) == ([], [(10, 10)])
    assert again.summary() == full.summary()        # the clocks are kept too


@pytest.mark.parametrize("stop", range(11))
@EVERY_GAME
def test_an_interrupt_at_any_deal(game, stop, path, dealt):
    full = run_match(SETTINGS[game])
    with pytest.raises(KeyboardInterrupt):
        run_match(SETTINGS[game], store=path, progress=interrupted_at(stop))
    dealt.clear()
    again = run_match(SETTINGS[game], store=path)
    assert dealt == list(range(stop, 10))
    assert figures(again) == figures(full)
    assert {side: clock.decisions for side, clock in again.clocks.items()} == {
        side: clock.decisions for side, clock in full.clocks.items()}


@pytest.mark.parametrize("stop", [0, 1, 6, 10])
def test_an_interrupt_with_two_workers(stop, path, dealt, monkeypatch):
    monkeypatch.setattr(module, "FEW", 1)
    full = run_match(MATCH)
    with pytest.raises(KeyboardInterrupt):
        run_match(MATCH, workers=2, store=path, progress=interrupted_at(stop))
    before = set(outcomes(path))
    assert len(before) == stop
    dealt.clear()
    again = run_match(MATCH, store=path)
    assert dealt == sorted(set(range(10)) - before)
    assert figures(again) == figures(full)


@EVERY_GAME
@pytest.mark.parametrize(("a", "b", "deals"), [("", "", 10), ("search:samples=4", "net", 3)], ids=["plain", "search"])
def test_one_and_two_processes_outcome_by_outcome(game, a, b, deals, tmp_path, monkeypatch):
    settings = dataclasses.replace(SETTINGS[game], deals=deals, **({"a": a, "b": b} if a else {}))
    monkeypatch.setattr(module, "FEW", 1)
    run_match(settings, store=tmp_path / "one.sqlite")
    run_match(settings, store=tmp_path / "two.sqlite", workers=2)
    one, two = kept(tmp_path / "one.sqlite"), kept(tmp_path / "two.sqlite")
    for row in one + two:
        del row["played"]
        for clock in row["clocks"]:
            del clock["seconds"]
    assert one == two                               # outcomes, decisions, forfeits, commit


def test_more_deals_extend_a_match(path, dealt):
    run_match(changed(MATCH, deals=6), store=path)
    dealt.clear()
    more = run_match(changed(MATCH, deals=9), store=path)
    assert dealt == [6, 7, 8]
    dealt.clear()
    fewer = run_match(changed(MATCH, deals=3), store=path)
    assert dealt == []
    assert np.array_equal(fewer.outcomes, more.outcomes[:3])
    assert fewer.clocks["a"].decisions == 3 * 52


def test_fresh_begins_another_attempt(path, dealt):
    with Store(path) as store:
        run_match(MATCH, store=store)
        with pytest.raises(KeyboardInterrupt):
            run_match(MATCH, store=store, fresh=True, progress=interrupted_at(3))
        dealt.clear()
        run_match(MATCH, store=store)               # goes on with the last attempt
        assert dealt == list(range(3, 10))
        assert [(row["id"], row["attempt"], row["deals"]) for row in store.matches()] == [(1, 1, 10), (2, 2, 10)]
    assert outcomes(path, 1) == outcomes(path, 2)


def test_forfeits_are_kept(path):
    settings = MatchSettings("gongzhu", "cmd:/no/such/program", "if", 3)
    full = run_match(settings, store=path)
    assert run_match(settings, store=path).summary() == full.summary()
    assert full.summary()["forfeits"]["a"]["dead"] == 3 * 52
    assert kept(path)[0]["clocks"][0]["reasons"][0].startswith("dead: /no/such/program cannot be started")


def test_the_first_to_write_a_deal_is_right(path):
    first, second = Played(0, [1.0, 2.0], [Clock(3), Clock(4)]), Played(0, [5.0, 6.0], [Clock(), Clock()])
    with Store(path) as store:
        match = store.begin(MATCH)
        assert store.add(match, first) == first
        assert store.add(match, second) == first
        assert store.deals(match) == {0: first}
        result = run_match(MATCH, store=store)
    assert result.outcomes[0].tolist() == [1.0, 2.0]


def test_a_seed_of_any_length(path, dealt):
    for seed in (-1, 2 ** 70):
        run_match(changed(MATCH, deals=1, seed=seed), store=path)
        dealt.clear()
        run_match(changed(MATCH, deals=1, seed=seed), store=path)
        assert dealt == []
    with Store(path) as store:
        assert [row["seed"] for row in store.matches()] == [-1, 2 ** 70]


# -- what identifies a match ----------------------------------------------------------------------------------


@pytest.mark.parametrize("change", [{"a": "greed:samples=1"}, {"b": "random:seed=2"}, {"seed": 2}, {"time_s": 2.0},
                                    {"start_s": 1.0}, {"game": "doudizhu", "a": "random", "b": "random"}])
def test_another_match_is_another_row(change, path, dealt):
    run_match(changed(MATCH, deals=2), store=path)
    dealt.clear()
    run_match(changed(MATCH, deals=2, **change), store=path)
    assert dealt == [0, 1]
    with Store(path) as store:
        assert [row["deals"] for row in store.matches()] == [2, 2]


def test_rules_and_version_tell_matches_apart(path, monkeypatch):
    with Store(path) as store:
        settings = SETTINGS["doudizhu"]
        assert [store.begin(settings), store.begin(changed(settings, rules="douzero")), store.begin(settings)] == [1, 2, 1]
        assert store.begin(changed(settings, deals=500)) == 1
        monkeypatch.setattr(searchdou, "__version__", "99")
        assert store.begin(settings) == 3


def test_a_new_default_is_another_match(path, monkeypatch):
    settings = changed(MATCH, a="greed")
    with Store(path) as store:
        first = store.begin(settings)
        assert store.begin(changed(MATCH, a="greed:samples=20")) != first       # specs are kept as given
        monkeypatch.setattr(GreedPlayer.__init__, "__defaults__", (21, 0))
        assert store.begin(settings) not in (first, first + 1)


def test_changed_weights_are_another_match(path, tmp_path, dealt):
    nets = tmp_path / "nets"
    nets.mkdir()
    for file in (Path(searchdou.__file__).parent / "weights").glob("gongzhu-*"):
        shutil.copy(file, nets)
    settings = MatchSettings("gongzhu", f"net:nets={nets}", "random", 2)
    run_match(settings, store=path)
    run_match(settings, store=path)
    assert dealt == [0, 1]
    blueprint = nets / "gongzhu-blueprint.safetensors"
    data = bytearray(blueprint.read_bytes())
    data[-2] ^= 1                                   # the last bit of the last number
    blueprint.write_bytes(data)
    run_match(settings, store=path)
    assert dealt == [0, 1, 0, 1]
    with Store(path) as store:
        one, two = store.matches()
    assert one["a"] == two["a"]
    assert one["a_weights"] != two["a_weights"]
    assert one["b_weights"] == two["b_weights"] == ""


def test_an_edited_program_is_another_match(path, tmp_path, dealt):
    bot = tmp_path / "my bot.py"
    bot.write_text("import sys\nfor line in sys.stdin:\n    print('{}', flush=True)\n")
    settings = MatchSettings("gongzhu", f"cmd:{sys.executable} '{bot}' --level 3", "random", 1)
    run_match(settings, store=path)
    run_match(settings, store=path)
    assert dealt == [0]
    bot.write_text(bot.read_text() + "# stronger\n")
    run_match(settings, store=path)
    assert dealt == [0, 0]


def test_the_identity_of_agents(tmp_path, monkeypatch):
    assert identify("gongzhu", "greed:samples=3").settings == {"samples": 3, "seed": 0}
    search = identify("gongzhu", "search:time=0.1")
    assert (search.settings["time"], search.settings["samples"], search.settings["weights"]) == (0.1, None, "iec")
    assert search.settings["solve"] == 20 < identify("gongzhu", "search:time=1").settings["solve"]   # depends on the time
    assert search.weights == identify("gongzhu", "net").weights == weights_hash("gongzhu") != weights_hash("doudizhu")
    assert identify("gongzhu", "random").weights == ""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot").write_text("x")
    long = "x" * 5000
    files = identify("gongzhu", f"cmd:sh bot gone {long}").settings["files"]
    assert sorted(files) == ["bot", "sh"]
    with pytest.raises(SearchDouError, match="names no program"):
        identify("gongzhu", "cmd:")
    with pytest.raises(SearchDouError, match="unknown setting of greed 'oink'"):
        identify("gongzhu", "greed:oink=1")


# -- processes ------------------------------------------------------------------------------------------------

PLAY = """
import signal
import sys
from pathlib import Path
from searchdou.arena.match import MatchSettings, run_match
signal.signal(signal.SIGINT, signal.default_int_handler)     # also where a shell started the tests with it ignored
for seed in sys.argv[3:]:
    run_match(MatchSettings("gongzhu", "if", "random", int(sys.argv[2]), seed=int(seed)), store=Path(sys.argv[1]))
"""


def started(path, deals, *seeds):
    return subprocess.Popen([sys.executable, "-c", PLAY, str(path), str(deals), *map(str, seeds)], cwd=HOUSE,
                            env={**os.environ, "PYTHONPATH": str(HOUSE)}, stderr=subprocess.PIPE, text=True)


def test_two_processes_write_at_once(path):
    """A match of its own each, then the same one, into a file that neither finds there."""
    for process in [started(path, 200, 5, 7), started(path, 200, 6, 7)]:
        assert process.communicate(timeout=120)[1] == ""
        assert process.returncode == 0
    with Store(path) as store:
        rows = store.matches()
    assert sorted((row["seed"], row["deals"]) for row in rows) == [(5, 200), (6, 200), (7, 200)]
    for row in rows:
        alone = run_match(changed(MATCH, seed=row["seed"], deals=200))
        assert list(outcomes(path, row["id"]).values()) == alone.outcomes.tolist()


def test_many_processes_make_one_file(path):
    code = "import sys; from searchdou.arena.store import Store; Store(sys.argv[1]).close()"
    processes = [subprocess.Popen([sys.executable, "-c", code, str(path)], cwd=HOUSE, stderr=subprocess.PIPE, text=True,
                                  env={**os.environ, "PYTHONPATH": str(HOUSE)}) for _ in range(4)]
    assert [process.communicate(timeout=120)[1] for process in processes] == [""] * 4
    with Store(path) as store:
        assert store.matches() == []


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_process_loses_only_unfinished_deals(how, path):
    process = started(path, 10 ** 6, 1)
    try:
        until = time.monotonic() + 60
        while not path.exists() or not path.stat().st_size or len(kept(path)) < 50:     # made, but not yet filled
            assert time.monotonic() < until
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.05)
        process.send_signal(how)
        process.communicate(timeout=60)
    finally:
        process.kill()
    found = outcomes(path)
    assert list(found) == list(range(len(found)))   # deal after deal, none missing
    told = []
    deals = len(found) + 5
    again = run_match(changed(MATCH, deals=deals), store=path, progress=lambda done, values: told.append(done))
    assert told == list(range(len(found), deals + 1))
    assert np.array_equal(again.outcomes, run_match(changed(MATCH, deals=deals)).outcomes)


WORKERS = """
from searchdou.arena.match import MatchSettings, run_match
if __name__ == "__main__":
    run_match(MatchSettings("gongzhu", "if", "random", 10 ** 6, seed=1), workers=2)
"""


def test_workers_end_with_a_match_that_was_killed(tmp_path):
    """Else each would wait for work for ever, with the hundreds of megabytes that it holds."""
    script = tmp_path / "play.py"
    script.write_text(WORKERS)
    process = subprocess.Popen([sys.executable, str(script)], cwd=HOUSE, env={**os.environ, "PYTHONPATH": str(HOUSE)})

    def workers():
        return {pid for pid, parent, command in processes() if parent == process.pid and "spawn_main" in command}
    until = time.monotonic() + 60
    while len(begun := workers()) < 2:
        assert time.monotonic() < until
        time.sleep(0.05)
    time.sleep(1.0)
    process.kill()
    process.wait()
    until = time.monotonic() + 30
    while left := begun & {pid for pid, _, _ in processes()}:
        assert time.monotonic() < until, left
        time.sleep(0.05)


def test_a_file_held_by_another_process(path, monkeypatch):
    Store(path).close()
    monkeypatch.setattr(store_module, "BUSY_S", 0.1)
    holder = sqlite3.connect(path)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        with pytest.raises(SearchDouError, match=r"results.sqlite cannot be used: another process has held it for 0.1 s"):
            run_match(MATCH, store=path)
    finally:
        holder.close()
    run_match(changed(MATCH, deals=1), store=path)


# -- files that are not ours ----------------------------------------------------------------------------------


def refused(path, words):
    """Both ways to open it say what is wrong; it stays as it is, and nothing appears beside it."""
    data, beside = path.read_bytes(), sorted(path.parent.iterdir())
    for use in (lambda: run_match(changed(MATCH, deals=1), store=path), lambda: Store(path, write=False)):
        with pytest.raises(SearchDouError, match=words) as caught:
            use()
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)
        assert path.read_bytes() == data
        assert sorted(path.parent.iterdir()) == beside


@pytest.mark.parametrize("data", [b"my notes\n", b"SQLite format 3\0", b"\0" * 5000, b"SQLite format 3\0" + b"\7" * 8000])
def test_a_file_of_the_users(data, tmp_path):
    (tmp_path / "notes.txt").write_bytes(data)
    refused(tmp_path / "notes.txt", "not a results file of ours, and is left as it is")


def test_a_database_of_the_users(tmp_path):
    db = sqlite3.connect(tmp_path / "bills.db")
    db.execute("CREATE TABLE match (bills)")
    db.commit()
    db.close()
    refused(tmp_path / "bills.db", "a database, but not a results file of ours")


def test_a_newer_file(path):
    Store(path).close()
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA user_version = 2")
    db.close()
    refused(path, r"written by a newer SearchDou \(its schema is 2, this one knows 1\)")


@pytest.mark.parametrize("damage", ["cut", "garbage", "text"])
def test_a_damaged_file(damage, path):
    run_match(changed(MATCH, deals=60), store=path)
    data = bytearray(path.read_bytes())
    if damage == "cut":
        del data[len(data) // 2:]
    elif damage == "garbage":
        data[4096:] = b"\x5a" * (len(data) - 4096)
    else:
        data[200:4096] = b"oink" * 974
    path.write_bytes(data)
    refused(path, "cannot be used: ")


def test_rows_that_cannot_be_read(path):
    run_match(changed(MATCH, deals=2), store=path)
    for clocks in ("oink", '[{"pigs": 1}, {}]', "7"):
        db = sqlite3.connect(path)
        db.execute("UPDATE deal SET clocks = ?", (clocks,))
        db.commit()
        db.close()
        with pytest.raises(SearchDouError, match=r"results.sqlite cannot be used"):
            run_match(changed(MATCH, deals=2), store=path)


@pytest.mark.parametrize("where", ["file/results.sqlite", "folder", "file"])
def test_places_where_no_file_can_be(where, tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    with pytest.raises(SearchDouError, match=f"{where}"):
        Store(tmp_path / where)
    assert (tmp_path / "file").read_text() == "x"


def test_looking_changes_nothing(path):
    run_match(changed(MATCH, deals=3), store=path)
    data = path.read_bytes()
    with Store(path, write=False) as store:
        assert len(store.rows(1)) == 3
        with pytest.raises(SearchDouError, match="readonly"):
            store.begin(changed(MATCH, seed=99))
    assert (path.read_bytes(), list(path.parent.iterdir())) == (data, [path])


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_the_right_to_write(path):
    Store(path).close()
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        with pytest.raises(SearchDouError, match=r"results.sqlite cannot be used"):
            Store(path)
        assert kept(path) == []
    finally:
        path.parent.chmod(0o755)


def test_an_empty_file_becomes_ours(tmp_path):
    path = tmp_path / "results with ? and %.sqlite"
    path.touch()
    with pytest.raises(SearchDouError, match="there are no results in"):
        Store(path, write=False)
    run_match(changed(MATCH, deals=1), store=path)
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA application_id").fetchone()[0] == APPLICATION
    assert db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    db.close()
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


# -- looking --------------------------------------------------------------------------------------------------


def test_several_commits_are_told(path, monkeypatch):
    run_match(changed(MATCH, deals=2), store=path)
    monkeypatch.setattr(store_module, "commit", lambda: "0ddba11")
    run_match(changed(MATCH, deals=5), store=path)
    with Store(path, write=False) as store:
        match, = results.list_matches(store)
        assert len(match["commits"]) == 2
        assert "0ddba11" in match["commits"]
        assert [row["git_commit"] for row in store.rows(1)][2:] == ["0ddba11"] * 3
        console = Console(file=io.StringIO(), width=250)
        results.show_matches([match], console)
        results.show_one(store, match, console)
    text = console.file.getvalue()
    assert "2 commits: " in text
    assert "its deals come from 2 commits: " in text


def test_the_figures_of_a_list_are_those_of_the_match(path):
    for settings in SETTINGS.values():
        run_match(settings, store=path)
    with Store(path, write=False) as store:
        for match in results.list_matches(store):
            summary = run_match(SETTINGS[match["game"]]).summary()
            if match["game"] == "gongzhu":
                assert (match["mean"], match["ci95"]) == (summary["points"], summary["ci95"])
            else:
                assert (match["mean"], match["ci95"]) == (summary["wp"]["overall"], summary["ci95"]["wp"]["overall"])
            assert set(match["ms_per_decision"]) == {"a", "b"}
            assert json.loads(json.dumps(match)) == match
