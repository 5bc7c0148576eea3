"""The fewest plays that empty a hand, against plain recursion."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from searchdou.games.doudizhu import min_plays

from . import naive
from .strategies import examples, hands, rule_names

pytestmark = pytest.mark.unit


@examples(150)
@given(rule_names, hands(max_cards=9))
def test_min_plays_of_small_hands(name, hand):
    assert min_plays(hand, name) == naive.min_plays(hand, name)


@examples(60)
@given(rule_names, st.lists(st.sampled_from(naive.DECK), max_size=9))
def test_min_plays_of_scattered_hands(name, cards):
    assume(naive.in_deck(cards))
    assert min_plays("".join(cards), name) == naive.min_plays("".join(cards), name)


@examples(40)
@given(rule_names, hands(max_cards=13), st.data())
def test_a_play_shortens_min_plays_by_one_at_most(name, hand, data):
    # Fewest plays is a distance: some lead brings it down by one, none by more.
    whole = min_plays(hand, name)
    after = [min_plays(naive.without(hand, move.cards), name) for move in naive.legal_moves(hand, naive.PASS, name)]
    assert min(after) == whole - 1


@pytest.mark.parametrize(("hand", "name", "plays"), [
    ("", "standard", 0), ("3", "standard", 1), ("BR", "standard", 1), ("34567", "standard", 1),
    ("3334445566788", "standard", 3), ("33334444", "standard", 2), ("33334444", "botzone", 1),
    ("333444555666777K", "standard", 2), ("333444555666777K", "openspiel", 1), ("333356", "openspiel", 3),
])
def test_min_plays_of_known_hands(hand, name, plays):
    assert min_plays(hand, name) == plays
