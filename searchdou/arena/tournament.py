"""Every agent against every other on the same deals: cross tables, ratings, WPG, intransitivity, a picture."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

import searchdou
from searchdou.arena.match import MatchResult, MatchSettings, run_match
from searchdou.arena.ratings import Ratings, rate
from searchdou.arena.stats import Floats, ci95, intransitivity, intransitivity_error, mean_se
from searchdou.arena.store import Store
from searchdou.cluster import Cluster
from searchdou.errors import SearchDouError

Pairs = dict[tuple[int, int], MatchResult]


@dataclass
class TournamentResult:
    """The matches of all pairs (i < j) of `agents`, on common deals."""

    game: str
    agents: list[str]
    pairs: Pairs
    anchor: str | None = None       # the agent rated 0; without one the mean rating is 0

    def outcomes(self, i: int, j: int) -> Floats:
        """Outcomes of agent i against j, [deals, 2]; for the mirrored pair the roles are mirrored too."""
        if (i, j) in self.pairs:
            return self.pairs[i, j].outcomes
        return -self.pairs[j, i].outcomes[:, ::-1] if self.game == "doudizhu" else -self.pairs[j, i].outcomes

    def per_deal(self) -> Floats:
        """Value of agent i over agent j by deal, [agents, agents, deals]; zero against itself."""
        deals = next(iter(self.pairs.values())).settings.deals
        values = np.zeros((len(self.agents), len(self.agents), deals))
        for i, j in combinations(range(len(self.agents)), 2):
            values[i, j] = self.outcomes(i, j).mean(axis=1)
            values[j, i] = -values[i, j]
        return values

    def tables(self) -> dict[str, tuple[Floats, Floats]]:
        """Cross tables by name: (means, 95% half widths), [agents, agents]; nan where an agent would meet itself."""
        n = len(self.agents)
        names = ["points"] if self.game == "gongzhu" else [
            f"{measure} {part}" for measure in ("WP", "ADP") for part in ("overall", "landlord", "peasants")]
        tables = {name: (np.full((n, n), np.nan), np.full((n, n), np.nan)) for name in names}
        for i in range(n):
            for j in range(n):
                if i == j:
                    continue
                outcomes = self.outcomes(i, j)
                for name, (means, halves) in tables.items():
                    column = _column(name, outcomes)
                    means[i, j] = mean_se(column)[0]
                    low, high = ci95(column)
                    halves[i, j] = (high - low) / 2
        return tables

    def ratings(self) -> Ratings:
        """Bradley-Terry strengths of all agents on the Elo scale."""
        return rate(self.agents, self.per_deal(), self.anchor)

    def summary(self) -> dict[str, Any]:
        """All figures as plain data."""
        first = next(iter(self.pairs.values())).settings
        result: dict[str, Any] = {
            "game": self.game, "agents": self.agents, "deals": first.deals, "seed": first.seed, "rules": first.rules,
            "version": searchdou.__version__,
            "tables": {name: {"mean": _plain(means), "ci95_half": _plain(halves)}
                       for name, (means, halves) in self.tables().items()},
            "ratings": self.ratings().plain(),
            "seconds_per_decision": self.seconds_per_decision(), "forfeits": self.forfeits()}
        if len(self.agents) >= 3:
            values = self.per_deal()
            result["epsilon"] = intransitivity(values.mean(axis=2))
            result["epsilon_se"] = intransitivity_error(values)
        if self.game == "gongzhu" and "greed" in self.agents:
            values, greed = self.per_deal(), self.agents.index("greed")
            result["wpg"] = {agent: {"points": mean_se(values[i, greed])[0], "ci95": ci95(values[i, greed])}
                             for i, agent in enumerate(self.agents) if i != greed}
        return result

    def seconds_per_decision(self) -> dict[str, float]:
        return {agent: clock.seconds_per_decision for agent, clock in self._clocks().items()}

    def forfeits(self) -> dict[str, int]:
        return {agent: sum(clock.forfeits.values()) for agent, clock in self._clocks().items()}

    def _clocks(self) -> dict[str, Any]:
        from searchdou.arena.table import Clock
        clocks = {agent: Clock() for agent in self.agents}
        for (i, j), match in self.pairs.items():
            clocks[self.agents[i]].add(match.clocks["a"])
            clocks[self.agents[j]].add(match.clocks["b"])
        return clocks


def _column(name: str, outcomes: Floats) -> Floats:
    measure, _, part = name.partition(" ")
    values = (outcomes > 0).astype(np.float64) if measure == "WP" else outcomes
    if part == "landlord":
        return values[:, 0]
    return values[:, 1] if part == "peasants" else values.mean(axis=1)


def _plain(table: Floats) -> list[list[float | None]]:
    return [[None if np.isnan(x) else float(x) for x in row] for row in table]


def run_tournament(game: str, agents: list[str], deals: int, seed: int = 0, rules: str = "standard", *,
                   time_s: float = 1.0, workers: int = 1, store: Store | Path | None = None, fresh: bool = False,
                   cluster: Cluster | None = None,
                   progress: Callable[[str, int, Floats], None] = lambda pair, done, values: None) -> TournamentResult:
    """Play all pairs on common deals, each a match like any other: kept in the `store` and resumed from it.

    `progress(pair, done, values)` is called as that of `run_match` is, with the pair before it.
    """
    if len(agents) < 2 or len(set(agents)) != len(agents):
        raise SearchDouError(f"a tournament needs two or more different agents, not {', '.join(agents) or 'none'}")
    pairs: Pairs = {}
    with ExitStack() as stack:
        if isinstance(store, Path):
            store = stack.enter_context(Store(store))
        for i, j in combinations(range(len(agents)), 2):
            settings = MatchSettings(game, agents[i], agents[j], deals, seed, rules, time_s)
            pairs[i, j] = run_match(settings, workers=workers, store=store, fresh=fresh, cluster=cluster,
                                    progress=_told(progress, f"{agents[i]} v {agents[j]}"))
    return TournamentResult(game, agents, pairs)


def _told(progress: Callable[[str, int, Floats], None], pair: str) -> Callable[[int, Floats], None]:
    return lambda done, values: progress(pair, done, values)


def show_tournament(result: TournamentResult, console: Console) -> None:
    """The cross tables, ratings, WPG and epsilon in the terminal."""
    summary = result.summary()
    for name, (means, halves) in result.tables().items():
        digits = 1 if result.game == "gongzhu" else 3
        table = Table(title=f"{name}: row against column, {summary['deals']} deals twice, seed {summary['seed']} (± 95%)")
        table.add_column("")
        for agent in result.agents:
            table.add_column(escape(agent), justify="right")
        for i, agent in enumerate(result.agents):
            table.add_row(escape(agent), *("" if i == j else f"{means[i, j]:.{digits}f} ± {halves[i, j]:.{digits}f}"
                                   for j in range(len(result.agents))))
        console.print(table)
    show_ratings(Ratings.of(summary["ratings"]), console)
    for agent, wpg in summary.get("wpg", {}).items():
        console.print(f"WPG {escape(agent)}: {wpg['points']:+.1f} [{wpg['ci95'][0]:+.1f}, {wpg['ci95'][1]:+.1f}]")
    if "epsilon" in summary:
        console.print(f"intransitivity epsilon (eq. 17): {summary['epsilon']:.3f} ± {summary['epsilon_se']:.3f} "
                      "(bootstrap standard error)")
    seconds = summary["seconds_per_decision"].items()
    console.print("ms a decision: " + ", ".join(f"{escape(agent)} {1000 * spent:.3f}" for agent, spent in seconds))
    for agent, count in summary["forfeits"].items():
        if count:
            console.print(f"[bold red]{escape(agent)} forfeited {count} moves[/]")


def show_ratings(ratings: Ratings, console: Console) -> None:
    """The ratings as a table, with what a reader must know of them below."""
    table = Table(title="ratings")
    for column in ("", "agent", "rating", "95% interval", "deals won"):
        table.add_column(column, justify="left" if column == "agent" else "right")
    for place, row in enumerate(ratings.rows, 1):
        table.add_row(str(place), escape(row.agent), f"{row.elo:+.0f}", f"{row.low:+.0f} to {row.high:+.0f}",
                      f"{row.score:.3f}")
    console.print(table)
    console.print(ratings.note(), markup=False)


def markdown_of(result: TournamentResult) -> str:
    """The ratings as a page: title, table, note."""
    first = next(iter(result.pairs.values())).settings
    rules = "" if first.rules == "standard" else f", rules {first.rules}"
    return (f"## {result.game}: ratings of {len(result.agents)} agents\n\nAll pairs on {first.deals} common deals, each "
            f"twice, seed {first.seed}{rules}, SearchDou {searchdou.__version__}.\n\n{result.ratings().markdown()}\n")


def check_plot(path: Path) -> None:
    """Tell before hours of play what `plot_tournament` would not do after them."""
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError as error:
        raise SearchDouError(f"--plot needs the plot extra, pip install 'searchdou[plot]' ({error})") from None
    if path.suffix[1:].lower() not in FigureCanvasBase.filetypes:
        raise SearchDouError(f"--plot {path}: a picture ends in .{', .'.join(sorted(FigureCanvasBase.filetypes))}")


def plot_tournament(result: TournamentResult, path: Path) -> None:
    """The cross tables as heat maps in one picture."""
    check_plot(path)
    from matplotlib import pyplot
    agents = [agent.replace("$", r"\$") for agent in result.agents]       # no formulas
    tables = result.tables()
    rows = 1 if len(tables) == 1 else 2
    columns = len(tables) // rows
    n = len(result.agents)
    figure, axes = pyplot.subplots(rows, columns, figsize=(columns * (1.6 + 0.95 * n), rows * (1.2 + 0.75 * n)),
                                   squeeze=False, layout="constrained")
    for axis, (name, (means, halves)) in zip(axes.flat, tables.items(), strict=True):
        middle = 0.5 if name.startswith("WP") else 0.0
        reach = float(np.nanmax(np.abs(means - middle))) or 1.0
        axis.imshow(means, cmap="RdBu", vmin=middle - reach, vmax=middle + reach)
        axis.set_title(f"{name}, row against column")
        axis.set_xticks(range(n), agents)
        axis.set_yticks(range(n), agents)
        for i in range(n):
            for j in range(n):
                if i != j:
                    digits = 0 if result.game == "gongzhu" else 2
                    strong = abs(means[i, j] - middle) > 0.6 * reach
                    axis.text(j, i, f"{means[i, j]:.{digits}f}\n± {halves[i, j]:.{digits}f}", ha="center", va="center",
                              color="white" if strong else "black", fontsize=9)
    settings = next(iter(result.pairs.values())).settings
    figure.suptitle(f"{result.game}, {settings.deals} deals twice, seed {settings.seed}, ± 95%", fontsize=10)
    figure.savefig(path, dpi=130)
    pyplot.close(figure)
