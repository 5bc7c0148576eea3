"""Deep Monte-Carlo for DouDizhu, from nothing, on two CPU cores: DouZero's algorithm with AlphaDou's heads.

Every seat plays by its own blueprint, epsilon-greedily; what a game came to is the target of every choice in it. One stream
of games trains the nets of all roles, bids included, and beside them the oracle, which is shown all hands
(PerfectDou's critic, but never let play). Most games are DouZero's (card play only), a quarter the full game.

Progress is told by matches against fixed opponents: random moves, `rule` and the weights of the exam before, compiled, and
fewer against RLCard's rule agent.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from inference import _policy_kernels as _registered  # noqa: F401 (the random player)
from inference._game_kernels import Uniform
from inference._rng_kernels import stream
from searchdou.agents._doudizhu_rule_kernels import rule_policy
from searchdou.arena.match import MatchSettings, run_match
from searchdou.cluster import Cluster
from searchdou.errors import UnknownName
from searchdou.games.doudizhu import _encode_kernels, encode
from searchdou.games.doudizhu.rulesets import rule_set
from searchdou.nets import Weights
from searchdou.nets.files import WIDTH
from searchdou.train import _dmc_kernels as kernels
from searchdou.train.loop import Learner, Loop, LoopSettings, check_settings

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class DmcSettings(LoopSettings):
    """How long and how; the shipped weights had full=0.5 and oracle=0.3 for 51 minutes, then the defaults for 31, then
    81 more with start= these and rate=7e-4. The net for bids had 18 minutes more, with learn=bid, strangers=0.5 and what
    docs/nets.md says."""

    out: Path = Path("runs/doudizhu")
    width: int = WIDTH              # of the nets that play cards; the oracle's and the one for bids have 256
    games: int = 2000
    window: int = 4
    reuse: float = 1.0
    batch: int = 512
    last_rate: float = 1e-5
    full: float = 0.25              # share of games with bidding, bombs and spring; the others are card play alone
    noise: float = 0.02             # share of random moves
    doubt: float = 0.0              # share of moves drawn among those thought nearly as good as the best
    near: float = 0.15              # that is, within so many stakes of it
    bid_noise: float = 0.15         # and of random bids
    strangers: float = 0.0          # share of seats of full games that bid by thresholds of their own, cautious to bold
    learn: str = ""                 # roles whose nets learn, with + between them (bid, landlord+up); empty: all
    mix: float = 0.5                # how much the chance to win counts beside the stakes when actors choose
    oracle: float = 0.1             # share of the samples that the oracle learns from too; 0 trains none
    decks: int = 5000               # of a match with a fixed opponent at every exam, each played from both sides
    rlcard_decks: int = 500         # and with RLCard's own agent, which is slow; where it is not installed, none


class RoleLearner(Learner):
    """The net of one role and view, and the samples of its role."""

    def __init__(self, view: str, role: str, s: DmcSettings) -> None:
        width = s.width if view == "seen" and role != "bid" else WIDTH
        weights = encode.untrained(view, s.seed + (100 if view == "open" else 0), width)(role)
        super().__init__(encode.kind_of(view, role), encode.file_of(view, role), weights, s.rate)
        self.shown, self.role = view == "open", encode.ROLES.index(role)
        self.blocks: list[tuple[Ints, Any, Any]] = []

    def learn(self, samples: kernels.Samples, s: DmcSettings, rate: float, rng: np.random.Generator) -> int:
        """From the window, as many as the newest block has for this role; returns how many."""
        self.set_rate(rate)
        mine = np.flatnonzero(samples.role[:int(samples.used[0])] == self.role)
        self.blocks = [*self.blocks, (samples.rows[mine], samples.won[mine], samples.stakes[mine])][-s.window:]
        rows, won, stakes = (np.concatenate([block[part] for block in self.blocks]) for part in range(3))
        batch = self.empty_batch(s.batch, _encode_kernels.MOST)
        losses = []
        for _ in range(int(s.reuse * len(mine) * (s.oracle if self.shown else 1.0)) // s.batch):
            chosen = rng.integers(0, len(rows), s.batch)
            kernels.write_features(rows, chosen, self.shown, *batch)
            found = self.module(batch)
            losses.append(self.step(factorised_loss(found, torch.from_numpy(won[chosen]), torch.from_numpy(stakes[chosen])),
                                    s.average))
        if losses:
            self.loss = float(np.mean(losses))
        return len(losses) * s.batch


def factorised_loss(found: torch.Tensor, won: torch.Tensor, stakes: torch.Tensor) -> torch.Tensor:
    """AlphaDou's: u by all games, what a win brings by the games won, a loss costs by those lost; a draw is half each."""
    win, lose = 0.5 * (1.0 + won), 0.5 * (1.0 - won)
    each = (found[:, 0] - won) ** 2 + win * (found[:, 1] - stakes) ** 2 + lose * (found[:, 2] - stakes) ** 2
    return each.mean()


class Actor:
    """Plays blocks of games: everything random in one comes from the seed and its number."""

    def __init__(self, s: DmcSettings) -> None:
        self.s = s

    def play(self, block: int, weights: dict[str, Weights]) -> tuple[kernels.Samples, float]:
        """The samples of all roles, and the seconds it took; `weights` are the blueprint's by role."""
        s, room = self.s, 40 * self.s.games
        samples = kernels.Samples(np.empty((room, kernels.FIELDS), np.int64), np.empty(room, np.int64),
                                  np.empty(room, np.float32), np.empty(room, np.float32), np.zeros(2, np.int64))
        scheme = kernels.Scheme(s.full, s.noise, s.doubt, s.near, s.bid_noise, s.strangers, rule_set("douzero").switches,
                                rule_set("standard").switches)
        began = time.perf_counter()
        kernels.play_block(encode.blueprint(weights.__getitem__, s.mix), s.games, scheme, stream(s.seed, block), samples)
        return samples, time.perf_counter() - began


class Training(Loop):
    """Seven nets that learn from one stream of games."""

    name, actor = "dmc", Actor

    def __init__(self, settings: DmcSettings, tell: Callable[[str, bool], None] = lambda line, lasting: None,
                 cluster: Cluster | None = None) -> None:
        self.s = s = settings
        check_settings(s, shares=("full", "noise", "doubt", "bid_noise", "strangers", "mix", "oracle"),
                       least={"near": 0, "decks": 0, "rlcard_decks": 0})
        self.roles = set(s.learn.split("+")) if s.learn else set(encode.ROLES)
        if unknown := self.roles - set(encode.ROLES):
            raise UnknownName("role to learn", sorted(unknown)[0], encode.ROLES)
        self.nets = {(view, role): RoleLearner(view, role, s) for view in encode.VIEWS for role in encode.roles_of(view)
                     if view == "seen" or s.oracle}
        super().__init__(s, {f"{view}-{role}": net for (view, role), net in self.nets.items()}, tell, cluster)
        self._best: dict[str, Weights] = {}      # the weights of the exam before

    def blueprint(self) -> dict[str, Weights]:
        """The weights of the one-seat nets by role."""
        return {role: self.nets["seen", role].weights() for role in encode.ROLES}

    def job(self) -> dict[str, Weights]:
        return self.blueprint()

    def learn(self, played: tuple[kernels.Samples, float], rate: float) -> int:
        return sum(net.learn(played[0], self.s, rate, np.random.default_rng((self.s.seed, self.block, number)))
                   for number, ((_, role), net) in enumerate(self.nets.items()) if role in self.roles)

    def figures(self, played: tuple[kernels.Samples, float], seconds: float) -> dict[str, float]:
        frames = float(played[0].used[1])
        return {"frames_per_second": frames / seconds, "actor_frames_per_second": frames / played[1]}

    def examine(self) -> dict[str, float]:
        """Card play against fixed opponents: share of wins and points, as landlord and as peasants."""
        weights, before = self.blueprint(), self._best
        opponents: dict[str, Any] = {"random": Uniform(), "rule": rule_policy()}
        if before:
            opponents["previous"] = encode.blueprint(before.__getitem__, self.s.mix)
        marks: dict[str, float] = {}
        for name, opponent in opponents.items() if self.s.decks else ():
            marks |= duel(encode.blueprint(weights.__getitem__, self.s.mix), opponent, self.s.decks, name)
        if self.s.rlcard_decks and find_spec("douzero"):
            marks |= against_rlcard(f"net:nets={self.s.out}", self.s.rlcard_decks)
        self._best = weights
        return marks

    def told(self, marks: dict[str, float]) -> str:
        return "  ".join(f"{name} {marks[f'{name}_landlord']:.3f}/{marks[f'{name}_peasants']:.3f} "
                         f"{marks[f'{name}_points']:+.2f}"
                         for name in ("random", "rlcard", "rule", "previous") if f"{name}_points" in marks)


def against_rlcard(spec: str, decks: int, seed: int = 1) -> dict[str, float]:
    """The marks of `duel` against RLCard's rule agent, played in Python."""
    found = run_match(MatchSettings("doudizhu", spec, "rlcard", decks, seed, "douzero")).outcomes
    return {"rlcard_landlord": float((found[:, 0] > 0).mean()), "rlcard_peasants": float((found[:, 1] > 0).mean()),
            "rlcard_points": float(found.mean())}


def duel(mine: Any, other: Any, decks: int, name: str, seed: int = 1) -> dict[str, float]:
    """The same deals from both sides, by DouZero's rules: wins as landlord and as peasants, and mean points."""
    rules = rule_set("douzero").switches
    won, points = kernels.duel(mine, other, decks, rules, stream(seed))
    lost, against = kernels.duel(other, mine, decks, rules, stream(seed))
    return {f"{name}_landlord": float(won), f"{name}_peasants": float(1.0 - lost),
            f"{name}_points": float(points - against) / 2}
