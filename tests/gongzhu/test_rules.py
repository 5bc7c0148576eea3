import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import searchdou.games.gongzhu as package
import searchdou.gongzhu as short_name
from searchdou.errors import BadCards, IllegalAction, SearchDouError
from searchdou.games.gongzhu import Deal, Game, Move, Play, parse_move, score
from searchdou.games.gongzhu.cards import CARDS, MOVES, moves_of, numbers, pack, parse_card, unpack

from . import naive

pytestmark = pytest.mark.unit
SEEDS = st.integers(0, 2**32 - 1)
GAMES = settings(max_examples=40, deadline=None)


def played(seed, plays, first=0):
    """A random game after `plays` cards."""
    chance = random.Random(seed)
    state = Game().start(Deal.random(seed), first)
    for _ in range(plays):
        state.play(chance.choice(state.legal_actions()))
    return state


def snapshot(state):
    return state.position, tuple(state.history), state.hands, state.piles, state.turn


# -- cards --------------------------------------------------------------------------------------------------


def test_cards_in_order():
    assert list(CARDS) == naive.DECK
    assert [parse_card(card) for card in CARDS] == list(range(52))


@given(st.integers(0, 51))
def test_a_move_reads_back(card):
    move = MOVES[card]
    assert parse_move(str(move)) == move == Move(card) == parse_move(move)
    assert move.suit + move.rank == str(move)
    assert repr(move) == f"Move('{move}')"


@given(st.integers(0, (1 << 52) - 1))
def test_a_hand_reads_back(packed):
    cards = unpack(packed)
    assert pack(cards) == packed == pack(cards.split()) == pack(cards.lower().replace("10", "t").replace(" ", ","))
    assert [str(move) for move in moves_of(packed)] == cards.split() == [CARDS[n] for n in numbers(packed)]
    assert cards.split() == sorted(cards.split(), key=naive.DECK.index)


@pytest.mark.parametrize(("text", "card"), [("sq", "SQ"), ("HT", "H10"), (" h10 ", "H10"), ("♥10", "H10"), ("♢j", "DJ")])
def test_other_spellings(text, card):
    assert str(parse_move(text)) == card


@pytest.mark.parametrize("text", ["", "S", "Q", "S1", "S11", "QS", "X5", "SQQ", "S Q", "joker", "♥"])
def test_no_such_card(text):
    with pytest.raises(BadCards, match=f"no card {text!r}; a card is one of S H D C"):
        parse_move(text)


@pytest.mark.parametrize("text", [None, 7, b"SQ", ["SQ"]])
def test_a_card_is_text(text):
    with pytest.raises(BadCards, match="a card is written as text"):
        parse_move(text)


@pytest.mark.parametrize("number", [-1, 52, "SQ", 1.5])
def test_no_such_number(number):
    with pytest.raises(BadCards, match="no card number"):
        Move(number)


@pytest.mark.parametrize(("cards", "message"), [
    ("SQ H5 SQ", "SQ stands twice"), ("H10 ht", "H10 stands twice"), ("SQ H1", "no card 'H1'"), (5, "not 5"),
    (None, "not None"), (["SQ", 5], "not 5")])
def test_bad_hands(cards, message):
    with pytest.raises(BadCards, match=message):
        pack(cards)


def test_score_of_text():
    assert score("C10 HA DJ S2") == 100
    assert score([]) == 0


# -- deals --------------------------------------------------------------------------------------------------


@GAMES
@given(SEEDS, st.integers(-5, 5))
def test_deals(seed, k):
    deal = Deal.random(seed)
    assert Deal(deal.hands) == deal == Deal.random(seed)
    assert sorted(" ".join(deal.hands).split(), key=naive.DECK.index) == naive.DECK
    assert all(deal.rotated(k).hands[(seat + k) % 4] == deal.hands[seat] for seat in range(4))
    assert deal.rotated(k).rotated(-k) == deal


def test_deals_differ_by_seed_and_key():
    deals = [Deal.random(1), Deal.random(2), Deal.random(1, 1), Deal.random(1, 2), Deal.random(1, 1, 1)]
    assert len(set(deals)) == len(deals)


HANDS = tuple(" ".join(naive.DECK[13 * seat:13 * seat + 13]) for seat in range(4))


def test_a_deal_is_put_in_order():
    assert Deal(tuple(",".join(reversed(hand.lower().split())) for hand in HANDS)).hands == HANDS


@pytest.mark.parametrize(("hands", "message"), [
    (HANDS[:3], "a deal is four hands of 13"),
    ("SQ H10", "a deal is four hands of 13"),
    ((HANDS[0].removesuffix(" SA"), *HANDS[1:]), r"not of \[12, 13, 13, 13\]"),
    ((HANDS[0].replace("SA", "HA"), *HANDS[1:]), "HA is dealt to seat 0 and to seat 1"),
    ((HANDS[0].replace("SA", "S2"), *HANDS[1:]), "S2 stands twice"),
    ((HANDS[0].replace("SA", "S1"), *HANDS[1:]), "no card 'S1'"),
    ((HANDS[0], HANDS[1] + " SA", HANDS[2], HANDS[3]), "SA is dealt to seat 0 and to seat 1"),
])
def test_bad_deals(hands, message):
    with pytest.raises(BadCards, match=message):
        Deal(hands)


@pytest.mark.parametrize("first", [-1, 4, "0", None, True, 1.0])
def test_no_such_leader(first):
    with pytest.raises(IllegalAction, match="cannot lead: seats are 0, 1, 2, 3"):
        Game().start(Deal.random(1), first)


# -- games --------------------------------------------------------------------------------------------------


@GAMES
@given(SEEDS, st.integers(0, 3))
def test_a_game_agrees_with_the_rule_book(seed, first):
    chance = random.Random(seed)
    deal = Deal.random(seed)
    state = Game().start(deal, first)
    twin = naive.Game([hand.split() for hand in deal.hands], first)
    while not twin.is_over():
        assert (state.phase, state.is_over, state.turn) == ("play", False, twin.turn)
        assert [hand.split() for hand in state.hands] == twin.hands
        assert [str(move) for move in state.legal_actions()] == twin.legal()
        assert [str(move) for _, move in state.trick] == twin.trick
        assert state.led == (twin.trick[0][0] if twin.trick else None)
        assert list(state.points()) == twin.points()
        assert state.difference() == twin.difference()
        assert state.payoffs() == (0, 0, 0, 0)
        everything = " ".join((*state.hands, *state.piles, *(str(move) for _, move in state.trick))).split()
        assert sorted(everything, key=naive.DECK.index) == naive.DECK
        card = chance.choice(twin.legal())
        assert state.play(card) == Play(twin.turn, parse_move(card))
        twin.play(card)
    assert (state.phase, state.is_over, state.legal_actions(), state.trick) == ("over", True, [], ())
    d = twin.difference()
    assert state.payoffs() == (d, -d, d, -d)
    assert sum(state.payoffs()) == 0
    assert state.difference() == d
    assert len(state.history) == 52


@GAMES
@given(SEEDS, st.integers(0, 52), st.integers(0, 3))
def test_illegal_cards_raise_and_change_nothing(seed, plays, first):
    state = played(seed, plays, first)
    before = snapshot(state)
    legal = [str(move) for move in state.legal_actions()]
    for card in CARDS:
        assert state.can_play(card) == (card in legal)
        if card in legal:
            assert state.verify_play(card) == parse_move(card)
        else:
            with pytest.raises(IllegalAction, match=card):
                state.play(card)
    for wrong in ("S1", "", None, 5, ["SQ"]):
        assert not state.can_play(wrong)
        with pytest.raises(SearchDouError):
            state.act(wrong)
    assert snapshot(state) == before


def test_the_reasons():
    state = Game().start(Deal(("S2 S3 S4 S5 S6 S7 S8 H2 H3 H4 H5 H6 H7", "S9 S10 SJ SQ SK SA H8 H9 H10 HJ HQ HK HA",
                               HANDS[2], HANDS[3])))
    with pytest.raises(IllegalAction, match=r"^seat 0 does not hold SQ$"):
        state.play("SQ")
    with pytest.raises(BadCards, match=r"no card 'SX'"):
        state.play("SX")
    state.play("H5")
    with pytest.raises(IllegalAction, match=r"^SQ does not follow hearts: seat 1 holds H8 H9 H10 HJ HQ HK HA$"):
        state.play("SQ")
    with pytest.raises(IllegalAction, match=r"^seat 1 does not hold H5, it has been played$"):
        state.play("H5")
    state.act("HA")
    assert state.play(parse_move("DJ")) == Play(2, parse_move("DJ"))     # void: anything goes
    state.play("C10")
    assert (state.turn, state.piles, state.points()) == (1, ("", "H5 HA DJ C10", "", ""), (0, 80, 0, 0))
    assert repr(state).startswith("<gongzhu play, seat 1 to play, hands S2 S3")
    over = played(1, 52)
    with pytest.raises(IllegalAction, match="no play of SQ now: the game is over"):
        over.play("SQ")


def test_all_hearts_win_by_hand():
    """Seat 1 holds all hearts and never loses the lead, so it takes every trick."""
    state = Game().start(Deal(HANDS), first=1)
    while not state.is_over:
        state.play(state.legal_actions()[-1])
    # The others can only discard: seat 1 has every card, SQ, DJ and C10 too.
    assert state.points() == (0, 400, 0, 0)
    assert state.payoffs() == (-400, 400, -400, 400)


@GAMES
@given(SEEDS, st.integers(0, 51))
def test_copies_are_independent(seed, plays):
    state = played(seed, plays)
    before = snapshot(state)
    twin = state.copy()
    assert snapshot(twin) == before
    twin.play(twin.legal_actions()[0])
    assert snapshot(state) == before != snapshot(twin)


@GAMES
@given(SEEDS, st.integers(0, 3))
def test_a_turned_table_plays_the_same_game(seed, k):
    """Hand j on seat j + k with seat k leading is the same game with the seats renamed."""
    state = played(seed, 52)
    turned = Game().start(state.deal.rotated(k), k)
    for seat, move in state.history:
        assert turned.play(move) == Play((seat + k) % 4, move)
    assert turned.difference() == (-1) ** k * state.difference()


def test_deal_of_a_game():
    state = Game().deal(seed=3)
    assert state.deal == Deal.random(3)
    assert (state.first, state.turn, state.game) == (0, 0, Game())
    assert (Game.name, Game.seats) == ("gongzhu", 4)


def test_the_short_name():
    assert short_name.__all__ == package.__all__
    assert all(getattr(short_name, name) is getattr(package, name) for name in package.__all__)
