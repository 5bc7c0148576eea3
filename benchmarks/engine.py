"""Engines side by side in one process, by CPU time: searchdou bench engine [--json] [--seconds 1.0]

Tasks: `doudizhu_random_games`, full games of DouDizhu by random players (deal, bidding, play; OpenSpiel's C++
rollouts start after the deal, which favours them); `doudizhu_lead_moves`, all legal leads of a 20-card hand;
`gongzhu_random_games` beside `hearts_random_games`, the nearest game with a C++ engine.
Every measurement is repeated in rounds, all engines in turn, and the median is told: ratios hold on a noisy machine.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

from inference._rng_kernels import stream
from searchdou.agents.rlcard import TO_DOUZERO
from searchdou.games.doudizhu import _kernels as doudizhu
from searchdou.games.doudizhu.cards import unpack
from searchdou.games.doudizhu.rulesets import rule_set
from searchdou.games.gongzhu import _kernels as gongzhu
from searchdou.progress import Progress

ROUNDS = 5
# (ours, theirs, the ratio we want)
TARGETS = {("doudizhu_random_games", "open_spiel_cpp"): 2.5, ("doudizhu_random_games", "open_spiel"): 12.0,
           ("doudizhu_lead_moves", "douzero"): 50.0, ("hearts_random_games", "open_spiel_cpp"): 3.0}

Measured = Callable[[int], None]  # does the task that many times
Task = tuple[str, str, Measured]  # engine, name, the task


def hands(n: int = 1000) -> list[int]:
    """Packed 20-card hands of random deals."""
    rng, deck = stream(1), doudizhu.full_deck()
    return [int(doudizhu.deal(deck, 0, 0, 0, rng).hand0) for _ in range(n)]


def ours() -> dict[str, Measured]:
    import numpy as np
    rules, rng, out = rule_set("standard").switches, stream(2), np.empty(doudizhu.MAX_MOVES, np.int64)
    leads = hands()

    def lead_moves(n: int) -> None:
        for i in range(n):
            doudizhu.lead_moves(leads[i % len(leads)], rules, out)
    return {"doudizhu_random_games": lambda n: doudizhu.random_games(n, rules, rng), "doudizhu_lead_moves": lead_moves,
            "gongzhu_random_games": lambda n: gongzhu.random_games(n, rng)}


def open_spiel_cpp() -> dict[str, Measured]:
    """Rollouts inside OpenSpiel's own C++: the evaluator of one MCTS step, from a dealt hand."""
    import pyspiel

    def rollouts(name: str) -> Measured:
        game = pyspiel.load_game(name)
        draw = random.Random(3)

        def run(n: int) -> None:
            state = game.new_initial_state()
            while state.is_chance_node():
                state.apply_action(draw.choice([action for action, _ in state.chance_outcomes()]))
            evaluator = pyspiel.RandomRolloutEvaluator(n, draw.randrange(1 << 30))
            pyspiel.MCTSBot(game, evaluator, 1.4, 1, 100, False, draw.randrange(1 << 30), False).step(state)
        return run
    return {"doudizhu_random_games": rollouts("dou_dizhu"), "hearts_random_games": rollouts("hearts(pass_cards=false)")}


def open_spiel() -> dict[str, Measured]:
    import pyspiel
    game, draw = pyspiel.load_game("dou_dizhu"), random.Random(4)

    def run(n: int) -> None:
        for _ in range(n):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(draw.choice(state.legal_actions()))
    return {"doudizhu_random_games": run}


def rlcard() -> dict[str, Measured]:
    import rlcard as package
    from rlcard.agents import RandomAgent
    env = package.make("doudizhu", config={"seed": 5})
    env.set_agents([RandomAgent(num_actions=env.num_actions) for _ in range(3)])

    def run(n: int) -> None:
        for _ in range(n):
            env.run(is_training=False)
    return {"doudizhu_random_games": run}


def douzero() -> dict[str, Measured]:
    from douzero.env.game import GameEnv
    from douzero.env.move_generator import MovesGener
    from douzero.evaluation.random_agent import RandomAgent
    roles = ("landlord", "landlord_down", "landlord_up")
    deck = [rank for rank in (*range(3, 15), 17) for _ in range(4)] + [20, 30]
    draw = random.Random(6)
    leads = [[TO_DOUZERO[char] for char in unpack(hand)] for hand in hands()]

    def games(n: int) -> None:
        env = GameEnv({role: RandomAgent() for role in roles})
        for _ in range(n):
            draw.shuffle(deck)
            env.reset()
            env.card_play_init({"landlord": sorted(deck[:20]), "landlord_up": sorted(deck[20:37]),
                                "landlord_down": sorted(deck[37:]), "three_landlord_cards": sorted(deck[17:20])})
            while not env.game_over:
                env.step()

    def lead_moves(n: int) -> None:
        for i in range(n):
            MovesGener(leads[i % len(leads)]).gen_moves()
    return {"doudizhu_random_games": games, "doudizhu_lead_moves": lead_moves}


def per_cpu_s(task: Measured, n: int) -> float:
    began = time.process_time()
    task(n)
    return n / (time.process_time() - began)


def calibrated(task: Measured, seconds: float) -> int:
    """How many repetitions fill a round's share of `seconds`; the first call also warms up."""
    task(1)
    n = 1
    while True:
        began = time.process_time()
        task(n)
        spent = time.process_time() - began
        if spent > 0.05:
            return max(1, int(n * seconds / ROUNDS / spent))
        n *= 4


def measure(seconds: float) -> tuple[list[dict[str, object]], list[str]]:
    tasks: list[Task] = []
    missing = []
    for engine, load in (("searchdou", ours), ("open_spiel_cpp", open_spiel_cpp), ("open_spiel", open_spiel),
                         ("rlcard", rlcard), ("douzero", douzero)):
        try:
            tasks += [(engine, name, task) for name, task in load().items()]
        except ImportError as error:
            missing.append(f"{engine} is left out, it is not installed ({error}); make bench installs it")
    return in_rounds(tasks, seconds), missing


def in_rounds(tasks: list[Task], seconds: float, most: int | None = None) -> list[dict[str, object]]:
    """The median speed of every task, each done at most `most` times a round."""
    told, done, counts = Progress("measuring", (ROUNDS + 1) * len(tasks), "measurements"), 0, []
    speeds: list[list[float]] = [[] for _ in tasks]
    for number in range(ROUNDS + 1):             # the first finds out how often
        for i, (engine, name, task) in enumerate(tasks):
            told(done, f"{engine} {name}")
            if number:
                speeds[i].append(per_cpu_s(task, counts[i]))
            else:
                counts.append(min(calibrated(task, seconds), most or sys.maxsize))
            done += 1
    told(done)
    return [{"engine": engine, "task": name, "per_cpu_s": statistics.median(column)}
            for (engine, name, _), column in zip(tasks, speeds, strict=True)]


def run(as_json: bool = False, seconds: float = 1.0) -> None:
    rows, missing = measure(seconds)
    if as_json:
        print(json.dumps({"rows": rows, "left_out": missing}))
        return
    console = Console()
    speed = {(row["engine"], row["task"]): float(row["per_cpu_s"]) for row in rows}  # type: ignore[arg-type]
    table = Table(title=f"per CPU second, median of {ROUNDS} rounds in one process")
    for column in ("task", "engine", "per CPU s", "searchdou is", "wanted"):
        table.add_column(column, justify="left" if column in ("task", "engine") else "right")
    for row in sorted(rows, key=lambda row: (str(row["task"]), -float(row["per_cpu_s"]))):  # type: ignore[arg-type]
        engine, task = str(row["engine"]), str(row["task"])
        mine = speed.get(("searchdou", "gongzhu_random_games" if task == "hearts_random_games" else task))
        ratio = "" if engine == "searchdou" or mine is None else f"{mine / speed[engine, task]:.1f} x"
        wanted = TARGETS.get((task, engine))
        table.add_row(task, engine, f"{speed[engine, task]:,.0f}", ratio, f">= {wanted:g} x" if wanted else "")
    console.print(table)
    for line in missing:
        console.print(line)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--seconds", type=float, default=1.0)
    options = parser.parse_args()
    run(options.json, options.seconds)
