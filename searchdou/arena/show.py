"""Results of matches drawn for people."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table


def pm(mean: float, interval: list[float], digits: int = 3) -> str:
    """A mean with its 95% half width."""
    return f"{mean:.{digits}f} ± {(interval[1] - interval[0]) / 2:.{digits}f}"


def show_match(summary: dict[str, Any], console: Console) -> None:
    """A match as a table, with the clocks and any forfeits below it."""
    a, b = escape(summary["a"]), escape(summary["b"])
    if summary["game"] == "doudizhu":
        table = Table(title=f"{a} against {b}, {summary['decks']} decks twice, seed {summary['seed']} (± 95%)")
        for column in ("", "as landlord", "as peasants", "overall"):
            table.add_column(column, justify="right")
        for measure, digits in (("wp", 3), ("adp", 3)):
            table.add_row(measure.upper(), *(pm(summary[measure][part], summary["ci95"][measure][part], digits)
                                             for part in ("landlord", "peasants", "overall")))
    else:
        table = Table(title=f"{a} over {b}, {summary['deals']} deals twice, seed {summary['seed']} (± 95%)")
        for column in ("points a game", "deals won", "drawn"):
            table.add_column(column, justify="right")
        table.add_row(pm(summary["points"], summary["ci95"], 1), f"{summary['win']:.3f}", f"{summary['draw']:.3f}")
    console.print(table)
    console.print("ms a decision: " + ", ".join(
        f"{spec} {1000 * summary['seconds_per_decision'][side]:.3f}" for side, spec in (("a", a), ("b", b))))
    for side, spec in (("a", a), ("b", b)):
        forfeits = summary["forfeits"][side]
        if forfeits["total"]:
            counts = ", ".join(f"{count} {kind}" for kind, count in forfeits.items() if kind not in ("total", "reasons"))
            console.print(f"[bold red]{spec} forfeited {forfeits['total']} moves[/]: {counts}")
            for reason in forfeits["reasons"]:
                console.print(f"  {reason}", markup=False)
