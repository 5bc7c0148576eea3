"""What foretells a game of DouDizhu: python benchmarks/foretell_doudizhu.py --side landlord --against rlcard [--games 400]

In games of `net` against --against some decisions of one side are looked at. Each of the best four moves by the net is
played on the true deal and the game played on to its end by the same players: what they come to is the truth. Beside it
stands what a search says of the same moves, by each --model (settings of `search`; the first is what others are compared
with). Differences to the net's own choice are compared, so that most of the chance of a deal falls out:

    correlation     of the differences said with the true ones
    nearer          by how much the squared error is less than the first model's, each model scaled as fits it best
    choice          what the truth of the best-rated move has over the net's own choice, the net's values counting as
                    `trust` deals; and the same less the first model's

Matches need thousands of games to tell two ways to think apart; this needs hundreds. Errors are standard errors over games.
Games are kept in --runs, and go on from there.
"""

from __future__ import annotations

import argparse
import hashlib
import random
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from _paper import HERE, each_game, frozen_nets, table
from doudizhu_paper import FILES

import searchdou
from inference.belief import weights_of
from searchdou import agents
from searchdou.agents.search import _Deals
from searchdou.errors import SearchDouError
from searchdou.games.doudizhu import Deal, Game, Move, _kernels, encode
from searchdou.games.doudizhu._net_kernels import blueprint_values
from searchdou.games.doudizhu._search_kernels import scale

MOVES = 4
LOOKED_AT = 0.35            # of the decisions
MODELS = ("weights=iec", "weights=uniform", "weights=quantal,habits=0", "weights=quantal")


@cache
def made(spec: str) -> Any:
    return agents.make("doudizhu", spec)


def searching(model: str, samples: int) -> Any:
    return made(f"search:samples={samples},sure=0,gain=0,{model}")


@cache
def nets() -> Any:
    return encode.blueprint_in()


def played_on(state: Any, move: int, ours: Any, theirs: Any, landlord: bool) -> float:
    """Points of our side, half of them for the win as such, when `move` is played and both play on."""
    game, unit = state.copy(), float(scale(state.position))
    game.act(Move(move))
    while not game.is_over:
        mine = (game.turn == game.landlord) == landlord
        game.act((ours if mine else theirs).act(game.infoset()))
    points = game.payoffs()[game.landlord] * (1 if landlord else -1)
    return 0.5 * points + 0.5 * unit * (1 if points > 0 else -1)


def said(player: Any, infoset: Any, moves: list[int]) -> list[float]:
    """What a search says of the moves on all its deals, none dropped before."""
    deals, root = _Deals(player, infoset, player.kit.hidden_of(infoset)), player._root
    player.kit.prepare(root.workers[0].leaf, infoset)
    drawn = deals.draw(0, int(player.settings.samples or 0))
    values = root._value(player.kit.view_of(infoset), drawn, np.array(moves, np.int64), np.ones(len(moves), np.int64),
                         infoset.key, 0, np.zeros(2, np.int64))
    return list(player.kit.sign_of(infoset) * (weights_of(drawn.log_weights) @ values))


def decisions(options: Any, number: int) -> list[list[list[float]]]:
    """Of one game, a list a decision looked at: the truth by move, the net's values, and what every model says."""
    landlord, rng = options.side == "landlord", random.Random(f"{options.seed} {number}")
    ours, theirs = made("net"), made(options.against)
    state, found = Game("douzero", bidding=False).start(Deal.random(options.seed, number)), []
    while not state.is_over:
        infoset = state.infoset()
        mine = (state.turn == state.landlord) == landlord
        legal = infoset.packed_legal()
        ends = any(move & _kernels.CARDS == infoset.packed_hand for move in legal)
        if mine and len(legal) > 1 and not ends and rng.random() < LOOKED_AT:
            actions, values = np.array(legal, np.int64), np.empty(len(legal))
            blueprint_values(nets(), state.position, actions, len(legal), values)     # of what the seat to act sees
            best = np.argsort(-values, kind="stable")[:MOVES]
            moves = actions[best].tolist()
            found.append([[played_on(state, move, ours, theirs, landlord) for move in moves], values[best].tolist(),
                          *(said(searching(model, options.samples), infoset, moves) for model in options.models)])
        state.act((ours if mine else theirs).act(infoset))
    return found


def error(values: np.ndarray, games: np.ndarray) -> float:
    """Standard error of the mean, decisions of a game taken together."""
    sums = np.bincount(games, values - values.mean())
    return float(np.sqrt(np.square(sums).sum()) / len(values))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", choices=("landlord", "peasants"), default="landlord")
    parser.add_argument("--against", default="rlcard")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--trust", type=float, default=20.0)
    parser.add_argument("--model", action="append", dest="models")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--runs", type=Path, default=HERE / "runs")
    options = parser.parse_args()
    options.models = options.models or list(MODELS)
    try:
        if options.games < 4 or options.samples < 2:
            raise SearchDouError("at least four games and two samples are needed")
        for model in options.models:
            searching(model, options.samples)
        made(options.against)
    except SearchDouError as problem:
        raise SystemExit(f"foretell_doudizhu: {problem}") from None
    _, digest = frozen_nets("", FILES, options.runs)
    options.runs.mkdir(parents=True, exist_ok=True)
    name = f"{options.side} {options.against} {options.samples} {options.models}"
    key = hashlib.sha256(name.encode()).hexdigest()[:12]
    rows = each_game(partial(decisions, options), options.games, options.workers,
                     options.runs / f"doudizhu-foretell-{options.side}-{options.seed}-{key}-{digest}.jsonl")
    games = np.array([game for game, of_game in enumerate(rows) for _ in of_game])
    padded = np.array([[part + [np.nan] * (MOVES - len(part)) for part in row] for of_game in rows for row in of_game])
    truth, values = padded[:, 0], padded[:, 1]
    true = (truth - truth[:, :1])[:, 1:]
    known = ~np.isnan(true)
    of = np.repeat(games[:, None], MOVES - 1, 1)[known]
    lines, first = [], None
    for k, model in enumerate(options.models):
        search = padded[:, 2 + k]
        differences = (search - search[:, :1])[:, 1:][known]
        slope = differences @ true[known] / (differences @ differences)
        squares = (slope * differences - true[known]) ** 2
        score = np.where(np.isnan(search), -np.inf, options.samples * search + options.trust * values)
        worth = truth[np.arange(len(truth)), np.argmax(score, axis=1)] - truth[:, 0]
        first = first or (squares, worth)
        lines.append([f"`{model}`", f"{np.corrcoef(differences, true[known])[0, 1]:.3f}", f"{slope:.2f}",
                      f"{(first[0] - squares).mean():+.3f} ± {error(first[0] - squares, of):.3f}",
                      f"{worth.mean():+.3f} ± {error(worth, games):.3f}",
                      f"{(worth - first[1]).mean():+.3f} ± {error(worth - first[1], games):.3f}"])
    more = "".join(f" --{name} {value:g}" for name, value, usual in (
        ("samples", options.samples, 100), ("trust", options.trust, 20)) if value != usual)
    more += "".join(f" --model {model}" for model in options.models) if tuple(options.models) != MODELS else ""
    command = f"--side {options.side} --against {options.against} --games {options.games} --seed {options.seed}{more}"
    print(f"\n`python benchmarks/foretell_doudizhu.py {command}`\n\nSearchDou {searchdou.__version__}, weights {digest}. "
          f"{len(truth):,} decisions of {options.games} games, {options.samples} deals each, in points; the net's own "
          f"choice is worth {truth[:, 0].mean():+.3f}, the best of the four, seen afterwards, "
          f"{np.nanmax(truth, axis=1).mean():+.3f}. ± one standard error over games.")
    table([f"{options.side} against {options.against}", "correlation", "slope", "nearer than the first",
           "choice over the net's", "the same less the first's"], lines)


if __name__ == "__main__":
    main()
