"""How far the exact solver reaches: python benchmarks/solver.py [--positions 60]

Endings reached by the hand-written players, solved from an empty table; CPU time. The reach is the largest number of cards
left (all hands together) whose 95th percentile stays within 50 ms.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from search import midgame

from mcts._solver_kernels import HUGE, new_table, solve
from searchdou.agents.search import SearchPlayer
from searchdou.progress import Line, Progress

SIZES = {"gongzhu": (12, 16, 20, 24, 28), "doudizhu": (9, 12, 15, 18, 21, 24)}
WITHIN_MS = 50.0
MOST_NODES = 5_000_000


def run(positions: int) -> None:
    out, line = np.empty(1 << 17, np.int64), Line()
    for game, sizes in SIZES.items():
        SearchPlayer(game)
        table, reach = new_table(18), 0
        solve(midgame(game, min(sizes), 0).position, table, out, -HUGE, HUGE)       # compiles
        print(f"{game}\n| cards left | positions | median ms | 95% ms | worst ms | mean nodes |\n|---|---|---|---|---|---|")
        for cards in sizes:
            spent, nodes = [], []
            seed, told = 0, Progress(f"{game}, {cards} cards left", positions, "positions", line)
            told(0)
            while len(spent) < positions:
                state = midgame(game, cards, seed)
                seed += 1
                if state.is_over:
                    continue
                table.rows[:] = 0
                table.nodes[:] = (0, MOST_NODES, 0)
                began = time.process_time()
                solve(state.position, table, out, -HUGE, HUGE)
                spent.append(1000 * (time.process_time() - began))
                nodes.append(int(table.nodes[0]))
                told(len(spent))
            middle, high, worst = np.percentile(spent, [50, 95, 100])
            print(f"| {cards} | {positions} | {middle:.2f} | {high:.2f} | {worst:.2f} | {np.mean(nodes):,.0f} |", flush=True)
            reach = cards if high <= WITHIN_MS else reach
        print(f"reach within {WITHIN_MS:g} ms (95%): {reach} cards\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=60)
    run(parser.parse_args().positions)
