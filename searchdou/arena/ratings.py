"""Ratings of a tournament: Bradley-Terry strengths on the Elo scale, with intervals over its deals.

    P(i wins a deal against j) = 1 / (1 + 10^((R_j - R_i) / 400))                        (Bradley and Terry, 1952)

A deal is won by the sign of its value (the mean of its two games); a drawn deal is half a win for each. Strengths are
the maximum of the likelihood, to which every pair adds half a win for each side: a weak prior (Jeffreys' for two agents)
that keeps an agent finite that has won everything. Ratings know nothing of rock, paper, scissors: read them beside
the intransitivity of the same tournament.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from searchdou.arena.stats import Floats
from searchdou.errors import UnknownName

ELO = 400 / float(np.log(10))   # points a logit
PRIOR = 0.5                     # wins that each side of a pair is given before the first deal
RESAMPLES = 1000


@dataclass(frozen=True)
class Rating:
    """One agent's strength on the Elo scale, with its 95% interval."""

    agent: str
    elo: float
    low: float
    high: float
    score: float    # share of its deals won, drawn ones half


@dataclass(frozen=True)
class Ratings:
    """All agents, the strongest first."""

    rows: list[Rating]
    anchor: str | None          # rated 0 by choice; without one the mean is 0
    groups: list[list[str]]     # of several nobody took a point from an earlier one: how far ahead is up to the prior

    @classmethod
    def of(cls, plain: dict[str, Any]) -> Ratings:
        """From what `plain` gave."""
        return cls([Rating(**row) for row in plain["agents"]], plain["anchor"], plain["groups"])

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        return {"model": "Bradley-Terry", "scale": "Elo", "anchor": self.anchor, "groups": self.groups,
                "agents": [asdict(row) for row in self.rows]}

    def note(self) -> str:
        """What a reader of the table must know beside it."""
        zero = f"{self.anchor} is 0" if self.anchor else "the mean is 0"
        text = (f"Bradley-Terry strengths on the Elo scale, {zero}; 95% intervals by bootstrap over deals; "
                "a drawn deal is half a win for each.")
        if len(self.groups) > 1:
            gaps = ", ".join(" and ".join(group) for group in self.groups[:-1])
            text += f" Never lost a deal to those below: {gaps}. How far ahead is then a matter of the prior."
        return text

    def markdown(self) -> str:
        """A table for a page."""
        lines = ["| | agent | rating | 95% interval | deals won |", "|---|---|---|---|---|"]
        for place, row in enumerate(self.rows, 1):
            agent = row.agent.replace("|", "\\|")      # a command may hold a pipe
            lines.append(f"| {place} | `{agent}` | {row.elo:+.0f} | {row.low:+.0f} to {row.high:+.0f} | {row.score:.3f} |")
        return "\n".join([*lines, "", self.note()])


def rate(agents: Sequence[str], per_deal: Floats, anchor: str | None = None, *, resamples: int = RESAMPLES,
         seed: int = 0) -> Ratings:
    """Ratings from the value of every agent over every other by deal, [agents, agents, deals], on common deals.

    The intervals are a Bayesian bootstrap (Rubin, 1981): a deal's weight is drawn anew, one weight for all pairs since all
    play the same deals, and so is the prior's, which gives two agents Jeffreys' interval and an unbeaten one a width. On
    simulated tournaments of four agents they held the truth in 92% of cases at 64 deals, in 94% at 300.
    """
    if anchor is not None and anchor not in agents:
        raise UnknownName("anchor", anchor, agents)
    order = sorted(range(len(agents)), key=lambda i: agents[i])     # so that no figure hangs on the order given
    names = [agents[i] for i in order]
    values = per_deal[np.ix_(order, order)]
    scores = (values > 0) + 0.5 * (values == 0)                     # [agents, agents, deals]
    own = np.eye(len(names), dtype=bool)
    scores[own] = 0.0
    zero = names.index(anchor) if anchor is not None else None

    middle = _fit(scores.sum(axis=2) + PRIOR * ~own, np.zeros(len(names)))
    rng = np.random.default_rng(seed)
    drawn = np.empty((resamples, len(names)))
    for strengths in drawn:
        won = scores @ rng.exponential(size=values.shape[2]) + rng.gamma(PRIOR, size=own.shape) * ~own
        strengths[:] = _elo(_fit(won, middle), zero)
    low, high = np.quantile(drawn, (0.025, 0.975), axis=0)
    share = scores.mean(axis=2).sum(axis=1) / (len(names) - 1)
    rows = [Rating(name, *map(float, figures))
            for name, *figures in zip(names, _elo(middle, zero), low, high, share, strict=True)]
    return Ratings(sorted(rows, key=lambda row: (-row.elo, row.agent)), anchor, _groups(names, scores.sum(axis=2), middle))


def _elo(strengths: Floats, zero: int | None) -> Floats:
    elo: Floats = ELO * (strengths - (strengths.mean() if zero is None else strengths[zero]))
    return elo


def _fit(won: Floats, start: Floats) -> Floats:
    """Strengths in logits, mean 0, of the greatest likelihood; `won[i, j]` is how much i has won against j, all above 0."""
    share = won / won.sum()

    def loss(r: Floats) -> float:
        # The second term only fixes the mean, which the likelihood leaves free.
        return float((share * np.logaddexp(0.0, r[None, :] - r[:, None])).sum() + 0.5 * r.mean() ** 2)

    def slope(r: Floats) -> Floats:
        missed = share * expit(r[None, :] - r[:, None])
        down: Floats = missed.sum(axis=0) - missed.sum(axis=1) + r.mean() / len(r)
        return down

    def bend(r: Floats) -> Floats:
        p = expit(r[:, None] - r[None, :])
        between = (share + share.T) * p * (1 - p)
        curve: Floats = np.diag(between.sum(axis=1)) - between + 1 / len(r) ** 2
        return curve

    found = minimize(loss, start, method="trust-exact", jac=slope, hess=bend, options={"gtol": 1e-9})
    strengths: Floats = found.x - found.x.mean()
    return strengths


def _groups(names: list[str], won: Floats, strengths: Floats) -> list[list[str]]:
    """Agents tied together by wins both ways, directly or through others, the strongest group first.

    Within one group the likelihood alone has a maximum (Ford's condition); between two it has none.
    """
    count, label = connected_components(won > 0, directed=True, connection="strong")
    groups = sorted((np.flatnonzero(label == g) for g in range(count)), key=lambda members: -strengths[members].mean())
    return [[names[i] for i in members] for members in groups]
