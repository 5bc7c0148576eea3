"""Ratings from results whose truth is known: simulated agents of given strength on common deals."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import beta

from searchdou.arena.ratings import ELO, Ratings, rate
from searchdou.errors import SearchDouError

NAMES = ["ant", "bee", "cat", "dog"]


def simulated(strengths, deals, seed=0, draws=0.0):
    """Values on common deals: i beats j exactly as Bradley and Terry say, and a deal good for i is so against all."""
    rng = np.random.default_rng(seed)
    form = np.array(strengths)[:, None] / ELO + rng.gumbel(size=(len(strengths), deals))
    values = form[:, None] - form[None, :]
    return values * (np.abs(values) >= draws)


def elo(ratings):
    return {row.agent: row.elo for row in ratings.rows}


def test_known_strengths_are_found():
    true = {"ant": 150.0, "bee": 40.0, "cat": -60.0, "dog": -130.0}
    ratings = rate(NAMES, simulated(list(true.values()), 1500), resamples=300)
    assert [row.agent for row in ratings.rows] == NAMES
    assert sum(elo(ratings).values()) == pytest.approx(0, abs=1e-6)
    for row in ratings.rows:
        assert row.low < true[row.agent] < row.high
        assert row.low < row.elo < row.high
        assert row.high - row.low < 40
    assert ratings.groups == [NAMES]


def test_the_maximum_is_found():
    """For two agents it has a closed form, and the interval is Jeffreys'."""
    values = np.zeros((2, 2, 40))
    values[0, 1] = np.where(np.arange(40) < 30, 5.0, -5.0)
    values[1, 0] = -values[0, 1]
    ratings = rate(["a", "b"], values, anchor="b", resamples=4000)
    assert elo(ratings) == pytest.approx({"a": ELO * np.log(30.5 / 10.5), "b": 0.0}, abs=1e-3)
    low, high = beta.ppf((0.025, 0.975), 30.5, 10.5)
    assert ratings.rows[0].low == pytest.approx(ELO * np.log(low / (1 - low)), abs=10)
    assert ratings.rows[0].high == pytest.approx(ELO * np.log(high / (1 - high)), abs=10)
    assert (ratings.rows[0].score, ratings.rows[1].score) == (0.75, 0.25)
    assert (ratings.rows[1].low, ratings.rows[1].high) == (0.0, 0.0)


def test_equal_agents_get_equal_ratings():
    """Every result is there in both directions, so nothing tells one from the other."""
    values = np.zeros((3, 3, 12))
    signs = np.array([1, -1] * 6)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        values[i, j], values[j, i] = signs, -signs
    assert elo(rate(NAMES[:3], values, resamples=10)) == pytest.approx(dict.fromkeys(NAMES[:3], 0.0), abs=1e-6)
    same = rate(NAMES, simulated([0, 0, 0, 0], 400), resamples=200)
    assert all(row.low < 0 < row.high for row in same.rows)


def test_the_order_of_the_agents_does_not_matter():
    values = simulated([100, 0, -20, -80], 200)
    one = rate(NAMES, values, resamples=50)
    order = [2, 0, 3, 1]
    two = rate([NAMES[i] for i in order], values[np.ix_(order, order)], resamples=50)
    assert [row.agent for row in one.rows] == [row.agent for row in two.rows]
    for a, b in zip(one.rows, two.rows, strict=True):
        assert (a.elo, a.low, a.high, a.score) == pytest.approx((b.elo, b.low, b.high, b.score), abs=1e-9)


def test_the_size_of_a_win_does_not_matter_and_the_seed_does():
    values = simulated([100, 0, -20, -80], 200)
    assert rate(NAMES, 1000 * values, resamples=20) == rate(NAMES, values, resamples=20)
    assert rate(NAMES, values, resamples=20, seed=1) != rate(NAMES, values, resamples=20)


def test_an_anchor_is_zero():
    values = simulated([100, 0, -20, -80], 200)
    free, held = rate(NAMES, values, resamples=20), rate(NAMES, values, "cat", resamples=20)
    assert elo(held)["cat"] == 0
    shift = elo(free)["cat"]
    assert elo(held) == pytest.approx({name: value - shift for name, value in elo(free).items()})
    assert "cat is 0" in held.note()
    assert "the mean is 0" in free.note()
    with pytest.raises(SearchDouError, match="unknown anchor 'cow'; known: ant, bee, cat, dog"):
        rate(NAMES, values, "cow")


def test_an_unbeaten_agent_stays_finite():
    values = simulated([0, 0, 0, 0], 100)
    values[1], values[:, 1] = 1.0, -1.0
    ratings = rate(NAMES, values, resamples=200)
    top = ratings.rows[0]
    assert (top.agent, top.score) == ("bee", 1.0)
    assert 400 < top.low < top.elo < top.high < 5000
    assert ratings.groups == [["bee"], ["ant", "cat", "dog"]]
    assert "Never lost a deal to those below: bee." in ratings.note()
    assert elo(rate(NAMES, simulated([0] * 4, 400), resamples=5)).keys() == set(NAMES)
    more = np.concatenate([values] * 4, axis=2)
    assert rate(NAMES, more, resamples=5).rows[0].elo > top.elo     # the more it wins, the less the prior holds it


def test_one_deal_is_enough_to_say_little():
    ratings = rate(["a", "b"], np.array([[[0.0], [3.0]], [[-3.0], [0.0]]]), resamples=200)
    assert ratings.rows[0].agent == "a"
    assert ratings.rows[0].high - ratings.rows[0].low > 400


def test_draws_count_half():
    """Thirty draws say what fifteen wins on either side do; a draw is no loss."""
    drawn, split = np.zeros((2, 2, 50)), np.zeros((2, 2, 50))
    drawn[0, 1, :20] = split[0, 1, :20] = 1
    split[0, 1, 20:] = np.array([1, -1] * 15)
    for values in (drawn, split):
        values[1, 0] = -values[0, 1]
    one, two = rate(["a", "b"], drawn, resamples=400), rate(["a", "b"], split, resamples=400)
    assert elo(one) == pytest.approx(elo(two), abs=1e-6)
    assert one.rows[0].score == two.rows[0].score == 0.7
    assert one.rows[0].high - one.rows[0].low < two.rows[0].high - two.rows[0].low     # a draw is less of a gamble
    nothing = rate(NAMES, np.zeros((4, 4, 9)), resamples=50)
    assert elo(nothing) == pytest.approx(dict.fromkeys(NAMES, 0.0), abs=1e-6)
    assert nothing.groups == [NAMES]


@pytest.mark.parametrize("draws", [0.0, 0.3])
def test_the_intervals_cover_the_truth(draws):
    """Of many tournaments 95% should; what is true with draws is what very many deals give."""
    strengths = [120, 0, -120]
    names = NAMES[:3]
    many = elo(rate(names, simulated(strengths, 100_000, seed=99, draws=draws), resamples=1))
    inside = [row.low < many[row.agent] < row.high for seed in range(60)
              for row in rate(names, simulated(strengths, 80, seed, draws), resamples=120).rows]
    assert 0.89 <= np.mean(inside) <= 0.99


def test_plain_and_markdown():
    ratings = rate(["a|b", "c"], simulated([150, 0], 30), resamples=20)
    assert Ratings.of(json.loads(json.dumps(ratings.plain(), allow_nan=False))) == ratings
    lines = ratings.markdown().splitlines()
    assert lines[0] == "| | agent | rating | 95% interval | deals won |"
    assert lines[2].startswith("| 1 | `a\\|b` | +")
    assert len(lines) == 6
    assert lines[4] == ""
    assert lines[5] == ratings.note()
