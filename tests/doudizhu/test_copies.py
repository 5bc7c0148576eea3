"""Which of several equal cards was played is a choice too: weights of deals by the ways they could have been dealt."""

from __future__ import annotations

from collections import Counter
from itertools import count
from math import factorial, prod

import numpy as np
import pytest

from searchdou import agents
from searchdou.doudizhu import Game
from searchdou.games.doudizhu.cards import unpack
from searchdou.games.doudizhu.hidden import copies_log_weight, hidden_of, seat_hands


def ending(seed: int):
    """An infoset late in a game of rule players, with few enough deals to list."""
    player = agents.make("doudizhu", "rule")
    for number in count(100 * seed):
        state = Game(bidding=False).deal(number)
        while not state.is_over and sum(state.infoset().cards_left) > 22:
            state.act(player.act(state.infoset()))
        if not state.is_over and hidden_of(state.infoset()).count <= 20_000:
            return state.infoset()
    raise AssertionError("not reached: there is no end of deals")


def ways_to_deal(infoset, hands) -> float:
    """In how many ways the cards dealt privately to the hidden seats give these hands now, up to a common factor.

    All copies of a rank are told apart: m of them to seats that get k1, k2, ... can be dealt in m! / (k1! k2! ...) ways.
    """
    ways = 1.0
    for seat in range(3):
        if seat != infoset.seat:
            dealt = Counter(unpack(int(hands[seat]))) + Counter(unpack(infoset.packed_played[seat]))
            if seat == infoset.landlord:
                dealt = dealt - Counter(infoset.public)
            ways /= prod(factorial(n) for n in dealt.values())
    return ways


@pytest.mark.unit
@pytest.mark.parametrize("seed", range(12))
def test_weighed_deals_are_uniform_over_the_ways_of_dealing(seed):
    infoset = ending(seed)
    hidden = hidden_of(infoset)
    deals, p = hidden.enumerate()
    hands = seat_hands(infoset, deals)
    weights = p * np.exp(copies_log_weight(infoset, hands))
    expected = np.array([ways_to_deal(infoset, row) for row in hands])
    assert weights / weights.sum() == pytest.approx(expected / expected.sum(), rel=1e-9)
