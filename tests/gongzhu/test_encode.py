"""Features of the nets: equal to an obvious twin, moved along as if made anew, and blind to what a seat cannot see."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference._rng_kernels import stream
from searchdou.games import gongzhu
from searchdou.games.gongzhu import _encode_kernels as kernels
from searchdou.games.gongzhu import _net_kernels as nets
from searchdou.games.gongzhu import _search_kernels, encode, hidden
from searchdou.games.gongzhu._kernels import difference, is_over, legal, step
from searchdou.games.gongzhu.cards import MOVES

GAMES = st.tuples(st.integers(0, 10**6), st.integers(0, 51))
SUITS = "SHDC"
SPECIAL = {"S": "SQ", "D": "DJ", "C": "C10"}
RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]


def under_way(seed: int, plays: int):
    """A game of random cards, `plays` of them played."""
    rng = random.Random(seed)
    state = gongzhu.Game().deal(seed)
    for _ in range(plays):
        state.play(rng.choice(state.legal_actions()))
    return state


# --- the slow twin: names of features, from cards as text ---------------------------------------------------------------

def names_of_cards(cards: list[str], in_play: list[str]) -> list[tuple]:
    """What a card is called among those in play."""
    names = []
    for card in cards:
        suit = [c for c in in_play if c[0] == card[0]]
        above = [c for c in suit if RANKS.index(c[1:]) > RANKS.index(card[1:])]
        special = SPECIAL.get(card[0])
        if card[0] == "H":
            names += [("heart", card), ("hearts above", len(above))]
        elif card == special:
            names.append(("special", card[0]))
        elif special in above:
            names.append(("below", card[0], sum(RANKS.index(c[1:]) < RANKS.index(special[1:]) for c in above)))
        elif special in suit:
            higher = [c for c in suit if RANKS.index(special[1:]) < RANKS.index(c[1:])]
            names.append(("above", card[0], len(higher) - len(above) - 1))
        else:
            names.append(("plain", card[0], len(above)))
    return names


def slow(state, observer: int | None) -> dict[tuple, float]:
    """All features that are on, by name."""
    leader = state.position.leader
    trick = [str(MOVES[card]) for card in state.position[8:11] if card >= 0]
    hands = [hand.split() for hand in state.hands]
    in_play = [card for hand in hands for card in hand] + trick
    on: dict[tuple, float] = {("placed", len(trick)): 1.0, ("tricks", len(in_play) // 4): 1.0}
    if trick:
        led = [card for card in trick if card[0] == trick[0][0]]
        on["winning", trick.index(max(led, key=lambda card: RANKS.index(card[1:])))] = 1.0
    for place, card in enumerate(trick):
        on |= {("trick", place, *name): 1.0 for name in names_of_cards([card], in_play)}
    piles = [[str(MOVES[card]) for card in range(52) if pile >> card & 1] for pile in state.position[4:8]]
    gone = [card for pile in piles for card in pile if card[0] == "H"]
    for seat, pile in enumerate(piles):
        place = (seat - leader) % 4
        taken = [card for card in pile if card[0] == "H" or card in SPECIAL.values()]
        if taken:
            on["any", place] = 1.0
            if "C10" in in_play:
                on["worth", place] = np.float32(0.01 * gongzhu.score(" ".join(pile)))
        hearts = [card for card in taken if card[0] == "H"]
        if hearts and sorted(hearts) == sorted(gone):
            on["all of them", place] = 1.0
        on |= {("taken", place, card): 1.0 for card in taken}
    known = range(4) if observer is None else [observer]
    for seat in known:
        place = (seat - leader) % 4
        on |= {("hand", place, *name): 1.0 for name in names_of_cards(hands[seat], in_play)}
        for suit in SUITS:
            on["length", place, suit, sum(card[0] == suit for card in hands[seat])] = 1.0
    if observer is not None:
        on["observer", (observer - leader) % 4] = 1.0
        shares = encode.shares(state.position, observer)
        for k in range(3):
            seat = (observer + 1 + k) % 4
            place = (seat - leader) % 4
            void = state.infoset(observer).voids[seat]
            for suit in void:
                on["length", place, suit, 0] = 1.0
            for other in (s for s in range(4) if s != observer):
                for name in names_of_cards(hands[other], in_play):
                    suit = "H" if name[0].startswith("heart") else name[1]
                    if shares[SUITS.index(suit), k]:
                        on["hand", place, *name] = np.float32(shares[SUITS.index(suit), k])
    return on


def name_of(feature: int) -> tuple:
    """The name of a feature's number."""
    def card_name(token: int) -> tuple:
        for suit, first in zip("SHDC", (0, 28, 54, 82), strict=True):
            if suit == "H" and first <= token < first + 26:
                number = token - first
                return ("heart", f"H{RANKS[number]}") if number < 13 else ("hearts above", number - 13)
            if suit != "H" and first <= token < first + 28:
                number = token - first
                return (("special", suit) if number == 0 else ("above", suit, number - 1) if number < 5
                        else ("below", suit, number - 5) if number < 15 else ("plain", suit, number - 15))
        raise AssertionError(token)
    scoring = [f"H{rank}" for rank in RANKS] + ["SQ", "DJ", "C10"]
    k = kernels
    for first, size, name in (
            (k.HAND, 4 * k.TOKENS, lambda n: ("hand", n // k.TOKENS, *card_name(n % k.TOKENS))),
            (k.LENGTH, 224, lambda n: ("length", n // 56, SUITS[n // 14 % 4], n % 14)),
            (k.TRICK, 3 * k.TOKENS, lambda n: ("trick", n // k.TOKENS, *card_name(n % k.TOKENS))),
            (k.WINNING, 3, lambda n: ("winning", n)), (k.PLACED, 4, lambda n: ("placed", n)),
            (k.TAKEN, 64, lambda n: ("taken", n // 16, scoring[n % 16])), (k.ANY, 4, lambda n: ("any", n)),
            (k.ALL_OF_THEM, 4, lambda n: ("all of them", n)), (k.WORTH, 4, lambda n: ("worth", n)),
            (k.TRICKS, 13, lambda n: ("tricks", n + 1)), (k.OBSERVER, 4, lambda n: ("observer", n))):
        if first <= feature < first + size:
            return name(feature - first)
    raise AssertionError(feature)


@pytest.mark.unit
@settings(max_examples=25)
@given(GAMES)
def test_features_equal_the_slow_twin(game):
    state = under_way(*game)
    for observer in (None, 0, 1, 2, 3):
        found = {name_of(feature): on for feature, on in encode.features(state.position, observer).items()}
        expected = slow(state, observer)
        assert {name: on for name, on in found.items() if on} == pytest.approx(
            {name: on for name, on in expected.items() if on}, abs=1e-6)


@pytest.mark.unit
def test_all_numbers_are_named_once():
    assert len({name_of(feature) for feature in range(encode.FEATURES)}) == encode.FEATURES


@settings(max_examples=60)
@given(GAMES)
def test_no_position_needs_more_room(game):
    state = under_way(*game)
    assert all(len(encode.features(state.position, observer)) <= kernels.MOST - 16 for observer in (None, 0, 1, 2, 3))


# --- the averaged view --------------------------------------------------------------------------------------------------

@pytest.mark.unit
@settings(max_examples=25)
@given(GAMES)
def test_shares_fit_hands_and_voids(game):
    state = under_way(*game)
    infoset = state.infoset()
    shares = encode.shares(state.position, infoset.seat)
    unseen = np.array([sum(card[0] == suit for card in infoset.unseen.split()) for suit in SUITS])
    for k in range(3):
        seat = (infoset.seat + 1 + k) % 4
        for suit in infoset.voids[seat]:
            assert shares[SUITS.index(suit), k] == 0
    assert shares.min(initial=0) >= 0
    rows = shares.sum(axis=1)[unseen > 0]
    assert rows == pytest.approx(np.ones(len(rows)))
    if not any(infoset.voids[(infoset.seat + 1 + k) % 4] for k in range(3)):
        room = [infoset.cards_left[(infoset.seat + 1 + k) % 4] for k in range(3)]
        assert unseen @ shares == pytest.approx(room)
        exact = hidden.hidden_of(infoset)
        if exact.count:
            assert shares[0] == pytest.approx(np.array(room) / max(1, sum(room)))


def test_shares_come_close_to_the_exact_chances():
    """Fitted, not counted: within a few percent of what the exact sampler would say, much closer than a third each."""
    fitted, crude = [], []
    for seed in range(80):
        state = under_way(seed, 12 + seed % 30)
        infoset = state.infoset()
        if not any(infoset.voids[(infoset.seat + 1 + k) % 4] for k in range(3)):
            continue
        shares = encode.shares(state.position, infoset.seat)
        deals = hidden.hidden_of(infoset).draw(2000, stream(seed))
        for card in (c for c in range(52) if infoset.packed_unseen >> c & 1):
            chance = np.array([np.mean(deals[:, k] >> card & 1) for k in range(3)])
            fitted.append(np.abs(shares[card // 13] - chance).max())
            crude.append(np.abs(1 / 3 - chance).max())
    assert len(fitted) > 200
    assert np.mean(fitted) < 0.05 < np.mean(crude)


@pytest.mark.unit
@settings(max_examples=20)
@given(GAMES, st.integers(0, 10**6))
def test_the_averaged_view_is_blind_to_who_holds_what(game, seed):
    state = under_way(*game)
    infoset = state.infoset()
    row = hidden.seat_hands(infoset, hidden.hidden_of(infoset).draw(1, stream(seed)))[0]
    other = _search_kernels.with_hands(state.position, row)
    assert encode.features(other, infoset.seat) == encode.features(state.position, infoset.seat)


# --- what cards lead to -------------------------------------------------------------------------------------------------

ORACLE, BLUEPRINT = encode.oracle(encode.untrained(encode.OPEN, 1)), encode.blueprint(encode.untrained(encode.AVERAGED, 2))


@settings(max_examples=60)
@given(GAMES)
def test_all_cards_at_once_equal_one_by_one(game):
    state = under_way(*game)
    position, sign = state.position, 1.0 if state.turn % 2 == 0 else -1.0
    out, q = np.zeros(16, np.int64), np.zeros(16)
    n = legal(position, out)
    nets.oracle_values(ORACLE, position, out, n, q)
    seen = q[:n].copy()
    nets.blueprint_values(BLUEPRINT, position, out, n, q)
    net = BLUEPRINT.net
    for i in range(n):
        after = step(position, int(out[i]))
        if is_over(after):
            assert seen[i] == q[i] == sign * difference(after)
            continue
        assert seen[i] == pytest.approx(sign * nets.oracle_value(ORACLE, after, stream(0), out.copy()), abs=1e-2)
        nets.refresh(net, kernels.encode_averaged(after, state.turn, BLUEPRINT.shares, net.ids, net.on), nets.NEXT)
        lead = 1.0 if after.leader % 2 == 0 else -1.0
        assert q[i] == pytest.approx(sign * (difference(after) + lead * 100 * nets.forward(net, nets.NEXT)), abs=1e-2)


@settings(max_examples=30)
@given(GAMES)
def test_turning_the_table_turns_the_value(game):
    """Seats are counted from the leader: the same game one seat on is worth the same to the other side."""
    state = under_way(*game)
    p = state.position
    if is_over(p):
        return
    turned = p._replace(hand0=p.hand3, hand1=p.hand0, hand2=p.hand1, hand3=p.hand2, pile0=p.pile3, pile1=p.pile0,
                        pile2=p.pile1, pile3=p.pile2, leader=(p.leader + 1) % 4, turn=(p.turn + 1) % 4,
                        voids=((p.voids << 4) | (p.voids >> 12)) & 0xFFFF)
    assert encode.features(p) == encode.features(turned)
    assert encode.features(p, p.turn) == encode.features(turned, turned.turn)
    out = np.zeros(16, np.int64)
    assert nets.oracle_value(ORACLE, turned, stream(0), out) == -nets.oracle_value(ORACLE, p, stream(0), out)


def test_the_blueprint_as_a_policy_takes_its_best_card_or_any():
    out, q = np.zeros(16, np.int64), np.zeros(16)
    noisy = BLUEPRINT._replace(noise=1.0)
    chosen = set()
    for seed in range(40):
        position = under_way(seed, 10).position
        n = legal(position, out)
        nets.blueprint_values(BLUEPRINT, position, out, n, q)
        assert nets.blueprint_choice(BLUEPRINT, position, stream(seed), np.zeros(16, np.int64)) == out[int(np.argmax(q[:n]))]
        chosen.add(int(nets.blueprint_choice(noisy, position, stream(seed), np.zeros(16, np.int64))) in out[:n].tolist())
    assert chosen == {True}
