import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchdou.errors import BadInfoSet
from searchdou.games.gongzhu import Deal, Game, InfoSet, parse_move
from searchdou.games.gongzhu.cards import SUITS, pack, unpack

from . import naive
from .test_rules import played

pytestmark = pytest.mark.unit
SEEDS = st.integers(0, 2**32 - 1)
PLAYS = st.integers(0, 52)
SEAT = st.integers(0, 3)
GAMES = settings(max_examples=40, deadline=None)


@GAMES
@given(SEEDS, PLAYS, SEAT, SEAT)
def test_what_a_seat_knows(seed, plays, seat, first):
    state = played(seed, plays, first)
    known = state.infoset(seat)
    checked = InfoSet(seat=seat, hand=known.hand, first=known.first, history=known.history)
    assert checked == known
    assert hash(checked) == hash(known)
    for infoset in (known, checked):
        assert (infoset.hand, infoset.turn, infoset.is_over) == (state.hands[seat], state.turn, state.is_over)
        assert (infoset.trick, infoset.led, infoset.piles, infoset.points) == (
            state.trick, state.led, state.piles, state.points())
        assert infoset.packed_hand == pack(state.hands[seat])
        assert infoset.packed_piles == tuple(pack(pile) for pile in state.piles)
        assert infoset.packed_played == tuple(
            pack(dealt) & ~pack(held) for dealt, held in zip(state.deal.hands, state.hands, strict=True))
        assert infoset.cards_left == tuple(len(hand.split()) for hand in state.hands)
        others = " ".join(hand for other, hand in enumerate(state.hands) if other != seat)
        assert infoset.unseen == unpack(pack(others)) == unpack(infoset.packed_unseen)
        assert infoset.legal_actions() == (state.legal_actions() if seat == state.turn else [])
        assert infoset.packed_legal == pack([str(move) for move in infoset.legal_actions()])
        assert infoset.phase == "play"
    assert state.infoset() == state.infoset(state.turn)


@GAMES
@given(SEEDS, PLAYS, SEAT)
def test_voids(seed, plays, first):
    state = played(seed, plays, first)
    infoset = state.infoset(0)
    expected = [set(), set(), set(), set()]
    for start in range(0, plays, 4):
        led = infoset.history[start][1].suit
        for seat, move in infoset.history[start:start + 4]:
            if move.suit != led:
                expected[seat].add(led)
    assert [set(voids) for voids in infoset.voids] == expected
    for voids, packed, hand in zip(infoset.voids, infoset.packed_voids, state.hands, strict=True):
        assert voids == tuple(suit for suit in SUITS if suit in voids)
        assert packed == pack([card for card in naive.DECK if card[0] in voids])
        assert not packed & pack(hand)


@GAMES
@given(SEEDS, PLAYS, SEAT)
def test_text_and_requests_read_back(seed, plays, seat):
    infoset = played(seed, plays, seed % 4).infoset(seat)
    assert InfoSet.from_text(infoset.to_text()) == infoset
    request = infoset.to_request(1.5)
    assert request["time_s"] == 1.5
    assert "time_s" not in infoset.to_request()
    assert InfoSet.from_request(json.loads(json.dumps(request))) == infoset


def test_the_protocol_by_word():
    state = Game().start(Deal(tuple(" ".join(naive.DECK[seat::4]) for seat in range(4))), first=1)
    state.play("H2")
    state.play("H3")
    assert state.infoset().to_request(1.0) == {
        "game": "gongzhu", "seat": 3, "first": 1, "history": [[1, "H2"], [2, "H3"]], "time_s": 1.0,
        "hand": ["S5", "S9", "SK", "H4", "H8", "HQ", "D3", "D7", "DJ", "C2", "C6", "C10", "CA"]}
    assert state.infoset().to_text() == "seat=3 first=1 hand=S5,S9,SK,H4,H8,HQ,D3,D7,DJ,C2,C6,C10,CA history=H2,H3"


@GAMES
@given(SEEDS, PLAYS, SEAT)
def test_hidden_hands_do_not_show(seed, plays, seat):
    """Any other deal with the same cards in sight gives the same infoset."""
    state = played(seed, plays, seed % 4)
    infoset = state.infoset(seat)
    chance = random.Random(seed)
    hands = [hand.split() for hand in state.deal.hands]
    hidden = [(other, card) for other in range(4) if other != seat for card in state.hands[other].split()]
    for _ in range(100 if hidden else 0):
        (a, x), (b, y) = chance.choice(hidden), chance.choice(hidden)
        if a != b and x[0] not in infoset.voids[b] and y[0] not in infoset.voids[a]:
            hands[a][hands[a].index(x)], hands[b][hands[b].index(y)] = y, x
            hidden[hidden.index((a, x))], hidden[hidden.index((b, y))] = (a, y), (b, x)
    other = Game().start(Deal(tuple(" ".join(hand) for hand in hands)), state.first)
    for _, move in state.history:
        other.play(move)
    assert other.infoset(seat) == infoset
    assert other.infoset(seat).legal_actions() == infoset.legal_actions()


@GAMES
@given(SEEDS, PLAYS, SEAT)
def test_a_played_prefix_is_known_too(seed, plays, seat):
    """Taking back the last card gives the infoset that was."""
    state = played(seed, plays)
    if plays:
        earlier = played(seed, plays - 1).infoset(seat)
        who, move = state.history[-1]
        hand = unpack(pack(state.hands[seat]) | (1 << move.card if who == seat else 0))
        assert InfoSet(seat, hand, 0, tuple(state.history[:-1])) == earlier


# -- bad input, one clear error each ------------------------------------------------------------------------

HAND = "S2,S3,S4,S5,H2,H3,H4,D2,D3,D4,C2,C3,C4"


@pytest.mark.parametrize(("text", "message"), [
    ("seat=0", "no hand=... given"),
    (f"hand={HAND}", "no seat=... given"),
    (f"seat=4 hand={HAND}", "seat '4' is none of 0, 1, 2, 3"),
    (f"seat=0 first=x hand={HAND}", "first 'x' is none of 0, 1, 2, 3"),
    (f"seat=0 hand={HAND} hand={HAND}", "hand is given twice"),
    (f"seat=0 hand={HAND} role=pig", "'role=pig' is not key=value with a key of seat, first, hand, history"),
    (f"seat=0 hand={HAND} oink", "'oink' is not key=value"),
    (f"seat=0 hand={HAND},S1", "hand: no card 'S1'"),
    (f"seat=0 hand={HAND},S2", "hand: S2 stands twice"),
    (f"seat=0 hand={HAND},SA", "seat 0 must hold 13 cards, '.*' has 14"),
    (f"seat=0 hand={HAND} history=SA", "seat 0 must hold 12 cards, '.*' has 13"),
    (f"seat=1 hand={HAND} history=S1", "move 1 of the history: no card 'S1'"),
    (f"seat=1 hand={HAND} history=SA,", "move 2 of the history: no card ''"),
    (f"seat=1 hand={HAND} history=S2", "S2 is in the hand and has been played"),
    (f"seat=2 hand={HAND} history=SA,SA", r"move 2 of the history \(SA by seat 1\): SA has been played before"),
    # seat 1 discards on spades, takes the next trick with a diamond, and leads a spade
    (f"seat=0 first=3 hand={HAND.removeprefix('S2,').replace('D2,', '')} history=SA,S2,HA,SK,D5,D2,DA,D6,S6",
     r"move 3 of the history \(HA by seat 1\) does not follow spades, but seat 1 plays S6 later"),
    (f"seat=0 first=1 hand={HAND.replace('C4', 'SA').removeprefix('S2,')} history=HA,HK,HQ,C4",
     r"move 4 of the history \(C4 by seat 0\) does not follow hearts, but seat 0 still holds H2 H3 H4"),
    # every other seat is out of hearts, yet eleven hearts are unseen
    (f"seat=0 hand={HAND.replace('H4', 'SA').replace('H2,', '')} history=H2,C5,C6,C7",
     "11 hearts are unseen, but the seats not known to be void have room for 0"),
])
def test_bad_text(text, message):
    with pytest.raises(BadInfoSet, match=message):
        InfoSet.from_text(text)


def test_room_of_two_suits():
    """Hearts alone would fit into the one hand left for them, clubs too, but not both."""
    # Seat 0 leads H2, seats 1 and 2 discard; seat 3 takes it and leads CA: seats 1 and 2 discard again.
    text = "seat=0 hand=S2,S3,S4,S5,S6,S7,S8,S9,S10,SJ,SQ history=H2,D5,D6,H3,CA,C2,D7,D8"
    with pytest.raises(BadInfoSet, match=r"22 hearts and clubs are unseen, but .* have room for 11"):
        InfoSet.from_text(text)


MOVES = tuple(parse_move(card) for card in ("SA", "SK"))
TEXT = HAND.replace(",", " ")


@pytest.mark.parametrize(("fields", "message"), [
    ({"seat": 4}, "seat 4 is none of"), ({"seat": True}, "seat True is none of"), ({"seat": "0"}, "seat '0' is none of"),
    ({"first": -1}, "first -1 is none of"), ({"first": 1.0}, "first 1.0 is none of"), ({"first": None}, "first None"),
    ({"hand": "H2 S2"}, "hand 'H2 S2' is not in order"), ({"hand": "S2 S2"}, "hand: S2 stands twice"),
    ({"hand": "S2 pig"}, "hand: no card 'pig'"), ({"hand": None}, "hand: cards are written as text"),
    ({"hand": "S2"}, "seat 3 must hold 13 cards, 'S2' has 1"),
    ({"history": ((1, MOVES[0]),)}, r"move 1 of the history \(SA by seat 1\) is out of turn: seat 0 is to play"),
    ({"history": ((0, MOVES[0]), (0, MOVES[1]))}, r"move 2 .* is out of turn: seat 1 is to play"),
    ({"history": ((0, MOVES[0]), (1.0, MOVES[1]))}, r"move 2 .* is out of turn: seat 1 is to play"),
    ({"history": ((0, "SA"),)}, "'SA' is not a Move"),
])
def test_bad_fields(fields, message):
    with pytest.raises(BadInfoSet, match=message):
        InfoSet(**({"seat": 3, "hand": TEXT} | fields))


REQUEST = {"game": "gongzhu", "seat": 1, "hand": HAND.split(","), "first": 0, "history": [[0, "SA"]], "time_s": 1.0}


def test_a_request():
    infoset = InfoSet.from_request(REQUEST)
    assert [str(move) for move in infoset.legal_actions()] == ["S2", "S3", "S4", "S5"]


@pytest.mark.parametrize("key", ["seat", "hand", "first", "history"])
def test_request_without(key):
    with pytest.raises(BadInfoSet, match=f"the request has no '{key}'"):
        InfoSet.from_request({name: value for name, value in REQUEST.items() if name != key})


@pytest.mark.parametrize(("change", "message"), [
    ({"game": "doudizhu"}, "the request is for 'doudizhu', not for 'gongzhu'"),
    ({"seat": 9}, "seat 9 is none of"), ({"seat": None}, "seat None is none of"), ({"seat": [1]}, "is none of"),
    ({"first": "0"}, "first '0' is none of"), ({"first": 2}, "out of turn: seat 2 is to play"),
    ({"hand": ["S2", "XX"]}, "hand: no card 'XX'"), ({"hand": ["S2", 5]}, "hand: a card is written as text"),
    ({"hand": 5}, "hand: cards are written as text"), ({"hand": []}, "seat 1 must hold 13 cards"),
    ({"history": [[0, "SA", 1]]}, "the request cannot be read"), ({"history": 5}, "the request cannot be read"),
    ({"history": [[0]]}, "the request cannot be read"), ({"history": [[0, None]]}, "move 1 of the history"),
    ({"history": [["0", "SA"]]}, "out of turn"), ({"history": [[0, "S2"]]}, "S2 is in the hand and has been played"),
])
def test_bad_requests(change, message):
    with pytest.raises(BadInfoSet, match=message):
        InfoSet.from_request(REQUEST | change)


@pytest.mark.parametrize("request_", [None, [], "x", 5])
def test_a_request_is_an_object(request_):
    with pytest.raises(BadInfoSet, match="the request cannot be read"):
        InfoSet.from_request(request_)
