"""Gongzhu for people: `Game` deals, `State` is played on, every card is verified with a reason.

    >>> state = Game().deal(seed=1)
    >>> state.can_play("S99")
    False
    >>> state.play(state.legal_actions()[0])
    Play(seat=0, move=Move('S2'))
"""

from __future__ import annotations

from dataclasses import dataclass

from inference._rng_kernels import stream
from searchdou.errors import BadCards, IllegalAction, SearchDouError
from searchdou.games.gongzhu import _kernels
from searchdou.games.gongzhu.cards import CARDS, MOVES, SUIT_NAMES, SUITS, Move, moves_of, pack, parse_move, unpack
from searchdou.games.gongzhu.infoset import HAND_SIZE, SEATS, FourInts, InfoSet

DECK = " ".join(CARDS)


@dataclass(frozen=True)
class Play:
    """A card as it was played."""

    seat: int
    move: Move


@dataclass(frozen=True)
class Deal:
    """Where every card lies at the start: 13 a seat, by seat number."""

    hands: tuple[str, str, str, str]

    def __post_init__(self) -> None:
        if isinstance(self.hands, str) or len(self.hands) != SEATS:
            raise BadCards(f"a deal is four hands of 13 cards, not {self.hands!r}")
        packed = [pack(hand) for hand in self.hands]
        owner: dict[int, int] = {}
        for seat, hand in enumerate(packed):
            for move in moves_of(hand):
                if move.card in owner:
                    raise BadCards(f"{move} is dealt to seat {owner[move.card]} and to seat {seat}")
                owner[move.card] = seat
        if any(hand.bit_count() != HAND_SIZE for hand in packed):
            raise BadCards(f"a deal is four hands of 13 cards, not of {[hand.bit_count() for hand in packed]}")
        object.__setattr__(self, "hands", tuple(unpack(hand) for hand in packed))

    @classmethod
    def random(cls, seed: int, *key: int) -> Deal:
        """The deal of that seed (and any further numbers, such as the number of the deal)."""
        position = _kernels.deal(_kernels.full_deck(), 0, stream(seed, *key))
        self = object.__new__(cls)
        object.__setattr__(self, "hands", tuple(unpack(hand) for hand in position[:SEATS]))
        return self

    def rotated(self, k: int) -> Deal:
        """The same deal with the hand of seat j given to seat j + k; an odd k swaps the teams' hands."""
        a, b, c, d = (self.hands[(seat - k) % SEATS] for seat in range(SEATS))
        return Deal((a, b, c, d))


@dataclass(frozen=True)
class Game:
    """Gongzhu as ScrofaZero plays it: partners opposite, no exposing, no passing of cards."""

    name = "gongzhu"
    seats = SEATS

    def deal(self, seed: int) -> State:
        """A fresh game in which seat 0 leads."""
        return self.start(Deal.random(seed))

    def start(self, deal: Deal, first: int = 0) -> State:
        """A game from a given deal; `first` leads the first trick."""
        if not isinstance(first, int) or isinstance(first, bool) or first not in range(SEATS):
            raise IllegalAction(f"seat {first!r} cannot lead: seats are 0, 1, 2, 3")
        return State(self, deal, first)


class State:
    """One game under way, all cards open; changed by `play` only."""

    def __init__(self, game: Game, deal: Deal, first: int) -> None:
        self.game, self.deal, self.first = game, deal, first
        hand0, hand1, hand2, hand3 = (pack(hand) for hand in deal.hands)
        self.position = _kernels.start(hand0, hand1, hand2, hand3, first)
        self.history: list[tuple[int, Move]] = []

    def copy(self) -> State:
        """An independent copy; cheap."""
        twin = object.__new__(State)
        twin.game, twin.deal, twin.first, twin.position = self.game, self.deal, self.first, self.position
        twin.history = self.history.copy()
        return twin

    # -- what is on the table -----------------------------------------------------------------------------

    @property
    def hands(self) -> tuple[str, str, str, str]:
        """The cards every seat holds now."""
        p = self.position
        return (unpack(p.hand0), unpack(p.hand1), unpack(p.hand2), unpack(p.hand3))

    @property
    def piles(self) -> tuple[str, str, str, str]:
        """The cards every seat has captured."""
        p = self.position
        return (unpack(p.pile0), unpack(p.pile1), unpack(p.pile2), unpack(p.pile3))

    @property
    def turn(self) -> int:
        return self.position.turn

    @property
    def trick(self) -> tuple[tuple[int, Move], ...]:
        """The current trick: (seat, move) in the order played, empty when the seat to play leads."""
        p = self.position
        return tuple(((p.leader + place) % SEATS, MOVES[card])
                     for place, card in enumerate((p.trick0, p.trick1, p.trick2)) if card >= 0)

    @property
    def led(self) -> str | None:
        """The suit to follow; None when the seat to play leads."""
        return MOVES[self.position.trick0].suit if self.position.trick0 >= 0 else None

    @property
    def phase(self) -> str:
        """'play' or 'over'."""
        return "over" if self.is_over else "play"

    @property
    def is_over(self) -> bool:
        return bool(_kernels.is_over(self.position))

    def points(self) -> FourInts:
        """Each seat's own points, for its pile as it lies now."""
        p = self.position
        a, b, c, d = (int(_kernels.score(pile)) for pile in (p.pile0, p.pile1, p.pile2, p.pile3))
        return (a, b, c, d)

    def difference(self) -> int:
        """Points of seats 0 and 2 less those of 1 and 3, for the piles as they lie now."""
        return int(_kernels.difference(self.position))

    def payoffs(self) -> FourInts:
        """What each seat's team has won of the other, by seat; zeros before the end."""
        won = int(_kernels.payoff(self.position))
        return (won, -won, won, -won)

    def infoset(self, seat: int | None = None) -> InfoSet:
        """What `seat` (the seat to play when left out) may know now."""
        seat = self.turn if seat is None else seat
        if seat not in range(SEATS):
            raise IllegalAction(f"there is no seat {seat!r}: seats are 0, 1, 2, 3")
        p = self.position
        packed = (p.hand0, p.hand1, p.hand2, p.hand3)[seat]
        return InfoSet.trusted(seat=seat, hand=unpack(packed), first=self.first, history=tuple(self.history),
                               packed_hand=packed, turn=p.turn, packed_piles=(p.pile0, p.pile1, p.pile2, p.pile3))

    def legal_actions(self) -> list[Move]:
        """The cards the seat to play may play, lowest first; empty at the end."""
        return moves_of(int(_kernels.legal_mask(self.position)))

    # -- card play ----------------------------------------------------------------------------------------

    def verify_play(self, move: str | Move) -> Move:
        """The move, or `IllegalAction` (`BadCards` for no card at all) with the reason."""
        if self.is_over:
            raise IllegalAction(f"no play of {move!s} now: the game is over")
        move = parse_move(move)
        hand = int(_kernels.hand_of(self.position, self.turn))
        if not hand >> move.card & 1:
            raise IllegalAction(f"seat {self.turn} does not hold {move}" + (
                ", it has been played" if int(_kernels.played(self.position)) >> move.card & 1 else ""))
        if not int(_kernels.legal_mask(self.position)) >> move.card & 1:
            led = self.led or ""
            suit = hand & _kernels.SUIT << _kernels.RANKS * SUITS.index(led)
            raise IllegalAction(f"{move} does not follow {SUIT_NAMES[led]}: seat {self.turn} holds {unpack(suit)}")
        return move

    def can_play(self, move: str | Move) -> bool:
        try:
            self.verify_play(move)
        except SearchDouError:
            return False
        return True

    def play(self, move: str | Move) -> Play:
        """Play a card for the seat to play."""
        move = self.verify_play(move)
        seat = self.turn
        self.position = _kernels.step(self.position, move.card)
        self.history.append((seat, move))
        return Play(seat, move)

    def act(self, action: str | Move) -> Play:
        """Play: the name every game has for what is due."""
        return self.play(action)

    def __repr__(self) -> str:
        hands = " | ".join(hand or "-" for hand in self.hands)
        return f"<gongzhu {self.phase}, seat {self.turn} to play, hands {hands}>"


__all__ = ["DECK", "SEATS", "Deal", "Game", "InfoSet", "Move", "Play", "State"]
