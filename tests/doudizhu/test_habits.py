"""The player of habits, against its habits written down once more in words."""

from __future__ import annotations

import random

import numpy as np
import pytest

from inference._rng_kernels import stream
from inference._weigh_kernels import CARELESS
from searchdou.games.doudizhu import Game, _habit_kernels, _kernels, encode
from searchdou.games.doudizhu import _net_kernels as nets
from tests.inference import cases, naive

RULES = ("standard", "douzero", "rlcard", "openspiel", "botzone")


def odds_of(state):
    """What the kernel says of every legal action: {action: odds}."""
    return naive.values_of(state, None, lambda policy, *rest: _habit_kernels.eager_odds(*rest))


def chances(odds):
    return {action: x / sum(odds.values()) for action, x in odds.items()}


@pytest.mark.unit
@pytest.mark.parametrize("rules", RULES)
def test_habits_are_as_in_words(rules):
    led, answered = 0, 0
    for seed in range(3):
        state, rng = Game(rules, bidding=False).deal(seed), random.Random(seed)
        while not state.is_over:
            found, expected = odds_of(state), naive.habits_of(state)
            assert sum(found.values()) > 0
            assert chances(found) == pytest.approx(chances(expected))
            answered += bool(state.infoset().to_beat)
            led += not state.infoset().to_beat
            state.act(rng.choice(state.legal_actions()))
    assert led > 10
    assert answered > 20


@pytest.mark.unit
def test_bids_are_nobodys_habit():
    state = Game().deal(2)
    assert len(set(odds_of(state).values())) == 1


def test_moves_are_drawn_as_often_as_the_odds_say():
    policy, out = encode.blueprint_in(), np.empty(_kernels.MAX_MOVES, np.int64)
    for seed in (3, 8):
        state = cases.doudizhu_game(seed, unseen=30)
        rng, expected = stream(seed), chances(odds_of(state))
        drawn = [nets.habit_choice(policy, state.position, rng, out) for _ in range(2000)]
        for action, chance in expected.items():
            share = drawn.count(action.packed) / 2000
            assert share == pytest.approx(chance, abs=5 * np.sqrt(chance * (1 - chance) / 2000) + 1e-9)


def free_choice(policy, position, rng, out):
    return nets.tempered_choice(policy, nets.CARELESS_TEMPER, position, rng, out)


def test_a_playout_lets_those_play_simply_who_are_told_of():
    """Each seat by itself: the playout is the one that a loop makes of the net's moves, the habit's and free choices."""
    policy, out = encode.blueprint_in(), np.empty(_kernels.MAX_MOVES, np.int64)
    differ = 0
    for seed in range(6):
        position = cases.doudizhu_game(seed, unseen=34, rules="douzero").position
        leaf = nets.Finish(policy, np.array([2.0, 1.0, 0.0]), 0.0)
        calm = nets.finish_value(leaf, position, stream(seed), out)
        for simple in (1, 2, 4, 5, 7, 1 << CARELESS, 6 << CARELESS, 1 | 2 << CARELESS):
            rng, after = stream(seed), position
            while after.winner < 0:
                choose = (nets.habit_choice if simple >> after.turn & 1 else
                          free_choice if simple >> CARELESS + after.turn & 1 else nets.blueprint_choice)
                after = _kernels.step(after, choose(policy, after, rng, out))
            nets.told(leaf, simple)
            found = nets.finish_value(leaf, position, stream(seed), out)
            assert found == float(_kernels.payoff(after))
            differ += found != calm
        nets.told(leaf, 0)
        assert nets.finish_value(leaf, position, stream(seed), out) == calm
    assert differ
