"""The hand-written DouDizhu player, compiled: plan the hand, price every move, cooperate, keep bombs.

A plan is a partition of the hand into plays, and a play's price says how much it hinders: near 1 when the
enemy will beat it, below 0 when it wins the lead back. The best plan has the least total price; playing a
move is worth what it takes off the plan.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from inference._bits_kernels import count, lowest
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
    beating_moves,
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
DEFAULTS = np.array([0.3, 0.6, 0.1, 1.0, 0.5, 0.5, 0.05, 2.0, 1.0, 0.4, 0.35, 0.3, 0.2])


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


@kernel
def fill_prices(pool: int, enemy_share: float, enemy_most: int, weights: Floats, price: Floats, beatable: Floats) -> None:
    """Price of every kind against the unseen `pool`, and whether the enemy could beat it at all (1.0 or 0.0).

    `enemy_share` is the enemy's part of the unseen cards, `enemy_most` the cards of its longest hand.
    """
    fours = (pool >> 2) & ONES
    bombs = (fours != 0 and enemy_most >= 4) or ((pool & JOKERS) == JOKERS and enemy_most >= 2)
    for kind in range(KINDS):
        category = KIND_CATEGORY[kind]
        n = higher(kind, pool)
        odds = weights[CHAIN_ODDS]
        if category == SOLO:
            odds = weights[SOLO_ODDS]
        elif category == PAIR:
            odds = weights[PAIR_ODDS]
        elif category == TRIO or category == TRIO_SOLO or category == TRIO_PAIR:
            odds = weights[TRIO_ODDS]
        beaten = 1.0 - (1.0 - odds * enemy_share) ** n
        price[kind] = beaten * (1.0 + weights[CONTROL]) - weights[CONTROL]
        beatable[kind] = 1.0 if n > 0 or bombs else 0.0
        if category == BOMB:
            price[kind] -= weights[BOMB_VALUE]
        elif category == ROCKET:
            price[kind] -= weights[BOMB_VALUE]
            beatable[kind] = 0.0


@kernel
def plan(hand: int, price: Floats, rules: int, hands: Ints, totals: Floats, out: Ints) -> float:
    """The least total price of a partition of `hand` into plays; `hands`, `totals` keep what was found."""
    if hand == 0:
        return 0.0
    mask = hands.size - 1
    h = (hand & 0x7FFFFFF) * 0x2545F491 + (hand >> 27) * 0x1B873593
    slot = (h ^ (h >> 23)) & mask
    for _ in range(8):
        if hands[slot] == hand:
            return totals[slot]
        if hands[slot] == 0:
            break
        slot = (slot + 1) & mask
    n = lead_moves(hand, rules, out)
    # Some play holds the lowest card, and the order of plays does not change the price: try only those.
    first = lowest(hand)
    pivot = 7 << (first & ~3) if first < 52 else hand & -hand
    best = 1e9
    for i in range(n):
        if out[i] & pivot & CARDS:
            total = price[out[i] >> KIND_SHIFT] + plan(hand - (out[i] & CARDS), price, rules, hands, totals, out[n:])
            best = min(best, total)
    hands[slot] = hand
    totals[slot] = best
    return best


@kernel
def choose(hand: int, to_beat: int, rules: int, pool: int, partner_led: bool, landlord: bool, left_next: int,
           left_after: int, next_is_enemy: bool, weights: Floats) -> int:
    """The move to play.

    `left_next` and `left_after` are the cards of the next player and the one after; `partner_led` says that
    the move on the table is the partner's.
    """
    out = np.empty(26 * MAX_MOVES, np.int64)
    n = beating_moves(hand, to_beat, rules, out) if to_beat else lead_moves(hand, rules, out)
    if n == 1:
        return out[0]
    for i in range(n):
        if out[i] and (out[i] & CARDS) == hand:
            return out[i]
    work = out[n:]
    partner_left = 0
    if landlord:
        enemy_least, enemy_most, enemy_share = min(left_next, left_after), max(left_next, left_after), 1.0
    else:
        enemy = left_next if next_is_enemy else left_after
        partner_left = left_after if next_is_enemy else left_next
        enemy_least, enemy_most, enemy_share = enemy, enemy, enemy / (enemy + partner_left)
    price = np.empty(KINDS, np.float64)
    beatable = np.empty(KINDS, np.float64)
    fill_prices(pool, enemy_share, enemy_most, weights, price, beatable)
    # A sure win: every play but the last is one the enemy cannot beat.
    hands = np.zeros(1 << 14, np.int64)
    totals = np.empty(1 << 14, np.float64)
    for i in range(n):
        kind = out[i] >> KIND_SHIFT
        if out[i] and (beatable[kind] == 0.0 or size(out[i] & CARDS) > max(enemy_most, 4)):
            if plan(hand - (out[i] & CARDS), beatable, rules, hands, totals, work) <= 1.0:
                return out[i]
    hands[:] = 0
    best = 0
    best_score = 1e18
    for i in range(n):
        move = out[i]
        score = plan(hand - (move & CARDS), price, rules, hands, totals, work)
        if to_beat:
            if move:
                if partner_led:
                    score += weights[PARTNER]
                else:
                    score -= weights[INITIATIVE] + weights[URGENCY] / enemy_least
        else:
            kind = move >> KIND_SHIFT
            cards = size(move & CARDS)
            score += price[kind] + weights[HIGH_LEAD] * KIND_RANK[kind] / 12.0 - weights[LONG_LEAD] * cards
            if KIND_CATEGORY[kind] == BOMB or KIND_CATEGORY[kind] == ROCKET:
                score += weights[BOMB_VALUE]     # a bomb answers, it does not lead
            risky = beatable[kind] > 0.0 and higher(kind, pool) > 0
            if risky and (((landlord or next_is_enemy) and cards == left_next) or (landlord and cards == left_after)
                          or (not landlord and not next_is_enemy and cards == left_after)):
                score += weights[DANGER] * (1.0 - KIND_RANK[kind] / 20.0)
            if partner_left == 1 and not next_is_enemy and KIND_CATEGORY[kind] == SOLO:
                score -= weights[FEED] * (1.0 - KIND_RANK[kind] / 15.0)
        if score < best_score:
            best, best_score = move, score
    return best


@kernel
def hand_price(hand: int, rules: int, pool: int, weights: Floats) -> float:
    """What the plan of a 17-card hand costs a landlord, before the three cards: the lower the better."""
    price = np.empty(KINDS, np.float64)
    beatable = np.empty(KINDS, np.float64)
    fill_prices(pool, 1.0, 17, weights, price, beatable)
    hands = np.zeros(1 << 14, np.int64)
    totals = np.empty(1 << 14, np.float64)
    return plan(hand, price, rules, hands, totals, np.empty(26 * MAX_MOVES, np.int64))
