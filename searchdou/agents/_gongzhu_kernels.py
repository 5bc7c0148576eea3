"""The hand-written Gongzhu players of the ScrofaZero paper, our own code: Mr. If and Mr. Greed (8.2)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from inference._bits_kernels import count, lowest
from inference._rng_kernels import Stream
from inference._uniform_kernels import count_deals, draw_deal
from inference.kernel import kernel
from searchdou.games.gongzhu._kernels import (
    ALL_HEARTS,
    DECK,
    DOUBLER,
    HEARTS,
    PIG,
    RANKS,
    SHEEP,
    SUIT,
    Position,
    following,
    hand_of,
    led_suit,
    pile_of,
    score,
    step,
)
from searchdou.games.gongzhu._search_kernels import HELD, LOW_CARD

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

SPADE_SUIT, DIAMOND_SUIT, CLUB_SUIT = SUIT, SUIT << (2 * RANKS), SUIT << (3 * RANKS)
OVER_PIG = 3 << 11                       # SK, SA
OVER_SHEEP = 7 << (2 * RANKS + 10)       # DQ, DK, DA
OVER_DOUBLER = 15 << (3 * RANKS + 9)     # CJ .. CA


@kernel
def highest(mask: int) -> int:
    """Index of the highest set bit; `mask` must not be 0."""
    card = 51
    while not (mask >> card) & 1:
        card -= 1
    return card


# --- Mr. If: human rules of thumb ----------------------------------------------------------------------------------

@kernel
def if_card(hand: int, legal: int, trick: int, best: int, place: int, partner_best: bool, out: int) -> int:
    """The card Mr. If plays.

    `trick` holds the cards on the table, `best` the card that is winning it (-1 when leading), `place` how many
    have played, `out` the cards neither played nor in `hand`.
    """
    if place == 0:
        return _if_lead(hand, out)
    suit = SUIT << (RANKS * (best // RANKS))
    if legal & suit:
        return _if_follow(legal, trick, best, place, partner_best, out | trick)
    return _if_discard(legal, partner_best and place >= 2, out)


@kernel
def _if_lead(hand: int, out: int) -> int:
    if out & PIG:
        low = hand & SPADE_SUIT & ~OVER_PIG          # drive the pig out while nothing of ours is above it
        if low and not hand & OVER_PIG:
            return highest(low)
    if out & SHEEP and not hand & SHEEP:
        under = hand & DIAMOND_SUIT & ~OVER_SHEEP    # low diamonds ask for the sheep only when we cover it
        if under and hand & OVER_SHEEP:
            return lowest(under)
    card, shortest = -1, 99
    for suit in range(4):
        mine = hand & (SUIT << (RANKS * suit))
        if suit == 0 and out & PIG and hand & OVER_PIG:
            continue
        if suit == HEARTS and count(hand) > 8:
            continue
        if mine and count(mine) < shortest:
            shortest, card = count(mine), lowest(mine)
    return card if card >= 0 else lowest(hand)


@kernel
def _if_follow(legal: int, trick: int, best: int, place: int, partner_best: bool, loose: int) -> int:
    """Following suit; `loose` holds the cards that may still come or have just come."""
    under = legal & ((1 << best) - 1)
    over = legal & ~((1 << (best + 1)) - 1)
    suit = best // RANKS
    last = place == 3
    if suit == 0:
        if legal & PIG and best % RANKS > 10 and not partner_best:
            return lowest(PIG)                       # the pig under an enemy's king or ace
        safe = legal & ~PIG
        if loose & PIG and not (last and not trick & PIG):
            duck = under & ~PIG
            if duck:
                return highest(duck)
            low = safe & ~OVER_PIG
            return highest(low) if low else lowest(safe if safe else legal)
        return highest(safe) if safe else lowest(legal)
    if suit == HEARTS:
        if under:
            return highest(under)
        return highest(legal) if last else lowest(legal)
    if suit == 2:
        if trick & SHEEP or (last and legal & SHEEP and over):
            if partner_best and trick & SHEEP:
                return lowest(legal)
            if over:
                return highest(over) if not last or not legal & SHEEP else lowest(legal & SHEEP)
        if legal & SHEEP and partner_best and best % RANKS > 9 and last:
            return lowest(SHEEP)
        other = legal & ~SHEEP
        low = other & ~OVER_SHEEP
        return lowest(low if low else other if other else legal)
    if trick & DOUBLER or (loose & DOUBLER and not last):
        if under & ~DOUBLER:
            return highest(under & ~DOUBLER)
        if legal & DOUBLER and under & DOUBLER and not partner_best:
            return lowest(DOUBLER)
        return lowest(legal)
    other = legal & ~DOUBLER
    return highest(other) if last and other else lowest(other if other else legal)


@kernel
def _if_discard(hand: int, partner_wins: bool, out: int) -> int:
    """Nothing of the led suit: give the enemy what hurts, the partner what helps."""
    if partner_wins and hand & SHEEP:
        return lowest(SHEEP)
    if not partner_wins and hand & PIG:
        return lowest(PIG)
    if out & PIG and hand & OVER_PIG:
        return highest(hand & OVER_PIG)
    if not partner_wins:
        if hand & ALL_HEARTS & ~(SUIT >> 4 << RANKS):
            return highest(hand & ALL_HEARTS)
        if hand & DOUBLER:
            return lowest(DOUBLER)
    if out & DOUBLER and hand & OVER_DOUBLER:
        return highest(hand & OVER_DOUBLER)
    if not partner_wins and hand & ALL_HEARTS:
        return highest(hand & ALL_HEARTS)
    rest = hand & ~(PIG | SHEEP)
    plain = rest & ~(DIAMOND_SUIT if out & SHEEP else 0)
    pool = plain if plain else rest if rest else hand
    card, top = lowest(pool), -1
    while pool:
        one = lowest(pool)
        pool &= pool - 1
        if one % RANKS > top:
            top, card = one % RANKS, one
    return card


# --- Mr. Greed: one trick ahead, over sampled hands ----------------------------------------------------------------

SHORT_SUIT = 1.0                         # points a card fewer in a suit is worth when it is led early


@kernel
def fill_worth(alive: int, worth: Floats) -> None:
    """Worth of every card when the cards of `alive` have not been played: no pig, no fear of spade aces."""
    for card in range(52):
        suit = card // RANKS
        fear = (suit == 0 and alive & PIG) or suit == HEARTS or (suit == 2 and alive & SHEEP) or \
            (suit == 3 and alive & DOUBLER)
        worth[card] = (HELD[card] if fear else 0.0) - LOW_CARD * (card % RANKS)


@kernel
def _settled(before: Position, after: Position, last: int, worth: Floats, team: int) -> float:
    """Value of a finished trick for `team`: points taken, and the worth of the cards it cost either side."""
    winner = after.leader
    gained = score(pile_of(after, winner)) - score(pile_of(before, winner))
    value = float(gained) if winner & 1 == team else -float(gained)
    lead = before.leader & 1
    spent = worth[before.trick0] - worth[before.trick1] + worth[before.trick2] - worth[last]
    return value - spent if lead == team else value + spent


@kernel
def trick_value(position: Position, worth: Floats, team: int) -> float:
    """Value for `team` of the trick under way when every player to come does its best for its own side."""
    seat = position.turn
    hand = hand_of(position, seat)
    cards = following(hand, led_suit(position))
    mine = seat & 1 == team
    best = -1e18 if mine else 1e18
    if not cards & (SUIT << (RANKS * led_suit(position))):
        cards = _discards(cards, worth)
    place = position.plays & 3
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        after = step(position, card)
        value = _settled(position, after, card, worth, team) if place == 3 else trick_value(after, worth, team)
        best = max(best, value) if mine else min(best, value)
    return best


@kernel
def _discards(hand: int, worth: Floats) -> int:
    """The two discards that matter: what is best thrown to an enemy, and what is best given to a partner.

    A discard cannot win the trick, so its points count for whoever does: this keeps the induction small.
    """
    to_enemy, to_partner, best_enemy, best_partner = 0, 0, -1e18, -1e18
    while hand:
        card = lowest(hand)
        hand &= hand - 1
        points = float(score(1 << card)) if not (1 << card) & DOUBLER else -20.0
        if -points - worth[card] > best_enemy:
            best_enemy, to_enemy = -points - worth[card], 1 << card
        if points - worth[card] > best_partner:
            best_partner, to_partner = points - worth[card], 1 << card
    return to_enemy | to_partner


@kernel
def groups_of(unseen: int, voids: Ints, seat: int, cards: Ints, sizes: Ints, allowed: Ints) -> None:
    """Unseen cards by suit for the sampler; place p is the p-th seat after `seat`, voids[s] masks s's empty suits."""
    n = 0
    for suit in range(4):
        mine = unseen & (SUIT << (RANKS * suit))
        sizes[suit] = count(mine)
        allowed[suit] = 0
        for place in range(3):
            if not voids[(seat + 1 + place) & 3] & (SUIT << (RANKS * suit)):
                allowed[suit] |= 1 << place
        while mine:
            cards[n] = lowest(mine)
            mine &= mine - 1
            n += 1


@kernel
def greed_values(position: Position, seat: int, voids: Ints, left: Ints, samples: int, rng: Stream,
                 values: Floats) -> int:
    """Mean value of every legal card of `seat` over sampled hands, into `values` [52]; returns the legal mask.

    `position` is what the seat sees: its own hand, piles and trick; the other hands are ignored.
    """
    hand = hand_of(position, seat)
    legal = following(hand, led_suit(position))
    values[:] = 0.0
    if count(legal) == 1:
        return legal
    table_cards = 0
    for card in (position.trick0, position.trick1, position.trick2):
        if card >= 0:
            table_cards |= 1 << card
    played = position.pile0 | position.pile1 | position.pile2 | position.pile3 | table_cards
    unseen = DECK & ~played & ~hand
    cards = np.empty(39, np.int64)
    sizes = np.empty(4, np.int64)
    allowed = np.empty(4, np.int64)
    groups_of(unseen, voids, seat, cards, sizes, allowed)
    capacity = np.empty(3, np.int64)
    for place in range(3):
        capacity[place] = left[(seat + 1 + place) & 3]
    table = np.empty((5, 14, 14), np.int64)
    owner = np.empty(39, np.int64)
    count_deals(sizes, allowed, capacity, table)
    worth = np.empty(52)
    fill_worth(DECK & ~played | table_cards, worth)
    team = seat & 1
    unseen_count = count(unseen)
    for _ in range(samples):
        draw_deal(cards, sizes, allowed, capacity, table, rng, owner)
        hands0, hands1, hands2 = 0, 0, 0
        for k in range(unseen_count):
            if owner[k] == 0:
                hands0 |= 1 << cards[k]
            elif owner[k] == 1:
                hands1 |= 1 << cards[k]
            else:
                hands2 |= 1 << cards[k]
        world = _seated(position, seat, hand, hands0, hands1, hands2)
        moves = legal
        while moves:
            card = lowest(moves)
            moves &= moves - 1
            after = step(world, card)
            if position.plays & 3 == 3:
                values[card] += _settled(world, after, card, worth, team)
            else:
                values[card] += trick_value(after, worth, team)
    moves = legal
    while moves:
        card = lowest(moves)
        moves &= moves - 1
        values[card] /= samples
        if led_suit(position) < 0 and position.plays < 24:
            values[card] -= SHORT_SUIT * count(hand & (SUIT << (RANKS * (card // RANKS))))
    return legal


@kernel
def _seated(p: Position, seat: int, hand: int, one: int, two: int, three: int) -> Position:
    """`p` with `hand` on `seat` and the sampled hands on the seats after it."""
    if seat == 0:
        return Position(hand, one, two, three, p.pile0, p.pile1, p.pile2, p.pile3, p.trick0, p.trick1, p.trick2,
                        p.leader, p.turn, p.plays, p.voids)
    if seat == 1:
        return Position(three, hand, one, two, p.pile0, p.pile1, p.pile2, p.pile3, p.trick0, p.trick1, p.trick2,
                        p.leader, p.turn, p.plays, p.voids)
    if seat == 2:
        return Position(two, three, hand, one, p.pile0, p.pile1, p.pile2, p.pile3, p.trick0, p.trick1, p.trick2,
                        p.leader, p.turn, p.plays, p.voids)
    return Position(one, two, three, hand, p.pile0, p.pile1, p.pile2, p.pile3, p.trick0, p.trick1, p.trick2,
                    p.leader, p.turn, p.plays, p.voids)
