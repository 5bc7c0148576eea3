"""DouDizhu for people: `Game` deals, `State` is played on, every action is verified with a reason.

    >>> state = Game(bidding=False).deal(seed=1)
    >>> state.can_play("345678R")
    False
    >>> state.play(state.legal_actions()[0])
    Play(seat=0, move=Move('3'))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from inference._rng_kernels import below, stream
from searchdou.errors import BadCards, IllegalAction, SearchDouError
from searchdou.games.doudizhu import _kernels
from searchdou.games.doudizhu.cards import PASS, RANKS, Category, Move, moves_from, pack, parse_move, unpack
from searchdou.games.doudizhu.infoset import ROLES, InfoSet
from searchdou.games.doudizhu.rulesets import RuleSet, rule_set

SEATS = 3
DECK = RANKS[:13] * 4 + "BR"


@dataclass(frozen=True)
class Bid:
    """A bid as it was made."""

    seat: int
    bid: int


@dataclass(frozen=True)
class Play:
    """A move as it was made."""

    seat: int
    move: Move


@dataclass(frozen=True)
class Deal:
    """Where every card lies at the start: 17 a seat by seat number, and three."""

    hands: tuple[str, str, str]
    kitty: str

    def __post_init__(self) -> None:
        if not isinstance(self.hands, (tuple, list)) or not all(isinstance(c, str) for c in (*self.hands, self.kitty)):
            raise BadCards(f"a deal is three hands and a kitty as text, not {self.hands!r} and {self.kitty!r}")
        cards = [pack(cards) for cards in (*self.hands, self.kitty)] if len(self.hands) == SEATS else []
        if [_kernels.size(packed) for packed in cards] != [17, 17, 17, 3]:
            raise BadCards(f"a deal is three hands of 17 and 3 cards, not {[len(h) for h in self.hands]} "
                           f"and {len(self.kitty)}")
        together = "".join((*self.hands, self.kitty)).upper().replace("10", "T").replace(" ", "")
        for char in RANKS:
            if together.count(char) != DECK.count(char):
                raise BadCards(f"{together.count(char)} cards {char!r} in the deal, but the deck has {DECK.count(char)}")
        object.__setattr__(self, "hands", tuple(unpack(packed) for packed in cards[:3]))
        object.__setattr__(self, "kitty", unpack(cards[3]))

    @classmethod
    def random(cls, seed: int, *key: int) -> Deal:
        """The deal of that seed (and any further numbers, such as the number of the deal)."""
        position = _kernels.deal(_kernels.full_deck(), 0, -1, 0, stream(seed, *key))
        self = object.__new__(cls)
        object.__setattr__(self, "hands", tuple(unpack(int(h)) for h in position[:3]))
        object.__setattr__(self, "kitty", unpack(int(position.kitty)))
        return self


@dataclass(frozen=True)
class Game:
    """DouDizhu under one rule set, with bidding or with a given landlord."""

    rules: RuleSet = field(default_factory=lambda: rule_set("standard"))
    bidding: bool = True

    name = "doudizhu"
    seats = SEATS

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", rule_set(self.rules))

    def deal(self, seed: int) -> State:
        """A fresh game; who begins is drawn from the seed too. Without bidding seat 0 is landlord."""
        first = int(below(stream(seed, 1), SEATS)) if self.bidding else 0
        return self.start(Deal.random(seed), first=first)

    def start(self, deal: Deal, first: int = 0) -> State:
        """A game from a given deal; `first` begins the bidding, or is the landlord where nobody bids."""
        if not isinstance(first, int) or isinstance(first, bool) or first not in range(SEATS):
            raise IllegalAction(f"seat {first!r} cannot begin: seats are 0, 1, 2")
        return State(self, deal, first)


class State:
    """One game under way, all cards open; changed by `bid` and `play` only."""

    def __init__(self, game: Game, deal: Deal, first: int) -> None:
        self.game, self.deal, self.first = game, deal, first
        hands = [pack(hand) for hand in deal.hands]
        if not game.bidding:
            hands[first] += pack(deal.kitty)
        hand0, hand1, hand2 = hands
        self.position = _kernels.start(hand0, hand1, hand2, pack(deal.kitty), game.rules.switches, first,
                                       -1 if game.bidding else first)
        self.bids: list[int] = []
        self.history: list[tuple[int, Move]] = []

    def copy(self) -> State:
        """An independent copy; cheap."""
        twin = object.__new__(State)
        twin.game, twin.deal, twin.first, twin.position = self.game, self.deal, self.first, self.position
        twin.bids, twin.history = self.bids.copy(), self.history.copy()
        return twin

    # -- what is on the table -----------------------------------------------------------------------------

    @property
    def hands(self) -> tuple[str, str, str]:
        """The cards every seat holds now."""
        p = self.position
        return (unpack(int(p.hand0)), unpack(int(p.hand1)), unpack(int(p.hand2)))

    @property
    def turn(self) -> int:
        return self.position.turn

    @property
    def landlord(self) -> int | None:
        return self.position.landlord if self.position.landlord >= 0 else None

    @property
    def phase(self) -> str:
        """'bid', 'play' or 'over'."""
        return "over" if self.is_over else "bid" if self.landlord is None else "play"

    @property
    def to_beat(self) -> Move:
        """The move on the table; the pass when the seat to act leads."""
        if self.position.to_beat == 0:
            return PASS
        return next(move for _, move in reversed(self.history) if move)

    @property
    def is_over(self) -> bool:
        return self.position.winner >= 0

    @property
    def is_draw(self) -> bool:
        """Whether all passed the bidding."""
        return self.position.winner == 3

    @property
    def winner(self) -> int | None:
        """The seat that emptied its hand; None before the end and in a draw."""
        return self.position.winner if 0 <= self.position.winner < 3 else None

    @property
    def landlord_won(self) -> bool:
        return self.winner is not None and self.winner == self.landlord

    @property
    def spring(self) -> bool:
        """Whether spring or anti-spring was made."""
        return self.winner is not None and bool(_kernels.doublings(self.position, True) > self.position.bombs)

    def role_of(self, seat: int) -> str | None:
        return None if self.landlord is None else ROLES[(seat - self.landlord) % SEATS]

    def payoffs(self) -> tuple[int, int, int]:
        """Points by seat under the rule set; they sum to zero except for RLCard's 1 and 0."""
        points = int(_kernels.payoff(self.position))
        if not self.game.rules.landlord_twice:
            won = [self.winner is not None and (seat == self.landlord) == self.landlord_won for seat in range(SEATS)]
            return (int(won[0]), int(won[1]), int(won[2]))
        shares = [points if seat == self.landlord else -points // 2 for seat in range(SEATS)]
        return (shares[0], shares[1], shares[2])

    def adp1(self) -> int:
        """The landlord's points at base 1, bombs and rocket doubling (DouZero's ADP)."""
        return self._points(1, spring=False)

    def adp2(self) -> int:
        """The landlord's points at the base of the bid, bombs, rocket and spring doubling."""
        return self._points(max(self.position.bid, 1), spring=True)

    def _points(self, base: int, *, spring: bool) -> int:
        if self.winner is None:
            return 0
        points = 2 * base << int(_kernels.doublings(self.position, spring))
        return points if self.landlord_won else -points

    def infoset(self, seat: int | None = None) -> InfoSet:
        """What `seat` (the seat to act when left out) may know now."""
        seat = self.turn if seat is None else seat
        if seat not in range(SEATS):
            raise IllegalAction(f"there is no seat {seat!r}: seats are 0, 1, 2")
        p = self.position
        packed = int((p.hand0, p.hand1, p.hand2)[seat])
        return InfoSet.trusted(
            seat=seat, hand=unpack(packed), rules=self.game.rules, landlord=self.landlord,
            public=self.deal.kitty if self.landlord is not None else "",
            first=self.first, bids=tuple(self.bids), history=tuple(self.history),
            packed_hand=packed, turn=p.turn, to_beat=self.to_beat, bombs=p.bombs)

    def legal_actions(self) -> list[int] | list[Move]:
        """Bids (0..3) or moves of the seat to act, in a fixed order; empty at the end."""
        if self.phase == "bid":
            return [0, *range(self.position.bid + 1, 4)]
        if self.is_over:
            return []
        return [Move(packed) for packed in moves_from(self._hand(), self.position.to_beat, self.game.rules)]

    def _hand(self) -> int:
        p = self.position
        return int((p.hand0, p.hand1, p.hand2)[p.turn])

    # -- bidding ------------------------------------------------------------------------------------------

    def verify_bid(self, bid: int) -> int:
        """The bid, or `IllegalAction` with the reason."""
        if self.phase != "bid":
            raise IllegalAction(f"no bid {bid!r} now: " + ("the game is over" if self.is_over else "cards are in play"))
        if isinstance(bid, bool) or not isinstance(bid, (int, np.integer)) or bid not in (0, 1, 2, 3):
            raise IllegalAction(f"a bid is 0, 1, 2 or 3, not {bid!r}")
        if bid and bid <= self.position.bid:
            raise IllegalAction(f"a bid of {bid} does not exceed the bid of {self.position.bid}")
        return int(bid)

    def can_bid(self, bid: int) -> bool:
        return _allowed(self.verify_bid, bid)

    def bid(self, bid: int) -> Bid:
        """Bid for the seat to act; 0 passes."""
        bid = self.verify_bid(bid)
        seat = self.turn
        self._step(bid)
        self.bids.append(bid)
        return Bid(seat, bid)

    # -- card play ----------------------------------------------------------------------------------------

    def verify_play(self, move: str | Move) -> Move:
        """The move as it is read here, or `IllegalAction` (`BadCards`) with the reason."""
        if self.phase != "play":
            raise IllegalAction(f"no play of {move!s} now: " + ("the game is over" if self.is_over
                                                                else f"seat {self.turn} is to bid"))
        to_beat = self.to_beat
        move = parse_move(move, self.game.rules, to_beat or None)
        if not move:
            if not to_beat:
                raise IllegalAction(f"seat {self.turn} leads and may not pass")
            return move
        hand, cards = self._hand(), move.packed & _kernels.CARDS
        if not _kernels.contains(hand, cards):
            missing = next(c for c in RANKS if move.cards.count(c) > unpack(hand).count(c))
            raise IllegalAction(f"{move} needs {move.cards.count(missing)} cards {missing!r}, "
                                f"seat {self.turn} holds {unpack(hand).count(missing)}")
        if move.packed not in moves_from(hand, self.position.to_beat, self.game.rules):
            if move.category != to_beat.category or move.length != to_beat.length:
                raise IllegalAction(f"{move} is a {_described(move)}, it does not answer {to_beat}, "
                                    f"a {_described(to_beat)}")
            raise IllegalAction(f"{move} does not beat {to_beat}")
        return move

    def can_play(self, move: str | Move) -> bool:
        return _allowed(self.verify_play, move)

    def play(self, move: str | Move) -> Play:
        """Play for the seat to act; '' passes."""
        move = self.verify_play(move)
        seat = self.turn
        self._step(move.packed)
        self.history.append((seat, move))
        return Play(seat, move)

    def act(self, action: int | str | Move) -> Bid | Play:
        """Bid or play, whichever is due."""
        if self.phase == "bid":
            return self.bid(action)  # type: ignore[arg-type]
        if isinstance(action, (int, np.integer)) and not self.is_over:
            raise IllegalAction(f"{action!r} is a bid, but cards are in play")
        return self.play(action)  # type: ignore[arg-type]

    def _step(self, action: int) -> None:
        self.position = _kernels.step(self.position, action)

    def __repr__(self) -> str:
        return f"<doudizhu {self.phase}, seat {self.turn} to act, hands {' '.join(h or '-' for h in self.hands)}>"


def _described(move: Move) -> str:
    words = move.category.words
    return f"{words} of length {move.length}" if move.length > 1 else words


def _allowed(verify: Any, action: Any) -> bool:
    try:
        verify(action)
    except SearchDouError:
        return False
    return True


def seat_hands(deal: Deal, seats: Sequence[int]) -> Deal:
    """The same deal with hand k given to seat `seats[k]`."""
    hands = ["", "", ""]
    for hand, seat in zip(deal.hands, seats, strict=True):
        hands[seat] = hand
    return Deal((hands[0], hands[1], hands[2]), deal.kitty)


__all__ = ["DECK", "PASS", "ROLES", "SEATS", "Bid", "Category", "Deal", "Game", "InfoSet", "Move", "Play", "State",
           "seat_hands"]
