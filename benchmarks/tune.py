"""Settings of `search` by matches: python benchmarks/tune.py [--game gongzhu] [--deals 256] [--budget time=0.05] [--set A=B]

The default and one change at a time against one opponent, all on the same deals, so that differences to the default are
paired by deal. Kept under benchmarks/runs/ like the papers' tables, and resumed from there. `--set c=5 --set sims=50`
tries these instead of the list below. The machine must be quiet for budgets in seconds (or give clock=cpu); budgets in
samples do not care.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import doudizhu_paper
import gongzhu_paper
from _paper import HERE, table

from searchdou.arena.stats import plus_minus

CHANGES = {
    "gongzhu": ["depth=4", "depth=12", "fade=0", "fade=0.7", "alone=52", "alone=20,solve=24", "depth=0",
                "leaf=value,mode=tree,sims=30", "leaf=value,mode=tree,sims=100",
                "leaf=value,mode=tree,sims=30,backup=mean,c=60", "leaf=rollout", "solve=12", "solve=24", "weights=uniform",
                "beta=0.01", "beta=0.04", "slices=8", "strata=none", "sure=0,gain=0", "gain=0"],
    "doudizhu": ["moves=3", "moves=8", "trust=0", "trust=60", "mix=0", "mix=1", "solve=0", "solve=16", "caution=1",
                 "weights=uniform", "weights=iec", "weights=bayes", "pool=1", "pool=6", "beta=0.3", "temper=0", "temper=0.2",
                 "strata=exact", "leaf=value,mode=tree,backup=best,sims=30", "leaf=rollout,policy=rule,trust=0"]}
OPPONENTS = {"gongzhu": "greed", "doudizhu": "rlcard"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=list(CHANGES), default="gongzhu")
    parser.add_argument("--against", help="the opponent; greed or rlcard without it")
    parser.add_argument("--deals", type=int, default=256)
    parser.add_argument("--budget", default="time=0.05")
    parser.add_argument("--set", action="append", dest="changes")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--nets", default="")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--runs", type=Path, default=HERE / "runs")
    given = parser.parse_args()
    bench = {"gongzhu": gongzhu_paper, "doudizhu": doudizhu_paper}[given.game].bench_of(given)
    against = given.against or OPPONENTS[given.game]
    changes = ["", *(change for change in given.changes or CHANGES[given.game] if change)]
    rows, base = [], None
    for change in changes:
        match = bench.match(f"search:{given.budget}" + (f",{change}" if change else ""), against, "tune")
        values = match.outcomes.mean(axis=1)
        base = values if base is None else base
        won = [f"{share:.3f}" for share in (match.outcomes > 0).mean(axis=0)] if given.game == "doudizhu" else []
        rows.append([change or "default", plus_minus(values, 2), plus_minus(values - base, 2) if change else "", *won,
                     f"{1000 * match.clocks['a'].seconds_per_decision:.1f}"])
    print(f"`python benchmarks/tune.py --game {given.game} --against {against} --deals {given.deals} "
          f"--budget {given.budget} --seed {given.seed}`")
    print(f"\nPoints over `{against}`, {given.deals} deals twice, ± 95%; differences paired by deal.")
    table(["change", "points", "less the default's", *(["WP landlord", "WP peasants"] if given.game == "doudizhu" else []),
           "ms a decision"], rows)


if __name__ == "__main__":
    main()
