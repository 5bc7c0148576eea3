"""Hidden hands done slowly: every deal by trying every place for every card, every score by replaying the game.

Nothing here knows how `inference` groups, counts or ranks deals. A deal is a tuple of hands in text, one for each place.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from searchdou.games import doudizhu, gongzhu
from searchdou.games.doudizhu.cards import RANKS
from searchdou.games.doudizhu.cards import pack as pack_ranks
from searchdou.games.gongzhu.cards import pack as pack_cards

# --- deals ------------------------------------------------------------------------------------------------------------


def owners(cards, room, allowed):
    """Every way to give each card (told apart) a place with room left that `allowed(card, place)`: tuples of places."""
    if not cards:
        yield ()
        return
    for place in range(len(room)):
        if room[place] and allowed(cards[0], place):
            less = [n - (p == place) for p, n in enumerate(room)]
            for rest in owners(cards[1:], less, allowed):
                yield (place, *rest)


def gongzhu_deals(infoset):
    """All deals of the unseen cards to the three other seats, in order of play after the infoset's seat, as card sets."""
    others = [(infoset.seat + i) % 4 for i in (1, 2, 3)]
    cards = infoset.unseen.split()
    for places in owners(cards, [infoset.cards_left[seat] for seat in others],
                         lambda card, place: card[0] not in infoset.voids[others[place]]):
        yield tuple(frozenset(card for card, p in zip(cards, places, strict=True) if p == place) for place in range(3))


def doudizhu_deals(infoset):
    """All deals of the unseen cards, copies told apart, to the two others (and the kitty while bidding), as sorted text.

    The landlord still holds the public cards it has not played.
    """
    seats = [(infoset.seat + i) % 3 for i in (1, 2)]
    known = ""
    if infoset.landlord is not None and infoset.landlord != infoset.seat:
        played = "".join(move.cards for seat, move in infoset.history if seat == infoset.landlord)
        known = "".join((Counter(infoset.public) - Counter(played)).elements())
    fixed = [known if seat == infoset.landlord else "" for seat in seats]
    room = [infoset.cards_left[seat] - len(cards) for seat, cards in zip(seats, fixed, strict=True)]
    if infoset.landlord is None:
        fixed, room = [*fixed, ""], [*room, 3]
    loose = "".join((Counter(infoset.unseen) - Counter(known)).elements())
    for places in owners(loose, room, lambda card, place: True):
        yield tuple("".join(sorted(fixed[place] + "".join(c for c, p in zip(loose, places, strict=True) if p == place)))
                    for place in range(len(room)))


def packed(deal):
    """The hands of a deal as the engine packs them."""
    return tuple(pack_ranks(hand) if isinstance(hand, str) else pack_cards(" ".join(hand)) for hand in deal)


def distribution(deals):
    """Probability of every distinct deal, packed, when all ways are alike."""
    counts = Counter(packed(deal) for deal in deals)
    total = sum(counts.values())
    return {hands: n / total for hands, n in counts.items()}


# --- scores -----------------------------------------------------------------------------------------------------------

def gamma(values, chosen, beta):
    """Equation 12: e^(-beta regret)."""
    return math.exp(-beta * (max(values.values()) - values[chosen]))


def factor(values, chosen, beta, rule):
    """What one action multiplies the score of a deal by; `values` is what the player thought of every legal action."""
    if rule == "linear":
        return max(1 - beta * (max(values.values()) - values[chosen]), 0.1)
    if rule == "bayes":                                                          # equation 13
        return gamma(values, chosen, beta) / sum(gamma(values, action, beta) for action in values)
    return gamma(values, chosen, beta)


def values_of(state, policy, kernel):
    """What a compiled policy thinks of every legal action of a State: {action: points}."""
    actions = state.legal_actions()
    codes = np.array([action if isinstance(action, int) else getattr(action, "card", getattr(action, "packed", None))
                      for action in actions], np.int64)
    q = np.empty(len(codes))
    kernel(policy, state.position, codes, len(codes), q)
    return dict(zip(actions, q.tolist(), strict=True))


def log_score(state, actions, weighed, policy, kernel, beta, rule):
    """Replay `actions` on `state` (all hands open); the log of the product of the factors of those `weighed`."""
    total, seats = 0.0, {}
    for number, action in enumerate(actions):
        if number in weighed:
            values = values_of(state, policy, kernel)
            if len(values) > 1 and rule == "quantal":
                seats.setdefault(state.turn, []).append([chance(values, action, beta, k) for k in range(7)])
            elif len(values) > 1:
                total += math.log(factor(values, action, beta, rule))
        state.act(action)
    return total + sum(math.log(np.prod(chances, axis=0).mean()) for chances in seats.values())


def with_simple(state, actions, weighed, policy, kernel, beta, habit, careless):
    """The log score by quantal when each seat plays by habit with chance `habit`, and by seat the chance that it does, and
    that it does not and is careless, of one of the three freest kinds."""
    total, seats = 0.0, {}
    for number, action in enumerate(actions):
        if number in weighed:
            values = values_of(state, policy, kernel)
            if len(values) > 1:
                odds = habits_of(state)
                simple = 0.9 * odds[action] / sum(odds.values()) + 0.1 / len(odds)
                seats.setdefault(state.turn, []).append([*(chance(values, action, beta, k) for k in range(7)), simple])
        state.act(action)
    found = {}
    for seat, rows in seats.items():
        chances = np.prod(rows, axis=0)
        either = (1 - habit) * chances[:7].mean(), habit * chances[7]
        total += math.log(sum(either))
        free = careless * chances[:3].mean(), (1 - careless) * chances[3:6].mean()
        found[seat] = either[1] / sum(either), either[0] / sum(either) * free[0] / sum(free)
    return total, found


def habits_of(state):
    """{action: odds} of a player of habits: beats whatever it can as low as it can, leads its lowest cards."""
    actions = state.legal_actions()
    if state.phase == "bid":
        return dict.fromkeys(actions, 1.0)
    beaten = state.infoset().to_beat
    if not beaten:
        low = min(state.hands[state.turn], key=RANKS.index)
        held = state.hands[state.turn].count(low)
        return {move: lead_odds(move, low, held) for move in actions}
    like = [move for move in actions if move and move.category is beaten.category]
    if not like:
        return {move: 0.5 if move else 1.0 for move in actions}
    lowest = min(RANKS.index(move.rank) for move in like)
    return {move: 0.0 if move not in like else 1.0 if RANKS.index(move.rank) == lowest else 0.1 for move in actions}


def lead_odds(move, low, held):
    """Nothing without the lowest rank, little where it rides along or is torn, much in a chain, less with kickers."""
    taken, name = move.cards.count(low), move.category.name
    if not taken:
        return 0.0
    main = name == "ROCKET" or move.rank == low
    return ((1.0 if main else 0.05) * (1.0 if taken == held else 0.1)
            * (4.0 if name in ("CHAIN_SOLO", "CHAIN_PAIR", "PLANE") else 1.0)
            * (0.3 if name.endswith(("_SOLO", "_PAIR")) and name not in ("CHAIN_SOLO", "CHAIN_PAIR") else 1.0))


def chance(values, chosen, beta, kind):
    """How likely a player of a kind is to choose an action: six that answer more and more sharply, and random moves."""
    sharp = factor(values, chosen, beta * 2 ** kind, "bayes") if kind < 6 else 1 / len(values)
    return 0.98 * sharp + 0.02 / len(values)


def weighed_actions(seats, observer, last=None):
    """Numbers of the actions of others, or of the last few of them."""
    others = [number for number, seat in enumerate(seats) if seat != observer]
    return set(others if last is None else others[len(others) - min(last, len(others)):])


def gongzhu_start(infoset, hands):
    """The game as it began if the four seats hold `hands` (sets of cards) now."""
    full = [" ".join([*hands[seat], *(str(move) for s, move in infoset.history if s == seat)]) for seat in range(4)]
    return gongzhu.Game().start(gongzhu.Deal(tuple(full)), infoset.first)


def doudizhu_start(infoset, hands, kitty):
    """The game as it began if the three seats hold `hands` (text) now; `kitty` is used while nobody has it yet."""
    full = [hands[seat] + "".join(move.cards for s, move in infoset.history if s == seat) for seat in range(3)]
    if infoset.landlord is not None:
        kitty = infoset.public
        full[infoset.landlord] = "".join((Counter(full[infoset.landlord]) - Counter(kitty)).elements())
    bidding = bool(infoset.bids) or infoset.landlord is None
    game = doudizhu.Game(infoset.rules, bidding=bidding)
    return game.start(doudizhu.Deal(tuple(full), kitty), infoset.first if bidding else infoset.landlord)
