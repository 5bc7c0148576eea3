"""Scores of deals by what was done, against replaying every game in Python."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from inference import _weigh_kernels as kernels
from inference._rng_kernels import stream
from inference.belief import FLOOR, Belief, thinned, weights_of
from inference.past import Past, log_weights
from searchdou import Agent
from searchdou.agents import _doudizhu_rule_kernels as rule
from searchdou.games import doudizhu, gongzhu
from searchdou.games.doudizhu import encode
from searchdou.games.doudizhu import hidden as doudizhu_hidden
from searchdou.games.doudizhu._net_kernels import blueprint_values
from searchdou.games.doudizhu.cards import unpack as ranks
from searchdou.games.gongzhu import _search_kernels as greedy
from searchdou.games.gongzhu import hidden as gongzhu_hidden
from searchdou.games.gongzhu.cards import unpack as cards

from . import cases, naive

RULES = ["iec", "bayes", "linear", "quantal"]
DEALS = 5
MOST_MOVES = 4 * 8192


def gongzhu_infosets() -> list[gongzhu.InfoSet]:
    """Within the first trick, early, in the middle and late, played at random: nobody would play so."""
    return [cases.gongzhu_game(seed, n).infoset() for seed, n in ((1, 2), (2, 7), (3, 17), (4, 30), (5, 44))]


def doudizhu_infosets() -> list[doudizhu.InfoSet]:
    """With and without bidding, still bidding, all rule sets; some played at random, some by long moves."""
    found = []
    for seed, (rules, unseen, bidding) in enumerate((("standard", 30, True), ("standard", 20, True), ("douzero", 24, False),
                                                     ("rlcard", 28, False), ("botzone", 26, True),
                                                     ("openspiel", 22, True)), 11):
        state = cases.doudizhu_game(seed, unseen=unseen, rules=rules, bidding=bidding)
        assert not state.is_over
        found.append(state.infoset())
    bidding = doudizhu.Game(bidding=True).deal(3)
    bidding.bid(0)
    bidding.bid(1)
    assert bidding.phase == "bid"
    return [*found, bidding.infoset()]


def gongzhu_scores(infoset: gongzhu.InfoSet, hands: np.ndarray, beta: float, kind: str, last: int | None) -> list[float]:
    moves = [move for _, move in infoset.history]
    weighed = naive.weighed_actions([seat for seat, _ in infoset.history], infoset.seat, last)
    return [naive.log_score(naive.gongzhu_start(infoset, [cards(int(hand)).split() for hand in row]), moves, weighed,
                            greedy.Greedy(0.0), greedy.greedy_values, beta, kind) for row in hands]


def doudizhu_scores(infoset: doudizhu.InfoSet, hands: np.ndarray, beta: float, kind: str, last: int | None) -> list[float]:
    seats = [(infoset.first + i) % 3 for i in range(len(infoset.bids))] + [seat for seat, _ in infoset.history]
    actions = [*infoset.bids, *(move for _, move in infoset.history)]
    weighed = naive.weighed_actions(seats, infoset.seat, last)
    policy = rule.rule_policy()
    texts = [[ranks(int(hand)) for hand in row] for row in hands]
    return [naive.log_score(naive.doudizhu_start(infoset, row[:3], row[3]), actions, weighed, policy, rule.policy_values,
                            beta, kind) for row in texts]


@pytest.mark.parametrize("kind", RULES)
@pytest.mark.parametrize("number", range(5))
def test_gongzhu_scores_equal_the_replay(kind, number):
    infoset = gongzhu_infosets()[number]
    hands = gongzhu_hidden.seat_hands(infoset, gongzhu_hidden.hidden_of(infoset).draw(DEALS, stream(1, number)))
    past = gongzhu_hidden.past_of(infoset)
    for last in (None, 3):
        found = log_weights(past, hands, greedy.Greedy(0.0), rule=kind, beta=0.02, slices=last, most_moves=MOST_MOVES)
        assert found == pytest.approx(gongzhu_scores(infoset, hands, 0.02, kind, last), abs=1e-9)
    if number > 1:
        assert len(set(found.tolist())) > 1              # the scores do tell deals apart


@pytest.mark.parametrize("kind", RULES)
@pytest.mark.parametrize("number", range(7))
def test_doudizhu_scores_equal_the_replay_bids_included(kind, number):
    infoset = doudizhu_infosets()[number]
    hands = doudizhu_hidden.seat_hands(infoset, doudizhu_hidden.hidden_of(infoset).draw(DEALS, stream(2, number)))
    past = doudizhu_hidden.past_of(infoset)
    assert len(past.actions) == len(infoset.bids) + len(infoset.history)
    for last in (None, 2):
        found = log_weights(past, hands, rule.rule_policy(), rule=kind, beta=0.5, slices=last, most_moves=MOST_MOVES)
        assert found == pytest.approx(doudizhu_scores(infoset, hands, 0.5, kind, last), abs=1e-9)


@pytest.mark.parametrize("number", [0, 2, 3, 5])
def test_simple_players_are_told_by_what_they_do(number):
    """Weights, and how likely each seat plays by habit or carelessly on each deal, as a replay has them; nobody does by a
    chance of 0."""
    infoset, policy, kernel = doudizhu_infosets()[number], encode.blueprint_in(), blueprint_values
    hands = doudizhu_hidden.seat_hands(infoset, doudizhu_hidden.hidden_of(infoset).draw(DEALS, stream(6, number)))
    seats = [(infoset.first + i) % 3 for i in range(len(infoset.bids))] + [seat for seat, _ in infoset.history]
    actions = [*infoset.bids, *(move for _, move in infoset.history)]
    for habit, careless in ((0.0, 0.0), (0.03, 0.0), (0.0, 0.2), (0.5, 0.1)):
        simple = np.empty((DEALS, 2, hands.shape[1]))
        found = log_weights(doudizhu_hidden.past_of(infoset), hands, policy, rule="quantal", beta=0.6, most_moves=MOST_MOVES,
                            habit=habit, careless=careless, simple=simple)
        for row in range(DEALS):
            texts = [ranks(int(hand)) for hand in hands[row]]
            score, chances = naive.with_simple(naive.doudizhu_start(infoset, texts[:3], texts[3]), actions,
                                               naive.weighed_actions(seats, infoset.seat), policy, kernel, 0.6, habit,
                                               careless)
            assert found[row] == pytest.approx(score, abs=1e-6)
            for seat in range(3):
                expected = chances.get(seat, (habit, (1 - habit) * careless))
                assert simple[row, :, seat] == pytest.approx(expected, abs=1e-6)


def test_who_moves_at_random_is_found_careless_and_who_plays_by_the_net_is_not():
    found = {"random": [], "net": []}
    for name, chances in found.items():
        player = Agent("doudizhu", name)
        for seed in range(6):
            state = doudizhu.Game("douzero", bidding=False).deal(seed)
            for _ in range(30):
                if not state.is_over:
                    state.act(player.act(state.infoset()))
            if not state.is_over:
                infoset = state.infoset()
                hands = doudizhu_hidden.seat_hands(infoset, doudizhu_hidden.hidden_of(infoset).draw(20, stream(seed)))
                simple = np.empty((20, 2, 4))
                logs = log_weights(doudizhu_hidden.past_of(infoset), hands, encode.blueprint_in(), rule="quantal", beta=0.6,
                                   most_moves=MOST_MOVES, careless=0.03, simple=simple)
                chances += [float(weights_of(logs) @ simple[:, 1, seat]) for seat in range(3) if seat != infoset.seat]
    assert np.mean(found["random"]) > 0.5
    assert np.mean(found["net"]) < 0.03


@pytest.mark.unit
def test_simple_players_are_drawn_as_often_as_their_chances_say():
    chances, drawn = np.tile([[0.3, 0.0, 1.0], [0.2, 0.0, 0.0]], (4000, 1, 1)), np.empty(4000, np.int64)
    kernels.draw_simple(chances, stream(1), drawn)
    assert (drawn & 1).mean() == pytest.approx(0.3, abs=0.04)
    assert (drawn >> kernels.CARELESS & 1).mean() == pytest.approx(0.2, abs=0.04)
    assert not (drawn & 1 & drawn >> kernels.CARELESS).any()
    assert (drawn >> 2 & 1 == 1).all()
    assert not (drawn & (2 | 6 << kernels.CARELESS)).any()


def test_bids_alone_tell_deals_apart():
    infoset = doudizhu_infosets()[-1]
    hands = doudizhu_hidden.seat_hands(infoset, doudizhu_hidden.hidden_of(infoset).draw(20, stream(3)))
    scores = log_weights(doudizhu_hidden.past_of(infoset), hands, rule.rule_policy(), beta=0.5, most_moves=MOST_MOVES)
    assert len(set(scores.round(6).tolist())) >= 4


@pytest.mark.unit
def test_slices_are_the_last_actions_of_the_others():
    past = Past(None, np.arange(6), np.array([True, False, True, True, False, True]), np.zeros(3, np.int64))
    assert past.important().tolist() == [1, 0, 1, 1, 0, 1]
    assert past.important(2).tolist() == [0, 0, 0, 1, 0, 1]
    assert past.important(4).tolist() == past.important(99).tolist() == past.important().tolist()
    assert past.important(0).tolist() == [0] * 6


@pytest.mark.unit
def test_nothing_to_weigh_is_no_evidence():
    infoset = gongzhu.Game().deal(1).infoset()
    hands = gongzhu_hidden.seat_hands(infoset, gongzhu_hidden.hidden_of(infoset).draw(4, stream(4)))
    assert log_weights(gongzhu_hidden.past_of(infoset), hands, greedy.Greedy(0.0)).tolist() == [0.0] * 4


@pytest.mark.unit
def test_factors_by_hand():
    values = {"a": 10.0, "b": 0.0, "c": -40.0}
    assert naive.factor(values, "a", 0.02, "iec") == 1.0
    assert naive.factor(values, "b", 0.02, "iec") == pytest.approx(math.exp(-0.2))
    assert naive.factor(values, "b", 0.02, "bayes") == pytest.approx(math.exp(-0.2) / (1 + math.exp(-0.2) + math.exp(-1.0)))
    assert naive.factor(values, "b", 0.015, "linear") == pytest.approx(0.85)
    assert naive.factor(values, "c", 0.1, "linear") == 0.1


# --- weights ----------------------------------------------------------------------------------------------------------

@pytest.mark.unit
@pytest.mark.parametrize("logs", [[0.0], [-5.0, -5.0], [0.0, -1.0, -2.0], [-1e4, -1e5, -2e4], [0.0, -1e300], [700.0, 0.0]])
def test_weights_sum_to_one_and_have_a_floor(logs):
    weights = weights_of(np.array(logs))
    assert weights.sum() == pytest.approx(1.0)
    assert weights.min() >= FLOOR * weights.max() * (1 - 1e-12)
    raw = np.maximum(np.exp(np.array(logs) - max(logs)), 1e-4)
    assert weights == pytest.approx(raw / raw.sum())


@pytest.mark.unit
@pytest.mark.parametrize("spread", [0.0, 0.5, 3.0, 30.0])
def test_fewer_deals_stand_for_all_of_them(spread):
    """Whatever is kept, its weights are right on average, and the heavy ones are always there."""
    rng = np.random.default_rng(1)
    logs = 5.0 + spread * rng.standard_normal(40)
    wanted = weights_of(logs) * np.exp(logs).sum() if spread < 10 else None
    total, turns = np.zeros(40), 400
    for turn in range(turns):
        kept, kept_logs = thinned(logs, 8, (turn + 0.5) / turns)
        assert len(set(kept.tolist())) == 8
        assert (np.diff(kept) > 0).all()
        assert int(np.argmax(logs)) in kept or spread < 1
        total[kept] += np.exp(kept_logs) / turns
    if wanted is not None:
        assert total == pytest.approx(wanted, rel=0.15, abs=0.02 * wanted.max())
    kept, kept_logs = thinned(logs, 40, 0.3)
    assert kept.tolist() == list(range(40))
    assert kept_logs.tolist() == logs.tolist()


def test_quantal_takes_its_players_as_they_are():
    """A seat that always does what the policy would do tells more than one that moves at random: its deals differ more."""
    spreads = []
    for noise in (0.0, 1.0):
        rng, state = random.Random(4), gongzhu.Game().deal(4)
        while len(state.history) < 30:
            values = naive.values_of(state, greedy.Greedy(0.0), greedy.greedy_values)
            state.play(rng.choice(list(values)) if noise else max(values, key=lambda move: values[move]))
        infoset = state.infoset()
        deals = gongzhu_hidden.hidden_of(infoset).draw(200, stream(9))
        logs = log_weights(gongzhu_hidden.past_of(infoset), gongzhu_hidden.seat_hands(infoset, deals), greedy.Greedy(0.0),
                           rule="quantal", beta=0.01, most_moves=MOST_MOVES)
        spreads.append(float(np.std(logs)))
    assert spreads[0] > spreads[1]


@pytest.mark.parametrize("kind", RULES)
@pytest.mark.parametrize("seed", range(3))
def test_a_history_nobody_would_play_still_gives_a_belief(kind, seed):
    """The worst card, by the policy itself, every time; and a beta so sharp that every deal looks impossible."""
    rng = random.Random(seed)
    state = gongzhu.Game().deal(seed)
    for _ in range(20 + 6 * seed):
        values = naive.values_of(state, greedy.Greedy(0.0), greedy.greedy_values)
        state.play(min(values, key=lambda move: values[move]))
    infoset = state.infoset()
    hidden = gongzhu_hidden.hidden_of(infoset)
    deals = hidden.draw(50, stream(seed))
    logs = log_weights(gongzhu_hidden.past_of(infoset), gongzhu_hidden.seat_hands(infoset, deals), greedy.Greedy(0.0),
                       rule=kind, beta=50.0)
    belief = Belief(hidden, deals, weights_of(logs))
    assert belief.ess >= 1.0
    assert (belief.weights > 0).all()
    assert np.isfinite(belief.marginals).all()

    game = doudizhu.Game(bidding=True).deal(seed)
    while game.phase == "bid" or (not game.is_over and len(game.history) < 12):
        game.act(3 if game.phase == "bid" else rng.choice(game.legal_actions()))
    infoset = game.infoset()
    hidden = doudizhu_hidden.hidden_of(infoset)
    deals = hidden.draw(20, stream(seed))
    logs = log_weights(doudizhu_hidden.past_of(infoset), doudizhu_hidden.seat_hands(infoset, deals), rule.rule_policy(),
                       rule=kind, beta=1e4, most_moves=MOST_MOVES)
    belief = Belief(hidden, deals, weights_of(logs))
    assert belief.ess >= 1.0
    assert (belief.weights > 0).all()
    assert np.isfinite(belief.marginals).all()
