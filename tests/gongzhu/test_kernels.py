import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference._rng_kernels import stream
from searchdou.games.gongzhu import _kernels
from searchdou.games.gongzhu.cards import pack, unpack

from . import naive

JIT_OFF = not hasattr(_kernels.step, "py_func")
SEEDS = st.integers(0, 2**32 - 1)
CARDS = st.integers(0, 51)
RULE_BOOK = [                                           # the table of examples in the rules
    ("", 0), ("C10", 50), ("DJ C10", 200), ("SQ C10", -200), ("SQ DJ C10", 0), ("H5 HJ", -30), ("HA HK HQ C10", -240),
    ("HA DJ", 50), ("HA DJ C10", 100), ("HA HK DJ C10", 20), ("H2 C10", 0), ("12 hearts", -200), ("13 hearts", 200),
    ("13 hearts C10", 400), ("13 hearts SQ", 100), ("13 hearts DJ C10", 600), ("13 hearts SQ DJ C10", 400),
    ("12 hearts SQ C10", -600),
]


def words(text):
    hearts = {"13 hearts": naive.HEARTS, "12 hearts": naive.HEARTS[1:]}
    for name, cards in hearts.items():
        text = text.replace(name, " ".join(cards))
    return text


def text(packed):
    return unpack(int(packed)).split()


def start(hands, first=0):
    """The same game twice: compiled and naive."""
    hands = [hand.split() if isinstance(hand, str) else hand for hand in hands]
    return _kernels.start(*(pack(hand) for hand in hands), first), naive.Game(hands, first)


def random_start(seed):
    chance = random.Random(seed)
    deck = naive.DECK.copy()
    chance.shuffle(deck)
    size = chance.randint(1, 13)
    return start([deck[13 * seat:13 * seat + size] for seat in range(4)], chance.randrange(4))


@pytest.mark.unit
@pytest.mark.parametrize(("pile", "points"), RULE_BOOK)
def test_score_of_the_rule_book(pile, points):
    assert _kernels.score(pack(words(pile))) == points
    assert naive.score(words(pile).split()) == points


@pytest.mark.unit
def test_score_of_every_pile():
    bits = [(card, pack(card)) for card in naive.SCORING]
    assert len(bits) == 16
    for which in range(1 << 16):
        cards = [card for i, (card, _) in enumerate(bits) if which >> i & 1]
        packed = sum(bit for i, (_, bit) in enumerate(bits) if which >> i & 1)
        assert _kernels.score(packed) == naive.score(cards), cards


@pytest.mark.unit
@given(st.integers(0, _kernels.DECK))
def test_cards_that_score_nothing_change_no_score(pile):
    assert _kernels.score(pile) == _kernels.score(pile & _kernels.SCORING) == naive.score(text(pile))


@pytest.mark.unit
@given(st.lists(CARDS, min_size=4, max_size=4, unique=True))
def test_trick_winner(cards):
    assert _kernels.trick_winner(*cards) == naive.trick_winner([naive.DECK[card] for card in cards])


@pytest.mark.unit
@given(st.sets(CARDS, min_size=1, max_size=13), st.integers(-1, 3))
def test_following(hand, led):
    hand = sorted(naive.DECK[card] for card in hand)
    expected = naive.legal(hand, ["SHDC"[led] + "2"] if led >= 0 else [])
    assert _kernels.following(pack(hand), led) == pack(expected)


@pytest.mark.unit
@given(st.integers(1, _kernels.DECK), st.data())
def test_nth(mask, data):
    bits = [i for i in range(52) if mask >> i & 1]
    n = data.draw(st.integers(0, len(bits) - 1))
    assert _kernels.nth(mask, n) == bits[n]


@pytest.mark.unit
@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_games_and_endgames_agree_with_the_rule_book(seed):
    chance = random.Random(seed)
    position, game = random_start(seed)
    everything = position.hand0 | position.hand1 | position.hand2 | position.hand3
    out = np.empty(_kernels.MAX_MOVES, np.int64)
    plays = 0
    while not game.is_over():
        assert not _kernels.is_over(position)
        assert _kernels.payoff(position) == 0
        n = _kernels.legal(position, out)
        assert [naive.DECK[card] for card in out[:n]] == game.legal()
        assert text(_kernels.legal_mask(position)) == game.legal()
        card = chance.choice(game.legal())
        position = _kernels.step(position, naive.DECK.index(card))
        game.play(card)
        plays += 1
        assert [text(_kernels.hand_of(position, seat)) for seat in range(4)] == game.hands
        assert [set(text(_kernels.pile_of(position, seat))) for seat in range(4)] == [set(pile) for pile in game.piles]
        assert [naive.DECK[c] for c in position[8:11] if c >= 0] == game.trick
        assert (position.leader, position.turn, position.plays) == (game.leader, game.turn, plays)
        assert text(_kernels.on_table(position)) == sorted(game.trick, key=naive.DECK.index)
        assert _kernels.difference(position) == game.difference()
        hands = position.hand0 | position.hand1 | position.hand2 | position.hand3
        assert _kernels.played(position) | hands == everything
        assert not _kernels.played(position) & hands
    assert _kernels.is_over(position)
    assert _kernels.legal(position, out) == 0 == _kernels.legal_mask(position)
    assert _kernels.payoff(position) == game.difference()


# Counted by the naive twin. The second by hand: SA led leaves seat 3 two discards and then nothing to choose (2);
# H2 led gives seats 1, 2 and 3 two cards each (8).
PERFT = [
    (["SA SK", "S2 S3", "S4 S5", "S6 S7"], 0, 8, 16),
    (["SA H2", "S2 D3", "S4 C5", "H6 H7"], 0, 8, 10),
    (["SA H2 C3", "S2 D3 SQ", "S4 C5 DJ", "H6 H7 C10"], 1, 12, 128),
    (["S2 H2 D2 C2", "S3 H3 D3 C3", "S4 H4 D4 C4", "S5 H5 D5 C5"], 2, 16, 24),
    (["S2 S3 S4 S5", "H2 H3 H4 H5", "D2 D3 D4 D5", "C2 C3 C4 C5"], 3, 5, 768),
    (["SA HA H10 C9", "S2 SQ D3 C8", "S4 S5 DJ C7", "S6 H6 H7 C10"], 0, 16, 5_152),
]


@pytest.mark.unit
@pytest.mark.parametrize(("hands", "first", "depth", "nodes"), PERFT)
def test_perft(hands, first, depth, nodes):
    position, game = start(hands, first)
    assert _kernels.perft(position, depth, np.empty((depth + 1, _kernels.MAX_MOVES), np.int64)) == nodes
    assert naive.perft(game, depth) == nodes


@pytest.mark.unit
def test_perft_of_a_full_deal():
    position, game = start([naive.DECK[seat::4] for seat in range(4)])
    out = np.empty((8, _kernels.MAX_MOVES), np.int64)
    assert [_kernels.perft(position, depth, out) for depth in range(1, 8)] == [13, 42, 135, 432, 5_184, 15_696, 48_232]
    assert [naive.perft(game, depth) for depth in range(1, 6)] == [13, 42, 135, 432, 5_184]


@pytest.mark.unit
@settings(max_examples=30, deadline=None)
@given(SEEDS, st.integers(0, 3))
def test_deal_and_random_playout(seed, first):
    rng = stream(seed)
    deck = _kernels.full_deck()
    position = _kernels.deal(deck, first, rng)
    hands = position[:4]
    assert [int(hand).bit_count() for hand in hands] == [13] * 4
    assert sum(hands) == _kernels.DECK == sum(int(card) for card in deck)
    assert position.leader == position.turn == first
    end = _kernels.random_playout(position, rng)
    assert _kernels.is_over(end)
    assert end.plays == 52
    assert sum(end[4:8]) == _kernels.DECK
    assert _kernels.random_playout(position, stream(seed, 1)) == _kernels.random_playout(position, stream(seed, 1))


@pytest.mark.unit
def test_random_games_sum_the_payoffs():
    rng, total = stream(5), 0
    deck = _kernels.full_deck()
    for _ in range(20):
        first = _kernels.below(rng, 4)
        total += _kernels.payoff(_kernels.random_playout(_kernels.deal(deck, first, rng), rng))
    assert _kernels.random_games(20, stream(5)) == total


def chi_square(counts, expected):
    return float(((np.asarray(counts) - expected) ** 2 / expected).sum())


@pytest.mark.skipif(JIT_OFF, reason="many deals")
def test_deals_are_uniform():
    rng, deals = stream(1), 20_000
    at = np.zeros((52, 4))
    for _ in range(deals):
        deck = _kernels.full_deck()                     # in order: what a shuffle leaves undone must show
        for seat, hand in enumerate(_kernels.deal(deck, 0, rng)[:4]):
            for card in range(52):
                at[card, seat] += hand >> card & 1
    # 51 * 3 degrees of freedom: standard deviation sqrt(2 * 153) = 17.5.
    assert chi_square(at, deals / 4) < 153 + 4 * 17.5


def ends(game, chance=1.0):
    """Every end of a game played at random: (the piles, its probability)."""
    if game.is_over():
        yield tuple(pack(pile) for pile in game.piles), chance
        return
    cards = game.legal()
    for card in cards:
        after = game.copy()
        after.play(card)
        yield from ends(after, chance / len(cards))


@pytest.mark.skipif(JIT_OFF, reason="many games")
def test_random_cards_are_uniform_among_the_legal_ones():
    position, game = start(["SA H2 C3", "S2 D3 SQ", "S4 C5 DJ", "H6 H7 C10"], 1)
    rng, games = stream(2), 20_000
    expected, seen = {}, {}
    for piles, chance in ends(game):
        expected[piles] = expected.get(piles, 0.0) + games * chance
        seen[piles] = 0
    for _ in range(games):
        seen[_kernels.random_playout(position, rng)[4:8]] += 1
    freedom = len(expected) - 1
    assert freedom > 10
    counts = [seen[piles] for piles in expected]
    assert chi_square(counts, np.array([*expected.values()])) < freedom + 4 * (2 * freedom) ** 0.5
