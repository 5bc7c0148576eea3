"""What must hold in every hand and every game, against the naive twin."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import chisquare

from inference._rng_kernels import below, next32, next63, stream, uniform
from searchdou.errors import IllegalAction, SearchDouError
from searchdou.games.doudizhu import (
    PASS,
    ROLES,
    Bid,
    Deal,
    Game,
    InfoSet,
    Move,
    Play,
    State,
    _kernels,
    dump,
    load,
    parse_move,
    rule_set,
)
from searchdou.games.doudizhu.cards import pack, unpack
from searchdou.games.doudizhu.rules import seat_hands

from . import naive
from .strategies import (
    RULE_NAMES,
    action_of,
    deals,
    engine_moves,
    examples,
    fresh_games,
    games,
    hands,
    kind_of,
    naive_twin,
    play_on,
    rule_names,
    seeds,
    shuffled_deal,
)

pytestmark = pytest.mark.unit


def snapshot(state: State) -> tuple:
    """All that an action could have changed."""
    return (state.position, state.deal, state.first, tuple(state.bids), tuple(state.history))


# --- moves ------------------------------------------------------------------------------------------------------

@st.composite
def things_to_beat(draw: st.DrawFn, name: str) -> naive.Action:
    """An action on the table: every category equally often, low ranks more often, so that answers exist."""
    by_category: dict[str, list[naive.Action]] = {}
    for action in naive.all_actions(name):
        by_category.setdefault(action.category, []).append(action)
    actions = by_category[draw(st.sampled_from(sorted(by_category)))]
    return actions[min(draw(st.integers(0, len(actions) - 1)), draw(st.integers(0, len(actions) - 1)))]


@examples(400)
@given(st.data(), rule_names, hands())
def test_leads_are_exactly_those_of_the_rule_book(data, name, hand):
    moves = engine_moves(hand, naive.PASS, name)
    assert len(moves) == len({move.cards for move in moves}), "the same cards twice"
    assert set(moves) == naive.legal_moves(hand, naive.PASS, name)


@examples(600)
@given(st.data(), rule_names, hands())
def test_answers_are_exactly_those_of_the_rule_book(data, name, hand):
    to_beat = data.draw(things_to_beat(name))
    moves = engine_moves(hand, to_beat, name)
    assert len(moves) == len({move.cards for move in moves}), "the same cards twice"
    assert set(moves) == naive.legal_moves(hand, to_beat, name)


@examples(300)
@given(st.data(), rule_names, hands())
def test_a_move_on_a_move_of_the_same_hand(data, name, hand):
    # What a hand can lead it can often answer too: this reaches long chains with kickers far more often.
    to_beat = data.draw(st.sampled_from(sorted(naive.legal_moves(hand, naive.PASS, name))))
    answers = engine_moves(hand, to_beat, name)
    for answer in answers:
        assert answer == naive.PASS or (naive.holds(hand, answer.cards) and naive.beats(answer, to_beat))
    assert set(answers) == naive.legal_moves(hand, to_beat, name)


@pytest.mark.parametrize("name", ["douzero", "openspiel"])
def test_cards_with_two_readings(name):
    # 333444555666 is a plane of four, or three trios with 666 or 333 riding along.
    cards = "333444555666"
    assert {(a.category, a.rank) for a in naive.readings_of(name)[cards]} == {
        ("PLANE", "3"), ("PLANE_SOLO", "3"), ("PLANE_SOLO", "4")}
    assert action_of(parse_move(cards, name)) == ("PLANE", "3", 4, cards)
    lower = parse_move("333444555789", name)
    assert action_of(parse_move(cards, name, lower)) == ("PLANE_SOLO", "4", 3, cards)
    # It cannot answer 444555666 + 789, so it is read as a lead again.
    same = parse_move("444555666789", name)
    assert action_of(parse_move(cards, name, same)) == ("PLANE", "3", 4, cards)
    # Of two readings of one length the higher counts, leading and following.
    assert action_of(parse_move("333444555666777K", name)) == ("PLANE_SOLO", "4", 4, "333444555666777K")
    # A trio of twos never lengthens a plane.
    for rules in ("standard", name):
        assert action_of(parse_move("QQQKKKAAA222", rules)) == ("PLANE_SOLO", "Q", 3, "QQQKKKAAA222")


def test_what_the_rule_sets_disagree_about():
    """The rows of the table, one set of cards each, and who takes it."""
    table = {
        "333444BR": {"douzero", "botzone"},                                        # both jokers as kickers
        "3333BR": {"douzero", "botzone"},
        "3334445556667777": {"douzero"},                                           # four of a kind as kickers
        "333444555666777K": {"douzero", "openspiel"},                              # a trio that extends the plane
        "33344455": {"standard", "rlcard", "douzero", "openspiel"},                # a pair as two solos
        "333355": {"standard", "rlcard", "douzero"},
        "333356": {"standard", "rlcard", "douzero", "botzone"},                    # openspiel has no quad with two
        "33335566": {"standard", "rlcard", "douzero", "botzone"},
        "33334444": {"botzone"}, "333344445678": {"botzone"}, "3333444455667788": {"botzone"},
        "22223333": set(), "33344": set(RULE_NAMES), "QQQKKKAAA222": set(RULE_NAMES) - {"botzone"},
    }
    for cards, takers in table.items():
        assert {name for name in RULE_NAMES if _is_combination(cards, name)} == takers, cards


def _is_combination(cards: str, name: str) -> bool:
    try:
        return bool(parse_move(cards, name))
    except IllegalAction:
        return False


def test_a_quad_chain_is_not_a_bomb():
    chain = parse_move("33334444", "botzone")
    assert not chain.is_bomb
    assert engine_moves("9999", action_of(chain), "botzone") == [naive.PASS, ("BOMB", "9", 1, "9999")]
    assert engine_moves("99998888", naive.Action("SOLO", "3", 1, "3"), "botzone")[1:] == [
        ("SOLO", "8", 1, "8"), ("SOLO", "9", 1, "9"), ("BOMB", "8", 1, "8888"), ("BOMB", "9", 1, "9999")]


def test_a_quad_with_kickers_is_not_a_bomb():
    quad = action_of(parse_move("333345"))
    assert engine_moves("44445KKKK", quad, "standard") == [
        naive.PASS, *(action for action in engine_moves("44445KKKK", quad, "standard") if naive.beats(action, quad))]
    assert ("QUAD_SOLO", "4", 1, "44445K") in engine_moves("44445KKKK", quad, "standard")
    assert engine_moves("444455", naive.Action("BOMB", "3", 1, "3333"), "standard") == [
        naive.PASS, ("BOMB", "4", 1, "4444")]


@examples(200)
@given(st.data(), rule_names)
def test_parse_and_print_a_move(data, name):
    to_beat = data.draw(things_to_beat(name))
    for action in data.draw(st.lists(st.sampled_from(naive.all_actions(name)), min_size=1, max_size=10)):
        move = parse_move(action.cards, name)
        assert parse_move(str(move), name) == move == parse_move(move, name)
        assert move.cards == action.cards
        assert bool(move) == (action != naive.PASS)
        assert move.is_bomb == (action.category in ("BOMB", "ROCKET"))
        # In the light of a move it answers, it is read as an answer.
        answer = parse_move(action.cards, name, Move(kind_of(to_beat) << _kernels.KIND_SHIFT | pack(to_beat.cards)))
        answering = [reading for reading in naive.readings_of(name)[action.cards] if naive.beats(reading, to_beat)]
        expected = max(answering or naive.readings_of(name)[action.cards], key=naive._preference)
        assert action_of(answer) == expected


@given(hands(), st.randoms(use_true_random=False))
def test_parse_and_print_a_hand(hand, rng):
    assert unpack(pack(hand)) == hand
    untidy = list(hand)
    rng.shuffle(untidy)
    text = " ".join(untidy).lower().replace("t", "10")
    assert unpack(pack(text)) == hand
    assert _kernels.size(pack(hand)) == len(hand)
    for rank, char in enumerate(naive.RANKS):
        assert _kernels.count_of(pack(hand), rank) == hand.count(char)


@examples(200)
@given(hands(), hands())
def test_contains(hand, cards):
    assert bool(_kernels.contains(pack(hand), pack(cards))) == naive.holds(hand, cards)
    assert _kernels.contains(pack(hand), pack(hand))


# --- whole games ------------------------------------------------------------------------------------------------

@examples(60)
@given(fresh_games())
def test_a_game_in_step_with_the_rule_book(start):
    """Turn, phase, legal actions and hands agree at every decision, and the score at the end."""
    state, rng = start
    twin = naive.Game(state.game.rules.name, state.deal.hands, state.deal.kitty, state.first, state.game.bidding)
    for _ in play_on(state, rng):
        if len(state.bids) > len(twin.bids):
            twin.bid(state.bids[-1])
        if len(state.history) > len(twin.plays):
            seat, move = state.history[-1]
            assert seat == twin.turn
            twin.play(action_of(move))
        assert list(state.hands) == twin.hands
        assert state.landlord == twin.landlord
        assert state.is_over == twin.over
        assert state.is_draw == twin.draw
        actions = state.legal_actions()
        if twin.over:
            assert actions == []
            continue
        assert state.turn == twin.turn
        assert state.phase == ("bid" if twin.landlord is None else "play")
        if state.phase == "play":
            assert action_of(state.to_beat) == twin.to_beat
            actions = [action_of(move) for move in actions]
        assert len(actions) == len(set(actions))
        assert set(actions) == twin.legal()
    assert (state.winner, state.position.bombs, state.spring) == (twin.winner, twin.bombs, twin.spring)
    assert state.payoffs() == twin.payoffs()
    assert (state.adp1(), state.adp2()) == (twin.adp1(), twin.adp2())


@given(fresh_games())
def test_cards_are_conserved(start):
    state, rng = start
    for _ in play_on(state, rng):
        cards = "".join(state.hands) + "".join(move.cards for _, move in state.history)
        if state.landlord is None:
            cards += state.deal.kitty
        assert naive.ordered(cards) == naive.ordered(naive.DECK)


@examples(200)
@given(games(finished=True))
def test_payoffs_sum_to_zero(state):
    payoffs = state.payoffs()
    if state.is_draw:
        assert payoffs == (0, 0, 0)
    elif state.game.rules.name == "rlcard":
        assert sorted(payoffs) == ([0, 0, 1] if state.landlord_won else [0, 1, 1])
        assert payoffs[state.winner] == 1
    else:
        assert sum(payoffs) == 0
        assert payoffs[state.landlord] == 2 * -payoffs[(state.landlord + 1) % 3]
        assert payoffs[state.winner] > 0
    assert (state.adp1() > 0) == (state.adp2() > 0) == state.landlord_won


@given(games())
def test_nothing_is_won_before_the_end(state):
    assume(not state.is_over)
    assert state.payoffs() == (0, 0, 0)
    assert (state.adp1(), state.adp2(), state.winner, state.spring, state.landlord_won) == (0, 0, None, False, False)


@given(fresh_games())
def test_order_of_play(start):
    state, rng = start
    before = None
    for _ in play_on(state, rng):
        for number, (seat, _move) in enumerate(state.history):
            assert seat == (state.landlord + number) % 3
            assert state.role_of(seat) == ROLES[number % 3]
        if before == "bid" and state.phase == "play":
            assert state.turn == state.landlord
        before = state.phase


@given(fresh_games())
def test_who_may_pass(start):
    state, rng = start
    for _ in play_on(state, rng):
        if state.phase != "play":
            continue
        last_two = [move for _, move in state.history[-2:]]
        leads = not state.history or (len(state.history) > 2 and not any(last_two))
        assert (PASS in state.legal_actions()) == state.can_play("") == (not leads)
        if leads and state.history:
            # Two passes return the lead to the last player who played.
            assert state.turn == next(seat for seat, move in reversed(state.history) if move)


@given(games())
def test_a_copy_is_independent(state):
    assume(not state.is_over)
    before, twin = snapshot(state), state.copy()
    twin.act(twin.legal_actions()[0])
    assert snapshot(state) == before != snapshot(twin)


# --- bidding ----------------------------------------------------------------------------------------------------

@examples(200)
@given(rule_names, deals, st.integers(0, 2), st.lists(st.integers(-1, 4), max_size=5))
def test_bidding(name, deal, first, bids):
    """Any list of numbers: each is taken or refused as the rules say, and the highest bidder leads."""
    state = Game(rule_set(name)).start(deal, first)
    taken: list[int] = []
    for bid in bids:
        ended = len(taken) == 3 or 3 in taken
        fine = not ended and (bid == 0 or max(taken, default=0) < bid <= 3)
        before = snapshot(state)
        assert state.can_bid(bid) == fine
        assert snapshot(state) == before
        if fine:
            assert state.bid(bid) == Bid((first + len(taken)) % 3, bid)
            taken.append(bid)
        else:
            with pytest.raises(IllegalAction):
                state.bid(bid)
            assert snapshot(state) == before
    assert state.bids == taken
    if len(taken) < 3 and 3 not in taken:
        assert (state.phase, state.landlord) == ("bid", None)
    elif any(taken):
        landlord = (first + taken.index(max(taken))) % 3
        assert (state.phase, state.landlord, state.turn) == ("play", landlord, landlord)
        assert state.hands[landlord] == naive.ordered(deal.hands[landlord] + deal.kitty)
    elif name == "botzone":   # all passed: seat 0 plays at base 1
        assert (state.phase, state.landlord, state.turn) == ("play", 0, 0)
    else:
        assert (state.phase, state.is_draw, state.winner) == ("over", True, None)
        assert state.payoffs() == (0, 0, 0)
        assert state.legal_actions() == []


@pytest.mark.parametrize(("bids", "landlord_points"), [((1, 0, 0), 2), ((0, 2, 0), 4), ((1, 2, 3), 6), ((), 2)])
@pytest.mark.parametrize("name", RULE_NAMES)
def test_the_stake_begins_at_the_bid(name, bids, landlord_points):
    # The landlord wins with one solo left after a peasant has played: no bomb, no spring.
    state = State(Game(rule_set(name), bidding=bool(bids)), shuffled_deal(random.Random(3), 1), 0)
    for bid in bids:
        state.bid(bid)
    landlord = state.landlord
    state.position = state.position._replace(**{f"hand{landlord}": pack("3A"), "peasant_plays": 1})
    state.play("A")
    for _ in range(2):
        state.play("")
    state.play("3")
    points = state.payoffs()[landlord]
    assert points == {"rlcard": 1, "douzero": 2}.get(name, landlord_points)
    assert (state.adp1(), state.adp2()) == (2, landlord_points)


# --- spring -----------------------------------------------------------------------------------------------------

# Every seat holds a run it can get rid of in a few plays, so that springs can be played out by hand.
SPRING_DEAL = Deal(("3456789TJQKA3456B", "3456789TJQKA7892R", "3456789TJQKATJQK2"), "A22")


@pytest.mark.parametrize("name", RULE_NAMES)
def test_spring(name):
    # 34...A, 3456 and 22A B go one by one; the peasants pass each time.
    state = Game(rule_set(name), bidding=False).start(SPRING_DEAL, 0)
    for cards in ("3456789TJQKA", "3", "4", "5", "6", "A", "22", "B"):
        assert not state.spring
        state.play(cards)
        if not state.is_over:
            state.play("")
            state.play("")
    assert state.landlord_won
    assert state.spring
    assert state.adp1() == 2
    assert state.adp2() == 4
    assert state.payoffs() == {"rlcard": (1, 0, 0), "douzero": (2, -1, -1)}.get(name, (4, -2, -2))


@pytest.mark.parametrize("name", RULE_NAMES)
@pytest.mark.parametrize("landlord_again", [False, True])
def test_anti_spring(name, landlord_again):
    # The landlord leads a 3 and never plays again, or plays once more: then it is no anti-spring.
    state = Game(rule_set(name), bidding=False).start(SPRING_DEAL, 0)
    state.play("3")
    state.play("7")
    state.play("")
    state.play("8" if landlord_again else "")
    state.play("R")
    state.play("")
    state.play("")
    for cards in ("3456789TJQKA", "8", "9", "2"):
        state.play(cards)
        if not state.is_over:
            state.play("")
            state.play("")
    assert state.winner == 1
    assert state.spring == (not landlord_again)
    assert state.adp1() == -2
    assert state.adp2() == (-2 if landlord_again else -4)
    points = 1 if landlord_again or name == "douzero" else 2
    assert state.payoffs() == ((0, 1, 1) if name == "rlcard" else (-2 * points, points, points))


@pytest.mark.parametrize("name", RULE_NAMES)
def test_bombs_and_the_rocket_double(name):
    landlord, down = "3333556677889TJQK", "4444556899TTJQKAA"
    up = naive.without(naive.DECK, landlord + down + "2BR")
    deal = Deal((landlord, down, up), "2BR")
    state = Game(rule_set(name), bidding=False).start(deal, 0)
    for cards in ("5", "6", "", "3333", "4444", "", "BR", "", ""):
        state.play(cards)
    for _ in play_on(state, random.Random(1)):
        pass
    twin = naive_twin(state)
    assert state.position.bombs == twin.bombs >= 3
    assert abs(state.adp1()) == 2 * 2 ** twin.bombs
    assert state.payoffs() == twin.payoffs()


# --- what is refused ----------------------------------------------------------------------------------------------

@examples(150)
@given(games(), st.data())
def test_a_refused_action_changes_nothing(state, data):
    """Any cards of the list: `can_play` says what the rule book says, and a refusal leaves all as it was."""
    name = state.game.rules.name
    cards = data.draw(st.sampled_from(naive.all_actions(name))).cards
    legal = {move.cards for move in state.legal_actions()} if state.phase == "play" else set()
    before = snapshot(state)
    assert state.can_play(cards) == (cards in legal)
    assert snapshot(state) == before
    if cards not in legal:
        with pytest.raises(SearchDouError):
            state.play(cards)
        assert snapshot(state) == before
        if state.phase != "bid":
            with pytest.raises(IllegalAction):
                state.bid(data.draw(st.integers(0, 3)))
            assert snapshot(state) == before


@given(games())
def test_actions_return_what_was_done(state):
    assume(not state.is_over)
    seat, phase = state.turn, state.phase
    action = state.legal_actions()[-1]
    assert state.act(action) == (Bid(seat, action) if phase == "bid" else Play(seat, action))


# --- records ------------------------------------------------------------------------------------------------------

@given(games())
def test_records_round_trip(state):
    line = dump(state, agents=["a", "b", "c"])
    assert "\n" not in line
    twin = load(line)
    assert twin.game == state.game
    assert snapshot(twin) == snapshot(state)
    assert dump(twin, agents=["a", "b", "c"]) == line


# --- information sets -----------------------------------------------------------------------------------------------

@examples(150)
@given(games(), st.integers(0, 2))
def test_infoset_text_round_trip(state, seat):
    infoset = state.infoset(seat)
    again = InfoSet.from_text(infoset.to_text())
    assert again == infoset
    assert hash(again) == hash(infoset)
    assert again.to_text() == infoset.to_text()
    # What a trusted infoset was given and what a checked one works out are the same.
    for name in ("turn", "to_beat", "bombs", "packed_hand", "cards_left", "unseen", "role", "phase", "is_over"):
        assert getattr(again, name) == getattr(infoset, name), name


@examples(150)
@given(games())
def test_infoset_request_round_trip(state):
    assume(not state.is_over and state.bids != [0, 0, 0])   # all passed: see the next test
    infoset = state.infoset()
    again = InfoSet.from_request(infoset.to_request(time_s=1.5))
    assert again == infoset
    assert hash(again) == hash(infoset)


def test_infoset_request_round_trip_when_all_passed():
    # Botzone makes seat 0 landlord when all pass, whoever bid first.
    state = Game(rule_set("botzone")).start(SPRING_DEAL, first=1)
    for _ in range(3):
        state.bid(0)
    assert InfoSet.from_request(state.infoset().to_request()) == state.infoset()


@examples(150)
@given(games(), st.integers(0, 2))
def test_infoset_knows_what_the_state_knows(state, seat):
    infoset = state.infoset(seat)
    assert infoset.hand == state.hands[seat]
    assert infoset.cards_left == tuple(len(hand) for hand in state.hands)
    hidden = "".join(state.hands[other] for other in range(3) if other != seat)
    if state.landlord is None:
        hidden += state.deal.kitty
    assert infoset.unseen == naive.ordered(hidden)
    assert infoset.role == state.role_of(seat)
    assert infoset.bid == state.position.bid
    assert infoset.bombs == state.position.bombs
    assert infoset.last_player == next((s for s, move in reversed(state.history) if move), None)
    due = state.legal_actions() if seat == state.turn else []
    assert infoset.legal_actions() == due
    InfoSet(**{name: getattr(infoset, name) for name in InfoSet.__dataclass_fields__})   # passes its own checks


def test_nobody_may_act_after_all_passed():
    state = Game().start(SPRING_DEAL)
    for _ in range(3):
        state.bid(0)
    for seat in range(3):
        assert state.infoset(seat).legal_actions() == []


def swap_hidden(state: State, seat: int, rng: random.Random) -> State:
    """Another game that `seat` cannot tell from this one: the unseen cards dealt anew, the rest the same."""
    landlord = state.landlord
    others = [other for other in range(3) if other != seat]
    played = ["".join(move.cards for who, move in state.history if who == other) for other in range(3)]
    free = list("".join(state.hands[other] for other in others) + ("" if landlord is not None else state.deal.kitty))
    rng.shuffle(free)
    dealt = [state.deal.hands[s] for s in range(3)]
    kitty = state.deal.kitty
    # The landlord holds those of the public cards it has not played.
    public = ""
    if landlord in others:
        public = naive.without(kitty, played[landlord])
        for card in public:
            free.remove(card)
    for other in others:
        size = len(state.hands[other]) - (len(public) if other == landlord else 0)
        now, free = "".join(free[:size]), free[size:]
        everything = played[other] + now + (public if other == landlord else "")
        dealt[other] = naive.without(everything, kitty) if other == landlord else everything
    if landlord is None:
        kitty = "".join(free)
    twin = state.game.start(Deal(tuple(dealt), kitty), state.first)
    for bid in state.bids:
        twin.bid(bid)
    for _, move in state.history:
        twin.play(move)
    return twin


@examples(150)
@given(games(), st.integers(0, 2), seeds)
def test_infoset_hides_the_other_hands(state, seat, seed):
    assume(not state.is_over)
    twin = swap_hidden(state, seat, random.Random(seed))
    mine, other = state.infoset(seat), twin.infoset(seat)
    assert mine == other
    assert hash(mine) == hash(other)
    assert repr(mine) == repr(other)
    assert mine.to_text() == other.to_text()
    assert mine.to_request() == other.to_request()
    # Not in a field that is not compared, either.
    assert {k: v for k, v in vars(mine).items() if k != "rules"} == {k: v for k, v in vars(other).items() if k != "rules"}


def test_the_swap_does_swap():
    # The test above would say nothing if both games were always the same.
    rng = random.Random(2)
    changed = 0
    for seed in range(20):
        state = Game(bidding=seed % 2 == 0).deal(seed)
        for _ in play_on(state, rng, seed):
            pass
        changed += not state.is_over and swap_hidden(state, state.turn, rng).deal != state.deal
    assert changed > 12


@given(deals, deals)
def test_infosets_of_different_games_differ(one, other):
    assume(one.hands[0] != other.hands[0])
    first, second, third = (Game().start(deal).infoset(0) for deal in (one, other, one))
    assert first != second
    assert first == third
    assert len({first, second, third}) == 2


# --- deals and the random stream ----------------------------------------------------------------------------------

@given(seeds)
def test_a_deal_is_a_whole_deck(seed):
    deal = Deal.random(seed)
    assert [len(hand) for hand in deal.hands] == [17, 17, 17]
    assert naive.ordered("".join(deal.hands) + deal.kitty) == naive.ordered(naive.DECK)
    assert Deal.random(seed) == deal == Deal(deal.hands, deal.kitty)
    assert Deal.random(seed, 1) != deal
    assert snapshot(Game().deal(seed)) == snapshot(Game().deal(seed))


@given(deals, st.permutations([0, 1, 2]))
def test_hands_change_seats(deal, seats):
    moved = seat_hands(deal, seats)
    assert [moved.hands[seat] for seat in seats] == list(deal.hands)
    assert moved.kitty == deal.kitty


def first_numbers(*words: int) -> list[int]:
    rng = stream(*words)
    return [int(below(rng, 1000)) for _ in range(8)]


@given(seeds, st.integers(1, 1000))
def test_streams_are_reproducible_and_apart(seed, key):
    assert first_numbers(seed, key) == first_numbers(seed, key)
    words = ((seed,), (seed, key), (seed, key + 1), (seed + 1, key))
    assert len({tuple(first_numbers(*pair)) for pair in words}) == 4


@pytest.mark.parametrize(("one", "other"), [
    ((5,), (5, 0)), ((5,), (-5,)), ((2**32,), (0, 1)), ((0, 1), (1, 0)), ((3, 8), (8, 3)), ((5, 1, 2), (5, 2, 1))])
def test_different_seeds_and_keys_give_different_streams(one, other):
    assert first_numbers(*one) != first_numbers(*other)


@pytest.mark.parametrize("n", [1, 2, 3, 6, 17, 54, 100])
def test_below_is_uniform(n):
    rng = stream(7, n)
    counts = np.bincount([below(rng, n) for _ in range(100 * n)], minlength=n)
    assert counts.size == n
    # One draw of a fixed seed: a fair stream falls below this about once in a thousand seeds.
    assert n == 1 or chisquare(counts).pvalue > 1e-3


def test_below_rejects_the_overhang():
    # With n = 3 * 2^29 the plain multiply would give multiples of three too often: 3/8 against 1/3.
    n = 3 << 29
    rng = stream(11)
    thirds = np.bincount([int(below(rng, n)) % 3 for _ in range(3000)], minlength=3)
    assert chisquare(thirds).pvalue > 1e-3


def test_uniform_fills_the_unit_interval():
    rng = stream(5)
    values = np.array([uniform(rng) for _ in range(2000)])
    assert values.min() >= 0
    assert values.max() < 1
    assert chisquare(np.histogram(values, 20, (0, 1))[0]).pvalue > 1e-3


def test_splitmix64_is_the_published_one():
    # First outputs of SplitMix64 from state 1234567 (the reference implementation's test values).
    rng = np.array([1234567], np.uint64)
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821]
    assert [int(next63(rng)) for _ in range(5)] == [value >> 1 for value in expected]
    rng = np.array([1234567], np.uint64)
    assert [int(next32(rng)) for _ in range(5)] == [value >> 32 for value in expected]


def test_shuffle_reaches_every_order_equally():
    # Three cards have six orders.
    rng, counts = stream(9), {}
    for _ in range(1200):
        deck = np.array([1, 2, 3])
        _kernels.shuffle(deck, rng)
        counts[tuple(deck.tolist())] = counts.get(tuple(deck.tolist()), 0) + 1
    assert len(counts) == 6
    assert chisquare(list(counts.values())).pvalue > 1e-3


def test_random_games_are_the_sum_of_random_playouts():
    out = np.empty(_kernels.MAX_MOVES, np.int64)
    switches, rng, deck, total = rule_set("standard").switches, stream(1), _kernels.full_deck(), 0
    assert int(deck.sum()) == pack(naive.DECK)
    for _ in range(5):
        first = int(below(rng, 3))
        position = _kernels.random_playout(_kernels.deal(deck, switches, -1, first, rng), rng, out)
        assert position.winner >= 0
        total += int(_kernels.payoff(position))
    assert total == _kernels.random_games(5, switches, stream(1))


@pytest.mark.parametrize("landlord", [0, 1, 2])
def test_a_deal_with_a_given_landlord(landlord):
    position = _kernels.deal(_kernels.full_deck(), 0, landlord, landlord, stream(4))
    dealt = [unpack(int(hand)) for hand in position[:3]]
    assert [len(hand) for hand in dealt] == [20 if seat == landlord else 17 for seat in range(3)]
    assert naive.holds(dealt[landlord], unpack(int(position.kitty)))
    assert naive.ordered("".join(dealt)) == naive.ordered(naive.DECK)
