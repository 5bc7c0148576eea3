"""Positions that cannot be: one clear error each, wherever they are noticed."""

from __future__ import annotations

import pytest

from inference.hidden import Hidden, Impossible, Kind
from searchdou.errors import BadInfoSet, SearchDouError
from searchdou.games import doudizhu, gongzhu
from searchdou.games.gongzhu import hidden as gongzhu_hidden

pytestmark = pytest.mark.unit


def kinds(n: int) -> tuple[Kind, ...]:
    return tuple(Kind(f"k{i}", i, 1, 1) for i in range(n))


def test_too_few_places():
    with pytest.raises(Impossible, match="3 unseen cards do not fill 2 places"):
        Hidden(kinds(3), ((0, 1, 2),), (3,), (1, 1), ("a", "b"))


def test_thirteen_cards_and_a_void_that_forbids_them():
    hidden = Hidden(kinds(26), (tuple(range(13)), tuple(range(13, 26))), (0b01, 0b01), (13, 13), ("a", "b"))
    for ask in (lambda: hidden.count, hidden.enumerate, hidden.strata, lambda: hidden.draw(1, None)):
        with pytest.raises(Impossible, match="no deal of the unseen cards fits what is known"):
            ask()


def test_a_gongzhu_history_that_leaves_no_room():
    # Seats 1, 2 and 3 all discard on a spade lead, and twelve spades are unseen.
    hand = "H2,H3,H4,H5,H6,H7,H8,H9,H10,HJ,HQ,HK"
    with pytest.raises(BadInfoSet, match="12 spades are unseen, but the seats not known to be void have room for 0"):
        gongzhu.InfoSet.from_text(f"seat=0 first=0 hand={hand} history=SA,HA,D2,C2")
    # An unchecked infoset is stopped where its deals are counted.
    checked = gongzhu.InfoSet.from_text(f"seat=0 first=0 hand={hand} history=SA,S2,S3,S4")
    history = tuple(zip((0, 1, 2, 3), map(gongzhu.cards.parse_move, ("SA", "HA", "D2", "C2")), strict=True))
    unchecked = gongzhu.InfoSet.trusted(seat=0, hand=checked.hand, first=0, history=history)
    with pytest.raises(BadInfoSet, match="no hidden hands fit this position"):
        gongzhu_hidden.hidden_of(unchecked)


@pytest.mark.parametrize("text", [
    "role=landlord hand=AAAAA3456789TJQKK222 public=345",
    "role=landlord_up hand=AAA3456789TJQKK22 public=AA5",        # five aces, two of them public
])
def test_five_aces(text):
    with pytest.raises(SearchDouError, match=r"5 cards 'A'|4 cards 'A'|'A'"):
        doudizhu.InfoSet.from_text(text)


def test_a_history_out_of_turn():
    good = doudizhu.InfoSet.from_text("role=landlord_down hand=3456789TJQKA22BR3 public=4TA history=44")
    late = tuple((2, move) for _, move in good.history)
    with pytest.raises(BadInfoSet, match="out of turn: seat 0 is to play"):
        doudizhu.InfoSet(seat=1, hand=good.hand, landlord=0, public=good.public, history=late)
    hand = "H2 H3 H4 H5 H6 H7 H8 H9 H10 HJ HQ HK HA"
    with pytest.raises(BadInfoSet, match="out of turn: seat 0 is to play"):
        gongzhu.InfoSet(seat=0, hand=hand, history=((2, gongzhu.cards.parse_move("SA")),))


def test_more_public_cards_than_the_landlord_has_room_for():
    rest = "33445566778899TTJJQ"
    moves = "33,-,-,44,-,-,55,-,-,66,-,-,77,-,-,88,-,-,99,-,-,TT,-,-,JJ,-,-"
    with pytest.raises(BadInfoSet, match="must still hold 3 of the public cards"):
        doudizhu.InfoSet.from_text(f"role=landlord_down hand={rest[:17]} public=KA2 history={moves}")
