"""The hand-written DouDizhu player, compiled: plan the hand, price every move, cooperate, keep bombs.

A plan is a partition of the hand into plays, and a play's price says how much it hinders: near 1 when the
enemy will beat it, below 0 when it wins the lead back. The best plan has the least total price; playing a
move is worth what it takes off the plan.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inference._bits_kernels import count, lowest
from inference._game_kernels import register_policy
from inference._rng_kernels import Stream
from inference.kernel import kernel
from searchdou.games.doudizhu._kernels import (
    BLACK_BIT,
    BOMB,
    CARDS,
    CHAIN_PAIR,
    CHAIN_SOLO,
    CHAINABLE,
    JOKERS,
    KIND_CATEGORY,
    KIND_LENGTH,
    KIND_RANK,
    KIND_SHIFT,
    KINDS,
    MAX_MOVES,
    ONES,
    PAIR,
    PASS,
    PLANE,
    PLANE_PAIR,
    PLANE_SOLO,
    QUAD_CHAIN,
    QUAD_PAIR,
    QUAD_SOLO,
    RED_BIT,
    ROCKET,
    SOLO,
    SUITED,
    TRIO,
    TRIO_PAIR,
    TRIO_SOLO,
    Position,
    beating_moves,
    hand_of,
    lead_moves,
    size,
)

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

# Prices are in plays. Tuned by matches against itself and the RLCard agent (benchmarks/tune_rule.py).
CONTROL = 0        # what a play that is never beaten gives back
BOMB_VALUE = 1     # what a bomb gives back on top
INITIATIVE = 2     # worth of taking the lead from the enemy
URGENCY = 3        # more of it when the enemy has few cards: divided by their number
PARTNER = 4        # price of taking the lead from the partner
HIGH_LEAD = 5      # price of leading high, by the share of ranks below
LONG_LEAD = 6      # worth of leading many cards, each
DANGER = 7         # price of leading what an enemy with that many cards may beat and win with
FEED = 8           # worth of leading a solo the partner with one card can win with
SOLO_ODDS = 9      # chance that one higher unseen combination stands where it can be used: solos
PAIR_ODDS = 10     # ... pairs
TRIO_ODDS = 11     # ... trios
CHAIN_ODDS = 12    # ... chains, planes, quads
DEFAULTS = np.array([0.09, 0.743, 0.056, 3.285, 0.41, 1.236, 0.192, 17.851, 0.952, 0.771, 0.175, 0.048, 0.19])

# Prices of a 17-card hand up to which it bids 3, 2, 1: below 3.5 a landlord wins points (tune_rule.py --bids 4000).
BID_PRICES = np.array([2.4, 3.0, 3.6])


@kernel
def higher(kind: int, pool: int) -> int:
    """How many main parts in `pool` beat `kind` in its own category."""
    category = KIND_CATEGORY[kind]
    rank = KIND_RANK[kind]
    low = pool & SUITED
    above = ONES & ~((1 << (4 * (rank + 1))) - 1) if rank < 12 else 0
    if category == SOLO:
        ones = (low | (low >> 1) | (low >> 2)) & above
        return count(ones & ONES) + (rank < 13 and pool & BLACK_BIT != 0) + (rank < 14 and pool & RED_BIT != 0)
    if category == PAIR:
        return count(((low >> 1) | (low >> 2)) & above)
    threes = (((low >> 1) & low) | (low >> 2)) & ONES
    if category == TRIO or category == TRIO_SOLO or category == TRIO_PAIR:
        return count(threes & above)
    fours = (low >> 2) & ONES
    if category == BOMB or category == QUAD_SOLO or category == QUAD_PAIR:
        return count(fours & above)
    if category == PASS or category == ROCKET:
        return 0
    main = threes
    if category == CHAIN_SOLO:
        main = (low | (low >> 1) | (low >> 2)) & ONES
    elif category == CHAIN_PAIR:
        main = ((low >> 1) | (low >> 2)) & ONES
    elif category >= QUAD_CHAIN:
        main = fours
    runs = main & CHAINABLE
    for i in range(1, KIND_LENGTH[kind]):
        runs &= (main & CHAINABLE) >> (4 * i)
    return count(runs & above)


class Scratch(NamedTuple):
    """What a decision writes into; one a thread, used again and again."""

    price: Floats      # [KINDS] what playing a kind costs, UNKNOWN until it is asked for
    hands: Ints        # [power of two] hands whose plan is known,
    totals: Floats     # [the same] its price,
    plays: Ints        # [the same] and its first play
    out: Ints          # moves of all depths of the plan
    fixed: Ints        # [1] 0, or the packed cards that all prices are reckoned against until it is set anew


def new_scratch(bits: int = 12) -> Scratch:
    """Room for one thread; 2^bits plans are kept."""
    return Scratch(np.empty(KINDS), np.zeros(1 << bits, np.int64), np.empty(1 << bits), np.zeros(1 << bits, np.int64),
                   np.empty(26 * MAX_MOVES, np.int64), np.zeros(1, np.int64))


class Seen(NamedTuple):
    """What the player looks at."""

    hand: int
    to_beat: int           # kind on the table, 0 when leading
    rules: int
    pool: int              # the cards of the two others together
    partner_led: bool      # the move on the table is the partner's
    landlord: bool         # this seat is the landlord
    left_next: int         # cards of the next player
    left_after: int        # cards of the one after
    next_is_landlord: bool


FIXED_SHARE = 0.55     # the landlord's part of the unseen cards, where prices are fixed for a whole search
UNKNOWN = 1e30         # in the price lists: not asked for yet


@kernel
def price_of(kind: int, seen: Seen, weights: Floats, scratch: Scratch) -> float:
    """What playing `kind` costs: the chance that the enemy beats it, below 0 for what wins the lead back.

    Worked out when first asked for: a hand makes a few dozen of the hundreds of kinds.
    """
    if scratch.price[kind] != UNKNOWN:
        return scratch.price[kind]
    category = KIND_CATEGORY[kind]
    odds = weights[CHAIN_ODDS]
    if category == SOLO:
        odds = weights[SOLO_ODDS]
    elif category == PAIR:
        odds = weights[PAIR_ODDS]
    elif category == TRIO or category == TRIO_SOLO or category == TRIO_PAIR:
        odds = weights[TRIO_ODDS]
    pool, share = seen.pool, enemy_share(seen)
    if scratch.fixed[0]:
        pool, share = scratch.fixed[0], 1.0 if seen.landlord else FIXED_SHARE
    beaten = 1.0 - (1.0 - odds * share) ** higher(kind, pool)
    price = beaten * (1.0 + weights[CONTROL]) - weights[CONTROL]
    if category == BOMB or category == ROCKET:
        price -= weights[BOMB_VALUE]
    scratch.price[kind] = price
    return price


@kernel
def beatable(kind: int, cards: int, seen: Seen) -> bool:
    """Whether an enemy could beat a move of this kind and number of cards, as far as this seat knows."""
    if KIND_CATEGORY[kind] == ROCKET:
        return False
    _, most, _ = sides(seen)
    bombs = ((seen.pool >> 2) & ONES != 0 and most >= 4) or ((seen.pool & JOKERS) == JOKERS and most >= 2)
    return bombs or (cards <= most and higher(kind, seen.pool) > 0)


@kernel
def enemy_share(seen: Seen) -> float:
    """The enemy's part of the unseen cards."""
    _, enemy, partner = sides(seen)
    return 1.0 if seen.landlord else enemy / (enemy + partner)


@kernel
def sides(seen: Seen) -> tuple[int, int, int]:
    """Cards of the enemy's shorter and longer hand, and of the partner (0 for the landlord)."""
    if seen.landlord:
        return min(seen.left_next, seen.left_after), max(seen.left_next, seen.left_after), 0
    enemy = seen.left_next if seen.next_is_landlord else seen.left_after
    return enemy, enemy, seen.left_after if seen.next_is_landlord else seen.left_next


@kernel
def _slot(hand: int, hands: Ints) -> int:
    """Where `hand` is kept: its own place, or the one it may take."""
    mask = hands.size - 1
    h = (hand & 0x7FFFFFF) * 0x2545F491 + (hand >> 27) * 0x1B873593
    slot = (h ^ (h >> 23)) & mask
    for _ in range(8):
        if hands[slot] == hand or hands[slot] == 0:
            break
        slot = (slot + 1) & mask
    return slot


KIND_MAIN = np.zeros(KINDS, np.int64)       # the cards of a kind without its kickers
for _kind in range(KINDS):
    _copies = {SOLO: 1, PAIR: 2, TRIO: 3, TRIO_SOLO: 3, TRIO_PAIR: 3, CHAIN_SOLO: 1, CHAIN_PAIR: 2, PLANE: 3,
               PLANE_SOLO: 3, PLANE_PAIR: 3, PASS: 0}.get(int(KIND_CATEGORY[_kind]), 4)
    _rank, _length = int(KIND_RANK[_kind]), int(KIND_LENGTH[_kind])
    if KIND_CATEGORY[_kind] == ROCKET:
        KIND_MAIN[_kind] = JOKERS
    elif _rank > 12:
        KIND_MAIN[_kind] = 1 << (39 + _rank)
    else:
        KIND_MAIN[_kind] = sum(_copies << (4 * (_rank + i)) for i in range(_length))
DEAR = JOKERS | (7 << 48) | (7 << 44)       # the jokers, twos and aces: too good to ride along
FEW = 8                                     # with this many cards or fewer anything goes


@kernel
def wasteful(move: int, hand: int) -> bool:
    """Whether a move carries a kicker no planner would give: an ace or better, or one torn from a pair."""
    kickers = (move & CARDS) - KIND_MAIN[move >> KIND_SHIFT]
    if kickers == 0:
        return False
    single = kickers & ~(kickers >> 1) & ONES
    paired = ((hand >> 1) | (hand >> 2)) & ONES
    return kickers & DEAR != 0 or single & paired != 0


@kernel
def plan(hand: int, seen: Seen, weights: Floats, scratch: Scratch, out: Ints) -> float:
    """The least total price of a partition of `hand` into plays; the scratch keeps what was found."""
    if hand == 0:
        return 0.0
    slot = _slot(hand, scratch.hands)
    if scratch.hands[slot] == hand:
        return scratch.totals[slot]
    n = lead_moves(hand, seen.rules, out)
    # Some play holds the lowest card, and the order of plays does not change the price: try only those.
    first = lowest(hand)
    pivot = 7 << (first & ~3) if first < 52 else hand & -hand
    best, best_play = 1e9, 0
    many = size(hand) > FEW
    for i in range(n):
        if out[i] & pivot & CARDS:
            if many and wasteful(out[i], hand):
                continue                               # keeps the plan of a long hand small
            total = price_of(out[i] >> KIND_SHIFT, seen, weights, scratch)
            total += plan(hand - (out[i] & CARDS), seen, weights, scratch, out[n:])
            if total < best:
                best, best_play = total, out[i]
    slot = _slot(hand, scratch.hands)
    scratch.hands[slot] = hand
    scratch.totals[slot] = best
    scratch.plays[slot] = best_play
    return best


@kernel
def planned_plays(hand: int, seen: Seen, weights: Floats, scratch: Scratch, plays: Ints, out: Ints) -> int:
    """Write the plays of the best plan; returns how many."""
    n = 0
    while hand:
        plan(hand, seen, weights, scratch, out)
        plays[n] = scratch.plays[_slot(hand, scratch.hands)]
        hand -= plays[n] & CARDS
        n += 1
    return n


@kernel
def sure_win(hand: int, seen: Seen, loose: int, rules: int, out: Ints) -> bool:
    """Whether `hand` can be played out from the lead with at most `loose` plays that the enemy could beat."""
    if hand == 0:
        return True
    n = lead_moves(hand, rules, out)
    for i in range(n):
        if (out[i] & CARDS) == hand and loose > 0:
            return True
    first = lowest(hand)
    pivot = 7 << (first & ~3) if first < 52 else hand & -hand
    for i in range(n):
        cards = out[i] & CARDS
        if cards & pivot:
            risky = beatable(out[i] >> KIND_SHIFT, size(cards), seen)
            if loose >= risky and sure_win(hand - cards, seen, loose - risky, rules, out[n:]):
                return True
    return False


@kernel
def begin(scratch: Scratch) -> None:
    """Forget what the last decision found: prices depend on what is seen, unless they are fixed."""
    if scratch.fixed[0] == 0:
        scratch.price[:] = UNKNOWN
        scratch.hands[:] = 0


SURE_CARDS = 12        # sure wins are looked for with this many cards or fewer


@kernel
def choose(seen: Seen, weights: Floats, scratch: Scratch) -> int:
    """The move to play: go out if possible, win for sure if possible, else the move of the best score.

    A lead is one of the plays of the best plan, an answer any legal move.
    """
    out = scratch.out
    n = beating_moves(seen.hand, seen.to_beat, seen.rules, out) if seen.to_beat else lead_moves(seen.hand, seen.rules, out)
    if n == 1:
        return out[0]
    for i in range(n):
        if out[i] and (out[i] & CARDS) == seen.hand:
            return out[i]
    if size(seen.hand) <= SURE_CARDS:
        # Not a literal 1: it would make a second specialisation of sure_win, and two that recur crash from the cache.
        one = min(size(seen.hand), 1)
        for i in range(n):
            cards = out[i] & CARDS
            if out[i] and not beatable(out[i] >> KIND_SHIFT, size(cards), seen):
                if sure_win(seen.hand - cards, seen, one, seen.rules, out[n:]):
                    return out[i]
    begin(scratch)
    if seen.to_beat == 0:
        n = planned_plays(seen.hand, seen, weights, scratch, out, out[24:])
    best, best_score = 0, 1e18
    for i in range(n):
        # Without one of its plays the best plan is the best plan of what is left: planned leads all total the same.
        score = _lead_score(seen, out[i], weights) if seen.to_beat == 0 else _score(seen, out[i], weights, scratch, out[n:])
        if score < best_score:
            best, best_score = out[i], score
    return best


@kernel
def move_scores(seen: Seen, actions: Ints, n: int, weights: Floats, scratch: Scratch, scores: Floats) -> None:
    """Score of each of n moves, in plays, the lower the better; what `choose` compares."""
    begin(scratch)
    for i in range(n):
        scores[i] = _score(seen, actions[i], weights, scratch, scratch.out)


@kernel
def _score(seen: Seen, move: int, weights: Floats, scratch: Scratch, work: Ints) -> float:
    """Price of the plan after `move`, and what the move itself gains or risks."""
    score = plan(seen.hand - (move & CARDS), seen, weights, scratch, work)
    enemy_least, _, _ = sides(seen)
    if seen.to_beat:
        if move == 0:
            return score
        if seen.partner_led:
            return score + weights[PARTNER]
        return score - weights[INITIATIVE] - weights[URGENCY] / enemy_least
    return score + price_of(move >> KIND_SHIFT, seen, weights, scratch) + _lead_score(seen, move, weights)


@kernel
def _lead_score(seen: Seen, move: int, weights: Floats) -> float:
    """What leading `move` gains or risks, beside the plan: low and long first, no gifts, no bombs."""
    kind = move >> KIND_SHIFT
    cards = size(move & CARDS)
    _, _, partner_left = sides(seen)
    score = weights[HIGH_LEAD] * KIND_RANK[kind] / 12.0 - weights[LONG_LEAD] * cards
    if KIND_CATEGORY[kind] == BOMB or KIND_CATEGORY[kind] == ROCKET:
        score += weights[BOMB_VALUE]     # a bomb answers, it does not lead
    enemy_next = seen.landlord or seen.next_is_landlord
    enemy_after = seen.landlord or not seen.next_is_landlord
    if (enemy_next and cards == seen.left_next) or (enemy_after and cards == seen.left_after):
        if higher(kind, seen.pool) > 0:
            score += weights[DANGER] * (1.0 - KIND_RANK[kind] / 20.0)
    if partner_left == 1 and not seen.next_is_landlord and KIND_CATEGORY[kind] == SOLO:
        score -= weights[FEED] * (1.0 - KIND_RANK[kind] / 15.0)
    return score


@kernel
def hand_price(hand: int, rules: int, pool: int, weights: Floats, scratch: Scratch) -> float:
    """What the plan of a 17-card hand costs a landlord, before the three cards: the lower the better."""
    begin(scratch)
    return plan(hand, Seen(hand, 0, rules, pool, False, True, 17, 17, False), weights, scratch, scratch.out)


@kernel
def choose_bid(hand: int, rules: int, pool: int, highest: int, weights: Floats, scratch: Scratch) -> int:
    """The bid: 3, 2 or 1 by the price of the hand, 0 when it is not above the highest so far."""
    price = hand_price(hand, rules, pool, weights, scratch)
    bid = 3 if price <= BID_PRICES[0] else 2 if price <= BID_PRICES[1] else 1 if price <= BID_PRICES[2] else 0
    return bid if bid > highest else 0


# --- the same player as a policy of the generic search -------------------------------------------------------------

class RulePolicy(NamedTuple):
    """`rule` for rollouts and weights: every seat looks at its own hand and the union of the others'."""

    weights: Floats
    landlord: Scratch
    peasant: Scratch
    unit: float            # points a play is worth, where values are asked for


def rule_policy(unit: float = 1.0) -> RulePolicy:
    """A policy with scratch of its own: one a thread."""
    return RulePolicy(DEFAULTS.copy(), new_scratch(16), new_scratch(16), unit)


def fix_prices(policy: RulePolicy, pool: int) -> None:
    """Reckon all prices against `pool` from now on (0: against what every seat sees, each time anew).

    With fixed prices a hand's plan never changes, so it is worked out once for all rollouts of a decision: this is
    what makes `rule` quick enough to roll out by.
    """
    for scratch in (policy.landlord, policy.peasant):
        scratch.fixed[0] = 0
        begin(scratch)
        scratch.fixed[0] = pool


@kernel
def seen_by(position: Position) -> Seen:
    """What the seat to act sees of an open position."""
    seat = position.turn
    after, before = (seat + 1) % 3, (seat + 2) % 3
    next_hand, last_hand = hand_of(position, after), hand_of(position, before)
    owner = (seat + 2 - position.passes) % 3
    partner_led = position.to_beat != 0 and seat != position.landlord and owner != position.landlord
    return Seen(hand_of(position, seat), position.to_beat, position.rules, next_hand + last_hand, partner_led,
                seat == position.landlord, size(next_hand), size(last_hand), after == position.landlord)


@kernel
def policy_choice(policy: RulePolicy, position: Position, rng: Stream, out: Ints) -> int:
    """What `rule` does here."""
    if position.landlord < 0:
        pool = position.hand0 + position.hand1 + position.hand2 + position.kitty - hand_of(position, position.turn)
        return choose_bid(hand_of(position, position.turn), position.rules, pool, position.bid, policy.weights,
                          policy.landlord)
    return choose(seen_by(position), policy.weights, _scratch_of(policy, position))


@kernel
def _scratch_of(policy: RulePolicy, position: Position) -> Scratch:
    return policy.landlord if position.turn == position.landlord else policy.peasant


@kernel
def policy_values(policy: RulePolicy, position: Position, actions: Ints, n: int, q: Floats) -> None:
    """Scores of the actions turned into points; bids by how far the hand's price is from each bid's limit."""
    if position.landlord < 0:
        hand = hand_of(position, position.turn)
        pool = position.hand0 + position.hand1 + position.hand2 + position.kitty - hand
        price = hand_price(hand, position.rules, pool, policy.weights, policy.landlord)
        for i in range(n):
            limit = BID_PRICES[3 - actions[i]] if actions[i] else BID_PRICES[2] + 0.6
            q[i] = -policy.unit * abs(price - limit)
        return
    move_scores(seen_by(position), actions, n, policy.weights, _scratch_of(policy, position), q)
    for i in range(n):
        q[i] *= -policy.unit


register_policy(RulePolicy, SimpleNamespace(choose=policy_choice, values=policy_values))
