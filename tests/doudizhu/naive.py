"""DouDizhu written slowly from the rule book: the twin every compiled rule is compared with.

Nothing here knows how the engine packs cards or finds moves. An action is a tuple
(category name, main rank, length, cards); a chain's main rank is its lowest, pass and rocket have none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

import numpy as np

RANKS = "3456789TJQKA2BR"
SUITED = RANKS[:13]
CHAINABLE = RANKS[:12]
DECK = SUITED * 4 + "BR"


class Action(NamedTuple):
    category: str
    rank: str
    length: int
    cards: str


PASS = Action("PASS", "", 0, "")


class Rules(NamedTuple):
    """One column of the table "where engines differ"."""

    name: str
    both_jokers: bool = False
    quad_kickers: bool = False
    extending_trios: bool = False
    paired_solos: bool = True
    quad_two: bool = True
    quad_chains: bool = False
    payoff: str = "bid"       # "bid": max(bid, 1) x 2^(bombs + spring); "bombs": 2^bombs; "one": 1 and 0
    all_pass: str = "draw"    # or "seat 0": it becomes landlord at base 1


RULES = {rules.name: rules for rules in (
    Rules("standard"),
    Rules("rlcard", payoff="one"),
    Rules("douzero", both_jokers=True, quad_kickers=True, extending_trios=True, payoff="bombs"),
    Rules("openspiel", extending_trios=True, quad_two=False),
    Rules("botzone", both_jokers=True, paired_solos=False, quad_chains=True, all_pass="seat 0"),
)}


def ordered(cards: Iterable[str]) -> str:
    """Cards in rank order."""
    return "".join(sorted(cards, key=RANKS.index))


def in_deck(cards: Iterable[str]) -> bool:
    return all(n <= DECK.count(rank) for rank, n in Counter(cards).items())


def holds(hand: str, cards: str) -> bool:
    """Whether every one of `cards` is in `hand`."""
    return not Counter(cards) - Counter(hand)


def without(hand: str, cards: str) -> str:
    return ordered((Counter(hand) - Counter(cards)).elements())


# --- every action ---------------------------------------------------------------------------------------------

def chains(copies: int, length: int) -> Iterator[tuple[str, str]]:
    """(lowest rank, cards) of every chain of `length` ranks, each held `copies` times."""
    for low in range(len(CHAINABLE) - length + 1):
        span = CHAINABLE[low:low + length]
        yield span[0], "".join(rank * copies for rank in span)


def solo_kickers(main: str, wings: int, rules: Rules) -> Iterator[str]:
    """Every choice of `wings` single cards that may ride on `main`."""
    for kickers in combinations_with_replacement([rank for rank in RANKS if rank not in main], wings):
        counts = Counter(kickers)
        if not in_deck(kickers):
            continue
        if not rules.both_jokers and counts["B"] and counts["R"]:
            continue
        if not rules.paired_solos and max(counts.values()) > 1:
            continue
        if not rules.quad_kickers and max(counts.values()) == 4:
            continue
        if not rules.extending_trios and any(n == 3 and extends(rank, main) for rank, n in counts.items()):
            continue
        yield "".join(kickers)


def extends(rank: str, main: str) -> bool:
    """Whether three of `rank` would lengthen the plane `main`; 2 is in no chain, so it never does."""
    if len(set(main)) < 2 or rank not in CHAINABLE:
        return False
    places = [CHAINABLE.index(r) for r in main]
    return CHAINABLE.index(rank) in (min(places) - 1, max(places) + 1)


def pair_kickers(main: str, wings: int) -> Iterator[str]:
    """Every choice of `wings` pairs of distinct ranks."""
    for ranks in combinations([rank for rank in SUITED if rank not in main], wings):
        yield "".join(rank * 2 for rank in ranks)


def readings(rules: Rules) -> Iterator[Action]:
    """Every action, the pass included; the same cards come once for each way to read them."""
    yield PASS
    for rank in RANKS:
        yield Action("SOLO", rank, 1, rank)
    for rank in SUITED:
        yield Action("PAIR", rank, 1, rank * 2)
        yield Action("TRIO", rank, 1, rank * 3)
        yield Action("BOMB", rank, 1, rank * 4)
        for kicker in solo_kickers(rank * 3, 1, rules):
            yield Action("TRIO_SOLO", rank, 1, ordered(rank * 3 + kicker))
        for kicker in pair_kickers(rank * 3, 1):
            yield Action("TRIO_PAIR", rank, 1, ordered(rank * 3 + kicker))
        if rules.quad_two:
            for kickers in solo_kickers(rank * 4, 2, rules):
                yield Action("QUAD_SOLO", rank, 1, ordered(rank * 4 + kickers))
            for kickers in pair_kickers(rank * 4, 2):
                yield Action("QUAD_PAIR", rank, 1, ordered(rank * 4 + kickers))
    yield Action("ROCKET", "", 1, "BR")
    for copies, shortest, category in ((1, 5, "CHAIN_SOLO"), (2, 3, "CHAIN_PAIR"), (3, 2, "PLANE"), (4, 2, "QUAD_CHAIN")):
        if category == "QUAD_CHAIN" and not rules.quad_chains:
            continue
        for length in range(shortest, 13):
            for rank, main in chains(copies, length):
                # A trio takes one kicker, a quad two.
                wings = {"PLANE": length, "QUAD_CHAIN": 2 * length}.get(category, 0)
                if len(main) <= 20:
                    yield Action(category, rank, length, main)
                if wings and len(main) + wings <= 20:
                    for kickers in solo_kickers(main, wings, rules):
                        yield Action(f"{category}_SOLO", rank, length, ordered(main + kickers))
                if wings and len(main) + 2 * wings <= 20:
                    for kickers in pair_kickers(main, wings):
                        yield Action(f"{category}_PAIR", rank, length, ordered(main + kickers))


class Book(NamedTuple):
    """The whole list, and the same as counts by rank so that a hand is looked up in a millisecond."""

    actions: tuple[Action, ...]
    needs: np.ndarray          # [action, rank], how many cards of each rank


@cache
def book(name: str) -> Book:
    actions = tuple(readings(RULES[name]))
    assert len(set(actions)) == len(actions)
    needs = np.array([[action.cards.count(rank) for rank in RANKS] for action in actions], np.int8)
    return Book(actions, needs)


def all_actions(name: str) -> tuple[Action, ...]:
    """Every action of the rule set, pass included; cards with two readings appear twice."""
    return book(name).actions


@cache
def readings_of(name: str) -> dict[str, list[Action]]:
    """All readings by cards."""
    by_cards: dict[str, list[Action]] = {}
    for action in all_actions(name):
        by_cards.setdefault(action.cards, []).append(action)
    return by_cards


# --- what may be played ---------------------------------------------------------------------------------------

def beats(action: Action, other: Action) -> bool:
    """Whether `action` may be played on `other`."""
    if "PASS" in (action.category, other.category) or other.category == "ROCKET":
        return False
    if action.category == "ROCKET":
        return True
    if action.category == "BOMB" and other.category != "BOMB":
        return True
    return (action.category == other.category and action.length == other.length
            and RANKS.index(action.rank) > RANKS.index(other.rank))


@lru_cache(maxsize=1 << 16)
def held(hand: str, name: str) -> list[Action]:
    """Every action whose cards are in the hand, pass included."""
    counts = np.array([hand.count(rank) for rank in RANKS], np.int8)
    return [book(name).actions[i] for i in np.flatnonzero((book(name).needs <= counts).all(axis=1))]


def legal_moves(hand: str, to_beat: Action, name: str) -> set[Action]:
    """What may be played from `hand`; `to_beat` is the pass for a lead. Each set of cards comes once.

    Where the same cards can be read in two ways, a lead is read with the longest main part and then the
    highest rank; an answer with the highest rank that answers.
    """
    found: dict[str, Action] = {}
    for action in held(hand, name):
        if action == PASS or (to_beat != PASS and not beats(action, to_beat)):
            continue
        rival = found.get(action.cards)
        if rival is None or _preference(action) > _preference(rival):
            found[action.cards] = action
    return set(found.values()) | ({PASS} if to_beat != PASS else set())


def _preference(action: Action) -> tuple[int, int]:
    return action.length, RANKS.index(action.rank) if action.rank else -1


# --- a game ---------------------------------------------------------------------------------------------------

class Game:
    """One game, all cards open, with lists for everything."""

    def __init__(self, name: str, hands: Iterable[str], kitty: str, first: int, bidding: bool) -> None:
        self.rules = RULES[name]
        self.hands = [ordered(hand) for hand in hands]
        self.kitty = ordered(kitty)
        self.first = first
        self.turn = first
        self.landlord: int | None = None
        self.bids: list[int] = []
        self.plays: list[tuple[int, Action]] = []
        self.draw = False
        if not bidding:
            self._crown(first)

    def _crown(self, seat: int) -> None:
        self.landlord = self.turn = seat
        self.hands[seat] = ordered(self.hands[seat] + self.kitty)

    @property
    def winner(self) -> int | None:
        return next((seat for seat in range(3) if not self.hands[seat]), None)

    @property
    def over(self) -> bool:
        return self.draw or self.winner is not None

    @property
    def to_beat(self) -> Action:
        """The last play, unless both others have passed on it."""
        for _, action in self.plays[-2:][::-1]:
            if action != PASS:
                return action
        return PASS

    def legal(self) -> set:
        if self.over:
            return set()
        if self.landlord is None:
            return {0, *(bid for bid in (1, 2, 3) if bid > max(self.bids, default=0))}
        return legal_moves(self.hands[self.turn], self.to_beat, self.rules.name)

    def bid(self, bid: int) -> None:
        assert bid in self.legal()
        self.bids.append(bid)
        self.turn = (self.turn + 1) % 3
        if bid == 3 or len(self.bids) == 3:
            if any(self.bids):
                self._crown((self.first + self.bids.index(max(self.bids))) % 3)
            elif self.rules.all_pass == "seat 0":
                self._crown(0)
            else:
                self.draw = True

    def play(self, action: Action) -> None:
        assert action in self.legal()
        self.plays.append((self.turn, action))
        self.hands[self.turn] = without(self.hands[self.turn], action.cards)
        self.turn = (self.turn + 1) % 3

    def copy(self) -> Game:
        twin = object.__new__(Game)
        twin.__dict__.update(self.__dict__)
        twin.hands, twin.bids, twin.plays = self.hands.copy(), self.bids.copy(), self.plays.copy()
        return twin

    # -- what it was worth --

    @property
    def bombs(self) -> int:
        return sum(action.category in ("BOMB", "ROCKET") for _, action in self.plays)

    @property
    def spring(self) -> bool:
        """Spring: the peasants never played. Anti-spring: they won and the landlord played exactly once."""
        if self.winner is None:
            return False
        landlord_plays = sum(action != PASS and seat == self.landlord for seat, action in self.plays)
        peasant_plays = sum(action != PASS and seat != self.landlord for seat, action in self.plays)
        return peasant_plays == 0 if self.winner == self.landlord else landlord_plays == 1

    def landlord_points(self, base: int, doublings: int) -> int:
        if self.winner is None:
            return 0
        return 2 * base * 2 ** doublings * (1 if self.winner == self.landlord else -1)

    def adp1(self) -> int:
        return self.landlord_points(1, self.bombs)

    def adp2(self) -> int:
        return self.landlord_points(max([1, *self.bids]), self.bombs + self.spring)

    def payoffs(self) -> tuple[int, ...]:
        if self.winner is None:
            return (0, 0, 0)
        if self.rules.payoff == "one":
            return tuple(int((seat == self.landlord) == (self.winner == self.landlord)) for seat in range(3))
        points = self.adp1() if self.rules.payoff == "bombs" else self.adp2()
        return tuple(points if seat == self.landlord else -points // 2 for seat in range(3))


def perft(game: Game, depth: int) -> int:
    """Number of action sequences of `depth`, or ending earlier."""
    if depth == 0 or game.over:
        return 1
    nodes = 0
    for action in game.legal():
        after = game.copy()
        after.bid(action) if game.landlord is None else after.play(action)
        nodes += perft(after, depth - 1)
    return nodes


def min_plays(hand: str, name: str) -> int:
    """The fewest plays that empty the hand when nobody answers: try every move, take the best."""
    moves = {action.cards for action in held(hand, name) if action != PASS}

    @cache
    def fewest(left: str) -> int:
        return min((1 + fewest(without(left, cards)) for cards in moves if holds(left, cards)), default=0)

    return fewest(ordered(hand))
