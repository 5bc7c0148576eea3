"""More deals or deeper trees? How a decision of Gongzhu's search is best spent: python benchmarks/regret.py [--positions 50]

Positions with 23-26 cards left of games by Mr. Greed; all legal cards are solved exactly on 128 deals drawn uniformly, and
the mean is the reference. Then fewer deals are valued by trees of the open-card net, by greedy rollouts, or exactly, and the
card with the best mean is charged what it gives away by the reference (regret, in points), averaged over disjoint sets of
the deals. What this leaves out: weights, strata, halving, and everything that averaging open cards itself gets wrong. The
reference is kept under benchmarks/runs/. Times are CPU, of all candidates on all deals of a decision. Errors are standard
errors.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from inference._policy_kernels import Rollout
from inference._rng_kernels import stream
from mcts._root_kernels import Plan, Scratch, value_candidates
from mcts._solver_kernels import new_table
from mcts._tree_kernels import new_tree
from searchdou import agents
from searchdou.games.gongzhu import Game, _search_kernels, encode, hidden
from searchdou.games.gongzhu._kernels import Position
from searchdou.progress import Line, Progress, each

HERE = Path(__file__).parent
LINE = Line()                # of progress
DEALS = 128
PLAYS = 26                   # cards played, and up to three more
GREEDY = _search_kernels.Greedy(0.1)
EXACT = Plan(0, 1, 0.0, 0.0, 52, 1 << 40)
TREES = ((1, (32, 128)), (8, (16, 64, 128)), (15, (16, 42, 128)), (30, (8, 24, 64)), (60, (4, 12, 32, 64)),
         (150, (5, 16, 42)))


class Case(NamedTuple):
    """One decision: what the seat sees, sampled deals, its legal cards, their exact values for its side."""

    view: Position
    hands: np.ndarray        # [DEALS, 4]
    cards: np.ndarray        # [n]
    exact: np.ndarray        # [DEALS, n]
    sign: int


def valued(view: Position, hands: np.ndarray, cards: np.ndarray, sign: int, leaf: Any, plan: Plan, scratch: Scratch
           ) -> tuple[np.ndarray, float]:
    """Values [deals, cards] for the side that plays, and the CPU seconds it took."""
    values, counts = np.zeros((len(hands), len(cards))), np.zeros(2, np.int64)
    streams = np.concatenate([stream(1, row) for row in range(len(hands))])
    began = time.process_time()
    nobody = np.zeros(len(hands), np.int64)
    value_candidates(view, hands, nobody, streams, cards, np.ones(len(cards), np.int64), leaf, GREEDY, plan, scratch, values,
                     counts)
    return sign * values, time.process_time() - began


def scratch_of(bits: int) -> Scratch:
    return Scratch(new_tree(1 << 16), new_table(bits), np.empty(2048, np.int64), np.empty(2048))


def cases(positions: int) -> list[Case]:
    """The decisions with their references, made once."""
    path = HERE / "runs" / f"regret-{PLAYS}-{DEALS}-{positions}.npz"
    player, found, big, seed = agents.make("gongzhu", "greed"), [], scratch_of(20), 0
    kept = np.load(path) if path.exists() else None
    told = Progress("solving", positions, "decisions", LINE)
    told(0)
    while len(found) < positions:
        state, seed = Game().deal(9000 + seed), seed + 1
        while len(state.infoset().history) < PLAYS + seed % 4:
            state.act(player.act(state.infoset()))
        infoset = state.infoset()
        cards = np.array([card for card in range(52) if infoset.packed_legal >> card & 1])
        if len(cards) < 2:
            continue
        hands = hidden.seat_hands(infoset, hidden.hidden_of(infoset).draw(DEALS, stream(seed, 3)))
        view, sign = infoset.seen_position(), 1 if infoset.seat % 2 == 0 else -1
        if kept is None:
            big.table.rows[:] = 0
            exact, _ = valued(view, hands, cards, sign, Rollout(GREEDY), EXACT, big)
        else:
            exact = kept[f"v{len(found)}"]
        found.append(Case(view, hands, cards, exact, sign))
        told(len(found))
    if kept is None:
        path.parent.mkdir(exist_ok=True)
        np.savez_compressed(path, **{f"v{i}": case.exact for i, case in enumerate(found)})
    return found


def rows(name: str, leaf: Any, plan: Plan, sizes: tuple[int, ...], decisions: list[Case]) -> None:
    """One line a number of deals."""
    scratch, spent, values = scratch_of(14), 0.0, []
    used = min(DEALS, 3 * max(sizes))
    valued(*decisions[0][:1], decisions[0].hands[:2], decisions[0].cards, 1, leaf, plan, scratch)        # compiles
    for case in each(decisions, name, "decisions", LINE):
        found, seconds = valued(case.view, case.hands[:used], case.cards, case.sign, leaf, plan, scratch)
        values.append(found)
        spent += seconds
    for deals in sizes:
        regrets = []
        for case, found in zip(decisions, values, strict=True):
            reference = case.exact.mean(axis=0)
            parts = [found[start:start + deals].mean(axis=0) for start in range(0, used - deals + 1, deals)]
            regrets.append(np.mean([reference.max() - reference[int(np.argmax(part))] for part in parts]))
        ms = 1000 * spent / len(decisions) * deals / used
        error = np.std(regrets) / len(regrets) ** 0.5
        print(f"| {name} | {deals} | {ms:.1f} | {np.mean(regrets):.2f} ± {error:.2f} |", flush=True)


def run(positions: int, nets: str) -> None:
    decisions = cases(positions)
    oracle = encode.oracle_in(nets)
    print(f"{positions} decisions, {np.mean([len(case.cards) for case in decisions]):.1f} candidates each\n")
    print("| values by | deals | CPU ms a decision | regret |\n|---|---|---|---|")
    for sims, sizes in TREES:
        rows(f"net, minimax tree, {sims} simulations", oracle, Plan(1, sims, 20.0, 0.0, 0, 0, True), sizes, decisions)
    rows("net, mean tree, 30 simulations", oracle, Plan(1, 30, 20.0, 0.0, 0, 0), (8, 24, 64), decisions)
    rows("greedy rollouts, mean tree, 30 simulations", Rollout(GREEDY), Plan(1, 30, 60.0, 0.0, 0, 0), (8, 24, 64), decisions)
    rows("exact solutions", Rollout(GREEDY), EXACT, (4, 8, 16, 32), decisions)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=50)
    parser.add_argument("--nets", default="", help="folder of the nets; without it those that came with the package")
    given = parser.parse_args()
    run(given.positions, given.nets)
