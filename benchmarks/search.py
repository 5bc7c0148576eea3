"""The parts of the search, by CPU time: searchdou bench search [--json] [--seconds 1.0]

Tasks: `doudizhu_mcts_sims`, simulations of open-card UCT with random rollouts from a dealt hand (landlord to lead), ours
beside OpenSpiel's C++ MCTSBot on the same game; `gongzhu_mcts_sims` the same with ours alone; `*_uniform_deals`, exact
uniform deals of the unseen cards; `*_weighed_deals`, deals weighed by IEC in mid-game; `*_solved_endings`, endings solved
exactly; `*_decision_sims_1_thread` and `_2_threads`, simulations per second of wall time at the root on one and two threads.
Measured in rounds, all in turn, the median is told.
"""

from __future__ import annotations

import argparse
import json
import random
from functools import partial

import numpy as np
from engine import ROUNDS, Measured, in_rounds
from rich.console import Console
from rich.table import Table

from inference._game_kernels import Uniform
from inference._policy_kernels import Rollout
from inference._rng_kernels import stream
from inference.past import log_weights
from mcts._solver_kernels import HUGE, new_table, solve
from mcts._tree_kernels import clear, new_tree, search
from searchdou import agents, games
from searchdou.agents.search import SearchPlayer
from searchdou.progress import each


def dealt(game: str, seed: int = 1):
    module = games.load(game)
    return (module.Game(bidding=False) if game == "doudizhu" else module.Game()).deal(seed)


def midgame(game: str, cards_left: int, seed: int = 1):
    """A state reached by the hand-written players, with at most that many cards left."""
    state = dealt(game, seed)
    player = agents.make(game, "rule" if game == "doudizhu" else "greed")
    while not state.is_over and sum(state.infoset().cards_left) > cards_left:
        state.act(player.act(state.infoset()))
    return state


def mcts_sims(game: str) -> Measured:
    position, rng = dealt(game).position, stream(2)
    tree, out, q = new_tree(1 << 20), np.empty(1 << 15, np.int64), np.empty(1 << 15)

    def run(n: int) -> None:
        clear(tree)
        search(tree, position, Rollout(Uniform()), Uniform(), 0.0, 60.0 if game == "gongzhu" else 4.0, n, rng, out, q)
    return run


def uniform_deals(game: str) -> Measured:
    player, infoset, rng = SearchPlayer(game), dealt(game).infoset(), stream(3)
    hidden = player.kit.hidden_of(infoset)

    def run(n: int) -> None:
        hidden.draw(n, rng)
    return run


def weighed_deals(game: str) -> Measured:
    player = SearchPlayer(game)
    infoset = midgame(game, 30).infoset()
    hidden, past = player.kit.hidden_of(infoset), player.kit.past_of(infoset)
    hands = player.kit.seat_hands(infoset, hidden.draw(4096, stream(4)))

    def run(n: int) -> None:
        for start in range(0, n, len(hands)):
            log_weights(past, hands[:n - start], player._policy, most_moves=player.kit.most_moves)
    return run


def solved_endings(game: str, cards: int) -> Measured:
    SearchPlayer(game)
    positions = [state.position for state in (midgame(game, cards, seed) for seed in range(40)) if not state.is_over]
    table, out = new_table(18), np.empty(1 << 16, np.int64)

    def run(n: int) -> None:
        for i in range(n):
            table.rows[:] = 0
            table.nodes[:] = 0
            solve(positions[i % len(positions)], table, out, -HUGE, HUGE)
    return run


def open_spiel_mcts() -> Measured:
    import pyspiel
    game, draw = pyspiel.load_game("dou_dizhu"), random.Random(3)

    def run(n: int) -> None:
        state = game.new_initial_state()
        while state.is_chance_node():
            state.apply_action(draw.choice([action for action, _ in state.chance_outcomes()]))
        state.apply_action(state.legal_actions()[-1])       # the highest bid: card play begins, as for us
        evaluator = pyspiel.RandomRolloutEvaluator(1, draw.randrange(1 << 30))
        pyspiel.MCTSBot(game, evaluator, 4.0, n, 1000, False, draw.randrange(1 << 30), False).step(state)
    return run


def thread_rows(game: str, seconds: float) -> list[dict[str, object]]:
    """Simulations per second of wall time of a whole decision, on one and two threads."""
    infoset = midgame(game, 45).infoset()
    rows = []
    for threads in (1, 2):
        player = SearchPlayer(game, time=seconds, threads=threads, sure=0.0, gain=0.0)
        decision = player.analyze(infoset)
        rows.append({"engine": "searchdou", "task": f"{game}_decision_sims_{threads}_thread{'s' if threads > 1 else ''}",
                     "per_wall_s": decision.simulations / decision.seconds})
    return rows


def measure(seconds: float) -> tuple[list[dict[str, object]], list[str]]:
    makers = [("searchdou", f"{game}_{name}", partial(make, game)) for game in games.GAMES
              for name, make in (("mcts_sims", mcts_sims), ("uniform_deals", uniform_deals),
                                 ("weighed_deals", weighed_deals))]
    makers += [("searchdou", "gongzhu_solved_endings_20_cards", partial(solved_endings, "gongzhu", 20)),
               ("searchdou", "doudizhu_solved_endings_15_cards", partial(solved_endings, "doudizhu", 15))]
    tasks = [(engine, name, make()) for engine, name, make in each(makers, "making ready", "tasks")]
    missing = []
    try:
        tasks.append(("open_spiel_cpp", "doudizhu_mcts_sims", open_spiel_mcts()))
    except ImportError as error:
        missing.append(f"open_spiel_cpp is left out, it is not installed ({error})")
    rows = in_rounds(tasks, seconds, most=200_000)
    for game in each(games.GAMES, "decisions on one and two threads", "games"):
        rows += thread_rows(game, seconds)
    return rows, missing


def run(as_json: bool = False, seconds: float = 1.0) -> None:
    rows, missing = measure(seconds)
    if as_json:
        print(json.dumps({"rows": rows, "left_out": missing}))
        return
    table = Table(title=f"median of {ROUNDS} rounds in one process")
    for column in ("task", "engine", "per CPU s", "per s of wall time"):
        table.add_column(column, justify="left" if column in ("task", "engine") else "right")
    for row in sorted(rows, key=lambda row: str(row["task"])):
        table.add_row(str(row["task"]), str(row["engine"]), *(f"{row[key]:,.0f}" if key in row else ""
                                                              for key in ("per_cpu_s", "per_wall_s")))
    console = Console()
    console.print(table)
    for line in missing:
        console.print(line)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--seconds", type=float, default=1.0)
    options = parser.parse_args()
    run(options.json, options.seconds)
