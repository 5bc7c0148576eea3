"""The root: candidates valued on many deals, averaged by weight, the worst dropped by sequential halving.

    sample deals -> value every candidate on each -> weighted mean and standard error -> drop the worse half -> repeat

With a fixed number of samples and simulations the answer depends on the seed only, not on threads or speed; with a
deadline as many deals are looked at as the time allows.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inference._math_kernels import normal_gain
from inference._rng_kernels import stream
from inference.belief import weights_of
from mcts import _root_kernels as kernels
from mcts._solver_kernels import new_table
from mcts._tree_kernels import clear, new_tree

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


SURE_DEALS = 20            # effective ones, by weight: fewer say too little about their own spread


class Samples(NamedTuple):
    """Deals and their weights, as a belief hands them out."""

    hands: Ints            # [deals, seats] packed, the observer's own hand included
    log_weights: Floats    # [deals], any offset, the same for all deals of a decision
    last: bool = False     # there are no more: the deals drawn are all there are
    simple: Ints | None = None    # [deals] which seats are taken to play simply on each, bits of `draw_simple`; None: none


class Prior(NamedTuple):
    """What is thought of the candidates beforehand."""

    values: Floats         # [candidates] for the side that acts
    deals: float           # how many deals it counts for


@dataclass(frozen=True)
class Estimate:
    """What a candidate is worth to the side that acts: weighted mean, its standard error, deals looked at."""

    mean: float
    se: float
    visits: int


@dataclass(frozen=True)
class Limit:
    """How long to think: `samples` deals, or `seconds` whatever comes; both given, whichever ends first."""

    samples: int | None = None
    seconds: float | None = None
    clock: Callable[[], float] = time.perf_counter

    def __post_init__(self) -> None:
        if self.samples is None and self.seconds is None:
            raise ValueError("a search needs a limit: samples or seconds")
        if self.samples is not None and self.samples < 1:
            raise ValueError(f"a search needs at least one sample, not {self.samples}")
        if self.seconds is not None and not self.seconds > 0:
            raise ValueError(f"a search needs more than {self.seconds} seconds")


@dataclass
class RootResult:
    """Values by candidate, and what it took."""

    estimates: list[Estimate]
    best: int
    deals: int
    simulations: int
    solved: int
    hands: Ints = field(repr=False)
    weights: Floats = field(repr=False)


@dataclass
class Worker:
    """One thread's scratch and its own copy of the leaf and the prior (their arrays are written into)."""

    scratch: kernels.Scratch
    leaf: Any
    prior: Any

    def forget(self) -> None:
        """Empty the solver's table, if it was used: else a node limit would not strike when the same is asked again."""
        table = self.scratch.table
        if table.nodes[0]:
            table.rows[:] = 0
            table.nodes[0] = 0


class Root:
    """Values candidates for one game; made once, used for every decision."""

    def __init__(self, plan: kernels.Plan, make_leaf: Callable[[], Any], make_prior: Callable[[], Any], *,
                 threads: int = 1, most_moves: int = 64, nodes: int | None = None, table_bits: int = 16) -> None:
        self.plan = plan
        nodes = nodes or (plan.simulations * 24 + most_moves + 1 if plan.tree else 2)
        self.workers = [Worker(kernels.Scratch(new_tree(nodes), new_table(table_bits), np.empty(most_moves, np.int64),
                                               np.empty(most_moves)), make_leaf(), make_prior()) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def search(self, view: Any, candidates: Sequence[int], sign: float, draw: Callable[[int, int], Samples], limit: Limit,
               seed: int, favourite: int | None = None, caution: float = 0.0, sure: float = 0.0,
               prior: Prior | None = None, gain: float = 0.0) -> RootResult:
        """Value `candidates` (actions) of the seat to act in `view` (its state; other hands are ignored).

        `draw(start, n)` gives deals number start .. start + n - 1; fewer than n means there are no more, and then the
        deals are all there are, with their probabilities. `sign` is +1 for side 0. The `favourite` (by its place among
        the candidates) is never dropped, and kept unless another is ahead by `caution` standard errors of their difference
        on the same deals: what a good policy would do anyway is not given up for noise. A candidate that is `sure` standard
        errors behind the best is dropped at once, and so is one from which less than `gain` points can be expected by ever
        playing it instead (`expected_gain`); the last one left is not thought about any longer (0 and 0: never).
        A `prior` counts in ranking as if the candidates had its values on so many deals more.
        """
        began = limit.clock()
        actions = np.array(candidates, np.int64)
        rounds = max(1, math.ceil(math.log2(len(actions))))
        active = np.ones(len(actions), np.int64)
        hands: list[Ints] = []
        logs: list[Floats] = []
        values: list[Floats] = []
        counts = np.zeros(2, np.int64)
        for worker in self.workers:
            worker.forget()
        deals, finished, pace = 0, False, 0.0        # pace: seconds a valued candidate took so far, its deal's drawing too
        for number in range(rounds):
            budget = None if limit.samples is None else -(-limit.samples * (number + 1) // rounds)
            until = None if limit.seconds is None else began + limit.seconds * (number + 1) / rounds
            while not finished and (budget is None or deals < budget):
                # Larger blocks as deals add up: what a block costs beside its deals is paid a few dozen times, not hundreds.
                n = max(16 * len(self.workers), deals // 3) if budget is None else budget - deals
                if until is not None:
                    left = until - limit.clock()
                    if deals and left < pace * active.sum() / len(self.workers):
                        break
                    # About a fifth of what is left at a time: the last one overshoots by little.
                    n = min(n, max(1, int(0.2 * left / (pace * active.sum()))) if pace else 1)
                start = limit.clock()
                drawn = draw(deals, n)
                finished = drawn.last or len(drawn.hands) < n
                if len(drawn.hands) == 0:
                    break
                block = self._value(view, drawn, actions, active, seed, deals, counts)
                pace = (limit.clock() - start) / (len(drawn.hands) * active.sum())
                hands.append(drawn.hands)
                logs.append(drawn.log_weights)
                values.append(block)
                deals += len(drawn.hands)
                if (sure or gain) and deals >= SURE_DEALS and not finished:
                    weights = weights_of(np.concatenate(logs))
                    if 1.0 / np.square(weights).sum() >= SURE_DEALS:
                        _drop(active, np.concatenate(values), weights, sign, favourite, sure, gain, prior)
                    if active.sum() == 1:
                        break
            if finished or active.sum() == 1:
                break                                # all deals there are, or the choice is made
            if number + 1 < rounds:
                _keep(active, -(-len(actions) // 2 ** (number + 1)), np.concatenate(values),
                      weights_of(np.concatenate(logs)), sign, favourite, prior)
        all_values, all_weights = np.concatenate(values), weights_of(np.concatenate(logs))
        estimates = [_estimate(sign * all_values[:, i], all_weights, exact=finished) for i in range(len(actions))]
        scores = _scores(all_values, all_weights, sign, None if finished else prior)
        best = int(max(np.flatnonzero(active), key=lambda i: scores[i]))
        if favourite is not None and best != favourite:
            ahead = _estimate(sign * (all_values[:, best] - all_values[:, favourite]), all_weights, exact=finished)
            if not ahead.mean > caution * ahead.se:  # also when there is no error to go by
                best = favourite
        return RootResult(estimates, best, deals, int(counts[0]), int(counts[1]), np.concatenate(hands), all_weights)

    def _value(self, view: Any, drawn: Samples, actions: Ints, active: Ints, seed: int, first: int, counts: Ints) -> Floats:
        hands = drawn.hands
        simple = np.zeros(len(hands), np.int64) if drawn.simple is None else drawn.simple
        values = np.full((len(hands), len(actions)), np.nan)
        streams = np.concatenate([stream(seed, first + row) for row in range(len(hands))])
        if self._pool is None or len(hands) == 1:
            self._run(self.workers[0], view, hands, simple, streams, actions, active, values, counts)
            return values
        parts = np.array_split(np.arange(len(hands)), len(self.workers))
        tallies = [np.zeros(2, np.int64) for _ in parts]
        ranges = [slice(part[0], part[-1] + 1) for part in parts if len(part)]
        jobs = [self._pool.submit(self._run, worker, view, hands[rows], simple[rows], streams[rows], actions, active,
                                  values[rows], tally)
                for worker, rows, tally in zip(self.workers, ranges, tallies, strict=False)]
        for job in jobs:
            job.result()
        counts += sum(tallies)
        return values

    def _run(self, worker: Worker, view: Any, hands: Ints, simple: Ints, streams: Any, actions: Ints, active: Ints,
             values: Floats, counts: Ints) -> None:
        kernels.value_candidates(view, hands, simple, streams, actions, active, worker.leaf, worker.prior, self.plan,
                                 worker.scratch, values, counts)


def _keep(active: Ints, n: int, values: Floats, weights: Floats, sign: float, favourite: int | None,
          prior: Prior | None) -> None:
    """Keep the n best of the active candidates, and the favourite."""
    scores = _scores(values, weights, sign, prior)
    ranked = sorted(np.flatnonzero(active), key=lambda i: -scores[i])
    active[ranked[n:]] = 0
    if favourite is not None:
        active[favourite] = 1


def expected_gain(behind: Estimate) -> float:
    """What can be expected of choosing a candidate in place of the best if it turns out better.

    That is E max(0, -d) for a difference d that is normal about what was found. It weighs how likely the best is wrong with
    how much that would cost: candidates that are nearly as good as one another are not thought about for long.

    >>> round(expected_gain(Estimate(0.0, 1.0, 64)), 3), round(expected_gain(Estimate(2.0, 1.0, 64)), 3)
    (0.399, 0.008)
    """
    if not behind.se > 0:
        return max(0.0, -behind.mean)
    return float(normal_gain(behind.mean, behind.se))


def _drop(active: Ints, values: Floats, weights: Floats, sign: float, favourite: int | None, sure: float, gain: float,
          prior: Prior | None) -> None:
    """Drop the candidates that are `sure` standard errors behind the best on the deals both were valued on, and those that
    can be expected to gain less than `gain` over it."""
    alive = np.flatnonzero(active)
    scores = _scores(values, weights, sign, prior)
    best = max(alive, key=lambda i: scores[i])
    for i in alive:
        if i != best and i != favourite:
            behind = _estimate(sign * (values[:, best] - values[:, i]), weights, exact=False)
            # The first also drops the twin that was as good on every deal.
            if (sure and behind.mean >= sure * behind.se) or expected_gain(behind) < gain:
                active[i] = 0


def _scores(values: Floats, weights: Floats, sign: float, prior: Prior | None = None) -> Floats:
    """What candidates are ranked by: the mean value for the side that acts, the prior counted in."""
    means: Floats = sign * np.array([kernels.weighted(column, weights)[0] for column in np.ascontiguousarray(values.T)])
    if prior is None or not prior.deals:
        return means
    seen = (~np.isnan(values)).sum(axis=0)
    mixed: Floats = (seen * np.nan_to_num(means) + prior.deals * prior.values) / (seen + prior.deals)
    return mixed


def _estimate(values: Floats, weights: Floats, *, exact: bool) -> Estimate:
    mean, se, n = kernels.weighted(np.ascontiguousarray(values), weights)
    # No error when every deal there is was looked at.
    return Estimate(float(mean), 0.0 if exact and n == len(values) else float(se), int(n))


class InformationSetRoot:
    """The second algorithm: information-set MCTS, one tree over all deals, for comparison."""

    def __init__(self, make_leaf: Callable[[], Any], c: float, *, most_moves: int = 64, nodes: int = 1 << 17) -> None:
        self.leaf, self.c = make_leaf(), c
        self.tree = new_tree(nodes)
        self._out = np.empty(most_moves, np.int64)

    def search(self, view: Any, candidates: Sequence[int], sign: float, draw: Callable[[int, int], Samples], limit: Limit,
               seed: int) -> RootResult:
        """Like `Root.search`; a deal is one simulation, and `visits` are visits in the tree."""
        began = limit.clock()
        clear(self.tree)
        hands: list[Ints] = []
        logs: list[Floats] = []
        deals, pace = 0, 0.0                         # pace: seconds a deal took in the slowest block
        while limit.samples is None or deals < limit.samples:
            n = 64 if limit.samples is None else min(64, limit.samples - deals)
            start = limit.clock()
            if limit.seconds is not None:
                left = began + limit.seconds - start
                if deals and left < pace:
                    break
                # About a fifth of what is left at a time: the last one overshoots by little.
                n = min(n, max(1, int(0.2 * left / pace))) if deals else 1
            drawn = draw(deals, n)
            if len(drawn.hands) == 0:
                break
            streams = np.concatenate([stream(seed, deals + row) for row in range(len(drawn.hands))])
            chosen = drawn.hands
            if np.ptp(drawn.log_weights) > 0:        # a simulation has no weight: likelier deals are played more often
                chosen = chosen[np.random.default_rng(int(streams[0])).choice(
                    len(chosen), len(chosen), p=weights_of(drawn.log_weights))]
            kernels.ismcts(self.tree, view, chosen, streams, self.leaf, self.c, self._out)
            hands.append(drawn.hands)
            logs.append(drawn.log_weights)
            deals += len(drawn.hands)
            pace = max(pace, (limit.clock() - start) / len(drawn.hands))
        found = {}
        child = int(self.tree.first[0])
        while child >= 0:
            visits = int(self.tree.visits[child])
            found[int(self.tree.action[child])] = Estimate(sign * float(self.tree.total[child]) / max(1, visits),
                                                           float("nan"), visits)
            child = int(self.tree.sibling[child])
        estimates = [found.get(action, Estimate(float("nan"), float("nan"), 0)) for action in candidates]
        best = max(range(len(estimates)), key=lambda i: estimates[i].visits)
        return RootResult(estimates, best, deals, deals, 0, np.concatenate(hands), weights_of(np.concatenate(logs)))
