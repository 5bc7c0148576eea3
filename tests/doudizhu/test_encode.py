"""What the nets of DouDizhu see, against a slow twin that counts cards as people do; and what actions lead to."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference._rng_kernels import stream
from searchdou.agents.doudizhu_net import seen_by
from searchdou.games import doudizhu
from searchdou.games.doudizhu import _encode_kernels as kernels
from searchdou.games.doudizhu import _net_kernels as nets
from searchdou.games.doudizhu import _search_kernels, encode, hidden
from searchdou.games.doudizhu._kernels import KIND_SHIFT, MAX_MOVES, legal, step

RANKS = doudizhu.cards.RANKS
GAMES = st.tuples(st.integers(0, 10**6), st.integers(0, 45), st.sampled_from(["standard", "douzero", "rlcard"]),
                  st.booleans())


def under_way(seed: int, actions: int, rules: str = "standard", bidding: bool = False):
    """A game after that many random actions, or before its end."""
    rng = random.Random(seed)
    state = doudizhu.Game(rules, bidding=bidding).deal(seed)
    for _ in range(actions):
        after = state.copy()
        after.act(rng.choice(after.legal_actions()))
        if after.is_over:
            break
        state = after
    return state


def copies(prefix: str, cards: str) -> set[tuple]:
    return {(prefix, rank, k) for rank in RANKS for k in range(cards.count(rank))}


def longest(ranks: list[str]) -> int:
    """The longest run of ranks below the 2."""
    marks = "".join("x" if rank in ranks else " " for rank in RANKS[:12])
    return max(map(len, marks.split()), default=0)


def above(own: list[str], others: list[str]) -> int:
    return min(7, sum(all(RANKS.index(rank) > RANKS.index(other) for other in others) for rank in own))


def recently(history, seat: int) -> tuple:
    """What a seat played last, and what lay there when it last passed; None before."""
    played = refused = table = None
    for who, move in history:
        table = move if move.cards else table
        if who == seat and move.cards:
            played = move
        elif who == seat:
            refused = table
    return played, refused


def class_of(move) -> tuple:
    """How finely recent moves are told apart."""
    category = move.category.name
    main = max(move.cards, key=lambda rank: (move.cards.count(rank), RANKS.index(rank)))
    if category in ("SOLO", "PAIR"):
        return category, main
    if category in ("TRIO", "TRIO_SOLO", "TRIO_PAIR"):
        return "TRIO", main
    groups = {"BOMB": "BOMB", "ROCKET": "BOMB", "CHAIN_SOLO": "CHAIN_SOLO", "CHAIN_PAIR": "CHAIN_PAIR", "PLANE": "PLANE",
              "PLANE_SOLO": "PLANE", "PLANE_PAIR": "PLANE"}
    return (groups.get(category, "QUAD"),)


CLASSES = [*(("SOLO", rank) for rank in RANKS), *(("PAIR", rank) for rank in RANKS[:13]),
           *(("TRIO", rank) for rank in RANKS[:13]), ("BOMB",), ("CHAIN_SOLO",), ("CHAIN_PAIR",), ("PLANE",), ("QUAD",)]


def slow(state, action, shown: bool) -> set[tuple]:
    """The features on after `action`, by name."""
    seat = state.turn
    after, before = (seat + 1) % 3, (seat + 2) % 3
    hand, unseen = state.hands[seat], state.hands[after] + state.hands[before]
    bidding = state.phase == "bid"
    if bidding:
        unseen += state.infoset().unseen[len(unseen):]
        unseen = "".join(rank * (min(4, 4 if rank in RANKS[:13] else 1) - hand.count(rank)) for rank in RANKS)
    infoset = state.infoset()
    on = set()
    calls = {(infoset.first + i) % 3: bid for i, bid in enumerate(infoset.bids)}
    if bidding:
        calls[seat] = action
        left = hand
    else:
        left = hand
        for card in action.cards:
            left = left.replace(card, "", 1)
        if shown:
            on |= copies("next", state.hands[after]) | copies("previous", state.hands[before])
        else:
            played = [doudizhu.cards.unpack(cards) for cards in infoset.packed_played]
            on |= copies("unseen", unseen) | copies("next played", played[after]) | copies("previous played", played[before])
        if seat != infoset.landlord:
            on |= copies("public", doudizhu.cards.unpack(hidden.public_left(infoset)))
        on |= {("left", 0, len(left)), ("left", 1, len(state.hands[after])), ("left", 2, len(state.hands[before]))}
        moves = [move for _, move in infoset.history] + [action]
        table = next((move for move in reversed(moves[-2:]) if move.cards), None)
        if table is None:
            on.add(("stand", "cleared"))
        else:
            kind = table.packed >> KIND_SHIFT
            on |= {("stand", "mine" if action.cards else "passed"), ("kind", kind),
                   ("category", int(doudizhu._kernels.KIND_CATEGORY[kind]))}
        for place, who in enumerate((after, before)):
            for half, done in enumerate(recently(infoset.history, who)):
                if done:
                    on.add(("recent", place, half, class_of(done)))
        plays = [sum(bool(move.cards) and (who == infoset.landlord) == mine for who, move in
                     [*infoset.history, (seat, action)]) for mine in (True, False)]
        if infoset.rules.spring_doubles:
            if plays[1] == 0:
                on.add(("spring", 0))
            if plays[0] <= 1:
                on.add(("spring", 1))
        if {"B", "R"} <= set(unseen):
            on.add(("threat", "rocket"))
    on |= {("bid", (who - seat) % 3, bid) for who, bid in calls.items()}
    on.add(("threats", 0 if bidding else min(5, sum(unseen.count(rank) == 4 for rank in RANKS))))
    on |= copies("own", left)
    for k in range(1, 5):
        on.add(("shape", k, sum(left.count(rank) == k for rank in RANKS)))
    for k in range(1, 4):
        on.add(("run", k, longest([rank for rank in RANKS if left.count(rank) >= k])))
    on.add(("tops", 1, above([r for r in RANKS if r in left], [r for r in RANKS if r in unseen])))
    on.add(("tops", 2, above([r for r in RANKS if left.count(r) > 1], [r for r in RANKS if unseen.count(r) > 1])))
    return on


def name_of(feature: int, shown: bool) -> tuple:
    """The name of a feature's number."""
    def card(prefix: str):
        return lambda n: (prefix, RANKS[n // 4], n % 4) if n < 52 else (prefix, RANKS[n - 39], 0)
    k = kernels
    for first, size, name in (
            (k.OWN, 54, card("own")), (k.FIRST, 54, card("next" if shown else "unseen")),
            (k.SECOND, 54, card("previous" if shown else "next played")), (k.THIRD, 54, card("previous played")),
            (k.PUBLIC, 54, card("public")), (k.LEFT, 63, lambda n: ("left", n // 21, n % 21)),
            (k.KIND, doudizhu._kernels.KINDS, lambda n: ("kind", n)), (k.CATEGORY, 18, lambda n: ("category", n)),
            (k.STAND, 3, lambda n: ("stand", ("mine", "passed", "cleared")[n])), (k.SPRING, 2, lambda n: ("spring", n)),
            (k.BIDS, 12, lambda n: ("bid", n // 4, n % 4)),
            (k.THREATS, 7, lambda n: ("threat", "rocket") if n == 6 else ("threats", n)),
            (k.SHAPE, 56, lambda n: ("shape", n // 14 + 1, n % 14)), (k.RUNS, 39, lambda n: ("run", n // 13 + 1, n % 13)),
            (k.TOPS, 16, lambda n: ("tops", n // 8 + 1, n % 8)),
            (k.RECENT, 4 * 46, lambda n: ("recent", n // 92, n // 46 % 2, CLASSES[n % 46]))):
        if first <= feature < first + size:
            return name(feature - first)
    raise AssertionError(feature)


def packed(action) -> int:
    return action if isinstance(action, int) else action.packed


@pytest.mark.unit
@settings(max_examples=25)
@given(GAMES)
def test_features_equal_the_slow_twin(game):
    state = under_way(*game)
    actions = state.legal_actions()
    for action, shown in itertools.product(actions[:3] + actions[-3:], (False, True)):
        if state.phase == "bid" and shown:
            continue
        found = encode.features(state.position, packed(action), shown)
        assert set(found.values()) == {1.0}
        assert {name_of(feature, shown) for feature in found} == slow(state, action, shown)


@pytest.mark.unit
def test_all_numbers_are_named_once():
    assert len({name_of(feature, False) for feature in range(encode.FEATURES)}) == encode.FEATURES


@settings(max_examples=60)
@given(GAMES)
def test_no_position_needs_more_room(game):
    state = under_way(*game)
    ids, on = np.zeros(400, np.int64), np.zeros(400, np.float32)
    assert kernels.encode_before(state.position, False, ids, on) <= kernels.MOST - 16
    assert all(kernels.changed_by(state.position, packed(action), ids, on) <= kernels.MOST - 16
               for action in state.legal_actions())


@pytest.mark.unit
@settings(max_examples=25)
@given(GAMES, st.integers(0, 10**6))
def test_one_seats_view_is_blind_to_who_holds_what(game, seed):
    state = under_way(*game)
    infoset = state.infoset()
    row = hidden.seat_hands(infoset, hidden.hidden_of(infoset).draw(1, stream(seed)))[0]
    other = _search_kernels.with_hands(state.position, row)
    for action in state.legal_actions()[:4]:
        mine = encode.features(state.position, packed(action))
        assert encode.features(other, packed(action)) == mine
        assert encode.features(seen_by(infoset), packed(action)) == mine


# --- what actions lead to -----------------------------------------------------------------------------------------------

BLUEPRINT, ORACLE = encode.blueprint(encode.untrained("seen", 1)), encode.oracle(encode.untrained("open", 2))


@settings(max_examples=40)
@given(GAMES)
def test_all_actions_at_once_equal_one_by_one(game):
    state = under_way(*game)
    position, out = state.position, np.zeros(MAX_MOVES, np.int64)
    n = legal(position, out)
    for policy, shown in ((BLUEPRINT, False), (ORACLE, True)):
        if shown and state.phase == "bid":
            continue
        wins, stakes = np.zeros(n), np.zeros(n)
        nets.rate(policy.nets, shown, position, out, n, wins, stakes)
        net = nets.net_of(policy.nets, nets.role_of(position))
        for i in range(min(n, 40)):
            action = int(out[i])
            after = step(position, action)
            if after.winner in (0, 1, 2):
                assert wins[i] == 1.0
                assert stakes[i] * _search_kernels.scale(position) == abs(doudizhu._kernels.payoff(after))
                continue
            features = encode.features(position, action, shown)
            net.ids[:len(features)], net.on[:len(features)] = list(features), list(features.values())
            nets.refresh(net, len(features), nets.NEXT)
            u = float(np.clip(nets.forward(net, nets.NEXT), -1, 1))
            _, win, lose = net.work[nets.OUT:nets.OUT + 3]
            assert wins[i] == pytest.approx(u, abs=1e-4)
            assert stakes[i] == pytest.approx(((1 + u) * win + (1 - u) * lose) / 2, abs=1e-3)


def test_the_blueprint_as_a_policy_takes_its_best_action_or_any():
    out, q = np.zeros(MAX_MOVES, np.int64), np.zeros(MAX_MOVES)
    noisy, chosen = BLUEPRINT._replace(noise=1.0), set()
    for seed in range(40):
        position = under_way(seed, 6).position
        n = legal(position, out)
        nets.blueprint_values(BLUEPRINT, position, out, n, q)
        assert nets.blueprint_choice(BLUEPRINT, position, stream(seed), out) == out[int(np.argmax(q[:n]))]
        chosen.add(nets.blueprint_choice(noisy, position, stream(seed), out) == out[int(np.argmax(q[:n]))])
    assert chosen == {True, False}


@pytest.mark.unit
def test_the_stake_may_change_while_bombs_or_spring_may_come():
    def changes(rules: str, hands: tuple[str, str, str], plays: tuple[int, int] = (2, 1)) -> bool:
        pack = doudizhu.cards.pack
        position = doudizhu._kernels.start(*map(pack, hands), 0, doudizhu.rule_set(rules).switches, 0, 0)
        return bool(nets.stake_may_change(position._replace(landlord_plays=plays[0], peasant_plays=plays[1])))

    assert not changes("standard", ("345", "67", "89"))
    assert changes("standard", ("3333", "67", "89"))
    assert changes("standard", ("3", "4455", "4455"))            # four unseen fours may lie in one hand
    assert changes("standard", ("3", "4R", "5B"))
    assert not changes("standard", ("3R", "4", "5B"))
    assert changes("standard", ("345", "67", "89"), (1, 1))      # anti-spring
    assert changes("standard", ("345", "67", "89"), (2, 0))      # spring
    assert not changes("douzero", ("345", "67", "89"), (1, 0))
    assert not changes("rlcard", ("3333", "67", "89"), (2, 1))


@pytest.mark.unit
def test_alphadous_rule():
    wins, stakes = np.array([0.1, 0.5, 0.9, 0.4]), np.array([1.0, 0.96, 0.9, 0.97])
    assert nets.best_by_rule(4, wins, stakes, 0.05) == 1         # within 5% of the best expectation, likeliest to win
    assert nets.best_by_rule(4, wins, stakes, 0.2) == 2
    assert nets.best_by_rule(4, wins, stakes, 0.0) == 0
    assert nets.best_by_rule(4, wins, stakes - 2.0, 0.05) == 1   # also when all lose
