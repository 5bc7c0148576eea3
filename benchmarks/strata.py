"""What strata give: python benchmarks/strata.py [--positions 30] [--repeats 60]

The value of the best-looking candidate of mid-game positions, estimated from 27 deals drawn uniformly and from 27 drawn by
strata of the key cards, many times over. Tells the mean difference of the two (they must agree) and the ratio of their
variances (below 1: strata are sharper). A deal is valued by greedy (Gongzhu) or rule (DouDizhu) playouts, the same for both.
"""

from __future__ import annotations

import argparse

import numpy as np
from search import midgame

from inference._rng_kernels import stream
from mcts._root_kernels import Plan, value_candidates
from searchdou.agents.search import SearchPlayer
from searchdou.progress import Line, each

DEALS = 27


def run(positions: int, repeats: int) -> None:
    line = Line()
    for game, cards in (("gongzhu", 40), ("doudizhu", 45)):
        player = SearchPlayer(game, samples=8, leaf="rollout", policy="rule")
        worker = player._root.workers[0]
        plan = Plan(0, 1, 0.0, 0.0, 0, 0)
        gaps, gap_errors, ratios = [], [], []
        for seed in each(range(positions), game, "positions", line):
            infoset = midgame(game, cards, seed).infoset()
            candidates = player.kit.candidates(infoset)
            hidden = player.kit.hidden_of(infoset)
            strata = hidden.strata()
            if len(candidates) < 2 or len(strata) < 3:
                continue
            player.kit.prepare(worker.leaf, infoset)
            view = player.kit.view_of(infoset)
            action = np.array([player.kit.candidates(infoset)[0]])
            means = np.empty((2, repeats))
            for repeat in range(repeats):
                rng = stream(11, seed, repeat)
                for row, deals in enumerate((hidden.draw(DEALS, rng), hidden.draw_stratified(DEALS, rng, strata))):
                    values = np.empty((DEALS, 1))
                    value_candidates(view, player.kit.seat_hands(infoset, deals), np.zeros(DEALS, np.int64),
                                     np.concatenate([stream(12, seed, repeat, i) for i in range(DEALS)]), action,
                                     np.ones(1, np.int64), worker.leaf, worker.prior, plan, worker.scratch, values,
                                     np.zeros(2, np.int64))
                    means[row, repeat] = values.mean()
            gaps.append(means[1].mean() - means[0].mean())
            gap_errors.append(np.sqrt(means.var(axis=1).sum() / repeats))
            ratios.append(means[1].var() / means[0].var())
        z = np.array(gaps) / np.array(gap_errors)
        ratio = np.exp(np.log(ratios).mean())
        error = np.log(ratios).std() / np.sqrt(len(ratios))
        print(f"{game}: {len(ratios)} positions, {DEALS} deals, {repeats} repeats; stratified less uniform "
              f"{np.mean(gaps):+.2f} points, z mean {z.mean():+.2f} sd {z.std():.2f}; variance ratio {ratio:.2f} "
              f"[{ratio * np.exp(-1.96 * error):.2f}, {ratio * np.exp(1.96 * error):.2f}]", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=30)
    parser.add_argument("--repeats", type=int, default=60)
    options = parser.parse_args()
    run(options.positions, options.repeats)
