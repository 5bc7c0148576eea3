"""What can be said of `rule` whatever its weights are, and how strong it is."""

import pytest

from searchdou.agents import make
from searchdou.arena.match import MatchSettings, run_match
from searchdou.games.doudizhu import Game, InfoSet, Move

RULE = make("doudizhu", "rule")


def test_beats_random_clearly():
    summary = run_match(MatchSettings("doudizhu", "rule", "random", 50, seed=1)).summary()
    assert summary["wp"]["overall"] >= 0.9
    assert summary["wp"]["landlord"] >= 0.85
    assert summary["wp"]["peasants"] >= 0.85
    assert summary["ci95"]["adp"]["overall"][0] > 0


@pytest.mark.peers
def test_is_ahead_of_rlcard():
    pytest.importorskip("douzero.evaluation.rlcard_agent")
    summary = run_match(MatchSettings("doudizhu", "rule", "rlcard", 150, seed=1)).summary()
    assert summary["ci95"]["wp"]["overall"][0] > 0.5
    assert summary["ci95"]["adp"]["overall"][0] > 0


def test_goes_out_when_it_can():
    """In whole games of its own: whenever a legal move empties the hand, it is played."""
    chances = 0
    for seed in range(30):
        state = Game(bidding=False).deal(seed)
        while not state.is_over:
            infoset = state.infoset()
            last = [move for move in infoset.legal_actions() if move.cards == infoset.hand]
            action = RULE.act(infoset)
            if last:
                chances += 1
                assert action.cards == infoset.hand
            state.act(action)
    assert chances >= 30


def test_a_peasant_cooperates():
    """Where it could beat the move on the table, it lets its partner's stand far more often than the landlord's."""
    passed = {"partner": [], "landlord": []}
    for seed in range(60):
        state = Game(bidding=False).deal(seed)
        while not state.is_over:
            infoset = state.infoset()
            action = RULE.act(infoset)
            could = infoset.to_beat and len(infoset.legal_actions()) > 1 and len(action.cards) < len(infoset.hand)
            if could and infoset.seat != infoset.landlord:
                passed["landlord" if infoset.last_player == infoset.landlord else "partner"].append(not action)
            state.act(action)
    shares = {who: sum(times) / len(times) for who, times in passed.items()}
    assert len(passed["partner"]) > 50
    assert shares["partner"] > shares["landlord"] + 0.2, shares


def test_bids_by_its_hand():
    """More for a better hand, never below what was bid, and always legal."""
    assert RULE.act(InfoSet.from_text("seat=0 hand=3QQKKKKAAAA2222BR")) == 3
    tops = {bid: [] for bid in range(4)}
    for seed in range(150):
        state = Game().deal(seed)
        while state.phase == "bid":
            bid = RULE.act(state.infoset())
            assert type(bid) is int
            assert state.can_bid(bid)
            if not state.bids:
                tops[bid].append(sum(state.hands[state.turn].count(card) for card in "2BR"))
            state.bid(bid)
    assert len(tops[0]) > 10
    assert len(tops[3]) > 10
    assert sum(tops[3]) / len(tops[3]) > sum(tops[0]) / len(tops[0])      # twos and jokers


def test_nothing_in_it_is_random():
    state = Game(bidding=False).deal(8)
    assert {make("doudizhu", "rule", seed).act(state.infoset()) for seed in range(5)} == {RULE.act(state.infoset())}
    assert isinstance(RULE.act(state.infoset()), Move)
