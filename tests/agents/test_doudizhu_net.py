"""DouDizhu's nets as players and bidders, and the one that cheats."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import numpy as np
import pytest
from numba import config

from inference._rng_kernels import stream
from inference.belief import Belief
from mcts.root import Limit
from searchdou import Agent, agents, games
from searchdou.agents.doudizhu_net import BIDS, CHOICES, Bidder
from searchdou.arena.match import MatchSettings, run_match
from searchdou.errors import SearchDouError, UnknownName
from searchdou.games.doudizhu import Deal, Game, InfoSet, encode, hidden
from searchdou.games.doudizhu import _kernels as kernels
from searchdou.games.doudizhu import _net_kernels as nets
from searchdou.games.doudizhu._search_kernels import scale, with_hands
from searchdou.nets import BadWeights, save_weights
from searchdou.nets.files import kept
from tests.inference import cases

HOUSE = Path(__file__).resolve().parent.parent.parent
NETS = [(view, role) for view in encode.VIEWS for role in encode.roles_of(view)]


def test_the_shipped_weights_are_small_and_say_where_they_come_from():
    total = 0
    for view, role in NETS:
        total += (HOUSE / "searchdou" / "weights" / encode.file_of(view, role)).stat().st_size
        meta = kept(encode.file_of(view, role), encode.kind_of(view, role)).meta
        assert {"game", "view", "version", "run", "settings", "hours", "games", "commit"} <= set(meta)
    assert total < 4_000_000


def test_the_net_beats_those_who_know_less():
    against_random = run_match(MatchSettings("doudizhu", "net", "random", 100, seed=1, rules="douzero")).summary()
    assert against_random["wp"]["overall"] > 0.95
    against_rule = run_match(MatchSettings("doudizhu", "net", "rule", 150, seed=1, rules="douzero")).summary()
    assert against_rule["wp"]["overall"] > 0.5
    assert against_rule["adp"]["overall"] > 0.0


@pytest.mark.parametrize("choose", CHOICES)
def test_every_way_to_choose_is_legal_and_sees_one_seat_only(choose):
    agent = Agent("doudizhu", f"net:choose={choose}")
    for seed in range(8):
        state = cases.doudizhu_game(seed, unseen=37 - 3 * seed, bidding=seed % 2 == 0)
        if state.is_over:
            continue
        infoset = state.infoset()
        action = agent.act(infoset)
        assert action in state.legal_actions()
        row = hidden.seat_hands(infoset, hidden.hidden_of(infoset).draw(1, stream(seed)))[0]
        state.position = with_hands(state.position, row)
        assert agent.act(state.infoset()) == action


def test_noise_takes_a_seed():
    infoset = Game(bidding=False).deal(3).infoset()
    moves = [str(Agent("doudizhu", "net:noise=1", seed).act(infoset)) for seed in (1, 1, 2, 3, 4)]
    assert moves[0] == moves[1]
    assert len(set(moves)) > 1


# --- played out -----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("mix", [0.0, 0.5, 1.0])
def test_a_playout_may_stop_and_ask_the_net(mix):
    """Depth d is d moves by the net, then the value of its best move, by hand; depth 0 and a long one play to the end."""
    policy, out = encode.blueprint_in(), np.empty(kernels.MAX_MOVES, np.int64)
    for seed in range(6):
        position = cases.doudizhu_game(seed, unseen=30 - 3 * seed, bidding=False).position
        unit = np.array([float(scale(position)), 1.0, 0.0])
        to_end, long, few = (nets.Finish(policy, unit, mix, depth) for depth in (0, 500, 5))
        assert nets.finish_value(to_end, position, stream(1), out) == nets.finish_value(long, position, stream(1), out)
        after = position
        for _ in range(5):
            if after.winner < 0:
                after = kernels.step(after, nets.blueprint_choice(policy, after, stream(1), out))
        if after.winner >= 0:
            expected = nets.finish_value(to_end, position, stream(1), out)
        else:
            n = kernels.legal(after, out)
            wins, stakes, q = np.zeros(n), np.zeros(n), np.zeros(n)
            nets.rate(policy.nets, False, after, out, n, wins, stakes)
            nets.compare(after, policy.mix, n, wins, stakes, q)
            best = int(np.argmax(q))
            side = 1 if after.turn == after.landlord else -1
            expected = side * ((1 - mix) * stakes[best] * scale(after) + mix * wins[best] * unit[0])
        assert nets.finish_value(few, position, stream(1), out) == pytest.approx(expected)


def test_the_other_side_may_think_otherwise():
    """Drawn moves come about as often as e^(value / temper) says, a little of it is the best move, and none is repeatable
    but by its seed."""
    policy, out = encode.blueprint_in(), np.empty(kernels.MAX_MOVES, np.int64)
    dealt = (cases.doudizhu_game(seed, unseen=24, bidding=False).position for seed in range(20))
    position = next(found for found in dealt if kernels.legal(found, out) > 2 and found.turn != found.landlord)
    n = kernels.legal(position, out)
    legal, wins, stakes = out[:n].tolist(), np.zeros(n), np.zeros(n)
    nets.rate(policy.nets, False, position, out, n, wins, stakes)
    value = 0.5 * stakes + 0.5 * wins
    for temper in (1e-9, 0.3):
        rng = stream(5)
        drawn = [nets.tempered_choice(policy, temper, position, rng, out) for _ in range(2000)]
        share = np.exp((value - value.max()) / temper)
        expected = 2000 * share / share.sum()
        found = np.array([drawn.count(action) for action in legal])
        assert np.abs(found - expected).max() < 5 * np.sqrt(expected.max()) + 1
    leaf = nets.Finish(policy, np.array([2.0, 1.0, 0.0]), 0.5, 0, 0.5)
    values = [nets.finish_value(leaf, position, stream(seed), out) for seed in (*range(12), 0)]
    assert values[0] == values[-1]
    assert len(set(values)) > 1
    for landlord, temper in ((1.0, 0.0), (0.0, 0.5)):                    # nor does it when a peasant thinks
        calm = nets.Finish(policy, np.array([2.0, landlord, 0.0]), 0.5, 0, temper)
        assert len({nets.finish_value(calm, position, stream(seed), out) for seed in range(12)}) == 1


def test_a_stake_is_what_a_loss_costs_without_bombs():
    """By bids, and by rule sets that do or do not count them twice for the landlord; bombs that lie there do not matter."""
    for rules, bid, stake in (("standard", 1, 2.0), ("standard", 3, 6.0), ("douzero", None, 2.0), ("rlcard", None, 1.0)):
        state = Game(rules, bidding=bid is not None).deal(4)
        while state.phase == "bid":
            state.bid(bid if state.infoset().bid == 0 else 0)
        bombs = 0
        while not state.is_over and bombs < 2:
            assert hidden.stake_of(state.infoset()) == stake
            moves = state.legal_actions()
            bomb = next((move for move in moves if move.category.name in ("BOMB", "ROCKET")), None)
            bombs += bomb is not None
            state.act(bomb or moves[0])


# --- bids ---------------------------------------------------------------------------------------------------------------

WON = "3456789TJAA222BRK"                       # a long chain, three 2s, both jokers
WEAK = "3345567789TTJQQKA"


def to_bid(hand: str, bids: tuple[int, ...] = ()) -> InfoSet:
    """What a seat knows that holds `hand` after these bids."""
    return InfoSet.from_text(f"hand={hand} seat={len(bids)} bids={','.join(map(str, bids))}")


@pytest.mark.parametrize("how", BIDS)
def test_bids_are_legal_whatever_was_bid(how):
    bidder = Bidder(encode.blueprint_in(), how, 16, 0)
    for seed in range(6):
        state = Game().start(Deal.random(seed), first=seed % 3)
        while state.phase == "bid" and not state.is_over:
            found = bidder.values(state.infoset())
            assert list(found.values) == state.legal_actions()
            assert found.best in state.legal_actions()
            state.bid(min(bid for bid in state.legal_actions() if bid >= seed % 2))


@pytest.mark.parametrize("how", BIDS)
def test_a_strong_hand_bids_three_and_a_weak_one_passes(how):
    bidder = Bidder(encode.blueprint_in(), how, 200, 0)
    assert bidder.values(to_bid(WON)).best == 3
    assert bidder.values(to_bid(WON, (0, 1))).best == 3
    assert bidder.values(to_bid(WEAK)).best == 0
    assert bidder.values(to_bid(WEAK, (1,))).best == 0


def test_the_others_bids_matter_to_those_who_look():
    """The hand of AlphaDou's Appendix C: to pass is a draw when all have passed, and costs when another is landlord."""
    hand = "333444569TTJJQKK2"
    found = {how: [Bidder(encode.blueprint_in(), how, 400, 0).values(to_bid(hand, bids)) for bids in ((0, 0), (0, 2))]
             for how in BIDS}
    for how in ("net", "price"):
        passed, wanted = (bids.values for bids in found[how])
        assert passed[0].mean == pytest.approx(0.0, abs=0.2)
        assert wanted[0].mean < -0.5
    passed, wanted = (bids.values for bids in found["net"])
    assert passed[3].mean > wanted[3].mean               # who bids two holds cards that the landlord would miss
    assert [bids.best for bids in found["threshold"]] == [0, 0]


def test_prices_are_what_the_auction_and_the_game_come_to():
    """As landlord what its net expects of the first position; where another is landlord what playing on brings."""
    policy, out = encode.blueprint_in(), np.empty(kernels.MAX_MOVES, np.int64)
    infoset = to_bid("3445667899TJQKA22", (0,))
    view, hands = hidden.view_of(infoset), hidden.seat_hands(infoset, hidden.hidden_of(infoset).draw(6, stream(4)))
    bids = np.arange(4)
    prices, landlords = np.empty((6, 4)), set()
    nets.price_bids(policy, view, hands, bids, stream(1), out, prices)
    for row in range(6):
        for bid in bids:
            after = kernels.step(with_hands(view, hands[row]), bid)
            while after.landlord < 0 and after.winner < 0:
                after = kernels.step(after, nets.blueprint_choice(policy, after, stream(1), out))
            landlords.add(after.landlord)
            if after.landlord == infoset.seat:
                n = kernels.legal(after, out)
                nets.rate(policy.nets, False, after, out, n, policy.wins, policy.stakes)
                best = int(np.argmax(0.5 * policy.wins[:n] + 0.5 * policy.stakes[:n]))
                expected = policy.stakes[best] * scale(after)
            else:
                while after.winner < 0:
                    after = kernels.step(after, nets.blueprint_choice(policy, after, stream(1), out))
                expected = -0.5 * kernels.payoff(after)
            assert prices[row, bid] == pytest.approx(expected)
    assert infoset.seat in landlords
    assert len(landlords) > 1


def test_deals_are_weighed_by_what_was_bid_before():
    """Who passed holds fewer jokers than who has not spoken yet."""
    bidder = Bidder(encode.blueprint_in(), "price", 400, 0)
    found = bidder.values(to_bid("3445667899TJQKA22", (0,)))
    belief = Belief(hidden.hidden_of(to_bid("3445667899TJQKA22", (0,))), found.deals, found.weights)
    assert belief.ess < 390
    assert belief.probability("R", "seat 0") < belief.probability("R", "seat 2") - 0.05
    alone = bidder.values(to_bid("3445667899TJQKA22"))
    assert alone.weights == pytest.approx(np.full(400, 1 / 400))


def bid_times(bidder, infoset) -> float:
    """Seconds that bids with a tenth of a second took, the median of five; they look at more than a few deals."""
    took, looked = [], []
    for _ in range(5):
        began = time.perf_counter()
        looked.append(bidder.values(infoset, Limit(seconds=0.1)).values[0].visits)
        took.append(time.perf_counter() - began)
    assert 8 < median(looked) < 100_000
    return median(took)


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="a deadline is for compiled code")
@pytest.mark.parametrize("how", ["price", "threshold"])
def test_bids_keep_to_their_time(how):
    bidder, infoset = Bidder(encode.blueprint_in(), how, 100_000, 0), to_bid(WEAK)
    bidder.values(infoset, Limit(samples=8))                   # loads what is compiled
    took = bid_times(bidder, infoset)
    if took > 0.13:                                            # once more: the machine may have been busy
        took = bid_times(bidder, infoset)
    assert 0.03 < took < 0.13


def test_bids_depend_on_how_many_deals_there_were_and_not_on_speed():
    """A time that never strikes changes nothing from one time to another, and the first deals are those of fewer."""
    infoset = to_bid(WEAK)
    found = [Bidder(encode.blueprint_in(), "price", deals, 0).values(infoset, Limit(seconds=limit))
             for deals, limit in ((20, 60.0), (20, 90.0), (12, 90.0))]
    assert found[0].values == found[1].values
    assert (found[0].deals == found[1].deals).all()
    assert (found[0].deals[:8] == found[2].deals[:8]).all()
    assert [len(each.deals) for each in found] == [20, 20, 12]
    assert Bidder(encode.blueprint_in(), "price", 99, 0).values(infoset, Limit(samples=5)).values[0].visits == 5


def test_bids_of_the_agents():
    infoset = to_bid(WON)
    for spec in ("net", "net:bids=threshold", "net:bids=price,deals=32", "search:samples=32", "search:samples=32,bids=net"):
        assert Agent("doudizhu", spec).act(infoset) == 3
    decision = Agent("doudizhu", "search:samples=64").analyze(infoset)
    assert list(decision.values) == [0, 1, 2, 3]
    assert max(decision.values, key=lambda bid: decision.values[bid].mean) == 3
    assert all(value.se > 0 and value.visits == 64 for value in decision.values.values())
    assert np.allclose(decision.belief.marginals.sum(axis=1), 1)


def test_bad_settings_of_net():
    for spec, error, words in (("net:choose=luck", UnknownName, "way to choose of net 'luck'"),
                               ("net:bids=loud", UnknownName, "way to bid 'loud'"),
                               ("net:bids=price,deals=0", SearchDouError, "at least one deal")):
        with pytest.raises(error, match=words):
            Agent("doudizhu", spec)


# --- the one that cheats ------------------------------------------------------------------------------------------------

def test_only_oracles_are_shown_all_hands():
    open_eyed = {(game, name) for game in games.GAMES for name in agents.names(game) if name not in ("cmd", "rlcard")
                 and getattr(agents.make(game, name), "sees_all_hands", False)}
    assert open_eyed == {("gongzhu", "oracle"), ("doudizhu", "oracle")}


def test_the_oracle_plays_in_matches_only():
    with pytest.raises(SearchDouError, match="shown all hands: it plays in matches and tournaments only"):
        Agent("doudizhu", "oracle").act(Game().deal(1).infoset())
    settings = MatchSettings("doudizhu", "oracle", "random", 20, seed=1, rules="douzero")
    assert run_match(settings).summary()["wp"]["overall"] > 0.8


# --- weights ------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("spec", ["net", "search"])
def test_weights_that_cannot_be_used_are_named(spec, tmp_path):
    with pytest.raises(BadWeights, match=r"doudizhu-blueprint-.*cannot be read"):
        Agent("doudizhu", f"{spec}:nets={tmp_path}")
    for view, role in NETS:
        save_weights(tmp_path / encode.file_of(view, role), encode.untrained(view)(role))
    Agent("doudizhu", f"{spec}:nets={tmp_path}")
    swapped = tmp_path / encode.file_of("seen", "up")
    swapped.write_bytes((tmp_path / encode.file_of("seen", "down")).read_bytes())
    with pytest.raises(BadWeights, match="made for view 'seen down', not 'seen up'"):
        Agent("doudizhu", f"{spec}:nets={tmp_path}")


def test_playing_needs_no_torch():
    code = ("import sys; sys.modules['torch'] = None\n"
            "from searchdou import Agent, games\n"
            "infoset = games.load('doudizhu').Game().deal(0).infoset()\n"
            "print(Agent('doudizhu', 'net').act(infoset), Agent('doudizhu', 'search:samples=4').act(infoset))")
    done = subprocess.run([sys.executable, "-c", code], cwd=HOUSE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
