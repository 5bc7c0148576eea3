"""`net`: the blueprint alone, one evaluation a legal action, from what the seat sees: microseconds a move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from inference._rng_kernels import stream
from mcts.root import Estimate
from searchdou.errors import SearchDouError, UnknownName
from searchdou.games.doudizhu import InfoSet, Move, encode, hidden
from searchdou.games.doudizhu import _net_kernels as kernels
from searchdou.games.doudizhu._kernels import MAX_MOVES, Position, legal
from searchdou.games.doudizhu.cards import pack, unpack
from searchdou.nets._net_kernels import best_of

CHOICES = ("mix", "points", "win", "alphadou")
BIDS = ("net", "price", "threshold")
THRESHOLDS = (-0.1, 0.0, 0.1)       # AlphaDou 4: a hand worth more than these as landlord bids 1, 2, 3


def seen_by(infoset: InfoSet) -> Position:
    """The position with the unseen cards dealt anyhow: the blueprint looks at their union and at hand sizes only."""
    view = hidden.view_of(infoset)
    unseen, after = unpack(infoset.packed_unseen), (infoset.seat + 1) % 3
    left = infoset.cards_left[after]
    return view._replace(**{f"hand{after}": pack(unseen[:left]),
                            f"hand{(after + 1) % 3}": pack(unseen[left:left + infoset.cards_left[(after + 1) % 3]])})


@dataclass(frozen=True)
class Bids:
    """Worth of every legal bid in points, and the deals looked at, by place."""

    values: dict[int, Estimate]
    deals: npt.NDArray[np.int64] | None = None

    @property
    def best(self) -> int:
        """The bid worth most; of equals the lowest."""
        return max(self.values, key=lambda bid: self.values[bid].mean)


class Bidder:
    """Bids by the blueprint's nets: `net` asks the bid net; `price` samples deals and values each bid on them; `threshold`
    values its hand as landlord and bids by fixed thresholds, whatever the others did (AlphaDou's baseline)."""

    def __init__(self, policy: kernels.Blueprint, how: str, deals: int, seed: int) -> None:
        if how not in BIDS:
            raise UnknownName("way to bid", how, BIDS)
        if deals < 1:
            raise SearchDouError(f"bids need at least one deal to be priced on, not {deals}")
        self.policy, self.how, self.deals, self.seed = policy, how, deals, seed
        self._out = np.empty(MAX_MOVES, np.int64)

    def values(self, infoset: InfoSet) -> Bids:
        """What every legal bid is worth; for `threshold` 1 is the bid and 0 are the others."""
        view, rng = hidden.view_of(infoset), stream(self.seed, infoset.key)
        bids = [0, *range(infoset.bid + 1, 4)]
        if self.how == "net":
            q = np.empty(len(bids))
            kernels.blueprint_values(self.policy, view, np.array(bids, np.int64), len(bids), q)
            return Bids({bid: Estimate(float(value), float("nan"), 1) for bid, value in zip(bids, q, strict=True)})
        deals = hidden.hidden_of(infoset).draw(self.deals, rng)
        hands = hidden.seat_hands(infoset, deals)
        prices = np.empty((self.deals, len(bids)))
        if self.how == "price":
            kernels.price_bids(self.policy, view, hands, np.array(bids, np.int64), rng, self._out, prices)
        else:
            worth = float(kernels.price_hand(self.policy, view, hands, self._out))
            wanted = sum(worth > threshold for threshold in THRESHOLDS)
            prices[:] = [1.0 if bid == (wanted if wanted > infoset.bid else 0) else 0.0 for bid in bids]
        return Bids({bid: Estimate(float(column.mean()), _error(column), self.deals)
                     for bid, column in zip(bids, prices.T, strict=True)}, deals)


def _error(column: npt.NDArray[np.float64]) -> float:
    return float(column.std(ddof=1) / len(column) ** 0.5) if len(column) > 1 else float("nan")


class NetPlayer:
    """Plays the action the nets value highest; `nets` is the folder of their weights, without it the shipped ones.

    `choose`: mix (stakes and the chance to win, half each), points, win, or alphadou: of the moves within `rho` of the best
    expectation the most likely to win, and the chance to win alone once nothing can change the stake (`check`).
    """

    def __init__(self, nets: str = "", choose: str = "mix", rho: float = 0.05, check: bool = True, bids: str = "net",
                 deals: int = 256, noise: float = 0.0, seed: int = 0) -> None:
        if choose not in CHOICES:
            raise UnknownName("way to choose of net", choose, CHOICES)
        self.choose, self.rho, self.check, self.seed = choose, rho, check, seed
        self.policy = encode.blueprint_in(nets, {"points": 0.0, "win": 1.0}.get(choose, 0.5), noise)
        self.bidder = Bidder(self.policy, bids, deals, seed)
        self._out = np.empty(MAX_MOVES, np.int64)

    def act(self, infoset: InfoSet) -> int | Move:
        if infoset.landlord is None:
            return self.bidder.values(infoset).best
        position, rng = seen_by(infoset), stream(self.seed, infoset.key)
        if self.choose != "alphadou":
            return Move(int(kernels.blueprint_choice(self.policy, position, rng, self._out)))
        policy, n = self.policy, int(legal(position, self._out))
        kernels.rate(policy.nets, False, position, self._out, n, policy.wins, policy.stakes)
        if self.check and not kernels.stake_may_change(position):
            return Move(int(self._out[best_of(policy.wins, n)]))
        return Move(int(self._out[kernels.best_by_rule(n, policy.wins, policy.stakes, self.rho)]))
