"""Hands and moves of DouDizhu as people write them: `333444569TTJJQKK2BR`, pass is the empty string."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from searchdou.errors import BadCards, IllegalAction
from searchdou.games.doudizhu import _kernels
from searchdou.games.doudizhu.rulesets import RuleSet, rule_set

RANKS = "3456789TJQKA2BR"
_UNIT = {char: 1 << (4 * i) if i < 13 else 1 << (39 + i) for i, char in enumerate(RANKS)}
_COPIES = {char: 1 if char in "BR" else 4 for char in RANKS}


class Category(IntEnum):
    """What kind of combination a move is; only bombs and the rocket beat another category."""

    PASS, SOLO, PAIR, TRIO, TRIO_SOLO, TRIO_PAIR, BOMB, ROCKET, QUAD_SOLO, QUAD_PAIR = range(10)
    CHAIN_SOLO, CHAIN_PAIR, PLANE, PLANE_SOLO, PLANE_PAIR = range(10, 15)
    QUAD_CHAIN, QUAD_CHAIN_SOLO, QUAD_CHAIN_PAIR = range(15, 18)

    @property
    def words(self) -> str:
        """The category in lower case words, for messages."""
        return self.name.lower().replace("_", " with " if self in _WITH_KICKERS else " ")


_WITH_KICKERS = frozenset({Category.TRIO_SOLO, Category.TRIO_PAIR, Category.QUAD_SOLO, Category.QUAD_PAIR,
                           Category.PLANE_SOLO, Category.PLANE_PAIR})


def pack(text: str) -> int:
    """A hand as the compiled rules hold it; any order, `10` for T, spaces and lower case allowed.

    >>> unpack(pack("R 2 10 t 3"))
    '3TT2R'
    """
    if not isinstance(text, str):
        raise BadCards(f"cards are written as text such as '34TJQKA2BR', not {text!r}")
    plain = text.upper().replace("10", "T").replace(" ", "")
    packed = 0
    for char, copies in _counted(plain).items():
        if char not in _UNIT:
            raise BadCards(f"no card {char!r} in {text!r}; ranks are {RANKS}")
        if copies > _COPIES[char]:
            raise BadCards(f"{copies} cards {char!r} in {text!r}, but the deck has {_COPIES[char]}")
        packed += copies * _UNIT[char]
    return packed


def _counted(text: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for char in text:
        counts[char] = counts.get(char, 0) + 1
    return counts


@lru_cache(maxsize=1 << 16)
def unpack(packed: int) -> str:
    """The text of a packed hand, in rank order."""
    return "".join(char * ((packed >> (4 * i)) & 7 if i < 13 else (packed >> (39 + i)) & 1)
                   for i, char in enumerate(RANKS))


@dataclass(frozen=True, slots=True)
class Move:
    """One play: its cards and how they are read. Made by `parse_move` or by a state, never by hand.

    >>> move = parse_move("445566")
    >>> move.category.name, move.rank, move.length, move.cards
    ('CHAIN_PAIR', '4', 3, '445566')
    """

    packed: int

    @property
    def category(self) -> Category:
        return Category(int(_kernels.KIND_CATEGORY[self.packed >> _kernels.KIND_SHIFT]))

    @property
    def rank(self) -> str:
        """The main rank, the lowest of a chain; '' for pass and rocket."""
        if self.category in (Category.PASS, Category.ROCKET):
            return ""
        return RANKS[int(_kernels.KIND_RANK[self.packed >> _kernels.KIND_SHIFT])]

    @property
    def length(self) -> int:
        """How many ranks the main part spans; 0 for pass."""
        return int(_kernels.KIND_LENGTH[self.packed >> _kernels.KIND_SHIFT])

    @property
    def cards(self) -> str:
        return unpack(self.packed & _kernels.CARDS)

    @property
    def is_bomb(self) -> bool:
        return self.category in (Category.BOMB, Category.ROCKET)

    def __str__(self) -> str:
        return self.cards or "pass"

    def __repr__(self) -> str:
        return f"Move({self.cards!r})"

    def __bool__(self) -> bool:
        """False for the pass."""
        return self.packed != 0


PASS = Move(0)
_local = threading.local()


def workspace(rows: int = 1) -> npt.NDArray[np.int64]:
    """Room for the moves of `rows` positions, one a thread, used again by the next caller."""
    buffer: npt.NDArray[np.int64] | None = getattr(_local, "moves", None)
    if buffer is None or buffer.size < rows * _kernels.MAX_MOVES:
        buffer = _local.moves = np.empty(rows * _kernels.MAX_MOVES, np.int64)
    return buffer


def moves_from(hand: int, to_beat: int, rules: RuleSet) -> list[int]:
    """Packed moves of a packed hand: all leads when `to_beat` is 0, else the pass and what beats that kind."""
    out = workspace()
    n = (_kernels.beating_moves(hand, to_beat, rules.switches, out) if to_beat
         else _kernels.lead_moves(hand, rules.switches, out))
    moves: list[int] = out[:n].tolist()
    return moves


def parse_move(text: str | Move, rules: str | RuleSet = "standard", to_beat: Move | None = None) -> Move:
    """Read a move; '' , 'pass' and '-' are the pass.

    Under some rule sets the same cards can be read in two ways (333444555666); then the reading that
    answers `to_beat` counts, and for a lead the one with the longest main part.
    """
    rules = rule_set(rules)
    if isinstance(text, Move):
        text = text.cards
    if isinstance(text, str) and text.strip().lower() in ("", "-", "pass"):
        return PASS
    cards = pack(text)
    if _kernels.size(cards) > 20:
        raise IllegalAction(f"{text!r} has more than 20 cards")
    for kind in ((to_beat.packed >> _kernels.KIND_SHIFT, 0) if to_beat else (0,)):
        for move in moves_from(cards, kind, rules):
            if move & _kernels.CARDS == cards:
                return Move(move)
    raise IllegalAction(f"{unpack(cards)} is no combination of the {rules.name} rules")


def min_plays(hand: str, rules: str | RuleSet = "standard") -> int:
    """The fewest plays that empty `hand` when nobody answers (PerfectDou's distance to win), exactly.

    >>> min_plays("3334445566788")
    3
    """
    rules = rule_set(rules)
    cards = pack(hand)
    if _kernels.size(cards) > 20:
        raise BadCards(f"a hand has at most 20 cards, {hand!r} has {_kernels.size(cards)}")
    return packed_min_plays(cards, rules)


def packed_min_plays(hand: int, rules: RuleSet) -> int:
    """`min_plays` of a packed hand; answers are kept for the life of the process."""
    return int(_kernels.min_plays(hand, rules.switches, min_plays_table(rules), workspace(24)))


def min_plays_table(rules: RuleSet) -> npt.NDArray[np.int64]:
    """This thread's table of known answers for the combinations of `rules`, int64 [2^18, 2]."""
    tables: dict[int, npt.NDArray[np.int64]] = _local.__dict__.setdefault("tables", {})
    if rules.switches not in tables:
        tables[rules.switches] = np.zeros((1 << 18, 2), np.int64)
    return tables[rules.switches]
