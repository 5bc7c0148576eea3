"""The root: means and errors by hand, halving, threads, and information-set search."""

from __future__ import annotations

import math
import random
import time

import numpy as np
import pytest

from inference._game_kernels import Uniform
from inference._policy_kernels import Rollout
from inference._rng_kernels import stream
from inference.belief import weights_of
from mcts._root_kernels import Plan
from mcts._solver_kernels import HUGE, new_table, solve
from mcts.root import Estimate, InformationSetRoot, Limit, Root, Samples, _estimate, _scores, expected_gain
from searchdou.agents import _doudizhu_rule_kernels as rule
from searchdou.games.doudizhu import _kernels as doudizhu_kernels
from searchdou.games.doudizhu import _search_kernels as _doudizhu  # noqa: F401 (teaches the search this game)
from searchdou.games.doudizhu import hidden as doudizhu_hidden
from searchdou.games.gongzhu import _kernels as gongzhu_kernels
from searchdou.games.gongzhu import _search_kernels as gongzhu_search
from searchdou.games.gongzhu import hidden as gongzhu_hidden
from tests.doudizhu.strategies import RULE_NAMES
from tests.inference import cases

from . import naive

MOST = 4 * doudizhu_kernels.MAX_MOVES
FLAT = Plan(0, 4, 60.0, 0.0, 0, 1000)
TREE = Plan(1, 20, 60.0, 0.0, 0, 1000)


class Decision:
    """One decision of a game as the root sees it, with numbered deals and weights that are neither equal nor smooth."""

    def __init__(self, game: str, seed: int, progress: int, deals: int = 64) -> None:
        if game == "gongzhu":
            self.infoset = cases.gongzhu_game(seed, progress).infoset()
            kit, self.view = gongzhu_hidden, self.infoset.seen_position()
            self.actions = [card for card in range(52) if self.infoset.packed_legal >> card & 1]
            self.sign = 1.0 if self.infoset.seat % 2 == 0 else -1.0
            self.policy = lambda: gongzhu_search.Greedy(0.1)
        else:
            self.infoset = cases.doudizhu_game(seed, unseen=progress, bidding=True).infoset()
            kit, self.view = doudizhu_hidden, doudizhu_hidden.view_of(self.infoset)
            self.actions = self.infoset.packed_legal()
            self.sign = 1.0 if self.infoset.seat == self.infoset.landlord else -1.0
            self.policy = rule.rule_policy
        self.hands = kit.seat_hands(self.infoset, kit.hidden_of(self.infoset).draw(deals, stream(seed)))
        self.logs = np.random.default_rng(seed).normal(0, 1.5, deals)

    def draw(self, start: int, n: int) -> Samples:
        return Samples(self.hands[start:start + n], self.logs[start:start + n])

    def root(self, plan: Plan, threads: int = 1) -> Root:
        return Root(plan, lambda: Rollout(self.policy()), self.policy, threads=threads, most_moves=MOST)

    def search(self, root: Root, samples: int, candidates: list[int] | None = None):
        return root.search(self.view, candidates or self.actions, self.sign, self.draw, Limit(samples), seed=5)


def decision(game: str, number: int = 0, deals: int = 64) -> Decision:
    seeds, progress = ((7, 8, 9), 12) if game == "gongzhu" else ((0, 9, 17), 24)
    found = Decision(game, seeds[number], progress, deals)
    assert len(found.actions) > 3
    return found


GAMES = pytest.mark.parametrize("game", ["gongzhu", "doudizhu"])


# --- numbers ----------------------------------------------------------------------------------------------------------

@pytest.mark.unit
def test_mean_and_error_by_hand():
    values, weights = np.array([10.0, 20.0, np.nan, 40.0]), np.array([0.1, 0.2, 0.3, 0.4])
    found = _estimate(values, weights, exact=False)
    mean = (1 + 4 + 16) / 0.7
    spread = [0.1 / 0.7 * (10 - mean), 0.2 / 0.7 * (20 - mean), 0.4 / 0.7 * (40 - mean)]
    assert (found.mean, found.visits) == (pytest.approx(mean), 3)
    assert found.se == pytest.approx(math.sqrt(sum(x * x for x in spread) * 3 / 2))
    assert _estimate(values, weights, exact=True).se == found.se           # one deal was not looked at
    assert _estimate(values[[0, 1]], weights[:2], exact=True).se == 0.0
    assert math.isnan(_estimate(values[:1], weights[:1], exact=False).se)
    unseen = _estimate(np.full(2, np.nan), weights[:2], exact=False)
    assert unseen.visits == 0
    assert math.isnan(unseen.mean)


@pytest.mark.unit
def test_equal_weights_give_the_usual_error():
    values = np.random.default_rng(1).normal(3, 2, 50)
    found = _estimate(values, np.full(50, 0.02), exact=False)
    assert found.mean == pytest.approx(values.mean())
    assert found.se == pytest.approx(values.std(ddof=1) / math.sqrt(50))


@pytest.mark.unit
def test_scores_are_means_over_what_was_seen_for_the_side_that_acts():
    values = np.array([[1.0, 5.0], [3.0, np.nan]])
    assert _scores(values, np.array([0.25, 0.75]), -1.0) == pytest.approx([-2.5, -5.0])


def test_a_solution_counts_alone_or_half():
    d = Decision("gongzhu", 7, 36, 8)
    cards = gongzhu_search.cards_left(gongzhu_kernels.step(gongzhu_search.with_hands(d.view, d.hands[0]), d.actions[0]))
    searched, solved, both, alone = (
        d.search(d.root(FLAT._replace(solve_cards=solve, solve_nodes=1 << 40, alone=alone)), 8)
        for solve, alone in ((0, 0), (cards, 1000), (cards, cards - 1), (cards, cards)))
    assert (searched.solved, searched.simulations, solved.simulations) == (0, both.simulations, 0)
    assert solved.solved == both.solved == alone.solved > 0
    means = [[estimate.mean for estimate in found.estimates] for found in (searched, solved, both)]
    assert means[2] == pytest.approx(np.mean(means[:2], axis=0))
    assert alone.estimates == solved.estimates


@GAMES
@pytest.mark.parametrize("plan", [FLAT, TREE], ids=["flat", "tree"])
def test_estimates_are_the_weighted_mean_over_the_deals(game, plan):
    d = decision(game)
    root = d.root(plan)
    two = d.actions[:2]
    result = d.search(root, 40, two)
    deals = Samples(d.hands[:40], d.logs[:40])
    values = root._value(d.view, deals, np.array(two), np.ones(2, np.int64), 5, 0, np.zeros(2, np.int64))
    w = weights_of(d.logs[:40])
    assert result.weights == pytest.approx(w)
    assert (result.hands == d.hands[:40]).all()
    assert (result.deals, result.simulations, result.solved) == (40, 40 * 2 * plan.simulations, 0)
    for i, found in enumerate(result.estimates):
        mean = d.sign * np.average(values[:, i], weights=w)
        assert found.mean == pytest.approx(mean)
        assert found.se == pytest.approx(math.sqrt(np.square(w * (d.sign * values[:, i] - mean)).sum() * 40 / 39))
        assert found.visits == 40
    assert result.best == max((0, 1), key=lambda i: result.estimates[i].mean)


# --- halving ----------------------------------------------------------------------------------------------------------

class Fake(Root):
    """A root whose candidates are worth what they are told, with noise that depends on the deal."""

    def __init__(self, means: list[float], noise: float) -> None:
        super().__init__(FLAT, lambda: Rollout(Uniform()), Uniform, most_moves=8)
        self.means, self.noise = np.array(means), noise

    def _value(self, view, deals, actions, active, seed, first, counts):
        values = np.full((len(deals.hands), len(actions)), np.nan)
        for row in range(len(values)):
            rng = np.random.default_rng((seed, first + row))
            drawn = self.means + rng.normal(0, self.noise, len(self.means))
            values[row, active == 1] = drawn[active == 1]
        return values


def plenty(start: int, n: int) -> Samples:
    return Samples(np.zeros((n, 4), np.int64), np.zeros(n))


@pytest.mark.unit
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_halving_keeps_the_best_of_clearly_different_candidates(sign):
    for seed in range(30):
        means = np.random.default_rng(seed).permutation(np.arange(13) * 20.0) * sign
        result = Fake(means.tolist(), 15.0).search(None, range(13), sign, plenty, Limit(32), seed)
        assert result.best == int(np.argmax(sign * means))
        assert result.deals == 32
        visits = [estimate.visits for estimate in result.estimates]
        assert visits[result.best] == 32
        assert sorted(visits) == [8] * 6 + [16] * 3 + [24] * 2 + [32] * 2      # 13, 7, 4, 2 in play


@pytest.mark.unit
def test_a_favourite_is_kept_unless_another_is_clearly_better():
    def best(means: list[float], noise: float, caution: float) -> int:
        return Fake(means, noise).search(None, range(4), 1.0, plenty, Limit(64), 3, favourite=0, caution=caution).best

    assert best([0.0, 50.0, 1.0, 2.0], 5.0, 2.0) == 1
    assert best([0.0, 0.1, 0.1, 0.1], 5.0, 3.0) == 0
    assert best([0.0, 0.1, -1.0, -1.0], 0.0, 3.0) == 1           # no error, no doubt
    result = Fake([-90.0, 0.0, 1.0, 2.0], 1.0).search(None, range(4), 1.0, plenty, Limit(64), 3, favourite=0, caution=1.0)
    assert result.estimates[0].visits == 64                      # never dropped
    one_deal = Fake([0.0, 50.0], 5.0).search(None, range(2), 1.0, plenty, Limit(1), 3, favourite=0, caution=0.0)
    assert one_deal.best == 0                                    # there is no error to go by


@pytest.mark.unit
def test_a_sure_choice_ends_the_search_before_its_time():
    def search(means: list[float], noise: float, sure: float, favourite: int | None = None):
        return Fake(means, noise).search(None, range(len(means)), 1.0, plenty, Limit(512), 3, favourite, sure=sure)

    clear = search([0.0, 90.0, 1.0, 2.0], 5.0, 4.0)
    assert clear.best == 1
    assert clear.deals == 256                                    # after the first of two rounds
    assert search([0.0, 90.0, 1.0, 2.0], 5.0, 0.0).deals == 512
    near = search([0.0, 89.9, 90.0, 2.0], 30.0, 4.0)
    assert near.deals == 512
    assert [estimate.visits for estimate in near.estimates] == [256, 512, 512, 256]
    twins = search([7.0, 7.0], 0.0, 4.0)                         # as good on every deal: no need to tell them apart
    assert twins.best == 0
    assert search([0.0, 90.0, 1.0, 2.0], 5.0, 4.0, favourite=0).deals == 512     # the favourite stays


@pytest.mark.unit
@pytest.mark.parametrize(("mean", "se"), [(0.0, 1.0), (3.0, 2.0), (-1.5, 0.5), (40.0, 10.0)])
def test_what_a_candidate_may_still_gain_is_the_mean_of_the_cases_in_which_it_is_better(mean, se):
    drawn = np.random.default_rng(1).normal(mean, se, 400_000)
    assert expected_gain(Estimate(mean, se, 64)) == pytest.approx(np.maximum(0.0, -drawn).mean(), abs=0.01 * se)


@pytest.mark.unit
def test_what_a_candidate_may_still_gain_without_an_error():
    assert expected_gain(Estimate(5.0, 0.0, 64)) == 0.0
    assert expected_gain(Estimate(-5.0, 0.0, 64)) == 5.0
    assert expected_gain(Estimate(5.0, float("nan"), 1)) == 0.0


@pytest.mark.unit
def test_a_choice_that_can_cost_little_ends_the_search_before_its_time():
    def search(means: list[float], noise: float, gain: float, favourite: int | None = None):
        return Fake(means, noise).search(None, range(len(means)), 1.0, plenty, Limit(512), 3, favourite, gain=gain)

    near = [0.0, 89.9, 90.0, 2.0]                                # two that differ by less than their noise
    assert search(near, 1.0, 0.2).deals == 256                   # whichever is taken, it costs at most 0.1
    assert search(near, 1.0, 0.0).deals == 512
    assert search(near, 60.0, 0.2).deals == 512                  # here much may be lost
    assert search(near, 1.0, 0.2, favourite=0).deals == 512      # the favourite stays


@pytest.mark.unit
def test_one_deal_that_outweighs_all_others_settles_nothing():
    def heavy(start: int, n: int) -> Samples:
        return Samples(np.zeros((n, 4), np.int64), np.where(np.arange(start, start + n) == 0, 9.0, 0.0))

    found = Fake([0.0, 0.1, 0.2, 0.3], 5.0).search(None, range(4), 1.0, heavy, Limit(512), 3, sure=4.0, gain=0.2)
    assert found.deals == 512


@pytest.mark.unit
@pytest.mark.parametrize("candidates", [1, 2, 3, 5, 8, 33])
@pytest.mark.parametrize("samples", [1, 2, 7, 64])
def test_any_number_of_candidates_and_samples(candidates, samples):
    result = Fake(list(range(candidates)), 0.0).search(None, range(candidates), 1.0, plenty, Limit(samples), 1)
    assert result.best == candidates - 1
    assert result.deals == samples
    assert all(estimate.visits >= 1 for estimate in result.estimates)


@pytest.mark.unit
def test_all_deals_there_are_leave_no_error():
    def few(start: int, n: int) -> Samples:
        return Samples(np.zeros((max(0, min(n, 6 - start)), 4), np.int64), np.log(np.arange(1, 7))[start:start + n])

    result = Fake([1.0, 2.0], 5.0).search(None, range(2), 1.0, few, Limit(64), 1)
    assert result.deals == 6
    assert [estimate.se for estimate in result.estimates] == [0.0, 0.0]
    assert result.weights == pytest.approx(np.arange(1, 7) / 21)


@pytest.mark.unit
def test_a_deadline_looks_at_one_deal_at_least():
    result = Fake([1.0, 2.0, 3.0], 0.0).search(None, range(3), 1.0, plenty, Limit(seconds=1e-9), 1)
    assert result.deals >= 1
    assert result.best == 2


@pytest.mark.unit
def test_limits_that_make_no_sense():
    for bad in ({}, {"samples": 0}, {"seconds": 0.0}, {"seconds": -1.0}, {"seconds": math.nan}):
        with pytest.raises(ValueError, match="a search needs"):
            Limit(**bad)


# --- the same answer whatever the threads -----------------------------------------------------------------------------

@GAMES
@pytest.mark.parametrize("plan", [FLAT, TREE._replace(solve_cards=16, simulations=6)], ids=["flat", "tree"])
def test_threads_do_not_change_the_answer(game, plan):
    for number in range(2):
        d = decision(game, number, 24)
        results = [d.search(d.root(plan, threads), 24) for threads in (1, 2, 3)]
        # Every candidate that saw all deals has a finite error, those dropped early had fewer deals: nan is not equal.
        told = [[(e.mean, e.se, e.visits) for e in result.estimates] for result in results]
        assert repr(told[0]) == repr(told[1]) == repr(told[2])
        assert len({(result.best, result.deals, result.simulations, result.solved) for result in results}) == 1
        assert (results[0].weights == results[2].weights).all()


@GAMES
def test_a_used_root_answers_like_a_new_one(game):
    d, other = decision(game, 0, 16), decision(game, 1, 16)
    plan = FLAT._replace(solve_cards=20)
    used = d.root(plan)
    other.search(used, 16)
    assert repr(d.search(used, 16).estimates) == repr(d.search(d.root(plan), 16).estimates)


def test_the_same_decision_again_gives_the_same_answer_though_the_node_limit_strikes():
    d = Decision("gongzhu", 3, 31, 8)                       # 21 cards left: some are solved within the limit, some are not
    for nodes in (200, 1000, 4000):
        root = d.root(FLAT._replace(solve_cards=20, solve_nodes=nodes))
        first, again = (d.search(root, 8) for _ in range(2))
        assert repr(first.estimates) == repr(again.estimates)
        assert first.solved == again.solved


@GAMES
def test_values_do_not_depend_on_how_deals_are_chunked(game):
    d = decision(game, 0, 20)
    root = d.root(TREE)
    actions, active = np.array(d.actions), np.ones(len(d.actions), np.int64)
    deals = Samples(d.hands, d.logs)
    whole = root._value(d.view, deals, actions, active, 5, 0, np.zeros(2, np.int64))
    parts = [root._value(d.view, Samples(d.hands[a:b], d.logs[a:b]), actions, active, 5, a, np.zeros(2, np.int64))
             for a, b in ((0, 1), (1, 8), (8, 20))]
    assert (whole == np.concatenate(parts)).all()
    fewer = active.copy()
    fewer[1:] = 0                                         # nor on who else is in play
    assert (root._value(d.view, deals, actions, fewer, 5, 0, np.zeros(2, np.int64))[:, 0] == whole[:, 0]).all()


# --- small endings ----------------------------------------------------------------------------------------------------

def known(game: str, seed: int):
    """An ending in which the seat to act is told everything, its actions, the solver's value of each, and a draw of it."""
    out, rng = np.empty(MOST, np.int64), random.Random(seed)
    if game == "gongzhu":
        position, step = naive.gongzhu_position(naive.gongzhu_ending(rng, 4)), gongzhu_kernels.step
        hands, n = np.array([position[:4]]), gongzhu_kernels.legal(position, out)
        sign = 1.0 if position.turn % 2 == 0 else -1.0
    else:
        position, step = naive.doudizhu_ending(rng, RULE_NAMES[seed % 5], 11).position(), doudizhu_kernels.step
        hands, n = np.array([position[:4]]), doudizhu_kernels.legal(position, out)
        sign = 1.0 if position.turn == position.landlord else -1.0
    actions = out[:n].tolist()
    exact = [int(solve(step(position, action), new_table(14), out, -HUGE, HUGE)) for action in actions]

    def draw(start: int, n: int) -> Samples:
        return Samples(np.repeat(hands, n, axis=0), np.zeros(n))

    return position, actions, sign, exact, draw


def endings(game: str, n: int) -> list:
    """Endings with a choice that matters."""
    found = []
    for seed in range(300):
        case = known(game, seed)
        if len(set(case[3])) > 1:
            found.append(case)
        if len(found) == n:
            return found
    raise AssertionError(f"only {len(found)} endings")


@GAMES
def test_solved_endings_give_the_solvers_values(game):
    for position, actions, sign, exact, draw in endings(game, 10):
        plan = FLAT._replace(solve_cards=52, solve_nodes=1_000_000)
        root = Root(plan, lambda: Rollout(Uniform()), Uniform, most_moves=MOST)
        result = root.search(position, actions, sign, lambda start, n, draw=draw: draw(start, 1 - start), Limit(50), 1)
        assert [estimate.mean for estimate in result.estimates] == [sign * value for value in exact]
        assert all(estimate.se == 0.0 for estimate in result.estimates)
        assert result.solved <= len(actions)              # an action that ends the game needs no solving
        assert sign * exact[result.best] == max(sign * value for value in exact)


@GAMES
def test_information_set_search_finds_the_solvers_move_when_all_is_known(game):
    right = 0
    found = endings(game, 10)
    for position, actions, sign, exact, draw in found:
        # Leaves by random play; exploration of the order of what is at stake.
        root = InformationSetRoot(lambda: Rollout(Uniform()), float(max(map(abs, exact))) or 10.0, most_moves=MOST)
        result = root.search(position, actions, sign, draw, Limit(6000), seed=1)
        assert result.deals == result.simulations == 6000
        assert sum(estimate.visits for estimate in result.estimates) == 6000
        right += sign * exact[result.best] == max(sign * value for value in exact)
    assert right >= 9


@GAMES
def test_information_set_search_on_hidden_hands(game):
    d = decision(game, 0, 300)
    root = InformationSetRoot(lambda: Rollout(d.policy()), 30.0, most_moves=MOST)
    first, again = (root.search(d.view, d.actions, d.sign, d.draw, Limit(300), seed=2) for _ in range(2))
    assert repr(first.estimates) == repr(again.estimates)
    assert sum(estimate.visits for estimate in first.estimates) == first.deals == 300
    assert first.best == max(range(len(d.actions)), key=lambda i: first.estimates[i].visits)
    assert all(math.isfinite(estimate.mean) for estimate in first.estimates if estimate.visits)
    tiny = InformationSetRoot(lambda: Rollout(d.policy()), 30.0, most_moves=MOST, nodes=4)
    result = tiny.search(d.view, d.actions, d.sign, d.draw, Limit(50), seed=2)
    assert tiny.tree.used[0] <= 4
    assert sum(estimate.visits for estimate in result.estimates) == 50


def test_a_deadline_ends_the_search():
    d = decision("gongzhu", 0, 64)
    root = d.root(FLAT)
    d.search(root, 4)

    def endless(start: int, n: int) -> Samples:
        rows = np.arange(start, start + n) % 64
        return Samples(d.hands[rows], d.logs[rows])

    began = time.perf_counter()
    result = root.search(d.view, d.actions, d.sign, endless, Limit(seconds=0.05), seed=1)
    assert time.perf_counter() - began < 1.0              # a hang, not a hiccup; the agent's test measures it well
    assert result.deals > 64


def test_information_set_search_keeps_a_deadline_by_its_pace():
    """Deals that take 3 ms each on a clock of their own, and 20 ms to think."""
    decision = Decision("gongzhu", 3, 20, deals=256)
    now = [0.0]

    def draw(start: int, n: int) -> Samples:
        now[0] += 0.003 * n
        return decision.draw(start, n)

    root = InformationSetRoot(lambda: Rollout(decision.policy()), 60.0, most_moves=MOST)
    found = root.search(decision.view, decision.actions, decision.sign, draw, Limit(seconds=0.02, clock=lambda: now[0]), 1)
    assert 4 <= found.deals <= 7
    assert now[0] <= 0.0211
