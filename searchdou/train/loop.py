"""What every training here has in common: one compiled actor beside one torch learner, checkpoints, resume, a curve.

    play a block of games by the nets as they are (a thread, compiled) | learn from the blocks before (torch)
    -> move the players' weights towards the learner's -> again, the learning rate falling with the time

On a Ray cluster more actors play, on other machines (`cluster.py`); the learner is the same.
"""

from __future__ import annotations

import json
import math
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor
from torch.utils.tensorboard import SummaryWriter

from searchdou.cluster import Cluster
from searchdou.commit import commit
from searchdou.errors import SearchDouError, check_shares
from searchdou.nets import Kind, Weights, load_weights, save_weights
from searchdou.nets._vector_kernels import LANES
from searchdou.nets.files import WIDTH
from searchdou.nets.module import Batch, NetModule
from searchdou.train.cluster import RemoteActors

WIDEST = 4096
LEAST = {"blocks": 0, "games": 1, "window": 1, "batch": 1, "reuse": 0, "last_rate": 0, "average": 0, "seed": 0}


@dataclass(frozen=True)
class LoopSettings:
    """How long, where to, and how fast; a training adds its own."""

    hours: float = 2.0              # of training in all, over all runs that resume one another
    out: Path = Path("runs")        # checkpoint, weights, curve and TensorBoard logs go here
    blocks: int = 0                 # train so many blocks instead of hours: the same seed then gives the same weights
    resume: bool = False            # go on from the checkpoint in `out`
    start: str = ""                 # a folder of weights to begin from, as wide or narrower; empty: from nothing
    seed: int = 0
    width: int = WIDTH              # of the nets' accumulators, a multiple of 64
    games: int = 1000               # a block
    window: int = 8                 # blocks the learner draws from
    reuse: float = 2.0              # times a sample is learned from, on average
    batch: int = 1024
    rate: float = 1e-3              # Adam's step at the beginning
    last_rate: float = 2e-5         # and at the end, along a cosine
    average: float = 0.999          # the players' weights move 1 - average of the way to the learner's, every batch
    checkpoint_minutes: float = 3.0
    exam_minutes: float = 6.0


def check_settings(s: LoopSettings, *, shares: tuple[str, ...] = (), least: Mapping[str, float] | None = None) -> None:
    """Refuse what no training can run with, before anything is made; `shares` lie from 0 to 1, others have a `least`."""
    for field in fields(s):
        value = getattr(s, field.name)
        if isinstance(value, float) and not math.isfinite(value):
            raise SearchDouError(f"training: {field.name} must be a finite number, not {value}")
    check_shares("training", {name: getattr(s, name) for name in shares})
    for name, smallest in {**LEAST, **(least or {})}.items():
        if getattr(s, name) < smallest:
            raise SearchDouError(f"training: {name} must be at least {smallest:g}, not {getattr(s, name)}")
    for name in ("hours", "rate", "checkpoint_minutes", "exam_minutes"):
        if not getattr(s, name) > 0:
            raise SearchDouError(f"training: {name} must be above 0, not {getattr(s, name)}")
    if not LANES <= s.width <= WIDEST or s.width % LANES:
        raise SearchDouError(f"a net's width is a multiple of {LANES} up to {WIDEST}, not {s.width}")
    if not s.average < 1:
        raise SearchDouError(f"training: average must be below 1, not {s.average}")
    if "," in str(s.out):
        raise SearchDouError(f"{s.out}: agents are told this folder in their specs, where a comma ends a setting")


class Learner:
    """One net that learns: the module, its optimizer, and the running average that plays."""

    def __init__(self, kind: Kind, file: str, weights: Weights, rate: float) -> None:
        self.kind, self.file = kind, file
        self.module = NetModule(weights.sizes)
        self.optimizer = torch.optim.Adam(self.module.parameters(), rate, fused=True)
        self.begin_from(weights)
        self.loss = float("nan")

    def begin_from(self, weights: Weights) -> None:
        """Take over the numbers of `weights`, before the first step."""
        self.module.set_arrays(weights.arrays)
        self.average = {name: p.detach().clone() for name, p in self.module.named_parameters()}

    def weights(self, meta: dict[str, str] | None = None) -> Weights:
        """What plays now."""
        return Weights(self.kind, {name: t.numpy().copy() for name, t in self.average.items()}, meta or {})

    @staticmethod
    def empty_batch(samples: int, most: int) -> Batch:
        """Room for so many samples of `most` features."""
        return Batch(np.zeros(samples + 1, np.int64), np.zeros(samples * most, np.int64),
                     np.zeros(samples * most, np.float32))

    def set_rate(self, rate: float) -> None:
        """Adam's next steps."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate

    def step(self, loss: Tensor, average: float) -> float:
        """One step down `loss`, and the players' weights after it; returns the loss."""
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        with torch.no_grad():
            torch._foreach_lerp_(list(self.average.values()), list(self.module.parameters()), 1.0 - average)
        return float(loss.detach())


class Actor(Protocol):
    """Plays blocks of games; everything random in a block comes from the seed and its number."""

    def play(self, block: int, job: Any) -> Any:
        """The samples of a block; `job` is what `Loop.job` said, the weights above all."""


class LocalActor:
    """One actor in a thread of its own; its compiled loop holds no lock."""

    ahead = 1                                # blocks under way while the learner learns

    def __init__(self, actor: Actor) -> None:
        self._actor, self._pool = actor, ThreadPoolExecutor(1)

    def start(self, block: int, job: Any) -> Callable[[], Any]:
        """Begin a block; returns what waits for its samples."""
        return self._pool.submit(self._actor.play, block, job).result

    def close(self) -> None:
        """Play no more blocks after this one."""
        self._pool.shutdown(wait=False, cancel_futures=True)


class Loop(ABC):
    """Resume or begin, play and learn side by side, checkpoint, take exams, write weights."""

    name: str                                # of the algorithm, for the weights' metadata
    actor: Callable[[Any], Actor]            # its class that plays, made from the settings

    def __init__(self, settings: LoopSettings, learners: dict[str, Learner],
                 tell: Callable[[str, bool], None] = lambda line, lasting: None, cluster: Cluster | None = None) -> None:
        self.settings = s = settings
        self.learners, self.tell, self.cluster = learners, tell, cluster
        self.path = s.out / "checkpoint.pt"
        self.saved = False                   # whether this run has written it
        self.elapsed, self.block, self.seen = 0.0, 0, 0
        self.curve: list[dict[str, float]] = []
        torch.manual_seed(s.seed)
        if s.resume:
            self._load()
        elif self.path.exists():
            raise SearchDouError(f"{self.path} exists: --resume goes on from it, another --out begins anew")
        elif s.start:
            for learner in learners.values():
                found = load_weights(Path(s.start) / learner.file, learner.kind)
                learner.begin_from(found.widened(learner.module.sizes.width, s.seed))
        s.out.mkdir(parents=True, exist_ok=True)

    # -- what an algorithm says ------------------------------------------------------------------------------

    @abstractmethod
    def job(self) -> Any:
        """What an actor needs to play the next block with the weights as they are."""

    @abstractmethod
    def learn(self, played: Any, rate: float) -> int:
        """Learn from what was played; returns how many samples were used."""

    @abstractmethod
    def examine(self) -> dict[str, float]:
        """Marks for the curve; the weights lie in `out`."""

    @abstractmethod
    def told(self, marks: dict[str, float]) -> str:
        """Marks in words."""

    def figures(self, played: Any, seconds: float) -> dict[str, float]:
        """What is logged of a block beside the losses."""
        return {"games_per_second": self.settings.games / seconds}

    # -- checkpoints -----------------------------------------------------------------------------------------

    @classmethod
    def kept_settings(cls, out: Path) -> dict[str, Any]:
        """The settings of the run whose checkpoint lies in `out`: what `--resume` goes on with where nothing else is said.
        None from a file of before they were kept, or one that cannot be read; `_load` says why."""
        try:
            return dict(json.loads(torch.load(out / "checkpoint.pt", weights_only=True)["settings"]))
        except Exception:
            return {}

    def _load(self) -> None:
        if not self.path.exists():
            raise SearchDouError(f"there is no {self.path} to resume from")
        try:
            kept = torch.load(self.path, weights_only=True)
            made_by, width = kept.get("name", self.name), json.loads(kept.get("settings", "{}")).get("width")
        except Exception as error:
            raise self._damaged(error) from None
        if made_by != self.name:
            raise SearchDouError(f"{self.path} is a checkpoint of {made_by}, not of {self.name}")
        if width not in (None, self.settings.width):
            raise SearchDouError(f"{self.path} is a checkpoint of nets {width} wide, not {self.settings.width}")
        try:
            for name, learner in self.learners.items():
                learner.module.load_state_dict(kept[name]["module"])
                learner.optimizer.load_state_dict(kept[name]["optimizer"])
                for key, tensor in kept[name]["average"].items():
                    learner.average[key].copy_(tensor)
            self.elapsed, self.block, self.seen = kept["elapsed"], kept["block"], kept["seen"]
            self.curve = json.loads(kept["curve"])
            if not 0 <= self.elapsed < math.inf or self.block < 0 or self.seen < 0:
                raise ValueError(f"{self.elapsed} seconds, {self.block} blocks, {self.seen} samples")
            for marks in self.curve[-1:]:
                self.told(marks)
        except Exception as error:      # torch raises whatever its reader stumbles over, pickle's own errors among them
            raise self._damaged(error) from None

    def _damaged(self, error: Exception) -> SearchDouError:
        why = str(error).strip().splitlines()
        return SearchDouError(f"{self.path} is damaged or from another version: {why[0] if why else error!r}")

    def save(self) -> None:
        """Checkpoint and weights, each written whole or not at all."""
        kept: dict[str, Any] = {"elapsed": self.elapsed, "block": self.block, "seen": self.seen,
                                "curve": json.dumps(self.curve), "name": self.name, "settings": json.dumps(self._kept())}
        for name, learner in self.learners.items():
            kept[name] = {"module": learner.module.state_dict(), "optimizer": learner.optimizer.state_dict(),
                          "average": dict(learner.average)}
        part = self.path.with_suffix(".part")
        torch.save(kept, part)
        part.replace(self.path)
        self.saved = True
        for learner in self.learners.values():
            save_weights(self.settings.out / learner.file, learner.weights(self._meta()))
        (self.settings.out / "curve.json").write_text(json.dumps(self.curve, indent=1))

    def _kept(self) -> dict[str, Any]:
        return {key: value for key, value in asdict(self.settings).items() if key not in ("out", "resume")}

    def _meta(self) -> dict[str, str]:
        return {"run": self.name, "settings": json.dumps(self._kept()), "hours": f"{self.elapsed / 3600:.3f}",
                "games": str(self.block * self.settings.games), "samples": str(self.seen), "commit": commit()}

    # -- the loop --------------------------------------------------------------------------------------------

    def run(self) -> list[dict[str, float]]:
        """Train until the hours are over; Ctrl-C saves and stops. Returns the curve."""
        s = self.settings
        torch.set_num_threads(1)
        writer = SummaryWriter(s.out / "tensorboard", purge_step=self.block)
        last_save = last_exam = self.elapsed
        actors = RemoteActors(self.cluster, self.actor, s) if self.cluster else LocalActor(self.actor(s))
        try:
            waiting = deque(actors.start(self.block + i, self.job()) for i in range(actors.ahead))
            while self.progress() < 1.0:
                began = time.perf_counter()
                played = waiting.popleft()()
                self.block += 1                           # the next is played with the weights as they are, before learning
                waiting.append(actors.start(self.block + actors.ahead - 1, self.job()))
                rate = s.last_rate + (s.rate - s.last_rate) * 0.5 * (1.0 + math.cos(math.pi * self.progress()))
                self.seen += self.learn(played, rate)
                seconds = time.perf_counter() - began
                self.elapsed += seconds
                self._report(writer, self.figures(played, seconds))
                if self.elapsed - last_save > 60 * s.checkpoint_minutes:
                    self.save()
                    last_save = self.elapsed
                if self.elapsed - last_exam > 60 * s.exam_minutes:
                    self._exam(writer)
                    last_exam = self.elapsed
            self._exam(writer)
        finally:                                          # also after Ctrl-C, wherever it struck
            self.save()
            writer.close()
            actors.close()
        return self.curve

    def progress(self) -> float:
        """How much of the training is done, 0 to 1: what the rate follows."""
        s = self.settings
        return min(1.0, self.block / s.blocks if s.blocks else self.elapsed / (s.hours * 3600))

    def _losses(self) -> dict[str, float]:
        return {name: learner.loss for name, learner in self.learners.items()}

    def _report(self, writer: SummaryWriter, figures: dict[str, float]) -> None:
        if self.block % 20 == 0:
            for name, value in {**figures, **{f"loss/{name}": loss for name, loss in self._losses().items()}}.items():
                writer.add_scalar(name, value, self.block)
        losses = " ".join(f"{loss:.3f}" for loss in self._losses().values())
        rates = "  ".join(f"{value:,.0f} {name.removesuffix('_per_second')}/s" for name, value in figures.items())
        self.tell(f"{_clock(self.elapsed)} of {_clock(self.settings.hours * 3600)}  {rates}  loss {losses}  "
                  f"{self.told(self.curve[-1]) if self.curve else ''}", False)

    def _exam(self, writer: SummaryWriter) -> None:
        games = self.block * self.settings.games
        self.save()
        marks = {"hours": self.elapsed / 3600, "games": float(games),
                 **{f"loss_{name}": loss for name, loss in self._losses().items() if math.isfinite(loss)}, **self.examine()}
        self.curve.append(marks)
        for name, value in marks.items():
            writer.add_scalar(f"exam/{name}", value, self.block)
        self.save()
        self.tell(f"{_clock(self.elapsed)}  {games:,} games  {self.told(marks)}", True)


def _clock(seconds: float) -> str:
    return f"{int(seconds // 3600)}:{int(seconds // 60 % 60):02d}:{int(seconds % 60):02d}"
