"""`Hidden`: the unseen cards and where they may lie, and exact uniform deals of them.

A game fills it from an infoset. Places are the hidden hands (at most three); groups are cards that may go to the
same places; kinds are cards told apart (a rank of DouDizhu has several copies).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

import numpy as np
import numpy.typing as npt

from inference import _uniform_kernels as kernels
from inference._rng_kernels import Stream, uniform

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Impossible(ValueError):
    """No deal satisfies the constraints."""


@dataclass(frozen=True)
class Kind:
    """A card told apart from others: how it is called, and how a hand shows how many it holds."""

    label: str
    shift: int               # a packed hand h holds (h >> shift) & mask of them
    mask: int
    copies: int              # unseen ones

    @property
    def code(self) -> int:
        """What one such card adds to a packed hand."""
        return 1 << self.shift


@dataclass(frozen=True)
class Hidden:
    """What one seat cannot see: kinds by group, which places may hold each group, room and known cards by place."""

    kinds: tuple[Kind, ...]
    groups: tuple[tuple[int, ...], ...]       # kinds (by number) in every group
    allowed: tuple[int, ...]                  # bit p: the group may go to place p
    capacity: tuple[int, ...]                 # cards every place takes
    places: tuple[str, ...]                   # what the places are called
    fixed: tuple[int, ...] = ()               # packed cards known to lie there, on top of `capacity`
    key_kinds: tuple[int, ...] = ()           # the kinds that matter most, for strata
    _cards: Ints = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        cards = [kind for group in self.groups for kind in group for _ in range(self.kinds[kind].copies)]
        object.__setattr__(self, "_cards", np.array(cards, np.int64))
        if len(cards) != sum(self.capacity) or min(self.capacity) < 0:
            raise Impossible(f"{len(cards)} unseen cards do not fill {sum(self.capacity)} places")

    @cached_property
    def _sizes(self) -> Ints:
        return np.array([sum(self.kinds[kind].copies for kind in group) for group in self.groups], np.int64)

    @cached_property
    def _codes(self) -> Ints:
        return np.array([kind.code for kind in self.kinds], np.int64)

    @cached_property
    def _allowed(self) -> Ints:
        return np.array(self.allowed, np.int64)

    @cached_property
    def _capacity(self) -> Ints:
        return np.array([*self.capacity, 0, 0, 0][:kernels.PLACES], np.int64)

    @cached_property
    def _fixed(self) -> Ints:
        return np.array([*self.fixed, 0, 0, 0][:kernels.PLACES], np.int64)

    def _table(self, sizes: Ints, capacity: Ints) -> tuple[int, Ints]:
        table = np.empty((len(sizes) + 1, int(self._capacity[0]) + 1, int(self._capacity[1]) + 1), np.int64)
        return int(kernels.count_deals(sizes, self._allowed, capacity, table)), table

    @cached_property
    def _counted(self) -> tuple[int, Ints]:
        total, table = self._table(self._sizes, self._capacity)
        if total == 0:
            raise Impossible("no deal of the unseen cards fits what is known")
        return total, table

    @property
    def count(self) -> int:
        """How many deals there are, every card told apart."""
        return self._counted[0]

    def draw(self, n: int, rng: Stream) -> Ints:
        """n uniform deals as packed hands, [n, places]."""
        return self._draw(n, rng, self._cards, self._sizes, self._capacity, self._fixed, self._counted[1])

    def _draw(self, n: int, rng: Stream, cards: Ints, sizes: Ints, capacity: Ints, fixed: Ints, table: Ints) -> Ints:
        hands = np.empty((n, kernels.PLACES), np.int64)
        kernels.draw_hands(cards.copy(), self._codes, sizes, self._allowed, capacity, fixed, table, rng,
                           np.empty(len(cards), np.int64), hands)
        return hands[:, :len(self.places)]

    def enumerate(self) -> tuple[Ints, Floats]:
        """All deals, [deals, places], equal ones once, and their probabilities."""
        hands = np.empty((self.count, kernels.PLACES), np.int64)
        kernels.list_hands(self._cards, self._codes, self._sizes, self._allowed, self._capacity, self._fixed,
                           self._counted[1], np.empty(len(self._cards), np.int64), hands)
        distinct, times = np.unique(hands[:, :len(self.places)], axis=0, return_counts=True)
        return distinct, times / times.sum()

    # -- strata -------------------------------------------------------------------------------------------

    def strata(self, key_kinds: Sequence[int] | None = None) -> list[Stratum]:
        """Every configuration of the key cards with its exact probability (ScrofaZero 5.3, beyond its 1/t)."""
        total = self.count
        keys = [kind for kind in (self.key_kinds if key_kinds is None else key_kinds) if self.kinds[kind].copies]
        copies = [kind for kind in keys for _ in range(self.kinds[kind].copies)]
        group_of = {kind: g for g, group in enumerate(self.groups) for kind in group}
        rest = self._cards[~np.isin(self._cards, keys)]
        found = []
        for places in product(range(len(self.places)), repeat=len(copies)):
            sizes, capacity, fixed = self._sizes.copy(), self._capacity.copy(), self._fixed.copy()
            fits = True
            for kind, place in zip(copies, places, strict=True):
                fits = fits and bool(self.allowed[group_of[kind]] >> place & 1) and capacity[place] > 0
                sizes[group_of[kind]] -= 1
                capacity[place] -= 1
                fixed[place] += self.kinds[kind].code
            if not fits or capacity.min() < 0:
                continue
            ways, table = self._table(sizes, capacity)
            if ways:
                found.append(Stratum(self, tuple(zip(copies, places, strict=True)), ways / total, rest, sizes,
                                     capacity, fixed, table))
        return found

    def draw_stratified(self, n: int, rng: Stream, strata: Sequence[Stratum], *, equal: bool = False,
                        start: int = 0, shift: float | None = None) -> Ints:
        """n deals spread over the strata by their probabilities (`equal`: evenly, as the paper does), [n, places].

        Sample number i falls on stratum F^-1(shift + i * golden ratio mod 1): every prefix is spread as evenly as
        can be, so it does not matter when a search stops. All samples have equal weight.
        """
        shift = float(uniform(rng)) if shift is None else shift
        p = np.full(len(strata), 1.0 / len(strata)) if equal else np.array([stratum.probability for stratum in strata])
        spots = (shift + np.arange(start, start + n) * 0.6180339887498949) % 1.0
        chosen = np.minimum(np.searchsorted(np.cumsum(p), spots, side="right"), len(strata) - 1)
        hands = np.empty((n, len(self.places)), np.int64)
        for index in np.unique(chosen):
            rows = np.flatnonzero(chosen == index)
            hands[rows] = strata[index].draw(len(rows), rng)
        return hands


@dataclass(frozen=True, eq=False)
class Stratum:
    """One configuration of the key cards: (kind, place) of every copy, and deals of the rest around it."""

    hidden: Hidden
    config: tuple[tuple[int, int], ...]
    probability: float
    cards: Ints = field(repr=False)
    sizes: Ints = field(repr=False)
    capacity: Ints = field(repr=False)
    fixed: Ints = field(repr=False)
    table: Ints = field(repr=False)

    def draw(self, n: int, rng: Stream) -> Ints:
        """n uniform deals within the stratum."""
        return self.hidden._draw(n, rng, self.cards, self.sizes, self.capacity, self.fixed, self.table)
