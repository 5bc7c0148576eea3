"""`InfoSet`: all that one seat may know of a game of DouDizhu, and nothing else."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from numbers import Integral
from typing import Any

from searchdou.errors import BadInfoSet, IllegalAction, SearchDouError
from searchdou.games.doudizhu import _kernels
from searchdou.games.doudizhu.cards import PASS, RANKS, Move, moves_from, pack, parse_move, unpack
from searchdou.games.doudizhu.rulesets import RULE_SETS, RuleSet, rule_set

ROLES = ("landlord", "landlord_down", "landlord_up")
_FULL_DECK = pack(RANKS[:13] * 4 + "BR")


def bidding_result(rules: RuleSet, first: int, bids: Sequence[int]) -> int | None:
    """The landlord's seat once the bidding has ended, None before and when all passed; bad bids raise."""
    highest, bidder = 0, None
    for i, bid in enumerate(bids):
        if highest == 3 or i == 3:
            raise BadInfoSet(f"bids {list(bids)}: the bidding had ended before bid {i + 1}")
        if not isinstance(bid, Integral) or isinstance(bid, bool) or bid not in (0, 1, 2, 3) or (bid and bid <= highest):
            raise BadInfoSet(f"bids {list(bids)}: bid {bid!r} is neither 0 nor more than {highest}")
        if bid:
            highest, bidder = bid, (first + i) % 3
    if len(bids) < 3 and highest < 3:
        return None
    return 0 if bidder is None and rules.forced_landlord else bidder


@dataclass(frozen=True)
class InfoSet:
    """What `seat` knows: immutable, hashable, equal when equal.

    Built by `State.infoset`, from text (`from_text`), or field by field; the last two are checked, and one
    that no game could lead to raises `BadInfoSet`.

    >>> infoset = InfoSet.from_text("role=landlord_up hand=3456789TJQKA22BR3 public=4TA history=44,-")
    >>> infoset.to_beat, infoset.cards_left, infoset.turn == infoset.seat
    (Move('44'), (18, 17, 17), True)
    """

    seat: int
    hand: str                                   # what the seat still holds
    rules: RuleSet = RULE_SETS["standard"]
    landlord: int | None = None                 # None while bidding
    public: str = ""                            # the three cards, once the landlord has them
    first: int = 0                              # who bid first, or who led where nobody bid
    bids: tuple[int, ...] = ()                  # in order from `first`; empty in a game of card play only
    history: tuple[tuple[int, Move], ...] = ()  # (seat, move), passes included

    def __post_init__(self) -> None:
        check(self)

    @classmethod
    def trusted(cls, **fields: Any) -> InfoSet:
        """Without the checks, for a `State` that has made them; extra fields fill the cached properties."""
        self = object.__new__(cls)
        self.__dict__.update(fields)
        return self

    # -- what follows from the fields ---------------------------------------------------------------------

    @property
    def phase(self) -> str:
        """'bid' or 'play'."""
        return "bid" if self.landlord is None else "play"

    def role_of(self, seat: int) -> str | None:
        """'landlord', 'landlord_down' or 'landlord_up'; None while bidding."""
        return None if self.landlord is None else ROLES[(seat - self.landlord) % 3]

    @property
    def role(self) -> str | None:
        return self.role_of(self.seat)

    @cached_property
    def packed_hand(self) -> int:
        return pack(self.hand)

    @cached_property
    def turn(self) -> int:
        """The seat to act."""
        if self.landlord is None:
            return (self.first + len(self.bids)) % 3
        return (self.landlord + len(self.history)) % 3

    @cached_property
    def to_beat(self) -> Move:
        """The move on the table; the pass when the seat to act leads."""
        for _, move in self.history[:-3:-1]:
            if move:
                return move
        return PASS

    @cached_property
    def last_player(self) -> int | None:
        """Who played last and did not pass; None before the first move."""
        return next((seat for seat, move in reversed(self.history) if move), None)

    @cached_property
    def packed_played(self) -> tuple[int, int, int]:
        """The cards each seat has played, packed."""
        played = [0, 0, 0]
        for seat, move in self.history:
            played[seat] += move.packed & _kernels.CARDS
        return (played[0], played[1], played[2])

    @cached_property
    def cards_left(self) -> tuple[int, int, int]:
        """How many cards each seat holds."""
        left = [17 + 3 * (seat == self.landlord) - _kernels.size(played)
                for seat, played in enumerate(self.packed_played)]
        return (left[0], left[1], left[2])

    @cached_property
    def packed_unseen(self) -> int:
        """The cards this seat cannot place, packed: in another hand, or in the kitty while bidding."""
        return _FULL_DECK - self.packed_hand - sum(self.packed_played)

    @property
    def unseen(self) -> str:
        return unpack(self.packed_unseen)

    @cached_property
    def bombs(self) -> int:
        """Bombs and rockets played."""
        return sum(move.is_bomb for _, move in self.history)

    @property
    def bid(self) -> int:
        """The highest bid, 0 when there was none."""
        return max(self.bids, default=0)

    @property
    def is_over(self) -> bool:
        """Whether a hand is empty, or all have passed the bidding."""
        return 0 in self.cards_left or (self.landlord is None and len(self.bids) == 3)

    @cached_property
    def key(self) -> int:
        """A number for this infoset, the same in every process: what seeds an agent's randomness here."""
        words = (self.rules.switches, self.seat, self.packed_hand, -1 if self.landlord is None else self.landlord,
                 pack(self.public), self.first, len(self.bids), *self.bids, *(move.packed for _, move in self.history))
        return int.from_bytes(blake2b(struct.pack(f"<{len(words)}q", *words), digest_size=8).digest(), "little")

    def legal_actions(self) -> list[int] | list[Move]:
        """What the seat may do now: bids, or moves in a fixed order; empty when it is not its turn."""
        if self.turn != self.seat or self.is_over:
            return []
        if self.landlord is None:
            return [0, *range(self.bid + 1, 4)]
        return [Move(packed) for packed in self.packed_legal()]

    def packed_legal(self) -> list[int]:
        """The legal moves of card play as packed ints."""
        return moves_from(self.packed_hand, self.to_beat.packed >> _kernels.KIND_SHIFT, self.rules)

    # -- text and JSON ------------------------------------------------------------------------------------

    @classmethod
    def from_text(cls, text: str) -> InfoSet:
        """Read `key=value` words: rules, seat or role, landlord, hand, public, first, bids, history.

        `bids` and `history` are separated by commas, `-` is a pass, history begins with the landlord.
        Left out: standard rules, landlord on seat 0 (unless `bids` say otherwise), nothing played.
        """
        if not isinstance(text, str):
            raise BadInfoSet(f"a position is written as text, not {text!r}")
        fields: dict[str, str] = {}
        for word in text.split():
            key, equals, value = word.partition("=")
            if not equals or key not in _TEXT_KEYS:
                raise BadInfoSet(f"{word!r} is not key=value with a key of {', '.join(_TEXT_KEYS)}")
            if key in fields:
                raise BadInfoSet(f"{key} is given twice")
            fields[key] = value
        if "hand" not in fields:
            raise BadInfoSet("no hand=... given")
        rules = rule_set(fields.get("rules", "standard"))
        bids = tuple(_integer("bids", bid) for bid in _items(fields.get("bids", "")))
        first = _integer("first", fields.get("first", "0"))
        landlord: int | None = bidding_result(rules, first, bids)
        if "landlord" in fields:
            landlord = _integer("landlord", fields["landlord"])
        elif not bids and ("public" in fields or "role" in fields):
            landlord = 0
        if "role" in fields:
            if fields["role"] not in ROLES or landlord is None:
                raise BadInfoSet(f"role {fields['role']!r} is none of {', '.join(ROLES)}"
                                 if landlord is not None else "there is no role before the bidding ends")
            seat = (landlord + ROLES.index(fields["role"])) % 3
            if "seat" in fields and _integer("seat", fields["seat"]) != seat:
                raise BadInfoSet(f"seat {fields['seat']} is not {fields['role']}")
        elif "seat" in fields:
            seat = _integer("seat", fields["seat"])
        else:
            raise BadInfoSet("neither seat=... nor role=... given")
        start = landlord or 0
        history = _read_history(rules, [((start + i) % 3, cards)
                                        for i, cards in enumerate(_items(fields.get("history", "")))])
        return cls(seat=seat, hand=unpack(pack(fields["hand"])), rules=rules, landlord=landlord,
                   public=unpack(pack(fields.get("public", ""))), first=first if bids or landlord is None else landlord,
                   bids=bids, history=history)

    def to_text(self) -> str:
        """The text that `from_text` reads back."""
        words = [f"rules={self.rules.name}", f"seat={self.seat}", f"hand={self.hand}", f"first={self.first}"]
        if self.bids:
            words.append("bids=" + ",".join(map(str, self.bids)))
        if self.landlord is not None:
            words += [f"landlord={self.landlord}", f"public={self.public}"]
        if self.history:
            words.append("history=" + ",".join(move.cards or "-" for _, move in self.history))
        return " ".join(words)

    @classmethod
    def from_request(cls, request: Mapping[str, Any]) -> InfoSet:
        """Read a request of the bot protocol (docs/bots.md)."""
        try:
            rules = rule_set(request.get("rules", "standard"))
            seat, hand, bids = request["seat"], unpack(pack(request["hand"])), tuple(request.get("bids", ()))
            if request["phase"] == "bid":
                for what in ("role", "public", "history"):
                    if request.get(what):
                        raise BadInfoSet(f"the request is to bid and names a {what}, {request[what]!r}: nobody has one yet")
                return cls(seat=seat, hand=hand, rules=rules, bids=bids, first=request.get("first", (seat - len(bids)) % 3))
            if request["phase"] != "play":
                raise BadInfoSet(f"phase {request['phase']!r} is neither 'bid' nor 'play'")
            if request["role"] not in ROLES:
                raise BadInfoSet(f"role {request['role']!r} is none of {', '.join(ROLES)}")
            landlord = (seat - ROLES.index(request["role"])) % 3
            for role, _ in request["history"]:
                if role not in ROLES:
                    raise BadInfoSet(f"history names {role!r}, which is none of {', '.join(ROLES)}")
            history = _read_history(rules, [((landlord + ROLES.index(role)) % 3, cards)
                                            for role, cards in request["history"]])
            first = landlord if not any(bids) else (landlord - bids.index(max(bids))) % 3
            first = request.get("first", first)
            return cls(seat=seat, hand=hand, rules=rules, landlord=landlord, public=unpack(pack(request["public"])),
                       first=first, bids=bids, history=history)
        except KeyError as missing:
            raise BadInfoSet(f"the request has no {missing}") from None
        except SearchDouError:
            raise
        except (TypeError, ValueError, AttributeError) as error:
            raise BadInfoSet(f"the request cannot be read: {error}") from None

    def to_request(self, time_s: float | None = None) -> dict[str, Any]:
        """This infoset as a request of the bot protocol."""
        request: dict[str, Any] = {
            "game": "doudizhu", "rules": self.rules.name, "phase": self.phase, "seat": self.seat, "role": self.role,
            "hand": self.hand, "first": self.first, "bids": list(self.bids), "public": self.public,
            "history": [[self.role_of(seat), move.cards] for seat, move in self.history]}
        if time_s is not None:
            request["time_s"] = time_s
        return request

    def to_answer(self, action: int | Move) -> dict[str, Any]:
        """An action as an answer of the bot protocol."""
        return {"play": action.cards} if isinstance(action, Move) else {"bid": int(action)}

    def from_answer(self, answer: Mapping[str, Any]) -> int | Move:
        """The action an answer names; one that is not legal here raises `IllegalAction`."""
        key = "bid" if self.landlord is None else "play"
        if key not in answer:
            raise IllegalAction(f"the answer has no {key!r}")
        if self.landlord is None:
            bid = answer[key]
            if isinstance(bid, bool) or bid not in self.legal_actions():
                raise IllegalAction(f"bid {bid!r} is none of {self.legal_actions()}")
            return int(bid)
        move = parse_move(answer[key], self.rules, self.to_beat or None)
        if move.packed not in self.packed_legal():
            raise IllegalAction(f"{move} is not legal here")
        return move


_TEXT_KEYS = ("rules", "seat", "role", "landlord", "hand", "public", "first", "bids", "history")


def _integer(key: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise BadInfoSet(f"{key} {text!r} is not a number") from None


def _items(text: str) -> list[str]:
    return text.split(",") if text else []


def _read_history(rules: RuleSet, plays: Sequence[tuple[int, str]]) -> tuple[tuple[int, Move], ...]:
    """Read the cards of a history, each in the light of the move it answers."""
    history: list[tuple[int, Move]] = []
    for number, (seat, cards) in enumerate(plays):
        to_beat = next((move for _, move in history[:-3:-1] if move), None)
        try:
            history.append((seat, parse_move(cards, rules, to_beat)))
        except SearchDouError as error:
            raise BadInfoSet(f"move {number + 1} of the history: {error}") from None
    return tuple(history)


def check(infoset: InfoSet) -> None:
    """Raise `BadInfoSet` unless some game could have led here."""
    seat, landlord, rules = infoset.seat, infoset.landlord, infoset.rules
    for name, value in (("seat", seat), ("landlord", 0 if landlord is None else landlord), ("first", infoset.first)):
        if not isinstance(value, int) or isinstance(value, bool) or value not in (0, 1, 2):
            raise BadInfoSet(f"{name} {value!r} is none of 0, 1, 2")
    if infoset.hand != unpack(pack(infoset.hand)):
        raise BadInfoSet(f"hand {infoset.hand!r} is not in rank order ({unpack(pack(infoset.hand))!r})")
    result = bidding_result(rules, infoset.first, infoset.bids)
    if infoset.bids and result != landlord:
        raise BadInfoSet(f"bids {list(infoset.bids)} from seat {infoset.first} make "
                         f"{'no landlord' if result is None else f'seat {result} landlord'}, not seat {landlord}")
    if landlord is None and (infoset.history or infoset.public):
        raise BadInfoSet("cards are public or played, but there is no landlord")
    public = pack(infoset.public)
    if landlord is not None and _kernels.size(public) != 3:
        raise BadInfoSet(f"three public cards are needed, not {infoset.public!r}")
    _check_history(infoset)
    played = infoset.packed_played
    left = 17 + 3 * (seat == landlord) - _kernels.size(played[seat])
    if _kernels.size(pack(infoset.hand)) != left:
        raise BadInfoSet(f"seat {seat} must hold {left} cards, {infoset.hand!r} has {_kernels.size(pack(infoset.hand))}")
    if landlord is not None:
        kept = sum(max(0, _count(public, char) - _count(played[landlord], char)) for char in RANKS)
        if kept > 20 - _kernels.size(played[landlord]):
            raise BadInfoSet(f"the landlord has {20 - _kernels.size(played[landlord])} cards left but must still hold "
                             f"{kept} of the public cards {infoset.public!r}")
    for char in RANKS:
        total = _count(pack(infoset.hand), char) + sum(_count(cards, char) for cards in played)
        # Public cards the landlord has not played are in its hand, seen already when this seat is the landlord.
        if landlord is not None and seat != landlord:
            total += max(0, _count(public, char) - _count(played[landlord], char))
        if total > (1 if char in "BR" else 4):
            raise BadInfoSet(f"{total} cards {char!r} in sight, but the deck has {1 if char in 'BR' else 4}")
    if seat == landlord and not _kernels.contains(pack(infoset.hand) + played[seat], public):
        raise BadInfoSet(f"the landlord neither holds nor played all of the public cards {infoset.public!r}")


def _count(packed: int, char: str) -> int:
    return int(_kernels.count_of(packed, RANKS.index(char)))


def _check_history(infoset: InfoSet) -> None:
    if infoset.landlord is None:
        return
    left = [17, 17, 17]
    left[infoset.landlord] = 20
    table: list[Move] = []
    for number, (seat, move) in enumerate(infoset.history):
        where = f"move {number + 1} of the history ({move} by seat {seat})"
        if seat != (infoset.landlord + number) % 3:
            raise BadInfoSet(f"{where} is out of turn: seat {(infoset.landlord + number) % 3} is to play")
        if 0 in left:
            raise BadInfoSet(f"{where} comes after the game has ended")
        to_beat = next((m for m in table[:-3:-1] if m), None)
        if not move:
            if to_beat is None:
                raise BadInfoSet(f"{where}: the leader may not pass")
        else:
            kind = to_beat.packed >> _kernels.KIND_SHIFT if to_beat else 0
            if move.packed not in moves_from(move.packed & _kernels.CARDS, kind, infoset.rules):
                raise BadInfoSet(f"{where} " + (f"does not beat {to_beat}" if to_beat else "is no combination"))
        left[seat] -= len(move.cards)
        if left[seat] < 0:
            raise BadInfoSet(f"{where}: seat {seat} has played more cards than it was dealt")
        table.append(move)
