"""When to stop thinking: what `sure` and `gain` of `search` save and cost: python benchmarks/stopping.py [--game gongzhu]

Decisions of games by `net` with itself. Every candidate that `search` would look at is valued on many deals once; their
weighted mean is the reference. Then the search itself is played again on these values in other orders of the deals, with a
clock that counts values instead of seconds, and the choice is charged what it gives away by the reference (regret, in
points). A replay sees part of the deals the reference is made of, so regrets of long searches are a little too small.
Errors are standard errors over decisions.
"""

from __future__ import annotations

import argparse
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from _paper import table

from inference.belief import weights_of
from mcts.root import Limit, Prior, Root, Samples
from searchdou import agents
from searchdou.agents.search import SearchPlayer, _Deals
from searchdou.arena.formats import format_of
from searchdou.progress import Line, Progress, each

DEALS = {"gongzhu": 512, "doudizhu": 2048}
BUDGETS = {"gongzhu": (250, 500, 1000), "doudizhu": (640, 1280, 2560)}      # values: candidates x deals
RULES = {"gongzhu": ((0.0, 0.0), (4.0, 0.0), (4.0, 0.05), (4.0, 0.1), (4.0, 0.2), (4.0, 0.4)),
         "doudizhu": ((0.0, 0.0), (4.0, 0.0), (4.0, 0.001), (4.0, 0.002), (4.0, 0.005), (4.0, 0.01))}
ORDERS = 4
LINE = Line()       # of progress


class Case(NamedTuple):
    """One decision: candidates' values for side 0 by deal, the deals' log weights, the side's sign, the policy's opinion."""

    values: np.ndarray       # [deals, candidates]
    logs: np.ndarray         # [deals]
    sign: float
    prior: Prior | None


class Replay(Root):
    """The search on values that are known, with a clock that counts them."""

    def __init__(self, values: np.ndarray) -> None:
        self.known, self.spent = values, 0.0
        self.workers: list[Any] = [SimpleNamespace(forget=lambda: None)]        # one thread that keeps nothing

    def clock(self) -> float:
        return self.spent

    def _value(self, view: Any, hands: Any, actions: Any, active: Any, seed: int, first: int, counts: Any) -> Any:
        found = np.where(active == 1, self.known[first:first + len(hands)], np.nan)
        self.spent += float(len(hands) * active.sum())
        return found


def case_of(player: SearchPlayer, infoset: Any, deals: int) -> Case | None:
    """The decision with all its values, if there is one that a search would think about."""
    kit, hidden = player.kit, player.kit.hidden_of(infoset)
    twins = kit.twins(infoset)
    candidates = [action for action in kit.candidates(infoset) if twins.get(action, action) == action]
    if len(candidates) < 2 or hidden.count <= deals:
        return None
    drawn = _Deals(player, infoset, hidden)
    view = kit.view_of(infoset)
    kept, _, prior = player._kept(view, drawn, candidates, [])
    for worker in player._root.workers:
        kit.prepare(worker.leaf, infoset)
    samples = drawn.draw(0, deals)
    values = player._root._value(view, samples, np.array(kept), np.ones(len(kept), np.int64), 1, 0,
                                 np.zeros(2, np.int64))
    return Case(values, samples.log_weights, kit.sign_of(infoset), prior)


def cases(game: str, positions: int, deals: int) -> list[Case]:
    player, net = agents.make(game, f"search:samples={deals}"), agents.make(game, "net")
    assert isinstance(player, SearchPlayer)
    rng, found, number, told = np.random.default_rng(1), [], 0, Progress("valuing", positions, "decisions", LINE)
    told(0)
    while len(found) < positions:
        number += 1
        state, _ = next(iter(format_of(game).games(77, number)))
        infosets = []
        while not state.is_over:
            infosets.append(state.infoset())
            state.act(net.act(infosets[-1]))
        case = case_of(player, infosets[rng.integers(len(infosets))], deals)
        if case:
            found.append(case)
            told(len(found))
    return found


def replay(case: Case, budget: float, sure: float, gain: float, order: np.ndarray) -> tuple[int, float]:
    """What the search chooses with so many values to spend, and how many it spent."""
    root, n = Replay(case.values[order]), case.values.shape[1]
    logs = case.logs[order]

    def draw(start: int, many: int) -> Samples:
        return Samples(np.zeros((len(logs[start:start + many]), 1), np.int64), logs[start:start + many])
    result = root.search(None, range(n), case.sign, draw, Limit(None, budget, root.clock), 1, sure=sure, prior=case.prior,
                         gain=gain)
    return result.best, root.spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", choices=list(DEALS), default="gongzhu")
    parser.add_argument("--positions", type=int, default=100)
    given = parser.parse_args()
    decisions, rng, rows = cases(given.game, given.positions, DEALS[given.game]), np.random.default_rng(2), []
    orders = [rng.permutation(DEALS[given.game]) for _ in range(ORDERS)]
    for budget in BUDGETS[given.game]:
        for sure, gain in RULES[given.game]:
            regrets, spent = [], []
            for case in each(decisions, f"{budget} values, sure {sure:g}, gain {gain:g}", "decisions", LINE):
                worth = case.sign * (weights_of(case.logs) @ case.values)
                played = [replay(case, budget, sure, gain, order) for order in orders]
                regrets.append(np.mean([worth.max() - worth[best] for best, _ in played]))
                spent.append(np.mean([values for _, values in played]))
            rows.append([str(budget), f"{sure:g}", f"{gain:g}", f"{np.mean(spent):.0f}",
                         f"{np.mean(regrets):.4f} ± {np.std(regrets) / len(regrets) ** 0.5:.4f}"])
    print(f"`python benchmarks/stopping.py --game {given.game} --positions {given.positions}`\n\n{len(decisions)} decisions,"
          f" {np.mean([case.values.shape[1] for case in decisions]):.1f} candidates each, {DEALS[given.game]} deals, "
          f"{ORDERS} orders.")
    table(["values at most", "`sure`", "`gain`", "values spent", "regret, points"], rows)


if __name__ == "__main__":
    main()
