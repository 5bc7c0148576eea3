"""Every deal twice with the sides swapped, as RULES.md says, and what the outcomes come to."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchdou import games
from searchdou.arena.formats import format_of
from searchdou.arena.match import MatchSettings, run_match
from searchdou.errors import UnknownName

SEEDS = st.integers(0, 2**32 - 1)
DEALS = settings(max_examples=20)
PARTS = ("landlord", "peasants", "overall")


@pytest.mark.unit
@DEALS
@given(SEEDS, st.integers(0, 1000))
def test_doudizhu_seating(seed, number):
    """The same hands on the same seats; the sides change roles."""
    (one, sides), (two, swapped) = format_of("doudizhu").games(seed, number)
    assert one.deal == two.deal == games.load("doudizhu").Deal.random(seed, number)
    assert one.hands == two.hands
    assert one.landlord == two.landlord == one.turn == two.turn == 0
    assert (sides, swapped) == ((0, 1, 1), (1, 0, 0))


@pytest.mark.unit
@DEALS
@given(SEEDS, st.integers(0, 1000))
def test_gongzhu_seating(seed, number):
    """Hand k on seat k with seat 0 leading, then hand k on seat k + 1 with seat 1 leading: the teams swap hands."""
    (one, sides), (two, swapped) = format_of("gongzhu").games(seed, number)
    assert one.deal == games.load("gongzhu").Deal.random(seed, number)
    assert [two.hands[(seat + 1) % 4] for seat in range(4)] == list(one.hands)
    assert (one.turn, two.turn) == (0, 1)
    assert sides == swapped == (0, 1, 0, 1)
    held = [{hand for hand, side in zip(state.hands, sides, strict=True) if side == 0} for state in (one, two)]
    assert not held[0] & held[1]


@pytest.mark.unit
def test_deals_are_numbered():
    for game in games.GAMES:
        deals = {next(iter(format_of(game).games(seed, number)))[0].deal for seed in (1, 2) for number in range(5)}
        assert len(deals) == 10


@pytest.mark.unit
def test_doudizhu_outcomes_are_side_a_points():
    form = format_of("doudizhu")
    for state, sides in form.games(5, 0):
        while not state.is_over:
            state.act(state.legal_actions()[0])
        as_landlord = state.adp1()
        assert form.outcome(state, sides) == (as_landlord if sides[0] == 0 else -as_landlord)


@pytest.mark.unit
def test_doudizhu_summary():
    outcomes = np.array([[2.0, -2.0], [4.0, 2.0], [-2.0, -8.0], [2.0, 2.0]])
    summary = format_of("doudizhu").summary(outcomes)
    assert summary["wp"] == {"landlord": 0.75, "peasants": 0.5, "overall": 0.625}
    assert summary["adp"] == {"landlord": 1.5, "peasants": -1.5, "overall": 0.0}
    assert summary["decks"] == 4
    for measure in ("wp", "adp"):
        assert tuple(summary["ci95"][measure]) == PARTS
        assert all(low <= summary[measure][part] <= high for part, (low, high) in summary["ci95"][measure].items())


@pytest.mark.unit
def test_intervals_are_paired_by_deal():
    """Luck of the cards falls out: a side that wins every deck once, by either role, has no error at all."""
    outcomes = np.array([[2.0, -2.0], [-2.0, 2.0]] * 20)
    assert format_of("doudizhu").summary(outcomes)["ci95"]["adp"]["overall"] == [0.0, 0.0]
    low, high = format_of("doudizhu").summary(outcomes)["ci95"]["adp"]["landlord"]
    assert low < -0.5 < 0.5 < high
    summary = format_of("gongzhu").summary(np.array([[100.0, -90.0]] * 5 + [[-300.0, 300.0]] * 5))
    assert summary["points"] == 2.5
    assert (summary["win"], summary["draw"], summary["deals"]) == (0.5, 0.5, 10)
    assert summary["ci95"][1] - summary["ci95"][0] < 5


@pytest.mark.parametrize(("game", "agent"), [("doudizhu", "rule"), ("doudizhu", "random"), ("gongzhu", "if"),
                                             ("gongzhu", "greed:samples=2"), ("gongzhu", "random")])
def test_an_agent_against_itself_is_exactly_even(game, agent):
    result = run_match(MatchSettings(game, agent, agent, 12, seed=4))
    summary = result.summary()
    if game == "doudizhu":
        # The same player on every seat: the second game repeats the first, with the sides swapped.
        assert (result.outcomes[:, 0] == -result.outcomes[:, 1]).all()
        assert (summary["adp"]["overall"], summary["wp"]["overall"]) == (0.0, 0.5)
        assert summary["ci95"]["wp"]["overall"] == [0.5, 0.5]
    elif agent == "if":
        # A turned table looks the same to a player without chance.
        assert (result.outcomes[:, 0] == -result.outcomes[:, 1]).all()
        assert (summary["points"], summary["draw"]) == (0.0, 1.0)
    else:
        assert summary["ci95"][0] < 0 < summary["ci95"][1]


@pytest.mark.unit
@pytest.mark.parametrize(("game", "rules", "message"), [
    ("bridge", "standard", "unknown game 'bridge'"), ("doudizhu", "oink", "unknown rule set 'oink'"),
    ("gongzhu", "botzone", "unknown rule set of gongzhu 'botzone'; known: standard")])
def test_unknown_names(game, rules, message):
    with pytest.raises(UnknownName, match=message):
        format_of(game, rules)


@pytest.mark.parametrize("rules", ["standard", "douzero", "openspiel", "botzone", "rlcard"])
def test_doudizhu_under_every_rule_set(rules):
    result = run_match(MatchSettings("doudizhu", "rule", "random", 4, rules=rules))
    assert result.summary()["wp"]["overall"] > 0.5
    assert result.summary()["rules"] == rules
