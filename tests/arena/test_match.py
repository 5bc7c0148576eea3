"""A match is its settings: the same numbers in one process or two (resumed from a store: test_store.py)."""

import json

import numpy as np
import pytest

import searchdou
from searchdou.arena.match import MatchSettings, run_match
from searchdou.errors import SearchDouError

SETTINGS = {"doudizhu": MatchSettings("doudizhu", "rule", "random", 10, seed=1),
            "gongzhu": MatchSettings("gongzhu", "greed:samples=2", "if", 10, seed=1)}
EVERY_GAME = pytest.mark.parametrize("game", sorted(SETTINGS))


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
def test_two_workers_play_the_same_match(game):
    alone = run_match(SETTINGS[game])
    told = []
    together = run_match(SETTINGS[game], workers=2, progress=lambda done, values: told.append(done))
    assert np.array_equal(together.outcomes, alone.outcomes)
    assert figures(together) == figures(alone)
    assert told == list(range(11))


@EVERY_GAME
def test_the_progress(game):
    told = []
    result = run_match(SETTINGS[game], progress=lambda done, values: told.append((done, values.tolist())))
    assert told == [(n, result.outcomes.mean(axis=1)[:n].tolist()) for n in range(11)]


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
        run_match(settings, workers=workers, store=tmp_path / "results.sqlite")
    with pytest.raises(SearchDouError, match="at least one worker, not 0"):
        run_match(settings, workers=0)
