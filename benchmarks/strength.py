"""Strength by budget of the search that has no net: python benchmarks/strength.py --game gongzhu [--workers 2]

Plays `search` at several budgets against the hand-written players on common deals, every deal twice, prints a table in
Markdown and draws the curve. Every deal is kept under benchmarks/runs/, so a run goes on where it was stopped.
The number of deals falls as the time a move rises; the intervals say what that costs.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from searchdou.arena.match import MatchSettings, run_match
from searchdou.progress import Line, of_match

HERE = Path(__file__).parent
LINE = Line()       # of progress
# (seconds a move, deals) by opponent
CELLS = {
    "gongzhu": {"greed": [(0.05, 96), (0.1, 512), (0.2, 64), (1.0, 12)]},
    "doudizhu": {"rule": [(0.05, 150), (0.1, 500), (0.2, 120), (1.0, 24)], "rlcard": [(0.1, 500)]},
}

NO_NET = {"gongzhu": ",mode=tree,leaf=rollout,policy=rule,backup=mean,c=60,sims=25,solve=20",
          "doudizhu": ",leaf=rollout,policy=rule,moves=6,caution=1,trust=0,mix=0,bids=rule"}


def row(game: str, opponent: str, seconds: float, deals: int, workers: int) -> dict:
    settings = MatchSettings(game, f"search:time={seconds:g}{NO_NET[game]}", opponent, deals, seed=2026)
    return run_match(settings, workers=workers, store=HERE / "runs" / "results.sqlite",
                     progress=of_match(f"search:time={seconds:g} v {opponent}", deals, LINE)).summary()


def plus_minus(mean: float, interval: list[float], digits: int) -> str:
    return f"{mean:.{digits}f} ± {(interval[1] - interval[0]) / 2:.{digits}f}"


def markdown(game: str, summary: dict, seconds: float) -> str:
    spent = 1000 * summary["seconds_per_decision"]["a"]
    if game == "gongzhu":
        return (f"| {seconds:g} | {summary['b']} | {summary['deals']} | {plus_minus(summary['points'], summary['ci95'], 1)} "
                f"| {summary['win']:.3f} | {spent:.0f} |")
    cells = [plus_minus(summary[m][part], summary["ci95"][m][part], 3) for m in ("wp", "adp")
             for part in ("landlord", "peasants", "overall")]
    return f"| {seconds:g} | {summary['b']} | {summary['decks']} | {' | '.join(cells)} | {spent:.0f} |"


def plot(game: str, rows: list[tuple[str, float, dict]]) -> None:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axis = pyplot.subplots(figsize=(6, 4), layout="constrained")
    for opponent in sorted({opponent for opponent, _, _ in rows}):
        mine = sorted((seconds, summary) for name, seconds, summary in rows if name == opponent)
        if game == "gongzhu":
            middle = [summary["points"] for _, summary in mine]
            bands = [summary["ci95"] for _, summary in mine]
        else:
            middle = [summary["wp"]["overall"] for _, summary in mine]
            bands = [summary["ci95"]["wp"]["overall"] for _, summary in mine]
        axis.errorbar([seconds for seconds, _ in mine], middle,
                      yerr=[[m - low for m, (low, _) in zip(middle, bands, strict=True)],
                            [high - m for m, (_, high) in zip(middle, bands, strict=True)]],
                      marker="o", capsize=3, label=f"over {opponent}")
    axis.set_xscale("log")
    axis.set_xlabel("seconds a move, one core")
    axis.set_ylabel("points a game" if game == "gongzhu" else "winning share, both sides")
    axis.set_title(f"{game}: search without a net, 95% intervals")
    axis.grid(alpha=0.3)
    axis.legend()
    figure.savefig(HERE / f"{game}_budget.png", dpi=130)


def run(game: str, workers: int, only: float | None) -> None:
    rows = []
    for opponent, cells in CELLS[game].items():
        for seconds, deals in cells:
            if only is None or seconds == only:
                summary = row(game, opponent, seconds, deals, workers)
                rows.append((opponent, seconds, summary))
                print(markdown(game, summary, seconds), flush=True)
    if only is None:
        plot(game, rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=sorted(CELLS), required=True)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", type=float, help="only this many seconds a move")
    options = parser.parse_args()
    run(options.game, options.workers, options.only)
