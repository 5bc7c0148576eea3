"""ScrofaZero's training for Gongzhu, from nothing, on two CPU cores: one compiled actor, one torch learner.

What differs from the paper (8.7, 8.8), because it learned faster here: targets are TD(lambda) along the games and exact
solutions at their end instead of small searches, a game costs less than a millisecond, and three nets learn from one stream:
what a deal is worth if all cards lie open (the oracle), what it is worth if everybody sees only his own (the critic), and
what a seat should think of it that sees only its own (the blueprint). The critic follows the blueprint and teaches it.

Progress is told by an exam that no loss can flatter: positions with exactly known values, the error of the oracle on
them and the points its choices give away; and by matches against Mr. Greed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from inference._rng_kernels import stream
from mcts._solver_kernels import new_table
from searchdou.arena.match import MatchSettings, run_match
from searchdou.cluster import Cluster
from searchdou.errors import SearchDouError
from searchdou.games.gongzhu import _encode_kernels, encode
from searchdou.nets import Kind, Weights
from searchdou.train import _scrofa_kernels as kernels
from searchdou.train.loop import Learner, Loop, LoopSettings, check_settings

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ScrofaSettings(LoopSettings):
    """How long and how; the defaults made the shipped weights."""

    out: Path = Path("runs/gongzhu")
    decay: float = 0.9              # lambda of TD(lambda) at the beginning
    last_decay: float = 0.75        # and at the end
    honest: float = 0.7             # share of games played by the blueprint, from what seats see
    shown: float = 0.3              # and of these that the oracle learns from, too
    lived: float = 0.95             # lambda of the critic
    looks: int = 4                  # deals that a target of the blueprint is the mean of
    solve: int = 20                 # with this many cards left half of the games are solved for the oracle, others later
    exam_positions: int = 1000      # with 17-20 cards left, and a fifth as many with 21-24
    deals: int = 128                # of a match of the raw net with Mr. Greed at every exam
    search_deals: int = 32          # and of the search; 0 leaves it out


class WindowLearner(Learner):
    """A net that learns from the last blocks of samples."""

    def __init__(self, kind: Kind, file: str, s: ScrofaSettings, seed: int) -> None:
        super().__init__(kind, file, encode.untrained(kind, seed, s.width), s.rate)
        self.blocks: list[kernels.Samples] = []

    def learn(self, block: kernels.Samples, s: ScrofaSettings, rate: float, rng: np.random.Generator) -> int:
        """As many samples as the newest block has, drawn from the window; returns how many."""
        self.set_rate(rate)
        self.blocks = [*self.blocks, block][-s.window:]
        sizes = np.array([int(block.used[0]) for block in self.blocks])
        rows = np.concatenate([block.rows[:n] for block, n in zip(self.blocks, sizes, strict=True)])
        targets = np.concatenate([block.target[:n] for block, n in zip(self.blocks, sizes, strict=True)])
        batch, shares = self.empty_batch(s.batch, _encode_kernels.MOST), np.empty((4, 3))
        losses = []
        for _ in range(int(s.reuse * sizes[-1]) // s.batch):
            chosen = rng.integers(0, len(rows), s.batch)
            kernels.write_features(rows, chosen, *batch, shares)
            found = self.module(batch)[:, 0]
            losses.append(self.step(torch.nn.functional.mse_loss(found, torch.from_numpy(targets[chosen])), s.average))
        if losses:
            self.loss = float(np.mean(losses))
        return len(losses) * s.batch


def _trace() -> kernels.Trace:
    n = kernels.MOST_CHOICES
    return kernels.Trace(np.zeros((n, kernels.FIELDS), np.int64), np.zeros(n), np.zeros(n), np.zeros(n, np.int64),
                         np.zeros(n))


def _room() -> kernels.Room:
    return kernels.Room(new_table(16), _trace(), _trace(), np.zeros(512, np.int64), np.zeros(16), np.zeros(4, np.int64))


class Job(NamedTuple):
    """What a block is played with."""

    oracle: Weights
    critic: Weights
    blueprint: Weights
    decay: float


class Actor:
    """Plays blocks of games: everything random in one comes from the seed and its number."""

    def __init__(self, s: ScrofaSettings) -> None:
        self.s = s
        self._room = _room()

    def play(self, block: int, job: Job) -> tuple[kernels.Harvest, float]:
        """The samples of every net, and the seconds it took."""
        s, room = self.s, self.s.games * kernels.MOST_CHOICES
        players = kernels.Players(encode.oracle(job.oracle), encode.oracle(job.critic), encode.blueprint(job.blueprint))
        harvest = kernels.Harvest(*(kernels.Samples(np.empty((room, kernels.FIELDS), np.int64), np.empty(room, np.float32),
                                                    np.zeros(1, np.int64)) for _ in range(3)))
        began = time.perf_counter()
        self._room.table.rows[:] = 0
        scheme = kernels.Scheme(s.honest, job.decay, s.solve, s.looks, s.shown, s.lived)
        kernels.play_block(players, s.games, scheme, self._room, stream(s.seed, block), harvest)
        return harvest, time.perf_counter() - began


class Exam:
    """Positions with exact values: what the nets are judged by. The same for every run."""

    STAGES = ((20, 32, 1.0), (24, 28, 0.2))      # most cards left, cards played, share of the positions

    def __init__(self, positions: int) -> None:
        self.stages = {}
        table = new_table(18)
        for left, plays, share in self.STAGES:
            n = max(1, int(positions * share))
            rows, cards = np.zeros((n, kernels.FIELDS), np.int64), np.zeros((n, 13), np.int64)
            values = np.zeros((n, 13))
            kernels.set_exam(plays, table, stream(20, left), rows, cards, values)
            self.stages[left] = rows, cards, values

    def take(self, oracle: Weights) -> dict[str, float]:
        """Error and regret of the oracle by stage, in points."""
        marks: dict[str, float] = {}
        for left, (rows, cards, values) in self.stages.items():
            rmse, regret, deviation = kernels.take_exam(encode.oracle(oracle), rows, cards, values)
            marks |= {f"rmse{left}": float(rmse), f"regret{left}": float(regret), f"sd{left}": float(deviation)}
        return marks


def over_greed(spec: str, deals: int, seed: int = 1) -> tuple[float, float]:
    """Points a game over Mr. Greed and their standard error."""
    values = run_match(MatchSettings("gongzhu", spec, "greed", deals, seed)).outcomes.mean(axis=1)
    return float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values)))


class Training(Loop):
    """Three nets that learn from one stream of games."""

    name, actor = "scrofa", Actor

    def __init__(self, settings: ScrofaSettings, tell: Callable[[str, bool], None] = lambda line, lasting: None,
                 cluster: Cluster | None = None) -> None:
        self.s = s = settings
        check_settings(s, shares=("decay", "last_decay", "honest", "shown", "lived"),
                       least={"looks": 1, "solve": 12, "exam_positions": 1, "deals": 0, "search_deals": 0})
        if s.solve > 24:
            raise SearchDouError(f"training: solve must be at most 24, not {s.solve}")
        self.oracle = WindowLearner(encode.OPEN, encode.ORACLE_FILE, s, s.seed)
        self.critic = WindowLearner(encode.CRITIC, encode.CRITIC_FILE, s, s.seed + 2)
        self.blueprint = WindowLearner(encode.AVERAGED, encode.BLUEPRINT_FILE, s, s.seed + 1)
        self.taught = self.oracle, self.critic, self.blueprint
        super().__init__(s, dict(zip(("oracle", "critic", "blueprint"), self.taught, strict=True)), tell, cluster)

    @cached_property
    def exam(self) -> Exam:
        """Solved when it is first asked for."""
        return Exam(self.s.exam_positions)

    def run(self) -> list[dict[str, float]]:
        assert self.exam                                   # solved before the clock runs
        return super().run()

    def job(self) -> Job:
        decay = self.s.decay + (self.s.last_decay - self.s.decay) * self.progress()
        return Job(self.oracle.weights(), self.critic.weights(), self.blueprint.weights(), decay)

    def learn(self, played: tuple[kernels.Harvest, float], rate: float) -> int:
        return sum(learner.learn(block, self.s, rate, np.random.default_rng((self.s.seed, self.block, number)))
                   for number, (learner, block) in enumerate(zip(self.taught, played[0], strict=True)))

    def examine(self) -> dict[str, float]:
        s = self.s
        marks = self.exam.take(self.oracle.weights())
        if s.deals:
            marks["net"], marks["net_se"] = over_greed(f"net:nets={s.out}", s.deals)
        if s.search_deals:
            marks["search"], marks["search_se"] = over_greed(f"search:nets={s.out},samples=24", s.search_deals)
        return marks

    def told(self, marks: dict[str, float]) -> str:
        words = [f"rmse {marks['rmse20']:.0f}/{marks['rmse24']:.0f}  "
                 f"regret {marks['regret20']:.1f}/{marks['regret24']:.1f}"]
        words += [f"{name} {marks[name]:+.0f} +- {marks[name + '_se']:.0f}" for name in ("net", "search") if name in marks]
        return "  ".join(words)
