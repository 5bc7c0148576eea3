"""ScrofaZero's training for Gongzhu, from nothing, on two CPU cores: one compiled actor, one torch learner.

    play a block of games by the nets as they are (a thread, compiled) | learn from the blocks before (torch)
    -> move the players' weights towards the learner's -> again, the learning rate falling with the time

What differs from the paper (8.7, 8.8), because it learned faster here: targets are TD(lambda) along the games and exact
solutions at their end instead of small searches, a game costs half a millisecond, and two nets learn from one stream, one
with all cards open (the oracle) and one as a seat sees them (the blueprint).

Progress is told by an exam that no loss can flatter: positions with exactly known values, the error of the oracle on
them and the points its choices give away; and by matches against Mr. Greed.
"""

from __future__ import annotations

import json
import math
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch.utils.tensorboard import SummaryWriter

from inference._rng_kernels import stream
from mcts._solver_kernels import new_table
from searchdou.arena.match import MatchSettings, run_match
from searchdou.errors import SearchDouError
from searchdou.games.gongzhu import _encode_kernels, encode
from searchdou.nets import Kind, Weights, save_weights
from searchdou.nets.module import NetModule
from searchdou.train import _scrofa_kernels as kernels

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ScrofaSettings:
    """How long and how; the defaults made the shipped weights."""

    hours: float = 2.0              # of training in all, over all runs that resume one another
    out: Path = Path("runs/gongzhu")  # checkpoint, weights, curve and TensorBoard logs go here
    blocks: int = 0                 # train so many blocks instead of hours: the same seed then gives the same weights
    resume: bool = False            # go on from the checkpoint in `out`
    seed: int = 0
    games: int = 1000               # a block
    window: int = 8                 # blocks the learner draws from
    reuse: float = 2.0              # times a sample is learned from, on average
    batch: int = 1024
    rate: float = 1e-3              # Adam's step at the beginning
    last_rate: float = 2e-5         # and at the end, along a cosine
    decay: float = 0.9              # lambda of TD(lambda) at the beginning
    last_decay: float = 0.75        # and at the end
    average: float = 0.999          # the players' weights move 1 - average of the way to the learner's, every batch
    honest: float = 0.5             # share of games played by the blueprint, from what seats see
    solve: int = 20                 # with this many cards left half of the games are solved for the oracle, others later
    checkpoint_minutes: float = 3.0
    exam_minutes: float = 6.0
    exam_positions: int = 1000      # with 17-20 cards left, and a fifth as many with 21-24
    deals: int = 128                # of a match of the raw net with Mr. Greed at every exam
    search_deals: int = 32          # and of the search; 0 leaves it out


@dataclass
class Learner:
    """One net that learns: the module, its optimizer, and the running average that plays."""

    kind: Kind
    module: NetModule
    optimizer: torch.optim.Adam
    average: dict[str, torch.Tensor]
    blocks: list[kernels.Samples] = field(default_factory=list)
    loss: float = float("nan")

    @classmethod
    def fresh(cls, kind: Kind, rate: float, seed: int) -> Learner:
        weights = encode.untrained(kind, seed)
        module = NetModule(weights.sizes)
        module.set_arrays(weights.arrays)
        return cls(kind, module, torch.optim.Adam(module.parameters(), rate, fused=True),
                   {name: p.detach().clone() for name, p in module.named_parameters()})

    def weights(self, meta: dict[str, str]) -> Weights:
        """What plays now."""
        return Weights(self.kind, {name: t.numpy().copy() for name, t in self.average.items()}, meta)

    def take(self, block: kernels.Samples, window: int) -> None:
        """Add a block, forget the oldest."""
        self.blocks = [*self.blocks, block][-window:]

    def learn(self, s: ScrofaSettings, rate: float, rng: np.random.Generator) -> int:
        """As many samples as the newest block has, drawn from the window; returns how many."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        sizes = np.array([int(block.used[0]) for block in self.blocks])
        total = int(s.reuse * sizes[-1])
        rows = np.concatenate([block.rows[:n] for block, n in zip(self.blocks, sizes, strict=True)])
        targets = np.concatenate([block.target[:n] for block, n in zip(self.blocks, sizes, strict=True)])
        x = np.empty((s.batch, encode.FEATURES), np.float32)
        ids, on = np.empty(_encode_kernels.MOST, np.int64), np.empty(_encode_kernels.MOST, np.float32)
        losses = []
        for _ in range(total // s.batch):
            chosen = rng.integers(0, len(rows), s.batch)
            kernels.densify(rows, chosen, x, ids, on, np.empty((4, 3)))
            found = self.module(torch.from_numpy(x))[:, 0]
            loss = torch.nn.functional.mse_loss(found, torch.from_numpy(targets[chosen]))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            losses.append(float(loss.detach()))
            with torch.no_grad():
                torch._foreach_lerp_(list(self.average.values()), list(self.module.parameters()), 1.0 - s.average)
        if losses:
            self.loss = float(np.mean(losses))
        return len(losses) * s.batch


def _trace() -> kernels.Trace:
    n = kernels.MOST_CHOICES
    rows = np.zeros((n, kernels.FIELDS), np.int64)
    return kernels.Trace(rows, np.zeros(n), np.zeros(n), np.zeros(n, np.int64), np.zeros(n))


class Actor:
    """Plays blocks of games in a thread of its own; the compiled loop holds no lock."""

    def __init__(self, s: ScrofaSettings) -> None:
        self.s = s
        self._table = new_table(16)
        self._trace, self._seen = _trace(), _trace()
        self._pool = ThreadPoolExecutor(1)

    def start(self, oracle: Weights, blueprint: Weights, block: int, decay: float
              ) -> Future[tuple[kernels.Samples, kernels.Samples, float]]:
        """Begin block number `block`: everything random in it comes from the seed and that number."""
        return self._pool.submit(self._play, encode.oracle(oracle), encode.blueprint(blueprint), block, decay)

    def _play(self, oracle: Any, blueprint: Any, block: int, decay: float) -> tuple[kernels.Samples, kernels.Samples, float]:
        s = self.s
        samples, views = (kernels.Samples(np.empty((s.games * kernels.MOST_CHOICES, kernels.FIELDS), np.int64),
                                          np.empty(s.games * kernels.MOST_CHOICES, np.float32), np.zeros(1, np.int64))
                          for _ in range(2))
        began = time.perf_counter()
        self._table.rows[:] = 0
        kernels.play_block(oracle, blueprint, s.games, kernels.Scheme(s.honest, decay, s.solve), self._table,
                           self._trace, self._seen, stream(s.seed, block), samples, views)
        return samples, views, time.perf_counter() - began


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


class Training:
    """The loop: resume or begin, play and learn side by side, checkpoint, take exams, write weights."""

    def __init__(self, settings: ScrofaSettings, tell: Callable[[str, bool], None] = lambda line, lasting: None) -> None:
        self.s = s = settings
        self.tell = tell
        if not s.hours > 0 or s.blocks < 0 or s.games < 1 or s.batch < 1 or s.window < 1 or not 12 <= s.solve <= 24:
            raise SearchDouError("training needs hours above 0, at least one game, batch and window, and solve from 12 to "
                                 "24")
        s.out.mkdir(parents=True, exist_ok=True)
        self.path = s.out / "checkpoint.pt"
        self.elapsed, self.block, self.seen = 0.0, 0, 0
        self.curve: list[dict[str, float]] = []
        torch.manual_seed(s.seed)
        self.oracle = Learner.fresh(encode.OPEN, s.rate, s.seed)
        self.blueprint = Learner.fresh(encode.AVERAGED, s.rate, s.seed + 1)
        if s.resume:
            self._load()
        elif self.path.exists():
            raise SearchDouError(f"{self.path} exists: --resume goes on from it, another --out begins anew")

    # -- checkpoints ----------------------------------------------------------------------------------------

    def _load(self) -> None:
        if not self.path.exists():
            raise SearchDouError(f"there is no {self.path} to resume from")
        try:
            kept = torch.load(self.path, weights_only=True)
            for name, learner in (("oracle", self.oracle), ("blueprint", self.blueprint)):
                learner.module.load_state_dict(kept[name]["module"])
                learner.optimizer.load_state_dict(kept[name]["optimizer"])
                for key, tensor in kept[name]["average"].items():
                    learner.average[key].copy_(tensor)
            self.elapsed, self.block, self.seen = kept["elapsed"], kept["block"], kept["seen"]
            self.curve = json.loads(kept["curve"])
        except Exception as error:      # torch raises whatever its reader stumbles over, pickle's own errors among them
            why = str(error).strip().splitlines()
            raise SearchDouError(f"{self.path} is damaged or from another version: {why[0] if why else error!r}") from None

    def save(self) -> None:
        """Checkpoint and weights, each written whole or not at all."""
        kept: dict[str, Any] = {"elapsed": self.elapsed, "block": self.block, "seen": self.seen,
                                "curve": json.dumps(self.curve)}
        for name, learner in (("oracle", self.oracle), ("blueprint", self.blueprint)):
            kept[name] = {"module": learner.module.state_dict(), "optimizer": learner.optimizer.state_dict(),
                          "average": dict(learner.average)}
        part = self.path.with_suffix(".part")
        torch.save(kept, part)
        part.replace(self.path)
        for learner, name in ((self.oracle, encode.ORACLE_FILE), (self.blueprint, encode.BLUEPRINT_FILE)):
            save_weights(self.s.out / name, learner.weights(self._meta()))
        (self.s.out / "curve.json").write_text(json.dumps(self.curve, indent=1))

    def _meta(self) -> dict[str, str]:
        settings = {key: value for key, value in asdict(self.s).items() if key not in ("out", "resume")}
        return {"run": "scrofa", "settings": json.dumps(settings), "hours": f"{self.elapsed / 3600:.3f}",
                "games": str(self.block * self.s.games), "samples": str(self.seen), "commit": _commit()}

    # -- the loop -------------------------------------------------------------------------------------------

    def run(self) -> list[dict[str, float]]:
        """Train until the hours are over; Ctrl-C saves and stops. Returns the curve."""
        s = self.s
        torch.set_num_threads(1)
        exam = Exam(s.exam_positions)
        actor = Actor(s)
        writer = SummaryWriter(s.out / "tensorboard", purge_step=self.block)
        last_save = last_exam = self.elapsed
        try:
            waiting = self._start(actor)
            while self._progress() < 1.0:
                began = time.perf_counter()
                samples, views, play_seconds = waiting.result()
                self.block += 1
                waiting = self._start(actor)              # with the weights as they are: one block behind the learner
                self._learn(samples, views)
                self.elapsed += time.perf_counter() - began
                self._report(writer, play_seconds, time.perf_counter() - began)
                if self.elapsed - last_save > 60 * s.checkpoint_minutes:
                    self.save()
                    last_save = self.elapsed
                if self.elapsed - last_exam > 60 * s.exam_minutes:
                    self._exam(exam, writer)
                    last_exam = self.elapsed
            self._exam(exam, writer)
        finally:                                          # also after Ctrl-C, wherever it struck
            self.save()
            writer.close()
        return self.curve

    def _progress(self) -> float:
        """How much of the training is done, 0 to 1: what the rate and the decay follow."""
        s = self.s
        return min(1.0, self.block / s.blocks if s.blocks else self.elapsed / (s.hours * 3600))

    def _start(self, actor: Actor) -> Future[tuple[kernels.Samples, kernels.Samples, float]]:
        decay = self.s.decay + (self.s.last_decay - self.s.decay) * self._progress()
        return actor.start(self.oracle.weights({}), self.blueprint.weights({}), self.block, decay)

    def _learn(self, samples: kernels.Samples, views: kernels.Samples) -> None:
        s = self.s
        rate = s.last_rate + (s.rate - s.last_rate) * 0.5 * (1.0 + math.cos(math.pi * self._progress()))
        for number, (learner, block) in enumerate(((self.oracle, samples), (self.blueprint, views))):
            learner.take(block, s.window)
            self.seen += learner.learn(s, rate, np.random.default_rng((s.seed, self.block, number)))

    def _report(self, writer: SummaryWriter, play_seconds: float, seconds: float) -> None:
        s = self.s
        rate = s.games / seconds
        if self.block % 20 == 0:
            for name, value in (("games_per_second", rate), ("loss/oracle", self.oracle.loss),
                                ("loss/blueprint", self.blueprint.loss)):
                writer.add_scalar(name, value, self.block)
        marks = self.curve[-1] if self.curve else {}
        self.tell(f"{_clock(self.elapsed)} of {_clock(s.hours * 3600)}  {rate:,.0f} games/s  loss {self.oracle.loss:.3f} "
                  f"{self.blueprint.loss:.3f}  {_told(marks)}", False)

    def _exam(self, exam: Exam, writer: SummaryWriter) -> None:
        s = self.s
        self.save()
        marks = {"hours": self.elapsed / 3600, "games": float(self.block * s.games), "loss_oracle": self.oracle.loss,
                 "loss_blueprint": self.blueprint.loss, **exam.take(self.oracle.weights({}))}
        if s.deals:
            marks["net"], marks["net_se"] = over_greed(f"net:nets={s.out}", s.deals)
        if s.search_deals:
            marks["search"], marks["search_se"] = over_greed(f"search:nets={s.out},samples=24", s.search_deals)
        self.curve.append(marks)
        for name, value in marks.items():
            writer.add_scalar(f"exam/{name}", value, self.block)
        self.save()
        self.tell(f"{_clock(self.elapsed)}  {self.block * s.games:,} games  {_told(marks)}", True)


def _told(marks: dict[str, float]) -> str:
    """An exam's marks in words."""
    if not marks:
        return ""
    words = [f"rmse {marks['rmse20']:.0f}/{marks['rmse24']:.0f}  regret {marks['regret20']:.1f}/{marks['regret24']:.1f}"]
    words += [f"{name} {marks[name]:+.0f} +- {marks[name + '_se']:.0f}" for name in ("net", "search") if name in marks]
    return "  ".join(words)


def _clock(seconds: float) -> str:
    return f"{int(seconds // 3600)}:{int(seconds // 60 % 60):02d}:{int(seconds % 60):02d}"


def _commit() -> str:
    """The git commit of this code, when it is a checkout."""
    try:
        return subprocess.run(["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"], capture_output=True,
                              text=True, timeout=5, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return "unknown"
