"""A match is its settings: the same numbers in one process or two, in one go or resumed from a file."""

import json

import numpy as np
import pytest

import searchdou
from searchdou.arena import match as module
from searchdou.arena.match import MatchSettings, run_match
from searchdou.errors import SearchDouError

SETTINGS = {"doudizhu": MatchSettings("doudizhu", "rule", "random", 10, seed=1),
            "gongzhu": MatchSettings("gongzhu", "greed:samples=2", "if", 10, seed=1)}
EVERY_GAME = pytest.mark.parametrize("game", sorted(SETTINGS))


@pytest.fixture
def dealt(monkeypatch):
    """The numbers of the deals that are really played, in order."""
    numbers = []
    play = module._Sides.play

    def counted(self, number):
        numbers.append(number)
        return play(self, number)
    monkeypatch.setattr(module._Sides, "play", counted)
    return numbers


def figures(result):
    """All that must not depend on how the match was run: everything but the clock."""
    return {key: value for key, value in result.summary().items() if key != "seconds_per_decision"}


@EVERY_GAME
def test_the_same_settings_give_the_same_outcomes(game):
    one, two = run_match(SETTINGS[game]), run_match(SETTINGS[game])
    assert one.outcomes.shape == (10, 2)
    assert np.array_equal(one.outcomes, two.outcomes)
    assert figures(one) == figures(two)
    other = run_match(MatchSettings(**{**SETTINGS[game].__dict__, "seed": 2}))
    assert not np.array_equal(one.outcomes, other.outcomes)
    assert other.outcomes.tolist() != one.outcomes.tolist()


@EVERY_GAME
def test_more_deals_are_the_same_deals_and_more(game):
    few = run_match(MatchSettings(**{**SETTINGS[game].__dict__, "deals": 4}))
    assert np.array_equal(few.outcomes, run_match(SETTINGS[game]).outcomes[:4])


@EVERY_GAME
def test_two_workers_play_the_same_match(game, monkeypatch, tmp_path):
    alone = run_match(SETTINGS[game])
    monkeypatch.setattr(module, "CHUNK", 2)
    told = []
    out = tmp_path / "match.jsonl"
    together = run_match(SETTINGS[game], workers=2, out=out, progress=lambda done, values: told.append(done))
    assert np.array_equal(together.outcomes, alone.outcomes)
    assert figures(together) == figures(alone)
    assert told == list(range(11))
    assert sorted(json.loads(line)["deal"] for line in out.read_text().splitlines()[1:]) == list(range(10))


@EVERY_GAME
def test_the_progress(game):
    told = []
    result = run_match(SETTINGS[game], progress=lambda done, values: told.append((done, values.tolist())))
    assert told == [(n, result.outcomes.mean(axis=1)[:n].tolist()) for n in range(11)]


# -- files ----------------------------------------------------------------------------------------------------


@EVERY_GAME
@pytest.mark.parametrize("cut", [0, 1, 300])       # characters of the line after the ones kept
@pytest.mark.parametrize("kept", [1, 4, 11])       # lines, the settings first
def test_resume(game, kept, cut, tmp_path, dealt):
    out = tmp_path / "match.jsonl"
    full = run_match(SETTINGS[game], out=out)
    text = out.read_text()
    assert len(text.splitlines()) == 11
    assert dealt == list(range(10))
    dealt.clear()
    lines = text.splitlines(keepends=True)
    out.write_text("".join(lines[:kept]) + ("".join(lines[kept:]).split("\n")[0])[:cut])
    told = []
    again = run_match(SETTINGS[game], out=out, progress=lambda done, values: told.append(done))
    assert dealt == list(range(kept - 1, 10))
    assert told == list(range(kept - 1, 11))
    assert figures(again) == figures(full)
    assert again.clocks["a"].decisions == full.clocks["a"].decisions
    # The file is whole again: every line reads, every deal stands there once.
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert rows[0] == {"settings": SETTINGS[game].__dict__, "version": searchdou.__version__}
    assert [row["deal"] for row in rows[1:]] == list(range(10))
    assert [row["outcomes"] for row in rows[1:]] == full.outcomes.tolist()
    dealt.clear()
    assert figures(run_match(SETTINGS[game], out=out)) == figures(full)
    assert dealt == []


def test_more_deals_go_on_from_fewer(tmp_path, dealt):
    out = tmp_path / "match.jsonl"
    fields = SETTINGS["gongzhu"].__dict__
    run_match(MatchSettings(**{**fields, "deals": 6}), out=out)
    dealt.clear()
    more = run_match(MatchSettings(**{**fields, "deals": 9}), out=out)
    assert dealt == [6, 7, 8]
    dealt.clear()
    fewer = run_match(MatchSettings(**{**fields, "deals": 3}), out=out)
    assert dealt == []
    assert np.array_equal(fewer.outcomes, more.outcomes[:3])


@pytest.mark.parametrize("workers", [1, 2])
def test_interrupted_and_resumed(workers, tmp_path, dealt, monkeypatch):
    monkeypatch.setattr(module, "CHUNK", 2)
    settings, out = SETTINGS["gongzhu"], tmp_path / "match.jsonl"
    full = run_match(settings)
    dealt.clear()

    def stop(done, values):
        if done == 4:
            raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        run_match(settings, out=out, workers=workers, progress=stop)
    written = {json.loads(line)["deal"] for line in out.read_text().splitlines()[1:]}
    assert len(written) == 4
    dealt.clear()
    again = run_match(settings, out=out)
    assert dealt == sorted(set(range(10)) - written)
    assert figures(again) == figures(full)


def test_forfeits_are_resumed_too(tmp_path):
    settings, out = MatchSettings("gongzhu", "cmd:/no/such/program", "if", 3), tmp_path / "match.jsonl"
    full = run_match(settings, out=out)
    assert run_match(settings, out=out).summary()["forfeits"] == full.summary()["forfeits"]
    assert full.summary()["forfeits"]["a"]["dead"] == 3 * 52


@pytest.mark.parametrize(("change", "words"), [
    ({"a": "if"}, "its a is 'random', not 'if'"), ({"b": "greed"}, "its b is 'if', not 'greed'"),
    ({"seed": 5}, "its seed is 0, not 5"), ({"time_s": 2.0}, "its time_s is 1.0, not 2.0"),
    ({"game": "doudizhu", "b": "rule"}, "its game is 'gongzhu', not 'doudizhu'")])
def test_another_match_is_refused(change, words, tmp_path):
    out = tmp_path / "match.jsonl"
    settings = MatchSettings("gongzhu", "random", "if", 2)
    run_match(settings, out=out)
    text = out.read_text()
    with pytest.raises(SearchDouError, match=f"match.jsonl holds another match: {words}"):
        run_match(MatchSettings(**{**settings.__dict__, **change}), out=out)
    assert out.read_text() == text


@pytest.mark.parametrize("text", ["my notes", "my notes\nand more", "{}\n", "[]\n", "5\n", '{"settings": 5}\n', "\n",
                                  '{"sett', '{"settings": {}}\noink\n', '{"settings": {}}\n{"deal": 1}\n', "\xff\n", "\x00"])
def test_a_file_of_the_users_is_left_alone(text, tmp_path):
    out = tmp_path / "notes.txt"
    out.write_text(text, encoding="latin-1")
    with pytest.raises(SearchDouError, match=r"notes.txt (is not a match file of ours|holds another match)"):
        run_match(MatchSettings("gongzhu", "random", "if", 2), out=out)
    assert out.read_text(encoding="latin-1") == text


# -- what is printed ------------------------------------------------------------------------------------------


def test_the_words_of_the_summary():
    """As issues 2 and 3 promise them."""
    summary = run_match(SETTINGS["doudizhu"]).summary()
    parts = {"landlord", "peasants", "overall"}
    assert set(summary["wp"]) == set(summary["adp"]) == set(summary["ci95"]["wp"]) == set(summary["ci95"]["adp"]) == parts
    assert set(summary["ci95"]) == {"wp", "adp"}
    assert summary["decks"] == 10
    common = {"ci95", "seconds_per_decision", "forfeits", "game", "a", "b", "deals", "seed", "rules", "time_s", "start_s",
              "se", "version"}
    assert set(summary) == common | {"wp", "adp", "decks"}
    assert set(summary["seconds_per_decision"]) == {"a", "b"}
    assert all(seconds > 0 for seconds in summary["seconds_per_decision"].values())
    summary = run_match(SETTINGS["gongzhu"]).summary()
    assert set(summary) == common | {"points", "win", "draw"}
    assert summary["ci95"][0] < summary["points"] < summary["ci95"][1]
    assert 0 <= summary["win"] + summary["draw"] <= 1
    assert (summary["deals"], summary["seed"], summary["version"]) == (10, 1, searchdou.__version__)
    assert json.loads(json.dumps(summary)) == summary


@pytest.mark.parametrize(("change", "message"), [
    ({"deals": 0}, "at least one deal, not 0"), ({"time_s": 0.0}, "must be above 0 s, not 0.0"),
    ({"time_s": float("nan")}, "must be above 0 s"), ({"start_s": -1.0}, "must be 0 s or more")])
def test_bad_settings(change, message):
    with pytest.raises(SearchDouError, match=message):
        MatchSettings(**{**SETTINGS["gongzhu"].__dict__, **change})


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(("change", "message"), [
    ({"a": "oink"}, "unknown gongzhu agent 'oink'"), ({"b": "greed:oink=1"}, "unknown setting of greed 'oink'"),
    ({"game": "bridge"}, "unknown game 'bridge'"), ({"rules": "oink"}, "unknown rule set of gongzhu 'oink'")])
def test_bad_names_are_told_before_anything_is_played(change, message, workers, tmp_path):
    settings = MatchSettings(**{**SETTINGS["gongzhu"].__dict__, **change})
    with pytest.raises(SearchDouError, match=message):
        run_match(settings, workers=workers, out=tmp_path / "match.jsonl")
    with pytest.raises(SearchDouError, match="at least one worker, not 0"):
        run_match(settings, workers=0)
