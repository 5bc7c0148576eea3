"""The uniform sampler under Mr. Greed: counts by brute force, draws by chi-square against full enumeration."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from inference._rng_kernels import stream
from inference._uniform_kernels import below63, count_deals, draw_deal
from searchdou.games.gongzhu import Deal, Game

PLACES = range(3)


def all_deals(sizes, allowed, capacity):
    """Every assignment of the cards to places that keeps to the rules, as a tuple of places."""
    groups = [group for group, size in enumerate(sizes) for _ in range(size)]
    choices = [[place for place in PLACES if allowed[group] >> place & 1] for group in groups]
    return [deal for deal in itertools.product(*choices) if all(deal.count(place) == capacity[place] for place in PLACES)]


def counted(sizes, allowed, capacity):
    table = np.full((len(sizes) + 1, capacity[0] + 1, capacity[1] + 1), -7, np.int64)
    arrays = [np.array(x, np.int64) for x in (sizes, allowed, capacity)]
    return count_deals(*arrays, table), arrays, table


@st.composite
def problems(draw):
    """Up to eight cards in up to four groups; the capacities come from one legal deal, or from anywhere."""
    sizes = draw(st.lists(st.integers(0, 3), min_size=1, max_size=4).filter(lambda sizes: sum(sizes) <= 8))
    allowed = [draw(st.integers(1, 7)) for _ in sizes]
    capacity = [0, 0, 0]
    for size, places in zip(sizes, allowed, strict=True):
        for _ in range(size):
            capacity[draw(st.sampled_from([p for p in PLACES if places >> p & 1]))] += 1
    if draw(st.booleans()):
        capacity = list(draw(st.permutations(capacity)))      # maybe there is no deal at all
    return sizes, allowed, capacity


@pytest.mark.unit
@settings(max_examples=60)
@given(problems())
def test_counts_are_those_of_enumeration(problem):
    assert counted(*problem)[0] == len(all_deals(*problem))


@pytest.mark.unit
@settings(max_examples=60)
@given(problems(), st.integers(0, 2**32))
def test_a_draw_is_one_of_the_deals(problem, seed):
    ways, (sizes, allowed, capacity), table = counted(*problem)
    assume(ways)
    deals, rng = set(all_deals(*problem)), stream(seed)
    cards, owner = np.arange(sum(problem[0])), np.empty(sum(problem[0]), np.int64)
    for _ in range(10):
        draw_deal(cards, sizes, allowed, capacity, table, rng, owner)
        assert tuple(owner[np.argsort(cards)]) in deals


@pytest.mark.parametrize("problem", [
    ([3, 3, 2], [7, 7, 7], [3, 3, 2]),              # free
    ([3, 3, 3], [6, 5, 7], [3, 3, 3]),              # two voids
    ([4, 2, 2], [3, 6, 7], [2, 3, 3]),              # uneven hands
    ([2, 0, 3, 2], [7, 1, 6, 5], [2, 2, 3]),        # an empty group, three constraints
    ([2, 2, 2], [1, 2, 4], [2, 2, 2]),              # one deal only
], ids=str)
def test_draws_are_uniform(problem):
    """By chi-square over all deals, from one stream that goes on."""
    ways, (sizes, allowed, capacity), table = counted(*problem)
    deals = all_deals(*problem)
    assert ways == len(deals)
    cards, owner, rng = np.arange(sum(problem[0])), np.empty(sum(problem[0]), np.int64), stream(12)
    drawn = Counter()
    for _ in range(40 * ways):
        draw_deal(cards, sizes, allowed, capacity, table, rng, owner)
        drawn[tuple(owner[np.argsort(cards)])] += 1
    assert set(drawn) <= set(deals)
    if ways > 1:
        assert stats.chisquare([drawn[deal] for deal in deals]).pvalue > 0.001


def test_a_whole_deal_fits():
    """39 unseen cards over three hands of 13: 39! / 13!^3, below 2^63."""
    assert counted([13, 13, 13], [7, 7, 7], [13, 13, 13])[0] == 84478098072866400
    assert counted([39], [7], [13, 13, 13])[0] == 84478098072866400
    assert counted([17, 20], [7, 7], [17, 17, 3])[0] == 37 * 36 * 35 // 6 * 2333606220


@pytest.mark.unit
def test_large_tickets():
    """`below63` stays in its range and reaches all of it."""
    rng = stream(3)
    for n in (1, 2, 2**31 - 1, 2**31, 2**40 + 7, 3 * 2**61, 2**63 - 1):
        draws = [int(below63(rng, n)) for _ in range(200)]
        assert all(0 <= draw < n for draw in draws)
        assert n < 100 or max(draws) > 0.9 * n > 0.1 * n > min(draws)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(4, 48))
def test_sampled_hands_of_a_game_respect_voids(seed, plays):
    """In positions of random games no seat is ever dealt a card of a suit it could not follow."""
    rng = np.random.default_rng(seed)
    state = Game().start(Deal.random(seed))
    for _ in range(plays):
        state.act(state.legal_actions()[rng.integers(len(state.legal_actions()))])
    infoset = state.infoset()
    others = [(infoset.seat + 1 + place) % 4 for place in PLACES]
    unseen = infoset.unseen.split()
    sizes = [sum(card[0] == suit for card in unseen) for suit in "SHDC"]
    allowed = [sum((suit not in infoset.voids[seat]) << place for place, seat in enumerate(others)) for suit in "SHDC"]
    capacity = [infoset.cards_left[seat] for seat in others]
    ways, arrays, table = counted(sizes, allowed, capacity)
    assert ways >= 1
    cards, owner = np.arange(len(unseen)), np.empty(len(unseen), np.int64)
    for _ in range(20):
        draw_deal(cards, *arrays, table, stream(seed, _), owner)
        hands = {seat: [unseen[card] for card, place in zip(cards, owner, strict=True) if place == at]
                 for at, seat in enumerate(others)}
        assert [len(hands[seat]) for seat in others] == capacity
        assert not [card for seat, hand in hands.items() for card in hand if card[0] in infoset.voids[seat]]
