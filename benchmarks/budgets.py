"""What a search budget buys: searchdou bench budgets --game gongzhu [--quick] [--workers 2]

Strength of `search` against a fixed opponent and against the raw net (`net`), over samples x simulations and over time, by
leaf, by how deals are drawn and weighed, by threads. All cells play the same numbered deals (one seed), each deal twice, so
differences are paired by deal. Seconds are CPU seconds (clock=cpu), so a busy machine does not falsify a budget; only the
cells of threads need the wall clock, and two quiet cores.

When a cell has played enough: after 64, 128, 256, ... deals we look, and a cell stops at the first look at which half its
95% interval is at most the target, or at its most deals. The rule looks at the width of the interval, never at where it
lies; it is the fixed-width rule of Chow and Robbins (benchmarks/_sequential.py says what that costs).

Every match is kept (benchmarks/runs/results.sqlite unless --store says where), and so is the CPU that a cell of the grid
takes (beside it), so a run goes on where it was stopped and prints the page of an uninterrupted one.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from _paper import HERE, STORE, frozen_nets, plots
from _sequential import FIRST_LOOK, RULE, Teller, Work, looks, until_told

import searchdou
from searchdou import agents, games
from searchdou.arena.formats import format_of
from searchdou.arena.match import MatchResult, MatchSettings, run_match
from searchdou.arena.stats import Floats, ci95, plus_minus
from searchdou.arena.store import Store
from searchdou.cluster import Cluster
from searchdou.commit import commit
from searchdou.errors import SearchDouError, UnknownName

SEED = 2026
OPPONENT = {"gongzhu": "greed", "doudizhu": "rule"}
UNIT = {"gongzhu": "points a game", "doudizhu": "WP"}
TARGET = {"gongzhu": 25.0, "doudizhu": 0.05}
CHOICES = {"gongzhu": 41, "doudizhu": 20}       # decisions with a choice a side has in a deal, about: for the ETA alone
SAMPLES = (4, 16, 64)
SIMS = {"gongzhu": (4, 16, 64), "doudizhu": (1, 2, 4)}
# By default a deal is played out once, and a second time would be the same: deeper is a tree.
TREE = "mode=tree,leaf=value"
GRID_MODE = {"gongzhu": f",{TREE}", "doudizhu": ",mode=tree"}
TIMES = {0.01: 256, 0.03: 256, 0.1: 256, 0.3: 128, 1.0: 64, 2.0: 32}        # most deals by seconds a decision
MOST = 128                  # deals of the other cells
LEAVES = {"gongzhu": {"value net in a tree": f"{TREE},sims=60", "blueprint rollouts": "leaf=blueprint,depth=0",
                      "eight cards by the blueprint, value nets along the way": "leaf=blueprint,lines=1",
                      "half of that, half eight cards by open cards (default)": "leaf=blueprint"},
          "doudizhu": {"value net": "leaf=value,mode=tree,backup=best,sims=30", "blueprint rollouts": "leaf=blueprint"}}
DEALS = {"uniform": "weights=uniform,strata=none", "strata": "weights=uniform,strata=exact",
         "IEC": "weights=iec,strata=none", "strata and IEC": "weights=iec,strata=exact",
         "Bayes": "weights=bayes,strata=none", "quantal": "weights=quantal,strata=none"}
PARTS = ("grid", "time", "leaf", "deals", "threads")
ALONE = 20      # CPU seconds of play for which no processes are started: that takes as long
QUICK = 16      # deals of a cell of a quick run: two workers take eight each
TITLES = {"grid": "Samples x simulations", "time": "Time a decision (CPU)", "leaf": "Leaf, 0.1 s a decision (CPU)",
          "deals": "How deals are drawn and weighed, 0.1 s a decision (CPU)",
          "threads": "Threads, 0.1 s a decision (wall clock)"}


Grid = dict[tuple[float, ...], Floats]      # values by deal, by (samples, sims)


@dataclass(frozen=True)
class Cell:
    """One budget against one opponent."""

    part: str
    label: str
    spec: str
    opponent: str
    most: int               # deals
    seconds: float          # a decision, about: for the ETA alone
    key: tuple[float, ...]  # (samples, sims) or (seconds,), for pictures
    cores: int = 1          # that a decision may use


@dataclass(frozen=True)
class Played:
    """A cell that has played enough: one value a deal."""

    cell: Cell
    values: Floats
    met: bool               # the target, before its most deals
    wall_ms: float
    forfeits: int

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        cell, interval = self.cell, [None if np.isnan(end) else end for end in ci95(self.values)]
        return {"part": cell.part, "cell": cell.label, "agent": cell.spec, "opponent": cell.opponent,
                "deals": len(self.values), "mean": float(self.values.mean()), "ci95": interval,
                "stopped": "target" if self.met else "most deals",
                "wall_ms_a_decision": self.wall_ms, "forfeits": self.forfeits}


# --- which cells -----------------------------------------------------------------------------------------------------


def cells_of(game: str, parts: Sequence[str] = PARTS, *, quick: bool = False, most: int | None = None) -> list[Cell]:
    """All cells in the order they are played; `most` caps their deals, `quick` is a few cells of few deals."""
    make = {"grid": _grid, "time": _time, "leaf": _leaf, "deals": _deals, "threads": _threads}
    cells = [cell for opponent in (OPPONENT[game], "net") for part in parts for cell in make[part](game, opponent)]
    if quick:
        cells = [cell for cell in cells if _quick(game, cell)]
        most = most or QUICK
    return [replace(cell, most=min(cell.most, most or cell.most)) for cell in cells]


def _quick(game: str, cell: Cell) -> bool:
    """Whether a cell is one of the few of a quick run: three times, and a corner of the grid against the fixed opponent."""
    if cell.part == "grid":
        return cell.opponent != "net" and cell.key[0] in SAMPLES[:2] and cell.key[1] in SIMS[game][:2]
    return cell.part == "time" and cell.key[0] <= 0.1


def _grid(game: str, opponent: str) -> list[Cell]:
    base, unit = {"gongzhu": (2e-4, 1.3e-5), "doudizhu": (0.0, 3e-4)}[game]     # seconds a sample, and a simulation
    return [Cell("grid", f"{samples} samples, {sims} sims", f"search:samples={samples},sims={sims}{GRID_MODE[game]}",
                 opponent, MOST, samples * (base + unit * sims), (samples, sims))
            for samples in SAMPLES for sims in SIMS[game]]


def _time(game: str, opponent: str) -> list[Cell]:
    return [Cell("time", f"{seconds:g} s", f"search:time={seconds:g},clock=cpu", opponent, most, seconds, (seconds,))
            for seconds, most in TIMES.items()]


def _leaf(game: str, opponent: str) -> list[Cell]:
    return [Cell("leaf", label, f"search:time=0.1,clock=cpu,{settings}", opponent, MOST, 0.1, ())
            for label, settings in LEAVES[game].items()]


def _deals(game: str, opponent: str) -> list[Cell]:
    return [Cell("deals", label, f"search:time=0.1,clock=cpu,{settings}", opponent, MOST, 0.1, ())
            for label, settings in DEALS.items()]


def _threads(game: str, opponent: str) -> list[Cell]:
    # Both on a pair of cores, so that only the threads differ.
    return [Cell("threads", f"{threads} thread{'s' * (threads > 1)}", f"search:time=0.1,threads={threads}", opponent, MOST,
                 0.1, (), cores=2) for threads in (1, 2)]


# --- playing them ------------------------------------------------------------------------------------------------------


def values_of(game: str, outcomes: Floats) -> Floats:
    """One value a deal in the unit of the game: points of Gongzhu, the share won of DouDizhu."""
    values: Floats = outcomes.mean(axis=1) if game == "gongzhu" else (outcomes > 0).mean(axis=1)
    return values


@cache
def _weights(game: str) -> str:
    """The shipped weights of a game in one word, the same as in the papers' tables."""
    import doudizhu_paper
    import gongzhu_paper
    files = {"gongzhu": gongzhu_paper.encode.FILES,
             "doudizhu": doudizhu_paper.FILES}[game]
    return frozen_nets("", files, HERE / "runs")[1]


def play_cells(game: str, cells: Sequence[Cell], target: float, store: Path, workers: int, seed: int,
               cluster: Cluster | None = None) -> list[Played]:
    """Every cell by the stopping rule; cells of the same match share its deals."""
    works = [Work(f"{cell.spec} v {cell.opponent}", cell.most, CHOICES[game] * cell.seconds) for cell in cells]
    tell = Teller(works, *(("points", 1) if game == "gongzhu" else ("ADP", 2)))
    played = []
    for number, cell in enumerate(cells):
        tell.begin(number)
        results: list[MatchResult] = []

        def play(deals: int, number: int = number, cell: Cell = cell, results: list[MatchResult] = results) -> Floats:
            settings = MatchSettings(game, cell.spec, cell.opponent, deals, seed)
            processes = workers if deals * works[number].seconds > ALONE else 1
            results.append(run_match(settings, workers=processes, cores=cell.cores, store=store, cluster=cluster,
                                     progress=partial(tell, deals)))
            return values_of(game, results[-1].outcomes)
        values, met = until_told(play, cell.most, target)
        side = results[-1].clocks["a"]
        played.append(Played(cell, values, met, 1000 * side.seconds_per_decision, sum(side.forfeits.values())))
    return played


# --- what follows from the cells --------------------------------------------------------------------------------------


def cpu_ms(game: str, specs: Sequence[str], positions: int = 24) -> dict[str, float]:
    """CPU milliseconds a decision with a choice, on common positions of `net` with itself: what a cell of the grid costs."""
    net, found = agents.make(game, "net"), []
    for number in range(6):
        for state, _ in format_of(game).games(1, number):
            while not state.is_over:
                infoset = state.infoset()
                if len(infoset.legal_actions()) > 1:
                    found.append(infoset)
                state.act(net.act(infoset))
    chosen = [found[i] for i in np.linspace(0, len(found) - 1, positions).astype(int)]
    players = {spec: agents.make(game, spec) for spec in specs}
    result = dict.fromkeys(specs, float("inf"))
    for _ in range(4):              # in turn, and the least of each: other work on the machine only adds
        for spec, player in players.items():
            began = time.thread_time()
            for infoset in chosen:
                player.act(infoset)
            result[spec] = min(result[spec], 1000 * (time.thread_time() - began) / positions)
    return result


def kept_cpu_ms(game: str, specs: Sequence[str], path: Path) -> dict[str, float]:
    """`cpu_ms`, measured once for all `specs` together and then read from `path`: the same page again has the same costs."""
    key = f"{game} {_weights(game)} {commit()} {' '.join(sorted(specs))}"
    known: dict[str, dict[str, float]] = json.loads(path.read_text()) if path.exists() else {}
    if key not in known:
        known[key] = cpu_ms(game, specs)
        part = path.with_suffix(".part")
        part.write_text(json.dumps(known, indent=1))
        part.replace(path)
    return known[key]


@dataclass(frozen=True)
class Advice:
    """Where the next second of CPU is best spent: more samples or deeper search, from a grid of both."""

    opponent: str
    deals: int
    samples: Floats     # by deal: what twice the CPU is worth when it goes into samples
    sims: Floats
    unit: str

    @property
    def verdict(self) -> str:
        low, high = ci95(self.samples - self.sims)
        return "samples" if low > 0 else "simulations" if high < 0 else "not told apart"

    def sentence(self) -> str:
        digits = 1 if self.unit != "WP" else 3
        worth = [plus_minus(values, digits) for values in (self.samples, self.sims, self.samples - self.sims)]
        end = {"samples": "the next second of CPU is best spent on more samples",
               "simulations": "the next second of CPU is best spent on deeper search",
               "not told apart": "more samples and deeper search are not told apart"}[self.verdict]
        return (f"Against {self.opponent}, on {self.deals} common deals, twice the CPU is worth {worth[0]} {self.unit} as "
                f"samples and {worth[1]} as simulations; the difference is {worth[2]} (paired, 95%): {end}.")

    def plain(self) -> dict[str, Any]:
        return {"opponent": self.opponent, "deals": self.deals, "verdict": self.verdict, "sentence": self.sentence(), **{
            name: {"mean": float(values.mean()), "ci95": ci95(values)} for name, values in (
                ("samples", self.samples), ("sims", self.sims), ("difference", self.samples - self.sims))}}


def advice_of(game: str, opponent: str, grid: Grid, cost: dict[tuple[float, ...], float]) -> Advice:
    """Slopes of strength over log2 samples and log2 sims, least squares on all cells, each divided by the slope of log2 CPU.

    Twice the samples does not cost what twice the sims does, so both are put on the scale of CPU. The slopes are sums of
    a deal's values with fixed weights, so every deal has its own and the intervals are paired by deal.
    """
    deals = min(len(values) for values in grid.values())
    keys = sorted(grid)
    design = np.array([[1.0, *np.log2(key)] for key in keys])
    slopes = np.linalg.pinv(design)[1:]                                         # [2, cells]
    gains = slopes @ np.array([grid[key][:deals] for key in keys])              # [2, deals]
    costs = slopes @ np.log2([cost[key] for key in keys])
    if min(costs) <= 0:
        raise SearchDouError(f"CPU does not grow with the budget: {dict(cost)}")
    return Advice(opponent, deals, gains[0] / costs[0], gains[1] / costs[1], UNIT[game])


Step = tuple[str, str, Floats]      # from, to, gain by deal


def steps_of(curve: Sequence[Played]) -> list[Step]:
    """Steps in time with the gain of each by deal, on the deals both have played."""
    steps = []
    for one, two in pairwise(sorted(curve, key=lambda played: played.cell.key)):
        deals = min(len(one.values), len(two.values))
        steps.append((one.cell.label, two.cell.label, two.values[:deals] - one.values[:deals]))
    return steps


def falls_of(curve: Sequence[Played]) -> list[Step]:
    """More time that is shown to be worse than less: of all pairs of times, not only neighbours, at 5% over all of them
    together (Bonferroni), so that a long slow fall is seen and a flat curve is not blamed for its many pairs."""
    rising = sorted(curve, key=lambda played: played.cell.key)
    pairs = [(one, two, min(len(one.values), len(two.values))) for one, two in combinations(rising, 2)]
    steps = [(one.cell.label, two.cell.label, two.values[:deals] - one.values[:deals]) for one, two, deals in pairs]
    return [step for step in steps if ci95(step[2], 0.05 / len(steps))[1] < 0]


# --- what is shown --------------------------------------------------------------------------------------------------------


def commits_of(store: Path, game: str, cells: Sequence[Cell], seed: int) -> str:
    """Which commits the deals of the cells were played at: what is kept is used again after a change of the code."""
    specs = {(cell.spec, cell.opponent) for cell in cells}
    with Store(store, write=False) as kept:
        found = {commit for match in kept.matches(game=game) if (match["a"], match["b"]) in specs and match["seed"] == seed
                 for commit in match["commits"]}
    return f" Played at commit{'s' * (len(found) > 1)} {', '.join(sorted(found))}." if found - {""} else ""


def markdown(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (columns, ["---"] * len(columns), *rows))


def level(game: str, values: Floats, digits: int) -> str:
    """A strength with its interval; a share won has no sign."""
    return plus_minus(values, digits).lstrip("+" if game == "doudizhu" else "")


def report(game: str, played: Sequence[Played], cost: dict[str, float], target: float, seed: int, command: str,
           commits: str = "") -> str:
    """The page: every part as a table, the sentence on where CPU is best spent, whether more time ever hurts."""
    digits = 1 if game == "gongzhu" else 3
    rule = RULE.format(looks=", ".join(map(str, looks(max(p.cell.most for p in played)))), target=target, unit=UNIT[game])
    text = [f"## {game}: strength by search budget", f"`{command}`",
            f"SearchDou {searchdou.__version__}, weights {_weights(game)}. {UNIT[game]} of `search`, ± 95% paired by deal, "
            f"seed {seed}, the same deals in every cell, each twice. ms are wall time a decision, forced ones included, "
            f"whatever else the machine did.{commits} {rule}"]
    opponents = list(dict.fromkeys(p.cell.opponent for p in played))
    for part in [part for part in PARTS if any(p.cell.part == part for p in played)]:
        rows = []
        for label in dict.fromkeys(p.cell.label for p in played if p.cell.part == part):
            row = {p.cell.opponent: p for p in played if p.cell.part == part and p.cell.label == label}
            spec = next(iter(row.values())).cell.spec
            rows.append([label, f"`{spec}`", *([f"{cost[spec]:.1f}"] if part == "grid" else [])])
            for opponent in opponents:
                p = row.get(opponent)
                rows[-1] += [""] * 3 if p is None else [
                    level(game, p.values, digits), f"{len(p.values)}{'' if p.met else '*'}", f"{p.wall_ms:.1f}"]
        columns = ["budget", "agent", *(["CPU ms a choice"] if part == "grid" else []),
                   *(name for opponent in opponents for name in (f"over {opponent}", "deals", "ms"))]
        text += [f"### {TITLES[part]}", markdown(columns, rows)]
    text.append("\\* stopped at its most deals, not at the target.")
    if max(len(p.values) for p in played) < FIRST_LOOK:
        text.append(f"Fewer than {FIRST_LOOK} deals a cell: this shows that it runs, not which budget is better.")
    return "\n\n".join(text)


def show_advice(game: str, advice: Advice, grid: Grid, cost: dict[tuple[float, ...], float]) -> str:
    """The sentence, and the same question at every corner of the grid: a step more samples less a step more simulations."""
    digits, rows = 1 if game == "gongzhu" else 3, []
    wider, deeper = (dict(pairwise(sorted({key[i] for key in grid}))) for i in (0, 1))
    for samples, sims in sorted(grid):
        wide, deep = (wider.get(samples, 0.0), sims), (samples, deeper.get(sims, 0.0))
        if wide in grid and deep in grid:
            deals = min(len(grid[wide]), len(grid[deep]))
            rows.append([*(f"{a:g} x {b:g}" for a, b in ((samples, sims), wide, deep)),
                         plus_minus(grid[wide][:deals] - grid[deep][:deals], digits), str(deals),
                         f"{cost[wide]:.1f}", f"{cost[deep]:.1f}"])
    return f"{advice.sentence()}\n\n" + markdown(
        ["from samples x sims", "wider", "deeper", "the wider less the deeper", "deals", "CPU ms of the wider",
         "of the deeper"], rows)


def show_steps(game: str, opponent: str, curve: Sequence[Played]) -> str:
    """Whether the curve over time is monotone, with the gain of every step and every fall."""
    digits, falls = 1 if game == "gongzhu" else 3, falls_of(curve)
    told, fell = (", ".join(f"{one} to {two} {plus_minus(gain, digits)}" for one, two, gain in steps)
                  for steps in (steps_of(curve), falls))
    return (f"Against {opponent} the curve is {'NOT ' if falls else ''}monotone in time within its intervals (of no two "
            f"times is the longer shown to be worse, at 5% over all pairs{f', but for {fell}' if falls else ''}; gain of "
            f"every step, paired, 95%: {told}).")


def draw_grid(game: str, played: Sequence[Played], path: Path) -> None:
    """A heat map of samples x simulations for every opponent."""
    opponents = list(dict.fromkeys(p.cell.opponent for p in played))
    figure, axes = plots().subplots(1, len(opponents), figsize=(5.4 * len(opponents), 4.4), squeeze=False,
                                    layout="constrained")
    for axis, opponent in zip(axes.flat, opponents, strict=True):
        cells = {p.cell.key: p for p in played if p.cell.opponent == opponent}
        samples, sims = (sorted({key[i] for key in cells}) for i in (0, 1))
        means = np.array([[cells[s, m].values.mean() for m in sims] for s in samples])
        image = axis.imshow(means, cmap="viridis", origin="lower", aspect="auto")
        for i, s in enumerate(samples):
            for j, m in enumerate(sims):
                dark = means[i, j] < (means.min() + means.max()) / 2
                words = level(game, cells[s, m].values, 0 if game == "gongzhu" else 2).replace(" ± ", "\n± ")
                axis.text(j, i, words, ha="center", va="center", color="white" if dark else "black", fontsize=9)
        axis.set_xticks(range(len(sims)), [f"{m:g}" for m in sims])
        axis.set_yticks(range(len(samples)), [f"{s:g}" for s in samples])
        axis.set_xlabel("simulations a candidate and deal")
        axis.set_ylabel("samples (deals looked at)")
        axis.set_title(f"{game}: search over {opponent}, {UNIT[game]}, ± 95%", fontsize=10)
        figure.colorbar(image, ax=axis)
    figure.savefig(path, dpi=130)
    plots().close(figure)


def draw_time(game: str, played: Sequence[Played], path: Path) -> None:
    """Strength over time with 95% bands."""
    figure, axis = plots().subplots(figsize=(6.4, 4.2), layout="constrained")
    for opponent in dict.fromkeys(p.cell.opponent for p in played):
        curve = sorted((p for p in played if p.cell.opponent == opponent), key=lambda p: p.cell.key)
        seconds = [p.cell.key[0] for p in curve]
        line, = axis.plot(seconds, [p.values.mean() for p in curve], marker="o", label=f"over {opponent}")
        low, high = zip(*(ci95(p.values) for p in curve), strict=True)
        axis.fill_between(seconds, low, high, alpha=0.2, color=line.get_color())
    axis.set_xscale("log")
    axis.set_xticks([p.cell.key[0] for p in played], [p.cell.label for p in played])
    axis.minorticks_off()
    axis.set_xlabel("CPU seconds a decision, one core")
    axis.set_ylabel(UNIT[game])
    axis.set_title(f"{game}: search by time, 95% bands")
    axis.grid(alpha=0.3)
    axis.legend()
    figure.savefig(path, dpi=130)
    plots().close(figure)


def run(game: str, quick: bool = False, workers: int = 2, store: Path | None = None, cluster: Cluster | None = None,
        as_json: bool = False,
        target: float | None = None, most: int | None = None, parts: str = "", seed: int = SEED,
        pictures: Path | None = None) -> None:
    """Play what is missing, then print the page (or one JSON object) and draw the pictures."""
    if game not in OPPONENT:
        raise UnknownName("game", game, games.GAMES)
    asked = [part for part in parts.split(",") if part] or list(PARTS)
    for part in asked:
        if part not in PARTS:
            raise UnknownName("part", part, PARTS)
    target = TARGET[game] if target is None else target
    if not target > 0 or (most is not None and most < 2):
        raise SearchDouError("the target must be above 0 and the most deals at least 2")
    store = store or HERE / "runs" / STORE
    whole = not quick and not parts and most is None
    folder = pictures or (HERE if whole else store.parent)     # only a whole run draws over the pictures of RESULTS.md
    folder.mkdir(parents=True, exist_ok=True)                  # now, not after hours
    plots()
    command = " ".join(["searchdou bench budgets --game", game, *(["--quick"] if quick else []),
                        *([f"--parts {parts}"] if parts else []), f"--target {target:g}",
                        *([f"--most {most}"] if most else []), f"--seed {seed}"])
    cells = cells_of(game, asked, quick=quick, most=most)
    if not cells:
        raise SearchDouError(f"a quick run has no cells of {', '.join(asked)}")
    played = play_cells(game, cells, target, store, workers, seed, cluster)
    in_grid, in_time = ([p for p in played if p.cell.part == part] for part in ("grid", "time"))
    cost = kept_cpu_ms(game, list(dict.fromkeys(p.cell.spec for p in in_grid)),
                       store.with_suffix(".costs.json")) if in_grid else {}
    text, advices, curves = [report(game, played, cost, target, seed, command, commits_of(store, game, cells, seed))], [], []
    for opponent in dict.fromkeys(p.cell.opponent for p in in_grid):
        grid = {p.cell.key: p.values for p in in_grid if p.cell.opponent == opponent}
        by_key = {p.cell.key: cost[p.cell.spec] for p in in_grid}
        try:
            advices.append(advice_of(game, opponent, grid, by_key))
            text.append(show_advice(game, advices[-1], grid, by_key))
        except SearchDouError as error:         # no reason to lose the tables
            text.append(f"Against {opponent}, where the next second of CPU is best spent cannot be said: {error}")
    for opponent in dict.fromkeys(p.cell.opponent for p in in_time):
        curve = [p for p in in_time if p.cell.opponent == opponent]
        text.append(show_steps(game, opponent, curve))
        curves.append({"opponent": opponent, "monotone": not falls_of(curve), "steps": [
            {"from": one, "to": two, "gain": float(gain.mean()), "ci95": ci95(gain)} for one, two, gain in steps_of(curve)]})
    for name, cells_drawn, draw in (("grid", in_grid, draw_grid), ("time", in_time, draw_time)):
        if cells_drawn:
            path = folder / f"{game}_budgets_{name}.png"
            draw(game, cells_drawn, path)
            text.append(f"![{name}]({path.name})")
    if as_json:
        print(json.dumps({"game": game, "seed": seed, "unit": UNIT[game], "target": target, "command": command,
                          "version": searchdou.__version__, "weights": _weights(game), "cells": [p.plain() for p in played],
                          "cpu_ms": cost, "advice": [advice.plain() for advice in advices], "time": curves}))
    else:
        print("\n\n".join(text))
