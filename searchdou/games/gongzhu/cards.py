"""Cards of Gongzhu as people write them: suit then rank, `SQ`, `H10`; a hand is cards with spaces between."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from searchdou.errors import BadCards
from searchdou.games.gongzhu import _kernels

SUITS = "SHDC"
RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
CARDS = tuple(suit + rank for suit in SUITS for rank in RANKS)
SUIT_NAMES = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
_NUMBER = {card: number for number, card in enumerate(CARDS)} | {f"{suit}T": CARDS.index(f"{suit}10") for suit in SUITS}
_SYMBOLS = str.maketrans("♠♥♦♣♤♡♢♧", SUITS + SUITS)


def parse_card(text: str) -> int:
    """The number of one card; lower case, `T` for 10 and the symbols of the suits are read too.

    >>> parse_card("SQ"), parse_card("ht"), parse_card("♥10")
    (10, 21, 21)
    """
    if not isinstance(text, str):
        raise BadCards(f"a card is written as text such as 'SQ' or 'H10', not {text!r}")
    number = _NUMBER.get(text.strip().upper().translate(_SYMBOLS))
    if number is None:
        raise BadCards(f"no card {text!r}; a card is one of S H D C and one of {' '.join(RANKS)}, such as 'SQ'")
    return number


def pack(cards: str | Iterable[str]) -> int:
    """A hand as the compiled rules hold it; text (spaces or commas between cards) or a list, in any order.

    >>> unpack(pack("hk, sq HT d2"))
    'SQ H10 HK D2'
    """
    if isinstance(cards, str):
        cards = cards.replace(",", " ").split()
    packed = 0
    try:
        for text in cards:
            bit = 1 << parse_card(text)
            if packed & bit:
                raise BadCards(f"{unpack(bit)} stands twice in one hand")
            packed |= bit
    except TypeError:
        raise BadCards(f"cards are written as text such as 'SQ H10', or as a list, not {cards!r}") from None
    return packed


def numbers(packed: int) -> list[int]:
    """The cards of a mask by number, lowest first."""
    found = []
    while packed:
        found.append((packed & -packed).bit_length() - 1)
        packed &= packed - 1
    return found


@lru_cache(maxsize=1 << 16)
def unpack(packed: int) -> str:
    """The text of a packed hand: suits in the order S H D C, each from low to high."""
    return " ".join(CARDS[number] for number in numbers(packed))


@dataclass(frozen=True, slots=True)
class Move:
    """One play, which is one card.

    >>> move = parse_move("H10")
    >>> move.suit, move.rank, str(move), move
    ('H', '10', 'H10', Move('H10'))
    """

    card: int

    def __post_init__(self) -> None:
        if not isinstance(self.card, int) or not 0 <= self.card < len(CARDS):
            raise BadCards(f"no card number {self.card!r}; cards are 0..51")

    @property
    def suit(self) -> str:
        """'S', 'H', 'D' or 'C'."""
        return SUITS[self.card // _kernels.RANKS]

    @property
    def rank(self) -> str:
        """'2' to '10', 'J', 'Q', 'K' or 'A'."""
        return RANKS[self.card % _kernels.RANKS]

    def __str__(self) -> str:
        return CARDS[self.card]

    def __repr__(self) -> str:
        return f"Move({CARDS[self.card]!r})"


MOVES = tuple(Move(number) for number in range(len(CARDS)))   # made once: a game hands out the same 52


def parse_move(text: str | Move) -> Move:
    """Read a move; one that is read already passes through."""
    return text if isinstance(text, Move) else MOVES[parse_card(text)]


def moves_of(packed: int) -> list[Move]:
    """The cards of a mask as moves, lowest first."""
    return [MOVES[number] for number in numbers(packed)]


def score(pile: str | Iterable[str]) -> int:
    """Points of the cards one seat has captured.

    >>> score("SQ"), score("HA DJ C10"), score("C10 S3")
    (-100, 100, 50)
    """
    return int(_kernels.score(pack(pile)))
