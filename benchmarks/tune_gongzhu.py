"""Settings of Gongzhu's search by matches: python benchmarks/tune_gongzhu.py [--deals 256] [--budget time=0.05] [--set A=B]

The default and one change at a time against Mr. Greed, all on the same deals, so that differences to the default are paired
by deal. Kept under benchmarks/runs/ like the paper's tables, and resumed from there. `--set c=5 --set sims=50,solve=16`
tries these instead of the list below. The machine must be quiet for budgets in seconds; budgets in samples do not care.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from gongzhu_paper import HERE, Bench, frozen_nets, plus_minus, table

CHANGES = ["sims=10", "sims=50", "c=5", "c=60", "backup=mean,c=60", "solve=16", "solve=24", "leaf=rollout,backup=mean,c=60",
           "leaf=blueprint,mode=flat,sims=1", "prior=20", "weights=uniform", "beta=0.01", "beta=0.04", "slices=8",
           "strata=none"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=256)
    parser.add_argument("--budget", default="time=0.05")
    parser.add_argument("--set", action="append", dest="changes")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--nets", default="")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--runs", type=Path, default=HERE / "runs")
    given = parser.parse_args()
    nets, digest = frozen_nets(given.nets, given.runs)
    bench = Bench(given.deals, given.workers, nets, digest, given.nets, given.runs, HERE, given.seed, "", "", "", 0.0, 0)
    changes = ["", *(change for change in given.changes or CHANGES if change)]
    rows, base = [], None
    for change in changes:
        match = bench.match(f"search:{given.budget}" + (f",{change}" if change else ""), "greed", "tune")
        values = match.outcomes.mean(axis=1)
        base = values if base is None else base
        rows.append([change or "default", plus_minus(values), plus_minus(values - base) if change else "",
                     f"{1000 * match.clocks['a'].seconds_per_decision:.1f}"])
    print(f"`python benchmarks/tune_gongzhu.py --deals {given.deals} --budget {given.budget} --seed {given.seed}`")
    print(f"\nPoints over Mr. Greed, {given.deals} deals twice, ± 95%; differences paired by deal.")
    table(["change", "points", "less the default's", "ms a decision"], rows)


if __name__ == "__main__":
    main()
