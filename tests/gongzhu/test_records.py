import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchdou.errors import BadRecord
from searchdou.games.gongzhu import Deal, Game, dump, load
from searchdou.games.gongzhu.records import from_record, to_record

from . import naive
from .test_rules import played

pytestmark = pytest.mark.unit

# Deal.random(7), seat 2 leads, leaders play their lowest card and the others their highest: stored to hold the deals of
# a seed, the rules and the format still. Change it only with `VERSION`.
GOLDEN = (
    '{"format":"searchdou.gongzhu","version":1,"deal":{"hands":["S3 S6 H2 H4 H7 HJ HK D8 C2 C4 C6 C10 CJ","S4 S7 SJ '
    'SK H3 H8 HA D2 D4 DQ C8 C9 CQ","S5 S9 SQ SA H9 H10 HQ D6 D7 D10 DJ C7 CK","S2 S8 S10 H5 H6 D3 D5 D9 DK DA C3 C5 '
    'CA"]},"first":2,"moves":["S5","S10","S6","SK","S4","SA","S8","S3","S9","S2","CJ","SJ","S7","SQ","CA","C10","H9",'
    '"H6","HK","HA","H3","HQ","H5","HJ","H10","C5","H7","H8","D6","DA","D8","DQ","D3","C6","D4","DJ","D7","DK","C4",'
    '"D2","D5","C2","CQ","D10","C7","C3","H4","C9","C8","CK","D9","H2"],"result":{"points":[0,-110,-180,0],'
    '"difference":-70,"payoffs":[-70,70,-70,70]}}')


def golden():
    return json.loads(GOLDEN)


def test_the_golden_game_still_plays():
    state = load(GOLDEN)
    assert dump(state) == GOLDEN
    twin = naive.Game([hand.split() for hand in state.deal.hands], state.first)
    for card in golden()["moves"]:
        twin.play(card)
    assert (twin.is_over(), twin.points(), twin.difference()) == (True, [0, -110, -180, 0], -70)


def test_the_golden_game_is_made_again():
    state = Game().start(Deal.random(7), first=2)
    while not state.is_over:
        state.play(state.legal_actions()[-1 if state.trick else 0])
    assert dump(state) == GOLDEN


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 52), st.integers(0, 3))
def test_records_read_back(seed, plays, first):
    state = played(seed, plays, first)
    line = dump(state)
    assert "\n" not in line
    again = load(line)
    assert (again.deal, again.first, again.history, again.position) == (
        state.deal, state.first, state.history, state.position)
    assert dump(again) == line


def test_extra_words_are_kept_and_ignored():
    state = played(1, 52)
    assert to_record(state, agents=["a", "b"])["extra"] == {"agents": ["a", "b"]}
    assert load(dump(state, seed=1)).history == state.history
    assert to_record(played(1, 51))["result"] is None


@pytest.mark.parametrize("line", ["", "{", "oink", None])
def test_not_json(line):
    with pytest.raises(BadRecord, match="not a JSON object on one line"):
        load(line)


@pytest.mark.parametrize("line", ["[]", "5", "null", '"x"'])
def test_not_an_object(line):
    with pytest.raises(BadRecord, match="a record is a JSON object, not"):
        load(line)


@pytest.mark.parametrize("key", ["deal", "first", "moves", "result"])
def test_a_record_without(key):
    with pytest.raises(BadRecord, match=f"the record has no '{key}'"):
        from_record({name: value for name, value in golden().items() if name != key})


@pytest.mark.parametrize(("change", "message"), [
    ({"format": "searchdou.doudizhu"}, "format 'searchdou.doudizhu' version 1 is not 'searchdou.gongzhu' version 1"),
    ({"version": 2}, "version 2 is not"),
    ({"deal": {}}, "the record has no 'hands'"), ({"deal": None}, "the record cannot be read"),
    ({"deal": {"hands": ["S2"]}}, "a deal is four hands of 13"), ({"deal": {"hands": [1, 2, 3, 4]}}, "not 1"),
    ({"first": 7}, "seat 7 cannot lead"), ({"first": 1}, "move 1: seat 1 does not hold"),
    ({"moves": 5}, "the record cannot be read"), ({"moves": ["S1"]}, "move 1: no card 'S1'"),
    ({"moves": [None]}, "move 1: a card is written as text"),
    ({"moves": []}, "the result says .*, the replay gives None"),
    ({"result": None}, "the result says None, the replay gives"),
    ({"result": {"points": [0, 0, 0, 0], "difference": 0, "payoffs": [0, 0, 0, 0]}}, "the result says"),
])
def test_bad_records(change, message):
    with pytest.raises(BadRecord, match=message):
        from_record(golden() | change)


def test_a_wrong_card_is_named():
    record = golden()
    moves = record["moves"]
    with pytest.raises(BadRecord, match=f"move 53: no play of {moves[0]} now: the game is over"):
        from_record(record | {"moves": [*moves, moves[0]]})
    with pytest.raises(BadRecord, match=f"move 5: seat . does not hold {moves[0]}, it has been played"):
        from_record(record | {"moves": [*moves[:4], moves[0], *moves[5:]]})
