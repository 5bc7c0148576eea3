"""What foretells a game of Gongzhu: python benchmarks/foretell.py leaves deals [--pairs 4000]

A position of a game, two legal cards of the seat to play, the true deal. Each card is played and the game played on to its
end: the difference of the two outcomes is the truth, and what a search could say of the difference stands beside it. The
nearer to the truth the better; two ways to say it are compared on the same pairs, which tells them apart long before
matches do. Most of the truth is chance that nobody can know of, so correlations are small; which is larger counts.

    leaves  the true deal looked at: critic and oracle at once, after some cards by the blueprint, a mean along these cards,
            the game played out by the blueprint, the exact solution with open cards, halves. All seats by --player after a
            game by `net` with random cards; --nets are the leaves' own, the players keep theirs
    deals   a decision of --player against --against, not shown the deal: how deals are drawn and weighed

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
from searchdou.games.gongzhu import _search_kernels as _registered  # noqa: F401 (teaches the solver this game)
from searchdou.games.gongzhu._kernels import MAX_MOVES, difference, is_over, step
from searchdou.games.gongzhu._net_kernels import blueprint_choice, oracle_value, seer_choice

LONG = 20                   # cards that a line is followed
SOLVED = 24                 # cards left that are solved exactly
LATEST = 43                 # cards played before the choice, at most
STAGES = ((1, 12), (13, 22), (23, 27), (28, 31), (32, 35), (36, 39), (40, 44))      # cards played, the choice among them
BASE = {"leaves": "oracle, fade 0.85 over 8 cards", "deals": "uniform"}
WEIGHED = {
    "uniform": "strata=none,weights=uniform", "equal strata": "strata=equal,weights=uniform",
    "exact strata": "strata=exact,weights=uniform", "uniform + IEC 0.02": "strata=none,weights=iec,beta=0.02",
    "equal strata + IEC 0.02": "strata=equal,weights=iec,beta=0.02",
    **{f"exact strata + IEC {beta:g}": f"strata=exact,weights=iec,beta={beta:g}" for beta in (0.005, 0.01, 0.02, 0.04)},
    "exact strata + Bayes 0.02": "strata=exact,weights=bayes,beta=0.02",
    "exact strata + linear 0.015": "strata=exact,weights=linear,beta=0.015"}


# --- a pair ---------------------------------------------------------------------------------------------------------------

def played_on(state: Any, card: Any, players: list[Any]) -> float:
    """Points of side 0 when `card` is played and `players` play on by seat."""
    game = state.copy()
    game.act(card)
    while not game.is_over:
        game.act(players[game.turn].act(game.infoset()))
    return float(difference(game.position))


def a_choice(rng: random.Random, seed: int, number: int, players: list[Any], noise: float, seats: tuple[int, ...]) -> Any:
    """A position with a choice for one of `seats`, some cards into a game by `players`."""
    for attempt in range(10_000):
        state = Game().start(Deal.random(seed, 10_000 * number + attempt))
        for _ in range(rng.randint(0, LATEST)):
            anything = rng.random() < noise
            state.act(rng.choice(state.legal_actions()) if anything else players[state.turn].act(state.infoset()))
        if len(state.legal_actions()) > 1 and state.turn in seats:
            return state
    raise AssertionError("a game without choices")


@cache
def made(spec: str) -> Any:
    return agents.make("gongzhu", spec)


@cache
def scratch() -> Any:
    """A table and room for moves: one each a process."""
    return new_table(), np.empty(64 * MAX_MOVES, np.int64), stream(0)


@cache
def valued_by(nets: str) -> Any:
    """Who plays lines and which nets value them: seats that see their own cards, and those that see all."""
    oracle, critic = encode.oracle_in(nets), encode.critic_in(nets)
    return ((blueprint_choice, encode.blueprint_in(nets), (critic, oracle)), (seer_choice, encode.seer_in(nets), (oracle,)))


# --- leaves ---------------------------------------------------------------------------------------------------------------

def line(position: Any, choose: Any, policy: Any, nets: Any) -> list[float]:
    """What each of the nets says of a position and of those that follow when `policy` plays on; then what it comes to."""
    _, out, rng = scratch()
    said: list[list[float]] = [[] for _ in nets]
    for _ in range(LONG + 1):
        over = is_over(position)
        for values, net in zip(said, nets, strict=True):
            values.append(float(difference(position)) if over else float(oracle_value(net, position, rng, out)))
        if not over:
            position = step(position, choose(policy, position, rng, out))
    while not is_over(position):
        position = step(position, choose(policy, position, rng, out))
    return [*(value for values in said for value in values), float(difference(position))]


def exact(position: Any) -> float:
    """The value of best play with open cards; nan where that takes too long."""
    if 52 - position.plays > SOLVED:
        return float("nan")
    entries, out, _ = scratch()
    entries.nodes[:] = 0
    return float(solve(position, entries, out, -HUGE, HUGE))


def pair_of_leaves(options: Any, number: int) -> list[float]:
    """Cards played; then first card less second, for the side that plays: outcome, exact value, values along lines."""
    player, seed = options.player, options.seed
    rng = random.Random(f"{seed} {number}")
    state = a_choice(rng, seed, number, [made("net")] * 4, 0.1, (0, 1, 2, 3))
    rows = []
    for card in rng.sample(state.legal_actions(), 2):
        after = step(state.position, card.card)
        rows.append(np.array([played_on(state, card, [made(player)] * 4), exact(after),
                              *(value for line_by in valued_by(options.nets) for value in line(after, *line_by))]))
    sign = 1.0 if state.turn % 2 == 0 else -1.0
    return [state.position.plays + 1.0, *(sign * (rows[0] - rows[1])).tolist()]


def leaves(rows: np.ndarray) -> dict[str, np.ndarray]:
    """What each leaf says of the pairs."""
    ahead, n = np.arange(LONG + 1), LONG + 1
    solved, critic, oracle = rows[:, 2], rows[:, 3:3 + n], rows[:, 3 + n:3 + 2 * n]
    played, seer = rows[:, 3 + 2 * n], rows[:, 4 + 2 * n:4 + 3 * n]

    def fading(fade: float, cards: int, said: np.ndarray) -> np.ndarray:
        weights = np.where(ahead <= cards, fade ** ahead, 0.0)
        return np.asarray(said @ (weights / weights.sum()))

    found = {}
    for name, said in (("oracle", oracle), ("critic", critic)):
        found[f"{name} at once"] = said[:, 0]
        found |= {f"{name} after {cards} cards": said[:, cards] for cards in (3, 5, 8, 12)}
        found |= {f"{name}, fade {fade:g} over {cards} cards": fading(fade, cards, said)
                  for fade in (0.7, 0.85, 0.95) for cards in (4, 8, 12, 20)}
    blind, sighted = fading(0.85, 8, oracle), fading(0.85, 8, seer)
    lived = fading(0.85, 8, critic)
    found |= {"played out by the blueprint": played, "oracle, fade 0.85 over 8 cards by open cards": sighted,
              "half of both lines of the oracle": 0.5 * (blind + sighted), "half critic, half oracle": 0.5 * (lived + blind),
              "half of that, half by open cards": 0.25 * (lived + blind) + 0.5 * sighted,
              "half critic, half played out": 0.5 * (lived + played)}
    return found | {"exact": solved, "half exact, half oracle": 0.5 * (solved + blind),
                    "half exact, half critic": 0.5 * (solved + lived),
                    "half exact, rest as above": 0.5 * solved + 0.125 * (lived + blind) + 0.25 * sighted,
                    "1/4 exact, 3/4 critic": 0.25 * solved + 0.75 * lived}


# --- deals ----------------------------------------------------------------------------------------------------------------

def pair_of_deals(options: Any, number: int) -> list[float]:
    """Cards played; then first card less second, for the side that plays: outcome, and by each way to draw and weigh."""
    rng = random.Random(f"{options.seed} {number}")
    players = [made(options.player), made(options.against)] * 2
    state = a_choice(rng, options.seed, number, players, 0.0, (0, 2))
    first, second = rng.sample(state.legal_actions(), 2)
    row = [state.position.plays + 1.0, played_on(state, first, players) - played_on(state, second, players)]
    for settings in WEIGHED.values():
        values = made(f"search:samples={options.samples},sure=0,gain=0,{settings}").analyze(state.infoset()).values
        row.append(values[first].mean - values[second].mean)
    return row


# --- the tables -----------------------------------------------------------------------------------------------------------

def correlation(a: np.ndarray, b: np.ndarray) -> str:
    return "" if len(a) < 3 or np.isnan(a).any() else f"{np.corrcoef(a, b)[0, 1]:.3f}"


def nearer(said: np.ndarray, base: np.ndarray, truth: np.ndarray) -> str:
    """By how much the squared error is less than the base's, ± its standard error."""
    less = (base - truth) ** 2 - (said - truth) ** 2
    return f"{less.mean():+,.0f} ± {less.std(ddof=1) / len(less) ** 0.5:,.0f}"


def row_of(name: str, said: np.ndarray, plays: np.ndarray, truth: np.ndarray, base: np.ndarray) -> list[str]:
    """A line of a table."""
    stages = [(plays >= first) & (plays <= last) for first, last in STAGES]
    known = ~np.isnan(said)
    return [name, *(correlation(said[stage], truth[stage]) for stage in stages), correlation(said, truth),
            nearer(said[known], base[known], truth[known])]


def run(part: str, options: argparse.Namespace, digest: str) -> None:
    work = {"leaves": pair_of_leaves, "deals": pair_of_deals}[part]
    settings = {"leaves": f"--player {options.player}",
                "deals": f"--player {options.player} --against {options.against} --samples {options.samples}"}[part]
    name = "".join(c if c.isalnum() or c in ".=" else "-" for c in f"{part} {settings}".replace("--", ""))
    options.runs.mkdir(parents=True, exist_ok=True)
    rows = np.array(each_game(partial(work, options), options.pairs, options.workers,
                              options.runs / f"gongzhu-{name}-{options.seed}-{digest}.jsonl"), float)
    found = leaves(rows) if part == "leaves" else dict(zip(WEIGHED, rows[:, 2:].T, strict=True))
    plays, truth = rows[:, 0], rows[:, 1]
    print(f"\n`python benchmarks/foretell.py {part} --pairs {options.pairs} {settings} --seed {options.seed}`\n\nSearchDou "
          f"{searchdou.__version__}, weights {digest}. {options.pairs:,} pairs, the truth's sd {truth.std():.0f} points. "
          "Correlation with the truth by cards played, and how much nearer it is than what stands at "
          f"\"{BASE[part]}\": mean difference of squared errors ± standard error; exact values with at most {SOLVED} "
          "cards left.")
    table([part, *(f"{first}-{last}" for first, last in STAGES), "all", f"nearer than \"{BASE[part]}\""],
          [row_of(name, said, plays, truth, found[BASE[part]]) for name, said in found.items()])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="+", choices=list(BASE))
    parser.add_argument("--pairs", type=int, default=4000)
    parser.add_argument("--player", default="search:samples=9")
    parser.add_argument("--against", default="greed")
    parser.add_argument("--samples", type=int, default=64, help="deals that `deals` looks at")
    parser.add_argument("--nets", default="", help="folder of the nets that `leaves` compares")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--runs", type=Path, default=HERE / "runs")
    options = parser.parse_args()
    try:
        if options.pairs < 100 or options.samples < 1:
            raise SearchDouError("at least 100 pairs and one sample are needed")
        made(options.player)
        made(options.against)
    except SearchDouError as error:
        raise SystemExit(f"foretell: {error}") from None
    options.nets, digest = frozen_nets(options.nets, encode.FILES, options.runs)
    for part in options.parts:
        run(part, options, digest)


if __name__ == "__main__":
    main()
