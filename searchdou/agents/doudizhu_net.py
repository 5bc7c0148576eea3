"""`net`: the blueprint alone, one evaluation a legal action, from what the seat sees: microseconds a move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from inference._rng_kernels import stream
from inference.belief import weights_of
from inference.past import log_weights
from mcts._root_kernels import weighted
from mcts.root import Estimate, Limit
from searchdou.errors import SearchDouError, UnknownName, check_shares
from searchdou.games.doudizhu import InfoSet, Move, encode, hidden
from searchdou.games.doudizhu import _net_kernels as kernels
from searchdou.games.doudizhu._kernels import MAX_MOVES, Position, legal
from searchdou.games.doudizhu.cards import pack, unpack
from searchdou.nets._net_kernels import best_of

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Words = npt.NDArray[np.uint64]

CHOICES = ("mix", "points", "win", "alphadou")
BIDS = ("net", "price", "threshold")
THRESHOLDS = (-0.1, 0.0, 0.1)       # AlphaDou 4: a hand worth more than these as landlord bids 1, 2, 3
SHARPNESS = 0.6                     # beta of quantal weights, a stake
BLOCK = 8                           # deals between two looks at the clock


def seen_by(infoset: InfoSet) -> Position:
    """The position with the unseen cards dealt anyhow: the blueprint looks at their union and at hand sizes only."""
    view = hidden.view_of(infoset)
    unseen, after = unpack(infoset.packed_unseen), (infoset.seat + 1) % 3
    left = infoset.cards_left[after]
    return view._replace(**{f"hand{after}": pack(unseen[:left]),
                            f"hand{(after + 1) % 3}": pack(unseen[left:left + infoset.cards_left[(after + 1) % 3]])})


@dataclass(frozen=True)
class Bids:
    """Worth of every legal bid in points; and the deals looked at, by place, with their weights."""

    values: dict[int, Estimate]
    deals: Ints | None = None
    weights: Floats | None = None

    @property
    def best(self) -> int:
        """The bid worth most; of equals the lowest."""
        return max(self.values, key=lambda bid: self.values[bid].mean)


class Bidder:
    """Bids by the blueprint's nets: `net` asks the bid net; `price` samples deals, weighs them by what was bid before and
    values each bid on them; `threshold` values its hand as landlord and bids by fixed thresholds, whatever the others did
    (AlphaDou's baseline)."""

    def __init__(self, policy: kernels.Blueprint, how: str, deals: int, seed: int) -> None:
        if how not in BIDS:
            raise UnknownName("way to bid", how, BIDS)
        if deals < 1:
            raise SearchDouError(f"bids need at least one deal to be priced on, not {deals}")
        self.policy, self.how, self.deals, self.seed = policy, how, deals, seed
        self._out = np.empty(MAX_MOVES, np.int64)

    def values(self, infoset: InfoSet, limit: Limit | None = None) -> Bids:
        """What every legal bid is worth; for `threshold` 1 is the bid and 0 are the others. With a `limit` on as many
        deals as it allows."""
        bids = [0, *range(infoset.bid + 1, 4)]
        if self.how == "net":
            q = np.empty(len(bids))
            kernels.blueprint_values(self.policy, hidden.view_of(infoset), np.array(bids, np.int64), len(bids), q)
            return Bids({bid: Estimate(float(value), float("nan"), 1) for bid, value in zip(bids, q, strict=True)})
        deals_wanted = min(self.deals, limit.samples or self.deals) if limit else self.deals
        clock, seconds = (limit.clock, limit.seconds) if limit else (float, None)
        began, last = clock(), 0.0
        rng, hider = stream(self.seed, infoset.key), hidden.hidden_of(infoset)
        parts: list[tuple[Ints, Floats, Floats]] = []
        looked = 0
        while looked < deals_wanted:
            start = clock()
            if parts and seconds is not None and start + last > began + 0.95 * seconds:
                break
            # Blocks of a fixed size, so that the deals depend on how many there are and not on the machine's speed.
            n = deals_wanted if seconds is None else min(BLOCK, deals_wanted - looked)
            parts.append(self._priced(infoset, hider.draw(n, rng), bids, rng))
            looked += n
            last = max(last, clock() - start)
        deals, logs, prices = (np.concatenate(part) for part in zip(*parts, strict=True))
        weights = weights_of(logs)
        if self.how == "threshold":
            wanted = sum(float(prices.mean()) > threshold for threshold in THRESHOLDS)
            prices = np.tile([1.0 if bid == (wanted if wanted > infoset.bid else 0) else 0.0 for bid in bids], (looked, 1))
        found = [weighted(np.ascontiguousarray(column), weights) for column in prices.T]
        return Bids({bid: Estimate(float(mean), float(se), looked) for bid, (mean, se, _) in zip(bids, found, strict=True)},
                    deals, weights)

    def _priced(self, infoset: InfoSet, deals: Ints, bids: list[int], rng: Words) -> tuple[Ints, Floats, Floats]:
        """The deals, their log weights, and what each bid brings on them; for `threshold` what the hand is worth."""
        hands, view = hidden.seat_hands(infoset, deals), hidden.view_of(infoset)
        if self.how == "threshold":
            worth = np.empty((len(deals), 1))
            kernels.price_hands(self.policy, view, hands, self._out, worth[:, 0])
            return deals, np.zeros(len(deals)), worth
        prices = np.empty((len(deals), len(bids)))
        kernels.price_bids(self.policy, view, hands, np.array(bids, np.int64), rng, self._out, prices)
        logs = log_weights(hidden.past_of(infoset), hands, self.policy, rule="quantal",
                           beta=SHARPNESS / hidden.stake_of(infoset), most_moves=MAX_MOVES)
        return deals, logs, prices


class NetPlayer:
    """Plays the action the nets value highest; `nets` is the folder of their weights, without it the shipped ones.

    `choose`: mix (stakes and the chance to win, half each), points, win, or alphadou: of the moves within `rho` of the best
    expectation the most likely to win, and the chance to win alone once nothing can change the stake (`check`).
    """

    def __init__(self, nets: str = "", choose: str = "mix", rho: float = 0.05, check: bool = True, bids: str = "net",
                 deals: int = 256, noise: float = 0.0, seed: int = 0) -> None:
        if choose not in CHOICES:
            raise UnknownName("way to choose of net", choose, CHOICES)
        if not rho >= 0:
            raise SearchDouError(f"net: rho must be at least 0, not {rho}")
        self.choose, self.rho, self.check, self.seed = choose, rho, check, seed
        check_shares("net", {"noise": noise})
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
