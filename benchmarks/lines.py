"""What foretells a game of Gongzhu, a value or values along a line: python benchmarks/lines.py [--pairs 5000]

A position of a game by `net` (a tenth of its cards at random), two of its legal cards, the true deal. Each card is played
and the game played on to its end by --player on all seats: the difference of the two outcomes is the truth. What a leaf of
`search` could say of the difference stands beside it: the oracle at once, the oracle after some cards by the blueprint, a
mean along these cards, the exact solution with open cards, half of both. The better leaf is nearer to the truth. Most of
the truth is chance that no leaf can know of (what the four do later), so correlations are small; which is larger counts.

Errors are standard errors over pairs, which are of different games. Pairs are kept in --runs, and go on from there.
"""

from __future__ import annotations

import argparse
import random
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from _paper import HERE, each_game, frozen_nets, table

import searchdou
from inference._rng_kernels import stream
from mcts._solver_kernels import HUGE, new_table, solve
from searchdou import agents
from searchdou.errors import SearchDouError
from searchdou.games.gongzhu import Deal, Game, encode
from searchdou.games.gongzhu._kernels import MAX_MOVES, difference, is_over, step
from searchdou.games.gongzhu._net_kernels import blueprint_choice, oracle_value

LONG = 20                   # cards that a line is followed
SOLVED = 24                 # cards left that are solved exactly
LATEST = 43                 # cards played before the choice, at most
STAGES = ((1, 12), (13, 22), (23, 27), (28, 31), (32, 35), (36, 39), (40, 44))      # cards played, the choice among them


@cache
def scratch() -> Any:
    """The nets, a table and room for moves: one each a process."""
    return encode.blueprint_in(), encode.oracle_in(), new_table(), np.empty(64 * MAX_MOVES, np.int64), stream(0)


def line(position: Any) -> list[float]:
    """What the oracle says of a position and of those that follow when the blueprint plays on; at the end, the points."""
    policy, oracle, _, out, rng = scratch()
    said = []
    for _ in range(LONG + 1):
        over = is_over(position)
        said.append(float(difference(position)) if over else float(oracle_value(oracle, position, rng, out)))
        if not over:
            position = step(position, blueprint_choice(policy, position, rng, out))
    return said


def exact(position: Any) -> float:
    """The value of best play with open cards; nan where that takes too long."""
    if 52 - position.plays > SOLVED:
        return float("nan")
    _, _, entries, out, _ = scratch()
    entries.nodes[:] = 0
    return float(solve(position, entries, out, -HUGE, HUGE))


def pair(player: str, seed: int, number: int) -> list[float]:
    """Cards played; then first card less second, for the side that plays: outcome, exact value, the line's values."""
    rng = random.Random(f"{seed} {number}")
    before, after = agents.make("gongzhu", "net"), agents.make("gongzhu", player)
    for attempt in range(1000):
        state = Game().start(Deal.random(seed, 1000 * number + attempt))
        for _ in range(rng.randint(0, LATEST)):
            state.act(rng.choice(state.legal_actions()) if rng.random() < 0.1 else before.act(state.infoset()))
        if len(state.legal_actions()) > 1:
            break
    sign = 1.0 if state.turn % 2 == 0 else -1.0
    rows = []
    for card in rng.sample(state.legal_actions(), 2):
        game = state.copy()
        game.act(card)
        said, solved, plays = line(game.position), exact(game.position), game.position.plays
        while not game.is_over:
            game.act(after.act(game.infoset()))
        rows.append(np.array([float(difference(game.position)), solved, *said]))
    return [float(plays), *(sign * (rows[0] - rows[1])).tolist()]


def leaves(solved: np.ndarray, said: np.ndarray) -> dict[str, np.ndarray]:
    """What each leaf says of the pairs; said is [pairs, LONG + 1]."""
    ahead = np.arange(LONG + 1)

    def fading(fade: float, cards: int) -> np.ndarray:
        weights = np.where(ahead <= cards, fade ** ahead, 0.0)
        return np.asarray(said @ (weights / weights.sum()))

    found = {"oracle at once": said[:, 0], **{f"after {cards} cards": said[:, cards] for cards in (3, 5, 8, 12)},
             "mean over 8 cards": fading(1.0, 8)}
    found |= {f"fade {fade:g} over {cards} cards": fading(fade, cards)
              for fade in (0.7, 0.85, 0.95) for cards in (4, 8, 12, 20)}
    return found | {"exact": solved, "half exact, half fade 0.85 over 8 cards": 0.5 * (solved + fading(0.85, 8))}


def correlation(a: np.ndarray, b: np.ndarray) -> str:
    return "" if np.isnan(a).any() else f"{np.corrcoef(a, b)[0, 1]:.3f}"


def nearer(leaf: np.ndarray, base: np.ndarray, truth: np.ndarray) -> str:
    """By how much the squared error of a leaf is less than the base's, ± its standard error."""
    less = (base - truth) ** 2 - (leaf - truth) ** 2
    return f"{less.mean():+,.0f} ± {less.std(ddof=1) / len(less) ** 0.5:,.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5000)
    parser.add_argument("--player", default="search:samples=9")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--runs", type=Path, default=HERE / "runs")
    options = parser.parse_args()
    if options.pairs < 100:
        raise SystemExit(f"lines: --pairs must be at least 100, not {options.pairs}")
    try:
        agents.make("gongzhu", options.player)
    except SearchDouError as error:
        raise SystemExit(f"lines: {error}") from None
    _, digest = frozen_nets("", (encode.ORACLE_FILE, encode.BLUEPRINT_FILE), options.runs)
    options.runs.mkdir(parents=True, exist_ok=True)
    kept = options.runs / f"gongzhu-lines-{options.player.replace(':', '-')}-{options.seed}-{digest}.jsonl"
    rows = np.array(each_game(partial(pair, options.player, options.seed), options.pairs, options.workers, kept), float)
    plays, truth, solved, said = rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3:]
    found = leaves(solved, said)
    print(f"\n`python benchmarks/lines.py --pairs {options.pairs} --player {options.player} --seed {options.seed}`\n\n"
          f"SearchDou {searchdou.__version__}, weights {digest}. {options.pairs:,} pairs, the truth's sd {truth.std():.0f} "
          "points. Correlation with the truth by cards played, and how much nearer a leaf is to it than the oracle after 5 "
          "cards (mean difference of squared errors ± standard error; exact and half: pairs with at most 24 cards left).")
    table(["leaf", *(f"{first}-{last}" for first, last in STAGES), "all", "nearer than after 5 cards"],
          [row(name, values, plays, truth, said[:, 5]) for name, values in found.items()])


def row(name: str, values: np.ndarray, plays: np.ndarray, truth: np.ndarray, base: np.ndarray) -> list[str]:
    """A line of the table."""
    stages = [(plays >= first) & (plays <= last) for first, last in STAGES]
    known = ~np.isnan(values)
    return [name, *(correlation(values[stage], truth[stage]) for stage in stages), correlation(values, truth),
            nearer(values[known], base[known], truth[known])]


if __name__ == "__main__":
    main()
