"""Counting, listing and drawing deals, against trying every place for every card."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba.core import config
from scipy.stats import chisquare

from inference import _uniform_kernels as kernels
from inference._rng_kernels import stream
from inference.hidden import Hidden, Kind
from searchdou.games import doudizhu, gongzhu
from searchdou.games.doudizhu import hidden as doudizhu_hidden
from searchdou.games.gongzhu import hidden as gongzhu_hidden

from . import cases, naive

CASES = [("gongzhu", i) for i in range(8)] + [("doudizhu", i) for i in range(8)]


def case(game: str, number: int) -> tuple[Hidden, dict[tuple[int, ...], float], int]:
    """What is hidden in a stored position, the naive distribution of its deals, and the naive count."""
    if game == "gongzhu":
        infoset = cases.gongzhu_cases()[number]
        hidden, deals = gongzhu_hidden.hidden_of(infoset), list(naive.gongzhu_deals(infoset))
    else:
        infoset = cases.doudizhu_cases()[number]
        hidden, deals = doudizhu_hidden.hidden_of(infoset), list(naive.doudizhu_deals(infoset))
    return hidden, naive.distribution(deals), len(deals)


@st.composite
def synthetic(draw: st.DrawFn) -> Hidden:
    """Up to nine cards of up to four groups over two or three places; a hand is three bits a kind, known cards on top.

    Rooms may be zero, a group may be barred from some places, and there need not be any deal.
    """
    places = draw(st.integers(2, 3))
    groups, kinds, allowed = [], [], []
    for _ in range(draw(st.integers(1, 4))):
        members = draw(st.integers(0, 2))
        groups.append(tuple(range(len(kinds), len(kinds) + members)))
        kinds += [Kind(f"kind {len(kinds) + i}", 3 * (len(kinds) + i), 7, draw(st.integers(1, 2))) for i in range(members)]
        allowed.append(draw(st.integers(1, (1 << places) - 1)))
    cards = sum(kind.copies for kind in kinds)
    cuts = sorted(draw(st.integers(0, cards)) for _ in range(places - 1))
    capacity = np.diff([0, *cuts, cards]).tolist()
    fixed = tuple(draw(st.sampled_from([0, *(kind.code for kind in kinds)])) for _ in range(places))
    keys = tuple(draw(st.permutations(range(len(kinds))))[:2]) if kinds else ()
    return Hidden(tuple(kinds), tuple(groups), tuple(allowed), tuple(capacity), tuple(f"place {p}" for p in range(places)),
                  fixed, keys)


def naive_owners(hidden: Hidden) -> list[tuple[int, ...]]:
    """Every owner of every copy, cards in the order of the groups."""
    group_of = {kind: g for g, group in enumerate(hidden.groups) for kind in group}
    cards = [kind for group in hidden.groups for kind in group for _ in range(hidden.kinds[kind].copies)]
    return list(naive.owners(cards, list(hidden.capacity), lambda kind, place: hidden.allowed[group_of[kind]] >> place & 1))


def naive_hands(hidden: Hidden, places: tuple[int, ...]) -> tuple[int, ...]:
    cards = [kind for group in hidden.groups for kind in group for _ in range(hidden.kinds[kind].copies)]
    hands = list(hidden.fixed)
    for kind, place in zip(cards, places, strict=True):
        hands[place] += hidden.kinds[kind].code
    return tuple(hands)


def examples(n: int) -> settings:
    return settings(max_examples=n // 4 if config.DISABLE_JIT else n, deadline=None)


# --- counting and listing ---------------------------------------------------------------------------------------------

@pytest.mark.unit
@given(synthetic())
@examples(120)
def test_count_equals_trying_everything(hidden):
    sizes, table = hidden._sizes, np.empty((len(hidden.groups) + 1, *(hidden._capacity[:2] + 1)), np.int64)
    found = kernels.count_deals(sizes, hidden._allowed, hidden._capacity, table)
    assert found == len(naive_owners(hidden))
    if found:
        assert hidden.count == found


@pytest.mark.unit
@given(synthetic())
@examples(80)
def test_unrank_is_a_bijection_on_the_deals(hidden):
    expected = naive_owners(hidden)
    if not expected:
        return
    cards, owner = hidden._cards, np.empty(len(hidden._cards), np.int64)
    before = cards.copy()
    seen = []
    for rank in range(hidden.count):
        kernels.unrank_deal(rank, cards, hidden._sizes, hidden._allowed, hidden._capacity, hidden._counted[1], owner)
        seen.append(tuple(owner.tolist()))
    assert sorted(seen) == sorted(expected)          # each once
    assert (cards == before).all()


@pytest.mark.unit
@given(synthetic())
@examples(80)
def test_enumerate_lists_every_deal_once_with_its_probability(hidden):
    ways = Counter(naive_hands(hidden, places) for places in naive_owners(hidden))
    if not ways:
        return
    hands, p = hidden.enumerate()
    listed = [tuple(row) for row in hands.tolist()]
    assert len(set(listed)) == len(listed)
    assert dict(zip(listed, p.tolist(), strict=True)) == pytest.approx(
        {hands: n / sum(ways.values()) for hands, n in ways.items()}, abs=1e-15)


@pytest.mark.parametrize(("game", "number"), CASES)
def test_positions_of_both_games_count_and_list_as_naively(game, number):
    hidden, expected, count = case(game, number)
    assert hidden.count == count
    hands, p = hidden.enumerate()
    assert len(hands) == len(expected)
    assert {tuple(row): x for row, x in zip(hands.tolist(), p, strict=True)} == pytest.approx(expected, abs=1e-15)


def test_a_fresh_deal_is_counted_by_the_multinomial():
    state = gongzhu.Game().deal(1)
    assert gongzhu_hidden.hidden_of(state.infoset()).count == math.factorial(39) // math.factorial(13) ** 3
    state = doudizhu.Game(bidding=True).deal(1)
    state.bid(1)
    hidden = doudizhu_hidden.hidden_of(state.infoset())
    assert hidden.places[2] == "kitty"
    assert hidden.capacity == (17, 17, 3)
    assert hidden.count == math.factorial(37) // math.factorial(17) ** 2 // math.factorial(3)
    state.bid(3)
    peasant = (state.landlord + 1) % 3
    known = doudizhu_hidden.hidden_of(state.infoset(peasant))
    assert sorted(known.capacity) == [17, 17]            # three of the landlord's twenty lie open
    assert known.count == math.comb(34, 17)
    assert doudizhu_hidden.hidden_of(state.infoset(state.landlord)).count == math.comb(34, 17)


# --- uniform draws ----------------------------------------------------------------------------------------------------

def chi_square(hands: np.ndarray, expected: dict[tuple[int, ...], float]) -> float:
    """p-value of draws against a distribution; a draw outside it fails at once."""
    counts = Counter(tuple(row) for row in hands.tolist())
    assert set(counts) <= set(expected)
    deals = list(expected)
    return float(chisquare([counts[deal] for deal in deals], [expected[deal] * len(hands) for deal in deals]).pvalue)


@pytest.mark.parametrize(("game", "number"), CASES)
def test_uniform_draws_pass_a_chi_square_test(game, number):
    hidden, expected, _ = case(game, number)
    assert chi_square(hidden.draw(60 * len(expected) + 2000, stream(7, number)), expected) > 1e-4


@pytest.mark.unit
@given(synthetic(), st.integers(0, 2**32))
@examples(40)
def test_every_draw_is_one_of_the_deals(hidden, seed):
    possible = {naive_hands(hidden, places) for places in naive_owners(hidden)}
    if possible:
        assert {tuple(row) for row in hidden.draw(20, stream(seed)).tolist()} <= possible


def test_draws_while_bidding_fill_the_kitty():
    infoset = doudizhu.Game(bidding=True).deal(4).infoset()
    hidden = doudizhu_hidden.hidden_of(infoset)
    hands = doudizhu_hidden.seat_hands(infoset, hidden.draw(3000, stream(3)))
    whole = hands.sum(axis=1)
    assert (whole == whole[0]).all()                      # every deal is the same deck
    assert (hands[:, infoset.seat] == infoset.packed_hand).all()
    kitty = Counter(doudizhu.cards.unpack(int(cards)) for cards in hands[:, 3])
    assert {len(cards) for cards in kitty} == {3}
    for char in set(infoset.unseen):                      # 3/37 of every rank's unseen cards: mean within 4.5 errors
        mean = sum(cards.count(char) * n for cards, n in kitty.items()) / 3000
        copies = infoset.unseen.count(char)
        assert mean == pytest.approx(copies * 3 / 37, abs=4.5 * math.sqrt(copies * 0.075 / 3000))


@pytest.mark.parametrize("n", [2**31 - 2, 2**31, 2**40 + 7, 3 * 2**61, 2**63 - 1])
def test_below63_reaches_all_of_its_range_evenly(n):
    rng = stream(5)
    draws = np.array([kernels.below63(rng, n) for _ in range(4000)], dtype=object)
    assert min(draws) >= 0
    assert max(draws) < n
    parts = Counter(int(8 * x // n) for x in draws)
    assert chisquare([parts[i] for i in range(8)]).pvalue > 1e-4


# --- strata -----------------------------------------------------------------------------------------------------------

def config_of(hidden: Hidden, hands: tuple[int, ...], kinds: set[int]) -> tuple[tuple[int, ...], ...]:
    """How many of every key kind lie at each place, known cards left out."""
    return tuple(tuple((hand - fixed >> hidden.kinds[kind].shift) & hidden.kinds[kind].mask
                       for hand, fixed in zip(hands, hidden.fixed, strict=True)) for kind in sorted(kinds))


def config_of_stratum(hidden: Hidden, stratum, kinds: set[int]) -> tuple[tuple[int, ...], ...]:
    counts = Counter(stratum.config)
    return tuple(tuple(counts[kind, place] for place in range(len(hidden.places))) for kind in sorted(kinds))


def by_config(hidden: Hidden, strata, kinds: set[int]) -> dict:
    """Probability of every configuration; copies of a kind are told apart by the strata, not here."""
    total: dict = {}
    for stratum in strata:
        key = config_of_stratum(hidden, stratum, kinds)
        total[key] = total.get(key, 0.0) + stratum.probability
    return total


@pytest.mark.parametrize(("game", "number"), CASES)
def test_stratum_probabilities_equal_enumeration(game, number):
    hidden, expected, _ = case(game, number)
    for keys in (hidden.key_kinds, tuple(range(min(3, len(hidden.kinds))))):
        strata = hidden.strata(keys)
        assert math.fsum(stratum.probability for stratum in strata) == pytest.approx(1.0, abs=1e-12)
        by_hand: dict = {}
        for hands, p in expected.items():
            key = config_of(hidden, hands, set(keys))
            by_hand[key] = by_hand.get(key, 0.0) + p
        assert by_config(hidden, strata, set(keys)) == pytest.approx(by_hand, abs=1e-12)


@pytest.mark.unit
@given(synthetic())
@examples(60)
def test_strata_of_anything_equal_enumeration(hidden):
    ways = Counter(config_of(hidden, naive_hands(hidden, places), set(hidden.key_kinds)) for places in naive_owners(hidden))
    if ways:
        total = sum(ways.values())
        assert by_config(hidden, hidden.strata(), set(hidden.key_kinds)) == pytest.approx(
            {key: n / total for key, n in ways.items()}, abs=1e-12)


@pytest.mark.parametrize(("game", "number"), [("gongzhu", 0), ("gongzhu", 1), ("doudizhu", 3), ("doudizhu", 7)])
def test_draws_within_a_stratum_keep_its_configuration_and_are_uniform(game, number):
    hidden, expected, _ = case(game, number)
    keys = hidden.key_kinds or (0,)
    for which, stratum in enumerate(hidden.strata(keys)):
        config = config_of_stratum(hidden, stratum, set(keys))
        inside = {hands: p for hands, p in expected.items() if config_of(hidden, hands, set(keys)) == config}
        total = sum(inside.values())
        hands = stratum.draw(40 * len(inside) + 200, stream(11, number, which))
        assert chi_square(hands, {hands: p / total for hands, p in inside.items()}) > 1e-4


def chosen_strata(hidden: Hidden, strata, hands: np.ndarray) -> list[int]:
    """The stratum of every draw, by configuration (copies of one kind count as one here)."""
    kinds = {kind for kind, _ in strata[0].config}
    configs = {config_of_stratum(hidden, stratum, kinds): i for i, stratum in enumerate(strata)}
    return [configs[config_of(hidden, tuple(row), kinds)] for row in hands.tolist()]


def key_case() -> Hidden:
    """A Gongzhu position early in the game: three key cards, 27 strata or a few less."""
    hidden = gongzhu_hidden.hidden_of(cases.gongzhu_game(5, 9).infoset())
    assert len(hidden.key_kinds) == 3
    return hidden


@pytest.mark.parametrize("equal", [False, True])
def test_every_prefix_of_a_stratified_draw_is_spread(equal):
    hidden = key_case()
    strata = hidden.strata()
    p = [1 / len(strata) if equal else stratum.probability for stratum in strata]
    for repetition in range(5):
        chosen = chosen_strata(hidden, strata, hidden.draw_stratified(400, stream(1, repetition), strata, equal=equal))
        counts = np.zeros(len(strata))
        for n, index in enumerate(chosen, 1):
            counts[index] += 1
            # Uniform draws are off by sqrt(n p), up to 4 here and often twice that; these stay within two and a bit.
            assert np.abs(counts - n * np.array(p)).max() < 2.5, (n, repetition)


def test_equal_strata_are_the_papers():
    hidden = key_case()
    strata = hidden.strata()
    n = 100 * len(strata)
    counts = Counter(chosen_strata(hidden, strata, hidden.draw_stratified(n, stream(2), strata, equal=True)))
    assert [counts[i] for i in range(len(strata))] == pytest.approx([100] * len(strata), abs=3)
    exact = Counter(chosen_strata(hidden, strata, hidden.draw_stratified(n, stream(2), strata)))
    assert [exact[i] for i in range(len(strata))] == pytest.approx([n * s.probability for s in strata], abs=3)


def test_numbered_draws_go_on_where_the_last_ones_stopped():
    hidden = key_case()
    strata = hidden.strata()
    whole = chosen_strata(hidden, strata, hidden.draw_stratified(60, stream(3), strata, shift=0.3))
    parts = [hidden.draw_stratified(20, stream(4), strata, shift=0.3, start=start) for start in (0, 20, 40)]
    assert whole == chosen_strata(hidden, strata, np.concatenate(parts))


def test_stratified_estimates_agree_with_uniform_ones_and_vary_less():
    hidden = key_case()
    strata = hidden.strata()
    worth = np.array([{"S": -1.0, "H": -3.0, "D": 2.0, "C": 0.5}[kind.label[0]] for kind in hidden.kinds])
    worth[list(hidden.key_kinds)] *= 40

    def estimate(hands: np.ndarray) -> float:
        """What the first place's cards are worth, on average, with a bonus for all key cards in one hand."""
        held = np.array([(hands >> kind.shift) & kind.mask for kind in hidden.kinds])     # [kinds, n, places]
        together = held[list(hidden.key_kinds)].sum(axis=0).max(axis=1) == 3
        return float((worth @ held[:, :, 0]).mean() + 50 * together.mean())

    uniform = np.array([estimate(hidden.draw(24, stream(6, i))) for i in range(600)])
    spread = np.array([estimate(hidden.draw_stratified(24, stream(7, i), strata)) for i in range(600)])
    error = math.hypot(uniform.std() / math.sqrt(600), spread.std() / math.sqrt(600))
    assert spread.mean() == pytest.approx(uniform.mean(), abs=4 * error)
    assert spread.var() < 0.5 * uniform.var()
