import numpy as np
import pytest
from scipy import stats

from searchdou import games
from searchdou.agents import make


@pytest.mark.parametrize(("game", "plays"), [("doudizhu", 0), ("doudizhu", 1), ("gongzhu", 0), ("gongzhu", 30)])
def test_uniform_over_seeds(game, plays):
    """All legal actions of one position are equally likely, by chi-square."""
    state = games.load(game).Game().deal(3)
    for _ in range(plays):
        state.act(state.legal_actions()[-1])
    infoset = state.infoset()
    actions = infoset.legal_actions()
    assert len(actions) > 1
    counts = np.zeros(len(actions))
    for seed in range(120 * len(actions)):
        counts[actions.index(make(game, "random", seed).act(infoset))] += 1
    assert stats.chisquare(counts).pvalue > 0.001


def test_uniform_over_positions():
    """One seed, many positions: the choice is spread evenly too (a random player is not stuck to one place)."""
    player = make("gongzhu", "random", 1)
    game = games.load("gongzhu").Game()
    states = [game.deal(seed) for seed in range(2000)]
    places = [state.legal_actions().index(player.act(state.infoset())) for state in states]
    assert stats.chisquare(np.bincount(places, minlength=13)).pvalue > 0.001
