"""`InfoSet`: all that one seat may know of a game of Gongzhu, and nothing else."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple, TypeAlias

from searchdou.errors import BadInfoSet, IllegalAction, SearchDouError
from searchdou.games.gongzhu import _kernels
from searchdou.games.gongzhu.cards import SUIT_NAMES, SUITS, Move, moves_of, pack, parse_move, unpack

SEATS = 4
HAND_SIZE = 13
FourInts: TypeAlias = tuple[int, int, int, int]


class Table(NamedTuple):
    """What the cards played so far leave on the table."""

    turn: int                               # seat to play
    seats: tuple[int, ...]                  # who played each card
    piles: FourInts                         # captured cards by seat, packed
    discards: tuple[tuple[int, int], ...]   # (number in the history, led suit) of every card that did not follow


def table_after(first: int, moves: Iterable[Move]) -> Table:
    """Lay out `moves` in order, `first` leading the first trick; who plays each follows from the cards."""
    turn = first
    trick: list[int] = []
    seats, piles, discards = [], [0, 0, 0, 0], []
    for number, move in enumerate(moves):
        if trick and move.card // _kernels.RANKS != trick[0] // _kernels.RANKS:
            discards.append((number, trick[0] // _kernels.RANKS))
        seats.append(turn)
        trick.append(move.card)
        turn = (turn + 1) % SEATS
        if len(trick) == SEATS:         # the turn is back at the leader
            turn = (turn + int(_kernels.trick_winner(*trick))) % SEATS
            for card in trick:
                piles[turn] |= 1 << card
            trick = []
    return Table(turn, tuple(seats), (piles[0], piles[1], piles[2], piles[3]), tuple(discards))


@dataclass(frozen=True)
class InfoSet:
    """What `seat` knows: immutable, hashable, equal when equal.

    Built by `State.infoset`, from text (`from_text`), or field by field; the last two are checked, and one
    that no game could lead to raises `BadInfoSet`.

    >>> infoset = InfoSet.from_text("seat=2 first=0 hand=S2,S3,S4,S5,H2,H3,H4,D2,D3,D4,C2,C3,C4 history=HA,H5")
    >>> infoset.led, infoset.cards_left, infoset.legal_actions()
    ('H', (12, 12, 13, 13), [Move('H2'), Move('H3'), Move('H4')])
    """

    seat: int
    hand: str                                   # what the seat still holds
    first: int = 0                              # who led the first trick
    history: tuple[tuple[int, Move], ...] = ()  # (seat, move)

    def __post_init__(self) -> None:
        check(self)

    @classmethod
    def trusted(cls, **fields: Any) -> InfoSet:
        """Without the checks, for a `State` that has made them; extra fields fill the cached properties."""
        self = object.__new__(cls)
        self.__dict__.update(fields)
        return self

    # -- what follows from the fields ---------------------------------------------------------------------

    @cached_property
    def _table(self) -> Table:
        return table_after(self.first, (move for _, move in self.history))

    @property
    def phase(self) -> str:
        """Always 'play': there is nothing else to decide in Gongzhu."""
        return "play"

    @cached_property
    def packed_hand(self) -> int:
        return pack(self.hand)

    @cached_property
    def turn(self) -> int:
        """The seat to play; after the last card, the seat that took the last trick."""
        return self._table.turn

    @property
    def trick(self) -> tuple[tuple[int, Move], ...]:
        """The current trick: (seat, move) in the order played, empty when the seat to play leads."""
        lying = len(self.history) % SEATS
        return self.history[-lying:] if lying else ()

    @property
    def led(self) -> str | None:
        """The suit to follow; None when the seat to play leads."""
        return self.trick[0][1].suit if self.trick else None

    @cached_property
    def packed_played(self) -> FourInts:
        """The cards each seat has played, packed."""
        played = [0, 0, 0, 0]
        for seat, move in self.history:
            played[seat] |= 1 << move.card
        return (played[0], played[1], played[2], played[3])

    @cached_property
    def cards_left(self) -> FourInts:
        """How many cards each seat holds."""
        left = [HAND_SIZE - played.bit_count() for played in self.packed_played]
        return (left[0], left[1], left[2], left[3])

    @cached_property
    def packed_unseen(self) -> int:
        """The cards in the three other hands, packed."""
        return _kernels.DECK & ~self.packed_hand & ~sum(self.packed_played)

    @property
    def unseen(self) -> str:
        return unpack(self.packed_unseen)

    @cached_property
    def packed_piles(self) -> FourInts:
        """The cards each seat has captured, packed."""
        return self._table.piles

    @property
    def piles(self) -> tuple[str, str, str, str]:
        """The cards each seat has captured."""
        a, b, c, d = self.packed_piles
        return (unpack(a), unpack(b), unpack(c), unpack(d))

    @cached_property
    def points(self) -> FourInts:
        """The points of each seat's pile as it lies now."""
        a, b, c, d = (int(_kernels.score(pile)) for pile in self.packed_piles)
        return (a, b, c, d)

    @cached_property
    def packed_voids(self) -> FourInts:
        """By seat the cards of the suits it is known to be out of, packed."""
        voids = [0, 0, 0, 0]
        for number, led in self._table.discards:
            voids[self.history[number][0]] |= _kernels.SUIT << (_kernels.RANKS * led)
        return (voids[0], voids[1], voids[2], voids[3])

    @cached_property
    def voids(self) -> tuple[tuple[str, ...], ...]:
        """By seat the suits it did not follow, and so no longer holds, in the order S H D C."""
        return tuple(tuple(suit for number, suit in enumerate(SUITS) if void >> (_kernels.RANKS * number) & 1)
                     for void in self.packed_voids)

    @property
    def is_over(self) -> bool:
        return len(self.history) == SEATS * HAND_SIZE

    @cached_property
    def packed_legal(self) -> int:
        """The cards the seat may play now, packed; 0 when it is not its turn."""
        if self.turn != self.seat:
            return 0
        return int(_kernels.following(self.packed_hand, SUITS.index(self.led) if self.led else -1))

    @cached_property
    def key(self) -> int:
        """A number for this infoset, the same in every process: what seeds an agent's randomness here."""
        words = (self.seat, self.first, self.packed_hand, *(move.card for _, move in self.history))
        return int.from_bytes(blake2b(struct.pack(f"<{len(words)}q", *words), digest_size=8).digest(), "little")

    def seen_position(self) -> _kernels.Position:
        """The position with the other hands left empty: what the compiled players start from."""
        a, b, c, d = (self.packed_hand if seat == self.seat else 0 for seat in range(SEATS))
        trick = [move.card for _, move in self.trick] + [-1] * SEATS
        voids = sum(1 << (4 * seat + suit) for seat in range(SEATS) for suit in range(len(SUITS))
                    if self.packed_voids[seat] >> (_kernels.RANKS * suit) & 1)
        return _kernels.Position(a, b, c, d, *self.packed_piles, trick[0], trick[1], trick[2],
                                 (self.turn - len(self.trick)) % SEATS, self.turn, len(self.history), voids)

    def legal_actions(self) -> list[Move]:
        """What the seat may play now, lowest card first; empty when it is not its turn."""
        return moves_of(self.packed_legal)

    # -- text and JSON ------------------------------------------------------------------------------------

    @classmethod
    def from_text(cls, text: str) -> InfoSet:
        """Read `key=value` words: seat, hand, first, history.

        Cards are separated by commas; who played each card of the history follows from the cards.
        Left out: seat 0 leads, nothing played.
        """
        if not isinstance(text, str):
            raise BadInfoSet(f"a position is told as text, not {type(text).__name__}")
        fields: dict[str, str] = {}
        for word in text.split():
            key, equals, value = word.partition("=")
            if not equals or key not in _TEXT_KEYS:
                raise BadInfoSet(f"{word!r} is not key=value with a key of {', '.join(_TEXT_KEYS)}")
            if key in fields:
                raise BadInfoSet(f"{key} is given twice")
            fields[key] = value
        for key in ("seat", "hand"):
            if key not in fields:
                raise BadInfoSet(f"no {key}=... given")
        seat, first = _seat("seat", fields["seat"]), _seat("first", fields.get("first", "0"))
        cards = fields.get("history", "")
        moves = _read_moves(cards.split(",") if cards else [])
        return cls(seat=seat, hand=_read_hand(fields["hand"]), first=first,
                   history=tuple(zip(table_after(first, moves).seats, moves, strict=True)))

    def to_text(self) -> str:
        """The text that `from_text` reads back."""
        words = [f"seat={self.seat}", f"first={self.first}", f"hand={self.hand.replace(' ', ',')}"]
        if self.history:
            words.append("history=" + ",".join(str(move) for _, move in self.history))
        return " ".join(words)

    @classmethod
    def from_request(cls, request: Mapping[str, Any]) -> InfoSet:
        """Read a request of the bot protocol (docs/bots.md)."""
        try:
            if request.get("game", "gongzhu") != "gongzhu":
                raise BadInfoSet(f"the request is for {request['game']!r}, not for 'gongzhu'")
            moves = _read_moves([card for _, card in request["history"]])
            seats = [seat for seat, _ in request["history"]]
            return cls(seat=request["seat"], hand=_read_hand(request["hand"]), first=request["first"],
                       history=tuple(zip(seats, moves, strict=True)))
        except KeyError as missing:
            raise BadInfoSet(f"the request has no {missing}") from None
        except SearchDouError:
            raise
        except (TypeError, ValueError, AttributeError) as error:
            raise BadInfoSet(f"the request cannot be read: {error}") from None

    def to_request(self, time_s: float | None = None) -> dict[str, Any]:
        """This infoset as a request of the bot protocol."""
        request: dict[str, Any] = {"game": "gongzhu", "seat": self.seat, "hand": self.hand.split(), "first": self.first,
                                   "history": [[seat, str(move)] for seat, move in self.history]}
        if time_s is not None:
            request["time_s"] = time_s
        return request

    def to_answer(self, action: Move) -> dict[str, Any]:
        """A move as an answer of the bot protocol."""
        return {"card": str(action)}

    def from_answer(self, answer: Mapping[str, Any]) -> Move:
        """The move an answer names; one that is not legal here raises `IllegalAction`."""
        if "card" not in answer:
            raise IllegalAction("the answer has no 'card'")
        move = parse_move(answer["card"])
        if not self.packed_legal >> move.card & 1:
            raise IllegalAction(f"{move} is not legal here")
        return move


_TEXT_KEYS = ("seat", "first", "hand", "history")


def _seat(key: str, text: str) -> int:
    if text not in ("0", "1", "2", "3"):
        raise BadInfoSet(f"{key} {text!r} is none of 0, 1, 2, 3")
    return int(text)


def _read_hand(cards: str | Sequence[str]) -> str:
    try:
        return unpack(pack(cards))
    except SearchDouError as error:
        raise BadInfoSet(f"hand: {error}") from None


def _read_moves(cards: Sequence[str]) -> list[Move]:
    moves = []
    for number, card in enumerate(cards):
        try:
            moves.append(parse_move(card))
        except SearchDouError as error:
            raise BadInfoSet(f"move {number + 1} of the history: {error}") from None
    return moves


def check(infoset: InfoSet) -> None:
    """Raise `BadInfoSet` unless some game could have led here."""
    seat, first = infoset.seat, infoset.first
    for name, value in (("seat", seat), ("first", first)):
        if not isinstance(value, int) or isinstance(value, bool) or value not in range(SEATS):
            raise BadInfoSet(f"{name} {value!r} is none of 0, 1, 2, 3")
    if infoset.hand != _read_hand(infoset.hand):
        raise BadInfoSet(f"hand {infoset.hand!r} is not in order ({_read_hand(infoset.hand)!r})")
    hand = pack(infoset.hand)
    _check_turns(infoset)
    left = HAND_SIZE - infoset.packed_played[seat].bit_count()
    if hand.bit_count() != left:
        raise BadInfoSet(f"seat {seat} must hold {left} cards, {infoset.hand!r} has {hand.bit_count()}")
    twice = hand & sum(infoset.packed_played)
    if twice:
        raise BadInfoSet(f"{unpack(twice & -twice)} is in the hand and has been played")
    _check_suits(infoset, hand)
    _check_room(infoset)


def _check_turns(infoset: InfoSet) -> None:
    """Every card once, every seat in turn."""
    seen = 0
    for number, (_, move) in enumerate(infoset.history):
        if not isinstance(move, Move):
            raise BadInfoSet(f"{_where(infoset, number)}: {move!r} is not a Move")
    for number, (turn, (seat, move)) in enumerate(zip(infoset._table.seats, infoset.history, strict=True)):
        if seat != turn or not isinstance(seat, int) or isinstance(seat, bool):
            raise BadInfoSet(f"{_where(infoset, number)} is out of turn: seat {turn} is to play")
        if seen >> move.card & 1:
            raise BadInfoSet(f"{_where(infoset, number)}: {move} has been played before")
        seen |= 1 << move.card


def _check_suits(infoset: InfoSet, hand: int) -> None:
    """Nobody discards while holding the led suit: not if it is played later, nor if this seat still holds it."""
    for number, led in infoset._table.discards:
        seat = infoset.history[number][0]
        suit = SUITS[led]
        later = next((f"plays {move} later" for s, move in infoset.history[number:] if s == seat and move.suit == suit),
                     None)
        held = hand >> (_kernels.RANKS * led) & _kernels.SUIT if seat == infoset.seat else 0
        if held and later is None:
            later = f"still holds {unpack(held << (_kernels.RANKS * led))}"
        if later is not None:
            raise BadInfoSet(f"{_where(infoset, number)} does not follow {SUIT_NAMES[suit]}, but seat {seat} {later}")


def _check_room(infoset: InfoSet) -> None:
    """The unseen cards must fit into the other hands, voids respected.

    By Hall's theorem they do if every set of suits has room among the seats that may hold one of them.
    """
    others = [seat for seat in range(SEATS) if seat != infoset.seat]
    for chosen in range(1, 1 << len(SUITS)):
        cards = sum(_kernels.SUIT << (_kernels.RANKS * i) for i in range(len(SUITS)) if chosen >> i & 1)
        unseen = (infoset.packed_unseen & cards).bit_count()
        room = sum(infoset.cards_left[seat] for seat in others if cards & ~infoset.packed_voids[seat])
        if unseen > room:
            suits = " and ".join(SUIT_NAMES[suit] for i, suit in enumerate(SUITS) if chosen >> i & 1)
            raise BadInfoSet(f"{unseen} {suits} are unseen, but the seats not known to be void have room for {room}")


def _where(infoset: InfoSet, number: int) -> str:
    seat, move = infoset.history[number]
    return f"move {number + 1} of the history ({move} by seat {seat})"
