"""The composed agent: honest, repeatable, punctual, and right where right is known."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from statistics import median

import numpy as np
import pytest
from numba.core import config

from inference._rng_kernels import stream
from inference._weigh_kernels import CARELESS
from mcts._solver_kernels import HUGE, new_table, solve
from mcts.root import Limit, Samples
from searchdou import Agent
from searchdou.agents import make
from searchdou.agents.search import SearchPlayer, SearchSettings, _Deals
from searchdou.errors import BadInfoSet, IllegalAction, SearchDouError, UnknownName
from searchdou.games import doudizhu, gongzhu
from searchdou.games.doudizhu import _kernels as doudizhu_kernels
from searchdou.games.doudizhu import _net_kernels as doudizhu_nets
from searchdou.games.doudizhu import _search_kernels as doudizhu_search
from searchdou.games.doudizhu import hidden as doudizhu_hidden
from searchdou.games.doudizhu.cards import unpack as ranks
from searchdou.games.gongzhu import _kernels as gongzhu_kernels
from searchdou.games.gongzhu import hidden as gongzhu_hidden
from searchdou.games.gongzhu.cards import MOVES
from searchdou.games.gongzhu.cards import unpack as cards
from tests.inference import cases, naive

HOUSE = Path(__file__).resolve().parent.parent.parent
GAMES = pytest.mark.parametrize("game", ["gongzhu", "doudizhu"])


@cache
def states(game: str) -> list:
    """Games under way with a choice to make: early, in the middle, late."""
    if game == "gongzhu":
        found = [next(state for seed in range(99) if len((state := cases.gongzhu_game(seed, n)).legal_actions()) > 2)
                 for n in (0, 6, 17, 26, 35, 41)]
    else:
        found = [doudizhu.Game(bidding=False).deal(1)]
        found += [cases.doudizhu_game(seed, unseen=n, rules=rules, bidding=bidding) for seed, n, rules, bidding in (
            (0, 24, "standard", True), (9, 24, "standard", True), (17, 24, "standard", True), (26, 24, "standard", True),
            (2, 12, "douzero", False))]
    found = [state for state in found if not state.is_over and len(state.legal_actions()) > 1]
    assert len(found) >= 5
    return found


def other_worlds(game: str, state, n: int):
    """The same game with the hidden cards elsewhere: same history, same infoset, other hands."""
    infoset = state.infoset()
    kit = gongzhu_hidden if game == "gongzhu" else doudizhu_hidden
    rows = kit.seat_hands(infoset, kit.hidden_of(infoset).draw(n, stream(77, infoset.key)))
    for row in rows.tolist():
        if game == "gongzhu":
            other = naive.gongzhu_start(infoset, [cards(hand).split() for hand in row])
        else:
            other = naive.doudizhu_start(infoset, [ranks(hand) for hand in row[:3]], ranks(row[3]))
            for bid in infoset.bids:
                other.bid(bid)
        for _, move in infoset.history:
            other.play(move)
        yield other


# --- honest -----------------------------------------------------------------------------------------------------------

SPECS = ["weights=iec,mode=tree,strata=exact", "weights=iec,mode=flat,strata=equal", "weights=bayes,mode=ismcts,strata=none",
         "weights=uniform,mode=tree,strata=equal", "weights=linear,mode=flat,strata=exact", "weights=uniform,mode=ismcts"]
NET_SPECS = ["leaf=value,policy=blueprint", "leaf=value,backup=mean", "leaf=blueprint,mode=flat,moves=3",
             "leaf=blueprint,mode=flat,depth=5",
             "leaf=rollout,policy=blueprint,prior=20", "leaf=value,mode=ismcts", "leaf=value,weights=bayes,caution=1"]

DOUDIZHU_SPECS = ["leaf=rollout,policy=rule,caution=1,trust=0", "leaf=value,mode=tree,backup=best", "trust=5,mix=1,depth=5",
                  "weights=iec,policy=blueprint", "strata=exact", "mode=ismcts"]


@pytest.mark.parametrize(("game", "spec"), [(game, spec) for game in ("gongzhu", "doudizhu") for spec in SPECS]
                         + [("gongzhu", spec) for spec in NET_SPECS] + [("doudizhu", spec) for spec in DOUDIZHU_SPECS])
def test_permuting_the_hidden_hands_changes_nothing(game, spec):
    agent, fresh = (Agent(game, f"search:samples=8,sims=10,{spec}") for _ in range(2))
    moved = 0
    for state in states(game)[:4]:
        action = agent.act(state.infoset())
        assert action in state.legal_actions()
        for other in other_worlds(game, state, 2):
            moved += other.hands != state.hands
            assert other.infoset() == state.infoset()
            assert fresh.act(other.infoset()) == action
    assert moved >= 4


# --- repeatable -------------------------------------------------------------------------------------------------------

def told(decision) -> str:
    """All of a decision but the time it took."""
    values = {str(action): (e.mean, e.se, e.visits) for action, e in decision.values.items()}
    return repr((decision.action, values, decision.line, decision.deals, decision.simulations, decision.solved,
                 decision.belief.marginals.tolist() if decision.belief else None))


@GAMES
@pytest.mark.parametrize("mode", ["tree", "flat"])
def test_threads_change_nothing(game, mode):
    agents = [Agent(game, f"search:samples=9,sims=6,mode={mode},weights=iec,threads={n}") for n in (1, 2, 3)]
    for state in states(game):
        infoset = state.infoset()
        assert len({told(agent.analyze(infoset)) for agent in agents}) == 1


@GAMES
@pytest.mark.parametrize("spec", ["samples=6,sims=4", "samples=40,sims=3,mode=ismcts", "samples=6,sims=4,mode=tree,prior=5"])
def test_the_seed_and_the_infoset_decide_not_what_was_asked_before(game, spec):
    used, new = Agent(game, f"search:{spec},seed=3"), Agent(game, f"search:{spec}", seed=3)
    infosets = [state.infoset() for state in states(game)]
    forwards = [told(used.analyze(infoset)) for infoset in infosets]
    assert [told(used.analyze(infoset)) for infoset in infosets] == forwards
    assert [told(new.analyze(infoset)) for infoset in reversed(infosets)] == forwards[::-1]
    assert [str(new.act(infoset)) for infoset in infosets] == [str(new.analyze(infoset).action) for infoset in infosets]


@GAMES
def test_another_seed_looks_at_other_deals(game):
    infoset = states(game)[0].infoset()
    first, second = (Agent(game, f"search:samples=8,sims=4,moves=0,seed={seed}").analyze(infoset) for seed in (1, 2))
    assert told(first) != told(second)


# --- punctual ---------------------------------------------------------------------------------------------------------

def lateness(game: str, seconds: float) -> float:
    """Median time of a decision, all of which have a choice to make and more deals than can be looked at."""
    agent = Agent(game, f"search:time={seconds},sure=0,gain=0")        # thinks on to the end
    took = []
    for state in states(game)[:5]:
        infoset = state.infoset()
        began = time.perf_counter()
        agent.act(infoset)
        took.append(time.perf_counter() - began)
    return median(took)


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="a deadline is for compiled code")
@GAMES
@pytest.mark.parametrize("seconds", [0.05, 0.2, 1.0])
def test_deadlines_are_kept(game, seconds):
    limit = 1.1 * seconds + 0.02
    took = lateness(game, seconds)
    if took > limit:                                      # once more: the machine may have been busy with something else
        took = lateness(game, seconds)
    assert 0.3 * seconds < took < limit


WARM = """
from inference import _math_kernels, _uniform_kernels, _weigh_kernels
from mcts import _root_kernels
from searchdou import Agent
Agent({game!r}, "search:time=0.05")
from searchdou.games.doudizhu._net_kernels import price_bids
assert price_bids.signatures or {game!r} == "gongzhu"
for kernel in (_weigh_kernels.weigh, _uniform_kernels.draw_hands, _uniform_kernels.list_hands,
               _root_kernels.value_candidates, _root_kernels.weighted, _math_kernels.logs, _math_kernels.normalise,
               _math_kernels.normal_gain):
    assert kernel.signatures, kernel
"""


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")
@GAMES
def test_all_kernels_are_there_before_the_clock_runs(game):
    done = subprocess.run([sys.executable, "-c", WARM.format(game=game)], cwd=HOUSE, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr[-2000:]


@GAMES
def test_a_forced_move_takes_no_time(game):
    agent = Agent(game, "search:time=5")
    for seed in range(100):
        state = cases.gongzhu_game(seed, 30) if game == "gongzhu" else cases.doudizhu_game(seed, unseen=20)
        if not state.is_over and len(state.legal_actions()) == 1:
            break
    began = time.perf_counter()
    assert agent.act(state.infoset()) == state.legal_actions()[0]
    assert time.perf_counter() - began < 0.5


@GAMES
def test_a_game_with_deadlines_from_start_to_end(game):
    state = gongzhu.Game().deal(3) if game == "gongzhu" else doudizhu.Game(bidding=True).deal(3)
    agent = Agent(game, "search:time=0.005")
    while not state.is_over:
        action = agent.act(state.infoset())
        assert action in state.legal_actions()
        state.act(action)


# --- the evidence -----------------------------------------------------------------------------------------------------

@GAMES
@pytest.mark.parametrize("mode", ["tree", "flat", "ismcts"])
def test_a_decision_tells_values_belief_and_a_line(game, mode):
    agent = Agent(game, f"search:samples=12,sims=8,mode={mode},weights=iec")
    for state in states(game):
        infoset = state.infoset()
        began = time.perf_counter()
        decision = agent.analyze(infoset)
        assert 0 < decision.seconds <= time.perf_counter() - began
        assert list(decision.values) == state.legal_actions()
        seen = [action for action, estimate in decision.values.items() if estimate.visits]
        assert decision.action in seen
        assert all(np.isfinite(decision.values[action].mean) for action in seen)
        assert decision.ranked()[0][0] == decision.action
        assert 1 <= decision.ess <= len(decision.belief.hands) + 1e-9
        assert decision.belief.marginals.sum(axis=1) == pytest.approx(np.ones(len(decision.belief.hidden.kinds)))
        assert decision.line[0] == decision.action
        line = follow(game, infoset, decision)
        assert line.is_over or len(decision.line) > 1


def follow(game: str, infoset, decision):
    """Play the line on the likeliest deal, every move verified."""
    deal = decision.belief.hands[[int(np.argmax(decision.belief.weights))]]
    if game == "gongzhu":
        row = gongzhu_hidden.seat_hands(infoset, deal)[0].tolist()
        state = naive.gongzhu_start(infoset, [cards(hand).split() for hand in row])
    else:
        row = doudizhu_hidden.seat_hands(infoset, deal)[0].tolist()
        state = naive.doudizhu_start(infoset, [ranks(hand) for hand in row[:3]], ranks(row[3]))
        for bid in infoset.bids:
            state.bid(bid)
    for _, move in infoset.history:
        state.play(move)
    for move in decision.line:
        state.play(move)
    return state


def test_a_forced_move_is_analyzed_too():
    state = next(state for seed in range(100) if len((state := cases.gongzhu_game(seed, 30)).legal_actions()) == 1)
    decision = Agent("gongzhu", "search:samples=8,sims=4").analyze(state.infoset())
    assert [decision.action] == list(decision.values) == state.legal_actions()
    assert decision.values[decision.action].visits == 8


def test_a_bid_can_be_left_to_the_rule_player():
    state = doudizhu.Game(bidding=True).deal(5)
    decision = Agent("doudizhu", "search:samples=2,bids=rule").analyze(state.infoset())
    assert decision.action in state.legal_actions()
    assert decision.action == Agent("doudizhu", "rule").act(state.infoset())
    assert (decision.values, decision.belief, decision.ess) == ({}, None, 0.0)


def test_defaults_follow_what_was_chosen():
    """How sharply and how many deals are weighed is settled for each way to weigh; what is given stays as it is given."""
    for given, wanted in (("samples=2", ("quantal", 0.6, 3)), ("weights=iec", ("iec", 0.4, 1)),
                          ("policy=rule", ("iec", 0.4, 1)),
                          ("weights=quantal,policy=rule", ("quantal", 0.6, 3)), ("weights=uniform", ("uniform", 0.4, 1)),
                          ("pool=5,beta=0.1", ("quantal", 0.1, 5))):
        settings = make("doudizhu", f"search:{given}").settings
        assert (settings.weights, settings.beta, settings.pool) == wanted
        known = 0.03 if settings.weights == "quantal" and settings.policy != "rule" else 0.0
        assert (settings.habits, settings.careless) == (known, known)
    settings = make("gongzhu", "search:weights=quantal").settings
    assert (settings.beta, settings.pool, settings.habits, settings.careless) == (0.01, 1, 0.0, 0.0)


def test_who_plays_by_habit_is_told_by_what_was_played():
    """Peasants who beat all, each other too, as low as they can: most deals have it so, never the one who thinks."""
    state = doudizhu.Game("douzero", bidding=False).deal(6)
    rng, shares = np.random.default_rng(1), []
    for _ in range(30):
        infoset = state.infoset()
        if infoset.seat == infoset.landlord:
            player = make("doudizhu", "search:samples=20")
            shares.append([_Deals(player, infoset, player.kit.hidden_of(infoset)).draw(0, 20).simple >> seat & 1
                           for seat in range(3)])
            state.act(max(state.legal_actions(), key=lambda move: (len(move.cards) == 1, rng.random())))
        else:
            odds = naive.habits_of(state)
            state.act(max(odds, key=odds.get))
        if state.is_over:
            break
    first, last = np.array(shares[0]).mean(axis=1), np.array(shares[-1]).mean(axis=1)
    assert first.max() < 0.3
    assert last[state.landlord] == 0
    assert last.max() > 0.7


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_who_plays_simply_does_so_in_the_playouts_of_a_deal(threads):
    """Every value is the playout that is made by hand, with those told to who play simply on that deal and no other."""
    state = doudizhu.Game("douzero", bidding=False).deal(7)
    infoset = state.infoset()
    player = make("doudizhu", f"search:samples=20,mix=0,threads={threads}")
    hands = player.kit.seat_hands(infoset, player.kit.hidden_of(infoset).draw(10, stream(2)))
    bits = np.array([0, 2, 4, 6, 0, 2 << CARELESS, 6 << CARELESS, 4 | 2 << CARELESS, 2, 0])
    actions = np.array(player.kit.candidates(infoset)[:3])
    view, counts = player.kit.view_of(infoset), np.zeros(2, np.int64)
    for worker in player._root.workers:
        player.kit.prepare(worker.leaf, infoset)
    deals = Samples(hands, np.zeros(10), False, bits)
    values = player._root._value(view, deals, actions, np.ones(3, np.int64), 5, 40, counts)
    leaf, out, calm = player._root.workers[0].leaf, np.empty(8192, np.int64), 0
    for row in range(10):
        for i, action in enumerate(actions):
            after = doudizhu_kernels.step(doudizhu_search.with_hands(view, hands[row]), action)
            for simple in (0, bits[row]):
                doudizhu_nets.told(leaf, simple)
                by_hand = doudizhu_nets.finish_value(leaf, after, stream(5, 40 + row), out)
                calm += by_hand != values[row, i]
            assert values[row, i] == by_hand
    assert calm                                          # where nobody was told, other things happened


def test_nothing_is_solved_where_somebody_plays_simply():
    state = cases.doudizhu_game(3, unseen=4, rules="douzero")
    infoset = state.infoset()
    player = make("doudizhu", "search:samples=20,solve=30,alone=54")
    hands = player.kit.seat_hands(infoset, player.kit.hidden_of(infoset).draw(4, stream(2)))
    actions = np.array(player.kit.candidates(infoset))
    player.kit.prepare(player._root.workers[0].leaf, infoset)
    for bits, solved in ((0, True), (1 << (infoset.seat + 1) % 3, False)):
        counts = np.zeros(2, np.int64)
        player._root._value(player.kit.view_of(infoset), Samples(hands, np.zeros(4), False, np.full(4, bits)), actions,
                            np.ones(len(actions), np.int64), 5, 0, counts)
        assert (counts[1] > 0) == solved


def test_a_list_of_all_deals_is_gone_through_again_where_somebody_may_play_simply():
    """One playout a deal is one draw then; the belief stays that of the list, and where all plan once is enough."""
    state = cases.doudizhu_game(5, unseen=5, rules="douzero")
    infoset = state.infoset()
    for simple, again in (("habits=0.5,careless=0", True), ("habits=0,careless=0.5", True), ("habits=0,careless=0", False)):
        player = make("doudizhu", f"search:samples=500,{simple}")
        hidden = player.kit.hidden_of(infoset)
        deals = _Deals(player, infoset, hidden)
        first, second = deals.draw(0, hidden.count - 1), deals.draw(hidden.count - 1, 4)
        assert len(first.hands) == hidden.count - 1
        assert len(second.hands) == (4 if again else 1)
        assert second.last is not again
        assert (second.simple & ~(7 | 7 << CARELESS) == 0).all()
        assert (second.simple & (1 | 1 << CARELESS) << infoset.seat == 0).all()
        if again:
            assert (second.hands[1:] == first.hands[:3]).all()
            assert (second.log_weights[1:] == first.log_weights[:3]).all()
        belief = deals.belief()
        assert belief.exact
        assert len(belief.hands) == hidden.count
    decision = Agent("doudizhu", "search:samples=500,habits=0.5").analyze(infoset)
    assert decision.values[decision.action].visits > hidden.count


def test_most_endings_of_games_that_were_planned_are_exact():
    """On a deal that the nets would hardly have led to somebody looks careless; it hardly counts."""
    net, player, exact = Agent("doudizhu", "net"), make("doudizhu", "search:samples=512"), []
    for seed in range(12):
        state = doudizhu.Game("douzero", bidding=False).deal(seed)
        while not state.is_over:
            infoset = state.infoset()
            hidden = player.kit.hidden_of(infoset)
            if 1 < hidden.count <= 100:
                exact.append(_Deals(player, infoset, hidden).draw(0, 100).last)
                break
            state.act(net.act(infoset))
    assert len(exact) > 6
    assert np.mean(exact) > 0.7


@pytest.mark.parametrize("strata", ["none", "exact"])
@GAMES
def test_more_deals_are_weighed_than_searched(game, strata):
    """As many as asked for are searched, three times as many make the belief, and strata go on from block to block."""
    player = make(game, f"search:weights=quantal,pool=3,samples=600,strata={strata}")
    infoset = states(game)[1].infoset()
    hidden = player.kit.hidden_of(infoset)
    deals, other = (_Deals(player, infoset, hidden) for _ in range(2))
    searched = [deals.draw(start, 20) for start in (0, 20)]
    assert [len(samples.hands) for samples in searched] == [20, 20]
    assert not any(samples.last for samples in searched)
    assert len(deals.belief().hands) == 120
    rows = {tuple(row) for row in player.kit.seat_hands(infoset, deals.belief().hands).tolist()}
    assert all(tuple(row) in rows for samples in searched for row in samples.hands.tolist())
    total = sum(float(np.exp(samples.log_weights).sum()) for samples in searched)
    assert total == pytest.approx(float(np.exp(np.concatenate(deals._logs)).sum()), rel=0.05)     # as heavy as all together
    again = other.draw(0, 20)
    assert (again.hands == searched[0].hands).all()


@pytest.mark.parametrize("weights", ["iec", "bayes", "linear", "quantal"])
@GAMES
def test_never_zero_samples_whatever_was_played(game, weights):
    """Random play and a beta at which no deal can be believed."""
    agent = Agent(game, f"search:samples=16,sims=2,weights={weights},beta=1000")
    for state in states(game):
        decision = agent.analyze(state.infoset())
        assert decision.ess >= 1
        assert np.isfinite(decision.values[decision.action].mean)


# --- right ------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("mode", ["tree", "flat", "ismcts"])
def test_a_hand_that_can_go_out_goes_out(mode):
    """Where no bomb and no spring could make waiting worth more, not even as it looks with open cards."""
    agent = Agent("doudizhu", f"search:samples=8,sims=10,mode={mode}")
    tried = 0
    for seed in range(60):
        state = cases.doudizhu_game(seed, unseen=14)
        while not state.is_over:
            hand, infoset = state.hands[state.turn], state.infoset()
            wins = [move for move in state.legal_actions() if move.cards == hand]
            out = infoset.unseen + hand
            doubles = ("B" in out and "R" in out) or any(out.count(char) == 4 for char in out)
            plays = [sum(bool(move) for seat, move in state.history if (seat == state.landlord) == landlord)
                     for landlord in (True, False)]
            if wins and len(state.legal_actions()) > 1 and not doubles and plays[0] > 1 and plays[1]:
                tried += 1
                assert agent.act(infoset) in wins, state
            state.play(max(state.legal_actions(), key=lambda move: len(move.cards)))
    assert tried >= 10


def test_an_ending_of_gongzhu_without_secrets_is_played_as_solved():
    agent = Agent("gongzhu", "search:samples=8,sims=4")
    out, tried = np.empty(1024, np.int64), 0
    for seed in range(4000):
        if tried == 4:
            return
        state = cases.gongzhu_game(seed, 41 + seed % 5)
        infoset = state.infoset()
        if len(state.legal_actions()) == 1 or gongzhu_hidden.hidden_of(infoset).count > 1:
            continue
        sign = 1 if state.turn % 2 == 0 else -1
        exact = {move: sign * int(solve(gongzhu_kernels.step(state.position, move.card), new_table(10), out, -HUGE, HUGE))
                 for move in state.legal_actions()}
        if len(set(exact.values())) > 1:
            tried += 1
            decision = agent.analyze(infoset)
            assert exact[decision.action] == max(exact.values())
            assert {move: estimate.mean for move, estimate in decision.values.items()} == exact
            assert {estimate.se for estimate in decision.values.values()} == {0.0}
            assert decision.deals == 1
    raise AssertionError(f"only {tried} endings")


def test_cards_searched_for_one_another_are_worth_the_same():
    out, twins = np.empty(1024, np.int64), 0
    for seed in range(120):
        state = cases.gongzhu_game(seed, 33 + seed % 12)
        same = gongzhu_hidden.twins(state.infoset())
        assert sorted(map(MOVES.__getitem__, same), key=str) == sorted(state.legal_actions(), key=str)
        for card, other in same.items():
            if other != card:
                twins += 1
                assert same[other] == other
                values = [int(solve(gongzhu_kernels.step(state.position, c), new_table(10), out, -HUGE, HUGE))
                          for c in (card, other)]
                assert values[0] == values[1], (state.infoset().to_text(), card, other)
    assert twins > 40


@GAMES
def test_little_to_gain_ends_a_search(game):
    state = next(state for state in states(game) if len(state.legal_actions()) > 4)
    deals = {gain: Agent(game, f"search:samples=96,sims=2,weights=uniform,sure=0,gain={gain}").analyze(state.infoset()).deals
             for gain in (0, 1e6)}
    assert deals[0] == 96
    assert deals[1e6] < 96


@GAMES
def test_more_time_searches_more_exactly(game):
    short, usual, long = (SearchPlayer.complete(game, SearchSettings(time=seconds)) for seconds in (0.01, 0.1, 1.0))
    assert short.gain == usual.gain > long.gain > 0
    assert short.solve == usual.solve <= long.solve


def test_what_is_given_is_kept_whatever_the_time():
    given = SearchPlayer.complete("gongzhu", SearchSettings(time=1.0, gain=7.0, solve=16))
    assert (given.gain, given.solve) == (7.0, 16)


def test_a_clock_of_one_thread_cannot_time_two():
    with pytest.raises(SearchDouError, match="clock=cpu counts the time of one thread; take threads=1"):
        Agent("gongzhu", "search:time=0.1,clock=cpu,threads=2")


@GAMES
def test_few_deals_are_looked_at_all(game):
    infosets = [i for i in (cases.gongzhu_cases() if game == "gongzhu" else cases.doudizhu_cases()) if i.turn == i.seat]
    kit = gongzhu_hidden if game == "gongzhu" else doudizhu_hidden
    agent = Agent(game, "search:samples=600,sims=2,weights=uniform")
    tried = 0
    for infoset in infosets:
        hidden = kit.hidden_of(infoset)
        if hidden.count <= 512 and len(infoset.legal_actions()) > 1:
            tried += 1
            belief = agent.analyze(infoset).belief
            hands, p = hidden.enumerate()
            drawn = {tuple(row): w for row, w in zip(belief.hands.tolist(), belief.weights, strict=True)}
            assert drawn == pytest.approx({tuple(row): x for row, x in zip(hands.tolist(), p, strict=True)})
    assert tried >= 3


# --- errors -----------------------------------------------------------------------------------------------------------

@GAMES
@pytest.mark.parametrize(("setting", "words"), [
    ("mode=x", "unknown mode of search 'x'; known: flat, ismcts, tree"),
    ("weights=foo", "unknown weights of search 'foo'; known: bayes, iec, linear, quantal, uniform"),
    ("strata=some", "unknown strata of search 'some'; known: equal, exact, none"),
    ("leaf=net", "unknown leaf of search 'net'"),
    ("policy=greed", "unknown policy of search 'greed'"),
    ("backup=sum", "unknown backup of search 'sum'; known: best, mean"),
    ("samples=0", "samples must be at least 1, not 0"),
    ("sims=0", "sims must be at least 1, not 0"),
    ("threads=0", "threads must be at least 1, not 0"),
    ("time=-1", "time must be above 0 s, not -1.0"),
    ("time=0", "time must be above 0 s, not 0.0"),
    ("clock=sun", "unknown clock of search 'sun'; known: cpu, wall"),
    ("sure=-1", "sure must be at least 0, not -1.0"),
    ("gain=-1", "gain must be at least 0, not -1.0"),
    ("time=nan", "time takes a number that is finite, not 'nan'"),
    ("beta=nan", "beta takes a number that is finite, not 'nan'"),
    ("fade=2", "fade must be at most 1, not 2.0"),
    ("lines=7", "lines must be at most 2, not 7"),
    ("threads=5000", "threads must be at most 1024, not 5000"),
    ("mix=1.5", "mix is a share from 0 to 1, not 1.5"),
    ("solve=99999999999999999999", "solve takes a whole number below"),
    ("beta=-1", "beta must be at least 0, not -1.0"),
    ("samples=many", "samples takes .*, not 'many'"),
    ("sims=1.5", "sims takes .*, not '1.5'"),
    ("pool=0", "pool must be at least 1, not 0"),
    ("habits=1,weights=quantal", "habits is a chance from 0 to below 1, not 1.0"),
    ("habits=-0.1,weights=quantal", "habits is a chance from 0 to below 1, not -0.1"),
    ("habits=0.1,weights=iec", "habits is read by weights=quantal, not by weights=iec"),
    ("careless=1,weights=quantal", "careless is a chance from 0 to below 1, not 1.0"),
    ("careless=0.1,weights=iec", "careless is read by weights=quantal, not by weights=iec"),
    ("speed=3", "unknown setting of search 'speed'"),
])
def test_bad_settings(game, setting, words):
    with pytest.raises(SearchDouError, match=words) as caught:
        Agent(game, f"search:{setting}")
    assert "\n" not in str(caught.value)


@GAMES
@pytest.mark.parametrize("name", ["c", "gain", "sure", "trust", "temper", "prior", "caution", "mix", "fade"])
def test_settings_that_are_no_numbers(game, name):
    for value in (math.nan, math.inf, -math.inf):
        with pytest.raises(SearchDouError, match=f"search: {name} must be a finite number"):
            SearchPlayer(game, **{name: value})


def test_habits_that_nobody_knows():
    for name in ("habits", "careless"):
        with pytest.raises(SearchDouError, match=f"policy=blueprint of gongzhu knows no simple players; take {name}=0"):
            make("gongzhu", f"search:weights=quantal,{name}=0.1")
        with pytest.raises(SearchDouError, match="policy=rule of doudizhu knows no simple players"):
            make("doudizhu", f"search:weights=quantal,policy=rule,{name}=0.1")


@GAMES
def test_positions_it_cannot_act_in(game):
    agent = Agent(game, "search:samples=2,sims=2")
    state = states(game)[1]
    with pytest.raises(IllegalAction, match=rf"seat {state.turn} is to act"):
        agent.act(state.infoset((state.turn + 1) % 3))
    with pytest.raises(SearchDouError, match="InfoSet, not on str"):
        agent.act("seat=0")
    with pytest.raises(SearchDouError, match=f"a {game} agent acts on a {game} InfoSet, not on InfoSet"):
        agent.act(states("doudizhu" if game == "gongzhu" else "gongzhu")[0].infoset())
    with pytest.raises(UnknownName):
        Agent("poker", "search")


def test_impossible_infosets_that_nobody_checked():
    """`trusted` skips the checks; what cannot be is noticed where the deals are counted, not by a crash."""
    good = states("gongzhu")[2].infoset()
    agent = Agent("gongzhu", "search:samples=2,sims=2")
    with pytest.raises(BadInfoSet, match="no hidden hands fit"):
        agent.act(gongzhu.InfoSet.trusted(seat=good.seat, hand=" ".join(good.hand.split()[1:]), first=good.first,
                                          history=good.history))
    good = states("doudizhu")[1].infoset()
    agent = Agent("doudizhu", "search:samples=2,sims=2")
    fields = {"seat": good.seat, "rules": good.rules, "landlord": good.landlord, "public": good.public, "first": good.first,
              "bids": good.bids, "history": good.history}
    with pytest.raises(BadInfoSet, match="no hidden hands fit"):
        agent.act(doudizhu.InfoSet.trusted(hand=good.hand[1:], **fields))


# --- compiled code that comes back from the disk ----------------------------------------------------------------------

EVERY_AGENT = """
import faulthandler
faulthandler.enable()
from importlib.util import find_spec
from searchdou import Agent, agents
from tests.agents.test_search import states
for game in ("gongzhu", "doudizhu"):
    infosets = [states(game)[2].infoset(), states(game)[-1].infoset()]
    specs = [name for name in agents.names(game)
             if name not in ("search", "oracle") and (name != "rlcard" or find_spec("douzero"))]
    specs += [f"search:samples=2,sims=2,mode={mode},weights={weights}" for mode in ("tree", "flat", "ismcts")
              for weights in ("uniform", "iec", "bayes", "linear", "quantal")]
    specs += [f"search:sims=2,{more}" for more in ("samples=2,mode=tree,prior=5", "samples=2,leaf=random", "samples=600")]
    if game == "gongzhu":
        specs += [f"search:samples=2,sims=2,leaf={more}" for more in ("blueprint", "rollout", "rollout,policy=rule")]
    for spec in specs:
        agent = Agent(game, spec)
        print(game, spec, *(agent.act(infoset) for infoset in infosets), agent.analyze(infosets[0]).line, flush=True)
"""


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")
def test_every_agent_works_in_the_process_after():
    """Kernels that recur badly work where they are compiled and crash where they are loaded (numba#6061)."""
    runs = [subprocess.run([sys.executable, "-c", EVERY_AGENT], cwd=HOUSE, capture_output=True, text=True, check=False,
                           env={**os.environ, "PYTHONPATH": str(HOUSE)}) for _ in range(2)]
    for run in runs:
        assert run.returncode == 0, run.stderr[-2000:]
    assert runs[0].stdout == runs[1].stdout
    assert runs[0].stdout.count("\n") >= 2 * (3 + 12 + 3)


# --- all deals there are ------------------------------------------------------------------------------------------------

def endings(game: str, most: int = 60):
    """Positions with a choice and few deals."""
    hidden_of = gongzhu_hidden.hidden_of if game == "gongzhu" else doudizhu_hidden.hidden_of
    for seed in range(12):
        state = cases.gongzhu_game(seed, 41) if game == "gongzhu" else cases.doudizhu_game(seed, unseen=6)
        infoset = state.infoset()
        choice = not state.is_over and state.phase == "play" and len(infoset.legal_actions()) > 1
        if choice and 3 < hidden_of(infoset).count <= most:
            yield infoset, len(hidden_of(infoset).enumerate()[0])


@GAMES
def test_a_belief_is_exact_once_all_deals_were_looked_at(game):
    some, whole = Agent(game, "search:samples=512,sure=4,gain=0.1"), Agent(game, "search:samples=512,sure=0,gain=0")
    cut = SearchPlayer(game, samples=512)
    seen = 0
    for infoset, count in endings(game):
        for agent in (some, whole):
            belief = agent.analyze(infoset).belief
            assert belief.exact == (len(belief.hands) == count)
        assert whole.analyze(infoset).belief.exact
        belief = cut._decide(infoset, evidence=True, limit=Limit(samples=2)).belief
        assert len(belief.hands) < count
        assert not belief.exact
        seen += 1
    assert seen


@GAMES
def test_playouts_that_are_drawn_have_an_error_even_on_all_deals(game):
    simple = ",habits=0,careless=0" if game == "doudizhu" else ""
    noisy = Agent(game, f"search:samples=400,leaf=random,solve=0,sure=0,gain=0{simple}")
    for infoset, _ in endings(game):
        values = [value for value in noisy.analyze(infoset).values.values() if value.visits]
        assert max(value.visits for value in values) > 100
        assert any(value.se > 0 for value in values)
        return
    raise AssertionError("no ending with few deals")
