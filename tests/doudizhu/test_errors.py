"""Bad input of every kind: one clear error that names the thing, and never another one."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchdou import Agent
from searchdou.errors import BadCards, BadInfoSet, BadRecord, IllegalAction, SearchDouError, UnknownName
from searchdou.games.doudizhu import Deal, Game, InfoSet, Move, dump, load, min_plays, parse_move, rule_set
from searchdou.games.doudizhu.cards import pack
from searchdou.games.doudizhu.records import from_record, to_record

from . import naive
from .strategies import examples

pytestmark = pytest.mark.unit

# Seat 0 holds 3..A and 3456B, seat 1 3..A and 7892R, seat 2 3..A and TJQK2; the three cards are A22.
DEAL = Deal(("3456789TJQKA3456B", "3456789TJQKA7892R", "3456789TJQKATJQK2"), "A22")


# Seat 0 is landlord and goes out without an answer: a spring.
SPRING = ("3456789TJQKA", "", "", "3", "", "", "4", "", "", "5", "", "", "6", "", "", "A", "", "", "22", "", "", "B")


# --- cards and deals --------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("cards", "message"), [
    ("3X4", "no card 'X' in '3X4'"), ("34?", r"no card '\?'"), ("1", "no card '1'"), ("pass", "no card 'P'"),
    ("AAAAA", "5 cards 'A' in 'AAAAA', but the deck has 4"), ("BB", "2 cards 'B' .* the deck has 1"),
    ("RR", "2 cards 'R'"), (None, "not None"), (34, "not 34"), (["3", "4"], "written as text"), (b"34", "written as text"),
])
def test_bad_cards(cards, message):
    with pytest.raises(BadCards, match=message):
        pack(cards)


@pytest.mark.parametrize(("hands", "kitty", "message"), [
    (DEAL.hands[:2], DEAL.kitty, r"three hands of 17 and 3 cards, not \[17, 17\]"),
    ((*DEAL.hands, "3"), DEAL.kitty, "three hands of 17"),
    (DEAL.hands, "A2", "and 2"),
    ((DEAL.hands[0][:-1], *DEAL.hands[1:]), DEAL.kitty, r"not \[16, 17, 17\]"),
    ((DEAL.hands[0].replace("B", "7"), *DEAL.hands[1:]), DEAL.kitty, "5 cards '7' in the deal, but the deck has 4"),
    ((DEAL.hands[0].replace("B", "R"), *DEAL.hands[1:]), DEAL.kitty, "'B' in the deal|'R' in the deal"),
    ((DEAL.hands[0].replace("B", "X"), *DEAL.hands[1:]), DEAL.kitty, "no card 'X'"),
    (("", "", ""), "", "three hands of 17"),
])
def test_bad_deals(hands, kitty, message):
    with pytest.raises(BadCards, match=message):
        Deal(hands, kitty)


@pytest.mark.parametrize("first", [-1, 3, "0", None, 1.5])
def test_bad_first_seat(first):
    with pytest.raises(IllegalAction, match="cannot begin"):
        Game().start(DEAL, first)


def test_a_hand_too_big_for_min_plays():
    with pytest.raises(BadCards, match=r"at most 20 cards.*has 21"):
        min_plays("3333444455556666777789"[:21])


@pytest.mark.parametrize("name", ["nobody", "", None, 3, ["standard"], {"name": "standard"}])
def test_unknown_rule_sets(name):
    for call in (rule_set, Game, lambda rules: parse_move("3", rules), lambda rules: min_plays("3", rules)):
        with pytest.raises(UnknownName, match=r"unknown rule set .*known: botzone, douzero, openspiel, rlcard, standard"):
            call(name)


# --- moves and bids -----------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("cards", "message"), [
    ("34", "34 is no combination of the standard rules"), ("33445", "33445 is no combination"),
    ("3334445", "no combination"), ("JQKA2", "no combination"), ("KKKAAA222", "no combination"),
    ("334455667788991010JJQQKK", "more than 20 cards"), ("BR3", "no combination"), ("3333BR", "no combination"),
])
def test_no_combination(cards, message):
    with pytest.raises(IllegalAction, match=message):
        parse_move(cards)


def started(*moves: str, name: str = "standard"):
    state = Game(rule_set(name), bidding=False).start(DEAL, 0)
    for cards in moves:
        state.play(cards)
    return state


@pytest.mark.parametrize(("before", "move", "error", "message"), [
    ((), "", IllegalAction, "seat 0 leads and may not pass"),
    ((), "pass", IllegalAction, "seat 0 leads and may not pass"),
    ((), "7777", IllegalAction, "7777 needs 4 cards '7', seat 0 holds 1"),
    ((), "R", IllegalAction, "R needs 1 cards 'R', seat 0 holds 0"),
    ((), "35", IllegalAction, "35 is no combination"),
    ((), "XY", BadCards, "no card 'X'"),
    ((), None, BadCards, "not None"),
    ((), 3, BadCards, "not 3"),
    (("7",), "6", IllegalAction, "6 does not beat 7"),
    (("7",), "7", IllegalAction, "7 does not beat 7"),
    (("7",), "77", IllegalAction, "77 is a pair, it does not answer 7, a solo"),
    (("34567",), "456789", IllegalAction, "456789 is a chain solo of length 6, it does not answer 34567, "
                                          "a chain solo of length 5"),
    (("34567", "", ""), "", IllegalAction, "seat 0 leads"),
])
def test_illegal_plays(before, move, error, message):
    state = started(*before)
    position = state.position
    with pytest.raises(error, match=message):
        state.play(move)
    with pytest.raises(error, match=message):
        state.verify_play(move)
    assert not state.can_play(move)
    assert state.position == position
    assert len(state.history) == len(before)


def test_messages_name_the_category_in_words():
    # 222 with a 3 on a trio alone; and a quad chain, which is a category of its own.
    deal = Deal(("333344445556667TJ", "5677788889999TTTJ", "JJQQQQKKKKAAAA2BR"), "222")
    state = Game(rule_set("botzone"), bidding=False).start(deal, 0)
    state.play("555")
    state.play("777")
    state.play("")
    for cards, words in (("3222", "a trio with solo"), ("33334444", "a quad chain of length 2"),
                         ("333355", "no combination"), ("333356", "needs 1 cards '5', seat 0 holds 0")):
        with pytest.raises(IllegalAction, match=words):
            state.play(cards)


@pytest.mark.parametrize(("bids", "bid", "message"), [
    ((), 4, "a bid is 0, 1, 2 or 3, not 4"), ((), -1, "not -1"), ((), "2", "not '2'"), ((), None, "not None"),
    ((), True, "not True"), ((), 1.0, r"not 1\.0"), ((2,), 1, "a bid of 1 does not exceed the bid of 2"),
    ((2,), 2, "does not exceed"), ((3,), 0, "no bid 0 now: cards are in play"), ((1, 0, 0), 3, "cards are in play"),
    ((0, 0, 0), 1, "no bid 1 now: the game is over"),
])
def test_illegal_bids(bids, bid, message):
    state = Game().start(DEAL, 1)
    for made in bids:
        state.bid(made)
    position = state.position
    with pytest.raises(IllegalAction, match=message):
        state.bid(bid)
    assert not state.can_bid(bid)
    assert state.position == position
    assert state.bids == list(bids)


def test_the_wrong_kind_of_action():
    with pytest.raises(IllegalAction, match="no play of 3 now: seat 2 is to bid"):
        Game().start(DEAL, 2).play("3")
    with pytest.raises(IllegalAction, match="1 is a bid, but cards are in play"):
        started().act(1)
    with pytest.raises(IllegalAction, match="a bid is 0, 1, 2 or 3, not '3'"):
        Game().start(DEAL).act("3")
    state = started(*SPRING)
    with pytest.raises(IllegalAction, match="no play of 3 now: the game is over"):
        state.play("3")


# --- records ------------------------------------------------------------------------------------------------------

def good_record() -> dict:
    """A finished game with bids, as a dict."""
    state = Game().start(DEAL, 2)
    for bid in (1, 2, 0):
        state.bid(bid)
    for cards in SPRING:
        state.play(cards)
    return json.loads(dump(state))


def test_the_good_record_is_good():
    assert to_record(from_record(good_record())) == good_record()


@pytest.mark.parametrize("line", ["", "{", "nonsense", "null", "[]", "3", '"text"', '{"format": "searchdou.doudizhu"'])
def test_lines_that_are_no_record(line):
    with pytest.raises(BadRecord, match=r"not a JSON object on one line|a record is a JSON object"):
        load(line)


def test_every_truncation_of_a_record_is_refused():
    line = json.dumps(good_record())
    for end in range(len(line)):
        with pytest.raises(BadRecord, match="not a JSON object on one line"):
            load(line[:end])


@pytest.mark.parametrize("key", ["rules", "bidding", "deal", "first", "bids", "moves", "result"])
def test_a_missing_field(key):
    record = good_record()
    del record[key]
    with pytest.raises(BadRecord, match=f"the record has no '{key}'"):
        from_record(record)


@pytest.mark.parametrize("key", ["hands", "kitty"])
def test_a_missing_part_of_the_deal(key):
    record = good_record()
    del record["deal"][key]
    with pytest.raises(BadRecord, match=f"the record has no '{key}'"):
        from_record(record)


@pytest.mark.parametrize(("change", "message"), [
    ({"format": "other"}, "format 'other'"), ({"format": None}, "format None"), ({"version": 2}, "version 2 is not"),
    ({"rules": "nobody"}, "unknown rule set 'nobody'"), ({"rules": ["standard"]}, "unknown rule set"),
    ({"deal": None}, "cannot be read"), ({"deal": []}, "cannot be read"),
    ({"deal": {"hands": 3, "kitty": "A22"}}, "cannot be read"),
    ({"deal": {"hands": [None, None, None], "kitty": "A22"}}, "three hands and a kitty as text, not .None"),
    ({"deal": {"hands": ["3456789TJQKAAAAAA", *DEAL.hands[1:]], "kitty": "A22"}}, "6 cards 'A'"),
    ({"deal": {"hands": ["3456789TJQKA345AB", *DEAL.hands[1:]], "kitty": "A22"}}, "3 cards '6' in the deal, but"),
    ({"first": 3}, "seat 3 cannot begin"), ({"first": None}, "seat None cannot begin"), ({"first": "0"}, "cannot begin"),
    ({"first": 1}, "move 4: "),
    ({"bids": [1, 1, 0]}, "bid 2: a bid of 1 does not exceed"), ({"bids": [4]}, "bid 1: a bid is 0, 1, 2 or 3, not 4"),
    ({"bids": [3, 0]}, "bid 2: no bid 0 now"), ({"bids": None}, "cannot be read"), ({"bids": ["1"]}, "bid 1:"),
    ({"bids": [1]}, "move 1: no play of 3456789TJQKA now: seat 0 is to bid"),
    ({"moves": None}, "cannot be read"), ({"moves": [None]}, "move 1: .*not None"), ({"moves": [[]]}, "move 1:"),
    ({"moves": ["3456789TJQKA", "", "", ""]}, "move 4: seat 0 leads and may not pass"),
    ({"moves": ["3456789TJQKA", "R"]}, "move 2: R is a solo, it does not answer"),
    ({"moves": ["3", "2", "B", "77777"]}, "move 3: B needs 1 cards 'B', seat 2 holds 0"),
    ({"moves": ["3", "AAAAA"]}, "move 2: 5 cards 'A'"),
    ({"moves": ["3456789TJQKA"]}, "the result says .*, the replay gives None"),
    ({"moves": [*good_record()["moves"], "3"]}, "move 23: no play of 3 now: the game is over"),
    ({"result": None}, "the result says None, the replay gives"),
    ({"result": {**good_record()["result"], "winner": 1}}, "says .*'winner': 1.*, the replay gives .*'winner': 0"),
    ({"result": {**good_record()["result"], "spring": False}}, "the result says"),
    ({"result": {**good_record()["result"], "bombs": 1}}, "the result says"),
    ({"result": {**good_record()["result"], "payoffs": [2, -1, -1]}}, "the result says"),
    ({"bidding": False}, "bid 1: no bid 1 now: cards are in play"),
])
def test_bad_records(change, message):
    with pytest.raises(BadRecord, match=message):
        from_record(good_record() | change)


@pytest.mark.parametrize("first", [True, False, 1.0, 0.0])
def test_a_seat_is_a_whole_number(first):
    # Python calls True and 1.0 equal to 1; a record that says so was not written by us.
    with pytest.raises(BadRecord):
        from_record(good_record() | {"first": first, "bids": [], "moves": [], "result": None})


# --- information sets -----------------------------------------------------------------------------------------------

HAND0 = naive.ordered(DEAL.hands[0] + DEAL.kitty)
PLAY = f"landlord=0 public={DEAL.kitty}"


@pytest.mark.parametrize(("text", "message"), [
    ("", "no hand"), ("seat=0", "no hand"), ("hand=3", "neither seat=... nor role=... given"), ("nonsense", "not key=value"),
    ("colour=red", "'colour=red' is not key=value"), ("seat=0 seat=1 hand=3", "seat is given twice"),
    ("seat=x hand=3", "seat 'x' is not a number"), ("seat=0 hand=3 bids=1,x", "bids 'x' is not a number"),
    ("seat=3 hand=3", "seat 3 is none of 0, 1, 2"), ("seat=0 first=7 hand=3", "first 7 is none"),
    (f"seat=0 landlord=5 public=A22 hand={HAND0}", "landlord 5 is none"),
    ("seat=0 rules=nobody hand=3", "unknown rule set 'nobody'"),
    (f"role=dealer public=A22 hand={HAND0}", "role 'dealer' is none of landlord, landlord_down, landlord_up"),
    (f"role=landlord bids=1 hand={DEAL.hands[0]}", "no role before the bidding ends"),
    (f"seat=1 role=landlord {PLAY} hand={HAND0}", "seat 1 is not landlord"),
    ("seat=0 hand=34567", "seat 0 must hold 17 cards, '34567' has 5"),
    (f"seat=0 {PLAY} hand={DEAL.hands[0]}", "seat 0 must hold 20 cards"),
    (f"seat=1 {PLAY} hand={HAND0}", "seat 1 must hold 17 cards"),
    ("seat=0 hand=AAAAA", "5 cards 'A'"), ("seat=0 hand=BB", "2 cards 'B'"), ("seat=0 hand=3X", "no card 'X'"),
    # Four aces in hand and one shown: five.
    ("seat=1 landlord=0 public=A22 hand=3456789TJQKAAAA2R", "5 cards 'A' in sight, but the deck has 4"),
    # Four in hand, and one played by another seat.
    ("seat=1 landlord=0 public=333 hand=444456789TJQKA2BR history=4", "5 cards '4' in sight"),
    (f"seat=0 {PLAY} hand={HAND0} history=3,4,5,6", "seat 0 must hold 18 cards"),
    (f"seat=0 landlord=0 public=A2 hand={HAND0}", "three public cards are needed, not 'A2'"),
    (f"seat=0 landlord=0 hand={HAND0}", "three public cards are needed, not ''"),
    (f"seat=0 landlord=0 public=RA2 hand={HAND0}", "neither holds nor played all of the public cards 'A2R'"),
    (f"seat=1 landlord=0 public=A22 hand={DEAL.hands[1]} history=-", "the leader may not pass"),
    (f"seat=1 landlord=0 public=A22 hand={DEAL.hands[1]} history=3,-,-,-", "move 4 .*the leader may not pass"),
    (f"seat=2 landlord=0 public=A22 hand={DEAL.hands[2]} history=5,4", r"move 2 .*\(4 by seat 1\) does not beat 5"),
    (f"seat=2 landlord=0 public=A22 hand={DEAL.hands[2]} history=5,66", "move 2 .*does not beat 5"),
    (f"seat=2 landlord=0 public=A22 hand={DEAL.hands[2]} history=35", "move 1 of the history: 35 is no combination"),
    (f"seat=2 landlord=0 public=A22 hand={DEAL.hands[2]} history=3,XX", "move 2 of the history: no card 'X'"),
    (f"seat=0 bids=4 hand={DEAL.hands[0]}", "bid 4 is neither 0 nor more than 0"),
    (f"seat=0 bids=2,1 hand={DEAL.hands[0]}", "bid 1 is neither 0 nor more than 2"),
    (f"seat=0 bids=3,0 hand={DEAL.hands[0]}", "the bidding had ended before bid 2"),
    (f"seat=0 bids=0,0,0,0 hand={DEAL.hands[0]}", "the bidding had ended before bid 4"),
    (f"seat=0 bids=0,1,0 landlord=0 public=A22 hand={HAND0}", "make seat 1 landlord, not seat 0"),
    (f"seat=0 bids=0,1 landlord=0 public=A22 hand={HAND0}", "make no landlord, not seat 0"),
    (f"seat=0 bids=1 public=A22 hand={DEAL.hands[0]}", "cards are public or played, but there is no landlord"),
    (f"seat=0 bids=1 history=3 hand={DEAL.hands[0]}", "cards are public or played, but there is no landlord"),
])
def test_impossible_infosets(text, message):
    with pytest.raises(SearchDouError, match=message) as error:
        InfoSet.from_text(text)
    assert isinstance(error.value, (BadInfoSet, BadCards, UnknownName))


def fields(**change) -> dict:
    """The fields of a possible infoset, with a change."""
    history = tuple((i % 3, parse_move(cards)) for i, cards in enumerate(("3", "7", "")))
    return {"seat": 0, "hand": naive.without(HAND0, "3"), "landlord": 0, "public": "A22", "history": history} | change


def test_the_good_fields_are_good():
    assert InfoSet(**fields()).to_beat == parse_move("7")


@pytest.mark.parametrize(("change", "message"), [
    ({"seat": -1}, "seat -1"), ({"seat": None}, "seat None"), ({"seat": True}, "seat True"), ({"landlord": 3}, "landlord 3"),
    ({"first": "0"}, "first '0'"), ({"hand": "2" + naive.without(HAND0, "23")}, "not in rank order"),
    ({"landlord": None}, "no landlord"),
    ({"history": ((1, parse_move("3")),)}, "out of turn: seat 0 is to play"),
    ({"history": ((0, parse_move("3")), (2, parse_move("7")))}, "move 2 .*out of turn: seat 1 is to play"),
    ({"history": ((0, parse_move("3333")),)}, "must hold 16 cards"),
    ({"history": ((0, parse_move("33334444", "botzone")),)}, "is no combination"),
    ({"public": ""}, "three public cards are needed"), ({"bids": (1, 0)}, "make no landlord"),
    ({"public": "BR2"}, "neither holds nor played all of the public cards"),
])
def test_impossible_fields(change, message):
    with pytest.raises(BadInfoSet, match=message):
        InfoSet(**fields(**change))


@pytest.mark.parametrize("seat", [1.0, 0.0, "0"])
def test_a_seat_of_an_infoset_is_a_whole_number(seat):
    with pytest.raises(BadInfoSet):
        InfoSet(**fields(seat=seat))


def after_the_end() -> str:
    """The landlord has gone out, yet a peasant plays on."""
    plays = [cards or "-" for cards in (*SPRING, "")]
    return f"seat=1 landlord=0 public=A22 hand={DEAL.hands[1]} history={','.join(plays)}"


def test_play_after_the_end():
    with pytest.raises(BadInfoSet, match=r"move 23 .* comes after the game has ended"):
        InfoSet.from_text(after_the_end())


def test_more_cards_than_were_dealt():
    # Seat 1 plays eleven cards and then eight.
    history = "3456789TJQK,456789TJQKA,-,-,33344455"
    with pytest.raises(BadInfoSet, match=r"move 5 .*: seat 1 has played more cards than it was dealt"):
        InfoSet.from_text(f"seat=2 landlord=0 public=A22 hand={DEAL.hands[2]} history={history}")


def test_the_landlord_must_have_room_for_the_public_cards():
    # It has played 18 cards and none of the three that all have seen: it must hold three but has two left.
    history = "3456789TJQK,-,-,34567,-,-,33"
    with pytest.raises(BadInfoSet, match="public"):
        InfoSet.from_text(f"seat=1 landlord=0 public=222 hand=8899TTJJQQKKAAAA2 history={history}")


REQUEST = {"rules": "standard", "phase": "play", "seat": 1, "role": "landlord_down", "hand": DEAL.hands[1], "bids": [],
           "public": "A22", "history": [["landlord", "3"]]}


def test_the_good_request_is_good():
    assert InfoSet.from_request(REQUEST).to_beat == parse_move("3")


@pytest.mark.parametrize("key", ["seat", "phase", "role", "hand", "public", "history"])
def test_a_request_without_a_field(key):
    with pytest.raises(BadInfoSet, match=f"the request has no '{key}'"):
        InfoSet.from_request({k: v for k, v in REQUEST.items() if k != key})


@pytest.mark.parametrize(("change", "message"), [
    ({"role": "dealer"}, "role 'dealer' is none of"), ({"role": None}, "role None is none of"),
    ({"seat": "1"}, "cannot be read"), ({"seat": None}, "cannot be read"), ({"seat": 7}, "seat 7 is none of 0, 1, 2"),
    ({"hand": "3"}, "must hold 17 cards"), ({"hand": None}, "not None"), ({"rules": "x"}, "unknown rule set 'x'"),
    ({"history": [["dealer", "3"]]}, "history names 'dealer'"), ({"history": [["landlord"]]}, "cannot be read"),
    ({"history": None}, "cannot be read"), ({"history": [["landlord_up", "3"]]}, "out of turn"),
    ({"history": [["landlord", ""]]}, "the leader may not pass"),
    ({"history": [["landlord", None]]}, "move 1 of the history"),
    ({"public": ""}, "three public cards are needed"), ({"public": None}, "not None"),
    ({"bids": 3}, "cannot be read"), ({"bids": [1, "2"]}, "cannot be read"), ({"bids": [9]}, "bid 9 is neither"),
    ({"bids": [1.0]}, "bid 1.0 is neither"),
])
def test_bad_requests(change, message):
    with pytest.raises(SearchDouError, match=message):
        InfoSet.from_request(REQUEST | change)


BID_REQUEST = {"phase": "bid", "seat": 2, "role": None, "hand": DEAL.hands[2], "bids": [0, 1], "public": "", "history": []}


def test_the_good_request_to_bid_is_good():
    assert InfoSet.from_request(BID_REQUEST).turn == 2
    assert InfoSet.from_request(BID_REQUEST | {"first": 0}).turn == 2


@pytest.mark.parametrize(("change", "message"), [
    ({"role": "landlord"}, "to bid and names a role, 'landlord'"), ({"public": "A22"}, "names a public, 'A22'"),
    ({"history": [["landlord", "3"]]}, "names a history"), ({"first": 5}, "5"),
])
def test_a_request_to_bid_that_contradicts_itself(change, message):
    with pytest.raises(BadInfoSet, match=message):
        InfoSet.from_request(BID_REQUEST | change)


def test_a_request_to_bid_for_another_seat():
    """Seat 1 began, so that after two bids it is seat 0's turn."""
    with pytest.raises(IllegalAction, match="seat 0 is to act, not seat 2"):
        Agent("doudizhu", "rule").act(InfoSet.from_request(BID_REQUEST | {"first": 1}))


def test_a_request_of_an_unknown_phase():
    with pytest.raises(BadInfoSet, match="phase"):
        InfoSet.from_request(REQUEST | {"phase": "sleep"})


@pytest.mark.parametrize("seat", [3, -1, 7])
def test_there_is_no_infoset_of_a_seat_that_does_not_exist(seat):
    with pytest.raises(SearchDouError, match="seat"):
        Game().start(DEAL).infoset(seat)


# --- garbage --------------------------------------------------------------------------------------------------------

CARDLIKE = st.text("3456789TJQKA2BR10 -x", max_size=24)
SCALARS = st.none() | st.booleans() | st.integers(-3, 60) | st.floats() | CARDLIKE | st.text(max_size=8) | st.integers()
WORDS = st.sampled_from(["standard", "douzero", "landlord", "landlord_up", "landlord_down", "bid", "play", "pass", ""])
GARBAGE = st.recursive(SCALARS | WORDS, lambda inner: st.lists(inner, max_size=4)
                       | st.dictionaries(st.text(max_size=6) | WORDS, inner, max_size=4), max_leaves=8)


def mutated(good: dict) -> st.SearchStrategy[dict]:
    """The good thing with one to three of its fields (or fields within) replaced by garbage or removed."""
    @st.composite
    def strategy(draw: st.DrawFn) -> dict:
        thing = json.loads(json.dumps(good))
        for _ in range(draw(st.integers(1, 3))):
            place = thing
            while True:
                key = draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
                if isinstance(place[key], (dict, list)) and place[key] and draw(st.booleans()):
                    place = place[key]
                    continue
                break
            if draw(st.booleans()) or isinstance(place, list):
                place[key] = draw(GARBAGE)
            else:
                del place[key]
            if not thing:
                break
        return thing
    return strategy()


def only_our_errors(call, *args) -> None:
    """Anything but a `SearchDouError` passes through and fails the test."""
    with contextlib.suppress(SearchDouError):
        call(*args)


@examples(600)
@given(GARBAGE | mutated(good_record()))
def test_garbage_as_a_record(garbage):
    only_our_errors(from_record, garbage)
    only_our_errors(load, json.dumps(garbage))


@examples(600)
@given(GARBAGE | mutated(REQUEST) | mutated(REQUEST | {"phase": "bid", "bids": [0, 1], "history": []}))
def test_garbage_as_a_request(garbage):
    only_our_errors(InfoSet.from_request, garbage)


KEYS = ["rules", "seat", "role", "landlord", "hand", "public", "first", "bids", "history"]
VALUES = SCALARS.map(str) | WORDS | st.lists(CARDLIKE | SCALARS.map(str), max_size=4).map(",".join)
TEXTS = st.lists(st.tuples(st.sampled_from(KEYS), VALUES), max_size=9).map(
    lambda pairs: " ".join(f"{key}={value}" for key, value in pairs))


@examples(600)
@given(GARBAGE | TEXTS | st.text())
def test_garbage_as_the_text_of_an_infoset(garbage):
    only_our_errors(InfoSet.from_text, garbage)


@examples(400)
@given(GARBAGE, GARBAGE | WORDS, st.none() | st.sampled_from([parse_move("3"), parse_move("333444555789"), Move(0)]))
def test_garbage_as_cards_and_moves(garbage, rules, to_beat):
    only_our_errors(pack, garbage)
    only_our_errors(parse_move, garbage)
    only_our_errors(parse_move, garbage, rules, to_beat)


@examples(300)
@given(GARBAGE)
def test_garbage_as_an_action(garbage):
    for state in (Game().start(DEAL), started(), started("3")):
        position = state.position
        before = (len(state.bids), len(state.history))
        try:
            state.act(garbage)
        except SearchDouError:
            assert state.position == position
            assert (len(state.bids), len(state.history)) == before
        else:
            assert state.position != position


@examples(200)
@given(GARBAGE, GARBAGE, GARBAGE)
def test_garbage_as_a_deal(hands, kitty, first):
    only_our_errors(Deal, hands, kitty)
    only_our_errors(Game().start, DEAL, first)
    only_our_errors(Game(bidding=False).start, DEAL, first)
