"""Compiled rules of One Against Two, a whist of twelve cards: ints in, ints out, nothing validated.

Card = 4 * suit + rank, three suits of four. Seat 0 plays alone against seats 1 and 2, four cards each, and leads first.
Follow suit if you can; the highest card of the led suit takes the trick, a point, and leads the next.
"""

from types import SimpleNamespace
from typing import NamedTuple

from inference._game_kernels import register, register_policy
from inference._rng_kernels import below
from inference.kernel import kernel

SEATS, RANKS, CARDS = 3, 4, 12
SUIT, DECK = (1 << RANKS) - 1, (1 << CARDS) - 1      # the first suit and all cards, as masks


class State(NamedTuple):
    """Everything the rules need, all cards open."""
    hands: int     # three masks of 12 bits, seat 0 lowest
    best: int      # the card that takes the trick as it lies (its suit was led), -1 when the seat to play leads
    taker: int     # who played it
    turn: int      # seat to play
    plays: int     # cards played since the start
    won: int       # tricks of seat 0 less those of the others


@kernel
def legal(state, out):
    hand = state.hands >> (CARDS * state.turn) & DECK
    same = hand & (SUIT << (state.best // RANKS * RANKS)) if state.best >= 0 else 0
    n = 0
    for card in range(CARDS):
        if (same if same else hand) >> card & 1:
            out[n] = card
            n += 1
    return n


@kernel
def takes(state, card):
    return state.best < 0 or (card > state.best and card // RANKS == state.best // RANKS)


@kernel
def step(state, action):
    hands = state.hands & ~(1 << (CARDS * state.turn + action))
    best, taker = (action, state.turn) if takes(state, action) else (state.best, state.taker)
    turn, plays, won = (state.turn + 1) % SEATS, state.plays + 1, state.won
    if plays % SEATS == 0:
        best, turn, won = -1, taker, won + (1 if taker == 0 else -1)
    return State(hands, best, taker, turn, plays, won)


@kernel
def with_hands(state, hands):
    packed = hands[0] | hands[1] << CARDS | hands[2] << (2 * CARDS)
    return State(packed, state.best, state.taker, state.turn, state.plays, state.won)


register(State, SimpleNamespace(
    legal=legal, moves=legal, step=step, with_hands=with_hands,
    turn=kernel(lambda state: state.turn),
    side=kernel(lambda state: 0 if state.turn == 0 else 1),
    over=kernel(lambda state: state.plays == CARDS),
    points=kernel(lambda state: float(state.won)),
    cards_left=kernel(lambda state: CARDS - state.plays),
    key=kernel(lambda state: (state.hands, (state.best + 1) * 16 + state.taker * 4 + state.turn)),
    settled=kernel(lambda state: state.won),
    scale=kernel(lambda state: 1)))


class Thrifty(NamedTuple):
    """A policy: takes what nobody can take back, else spends low cards; one time in `noise` any legal card."""
    noise: int = 8


@kernel
def worth(state, card):
    own = state.hands >> (CARDS * state.turn) & DECK
    unseen = (state.hands | state.hands >> CARDS | state.hands >> (2 * CARDS)) & DECK & ~own    # the rest of the deck
    higher = unseen & (SUIT << (card // RANKS * RANKS)) & ~((2 << card) - 1)
    return (1.0 if takes(state, card) and higher == 0 else 0.0) - 0.1 * (card % RANKS)


@kernel
def thrifty_values(policy, state, actions, n, q):
    for i in range(n):
        q[i] = worth(state, actions[i])


@kernel
def thrifty_choice(policy, state, rng, out):
    n = legal(state, out)
    best = out[below(rng, n)]
    for i in range(n if below(rng, policy.noise) else 0):
        best = out[i] if worth(state, out[i]) > worth(state, best) else best
    return best


register_policy(Thrifty, SimpleNamespace(choose=thrifty_choice, values=thrifty_values))
