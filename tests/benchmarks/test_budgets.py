"""The benchmark of search budgets: its stopping rule, its tables, and that a run stopped half-way ends the same."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from searchdou import agents
from searchdou.arena.stats import half95
from searchdou.errors import SearchDouError

HOUSE = Path(__file__).resolve().parents[2]
sys.path.append(str(HOUSE / "benchmarks"))      # its scripts share code among themselves

import _sequential  # noqa: E402
import budgets  # noqa: E402
from budgets import Cell, Played  # noqa: E402

TINY = [Cell("grid", f"{s} x {m}", f"random:seed={s}{m}", "if", 6, 0.001, (s, m)) for s in (1, 2) for m in (1, 2)]


def stop_after(calls, monkeypatch):
    """A progress line that is interrupted."""
    told, tell = [], _sequential.Teller.__call__

    def call(self, look, done, values):
        told.append(done)
        if len(told) > calls:
            raise KeyboardInterrupt
        tell(self, look, done, values)
    monkeypatch.setattr(_sequential.Teller, "__call__", call)


# -- the stopping rule ----------------------------------------------------------------------------------------


def test_looks():
    assert _sequential.looks(1024) == [64, 128, 256, 512, 1024]
    assert _sequential.looks(300) == [64, 128, 256, 300]
    assert _sequential.looks(64) == [64]
    assert _sequential.looks(24) == [24]


def test_a_cell_stops_at_the_first_look_that_is_narrow_enough():
    values, asked = np.random.default_rng(0).normal(5, 10, 1024), []

    def play(deals):
        asked.append(deals)
        return values[:deals]
    found, met = _sequential.until_told(play, 1024, target=1.5)      # 1.96 * 10 / sqrt(171)
    assert (len(found), met, asked) == (256, True, [64, 128, 256])
    found, met = _sequential.until_told(play, 200, target=0.1)
    assert (len(found), met) == (200, False)
    found, met = _sequential.until_told(play, 40, target=100.0)      # below 64 deals nothing is told
    assert (len(found), met) == (40, False)


def test_the_rule_looks_at_the_width_alone():
    """Where the values lie, and which side they favour, changes nothing."""
    values = np.random.default_rng(1).normal(0, 10, 1024)
    ends = {len(_sequential.until_told(lambda n, v=v: v[:n], 1024, 1.5)[0]) for v in (values, -values, values + 500)}
    assert len(ends) == 1


def test_values_all_alike_do_not_stop_it():
    assert _sequential.until_told(lambda n: np.ones(n), 256, 0.1)[1] is False


def draws(kind, rng, n):
    if kind == "points":
        return rng.normal(0.0, 1.0, n)
    if kind == "skewed":
        return rng.exponential(1.0, n) - 1.0
    return rng.choice([0.0, 0.5, 1.0], size=n, p=[0.15, 0.4, 0.45]) - 0.65       # the share of a deck won twice


@pytest.mark.parametrize(("kind", "target", "least"), [
    ("points", 0.16, 0.935), ("skewed", 0.16, 0.915), ("share", 0.057, 0.925)])
def test_the_interval_at_the_stop_covers_the_truth(kind, target, least):
    """The targets are such that some runs end at the second look and some at the third."""
    rng, inside, ends = np.random.default_rng(3), [], []
    for _ in range(1500):
        values = draws(kind, rng, 512)
        found, _ = _sequential.until_told(lambda n, v=values: v[:n], 512, target)
        inside.append(abs(found.mean()) <= half95(found))
        ends.append(len(found))
    assert len(set(ends)) > 1
    assert least <= np.mean(inside) <= 0.965


# -- the cells ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", sorted(budgets.OPPONENT))
def test_the_cells(game):
    cells = budgets.cells_of(game)
    assert len({(cell.part, cell.label, cell.opponent) for cell in cells}) == len(cells)
    assert {cell.part for cell in cells} == set(budgets.PARTS)
    assert {cell.opponent for cell in cells} == {budgets.OPPONENT[game], "net"}
    times = [cell.key[0] for cell in cells if cell.part == "time" and cell.opponent == "net"]
    assert times == [0.01, 0.03, 0.1, 0.3, 1.0, 2.0]
    for cell in cells:
        if "time=" in cell.spec and cell.part != "threads":
            assert "clock=cpu" in cell.spec
        if "time=" not in cell.spec:
            agents.make(game, cell.spec)
    quick = budgets.cells_of(game, quick=True)
    assert [cell.part for cell in quick].count("grid") == 4
    assert sorted({cell.key[0] for cell in quick if cell.part == "time"}) == [0.01, 0.03, 0.1]
    assert {cell.most for cell in quick} == {budgets.QUICK}
    assert {cell.most for cell in budgets.cells_of(game, most=7)} == {7}
    assert budgets.cells_of(game, ["leaf"])[0].part == "leaf"


@pytest.mark.parametrize("game", sorted(budgets.OPPONENT))
def test_every_kind_of_cell_can_be_built(game):
    """A spec that a game does not know would stop a run of hours."""
    for cell in budgets.cells_of(game, ["leaf", "deals", "threads"]):
        agents.make(game, cell.spec.replace("time=0.1,clock=cpu", "samples=1").replace("time=0.1", "samples=1"))


# -- playing and going on -------------------------------------------------------------------------------------


def test_a_run_that_was_stopped_ends_the_same(tmp_path, monkeypatch):
    whole = budgets.play_cells("gongzhu", TINY, 15.0, tmp_path / "whole", 1, seed=4)
    for calls in (3, 9, 11):
        with monkeypatch.context() as patched:
            stop_after(calls, patched)
            with pytest.raises(KeyboardInterrupt):
                budgets.play_cells("gongzhu", TINY, 15.0, tmp_path / "parts", 1, seed=4)
    again = budgets.play_cells("gongzhu", TINY, 15.0, tmp_path / "parts", 1, seed=4)
    assert [p.values.tolist() for p in again] == [p.values.tolist() for p in whole]
    assert [p.plain()["mean"] for p in again] == [p.plain()["mean"] for p in whole]
    assert all(len(p.values) == 6 and not p.met for p in again)


def test_a_run_stopped_between_looks_ends_the_same(tmp_path, monkeypatch):
    """The rule is asked at 2, 4, 8, ... deals here, and stops some cells before their most."""
    monkeypatch.setattr(_sequential, "FIRST_LOOK", 2)
    monkeypatch.setattr(_sequential, "looks", lambda most: [2, 4, 8, 16])
    cells = [Cell("grid", f"{s}", f"random:seed={s}", "if", 16, 0.001, (s, 1)) for s in (1, 2, 3)]
    whole = budgets.play_cells("gongzhu", cells, 90.0, tmp_path / "whole", 1, seed=4)
    assert {len(p.values) for p in whole} & {4, 8}
    assert any(p.met for p in whole)
    for calls in (1, 4, 7, 12):
        with monkeypatch.context() as patched:
            stop_after(calls, patched)
            with pytest.raises(KeyboardInterrupt):
                budgets.play_cells("gongzhu", cells, 90.0, tmp_path / "parts", 1, seed=4)
    again = budgets.play_cells("gongzhu", cells, 90.0, tmp_path / "parts", 1, seed=4)
    assert [(p.values.tolist(), p.met) for p in again] == [(p.values.tolist(), p.met) for p in whole]


@pytest.mark.xdist_group("ray")
def test_cells_on_a_cluster_are_those_at_home(nodes, tmp_path):
    from searchdou.cluster import Cluster
    two_cores = Cell("threads", "2 threads", "random:seed=3", "if", 6, 0.001, (), cores=2)
    home = budgets.play_cells("gongzhu", TINY[:2], 15.0, tmp_path / "home", 1, seed=4)
    with Cluster(nodes.address) as joined:
        away = budgets.play_cells("gongzhu", TINY[:2], 15.0, tmp_path / "away", 1, seed=4, cluster=joined)
        with pytest.raises(SearchDouError, match="a worker needs 2 CPUs, and no machine of the cluster has more than 1"):
            budgets.play_cells("gongzhu", [two_cores], 15.0, tmp_path / "away", 1, seed=4, cluster=joined)
    assert [p.values.tolist() for p in away] == [p.values.tolist() for p in home]


def test_all_cells_play_the_same_deals(tmp_path):
    """The same agent in two cells has the same values, so a difference of cells is paired by deal."""
    one, two = (budgets.play_cells("doudizhu", [Cell("grid", "x", "random", "rule", deals, 0.001, (1, 1))], 0.1,
                                   tmp_path / str(deals), 1, seed=4)[0] for deals in (3, 5))
    assert one.values.tolist() == two.values[:3].tolist()
    assert set(two.values) <= {0.0, 0.5, 1.0}


def test_the_progress_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    budgets.play_cells("gongzhu", TINY[:1], 15.0, tmp_path / "results.sqlite", 1, seed=4)
    err = capsys.readouterr().err
    assert "1 of 1, random:seed=11 v if: 6 of 6 deals" in err
    assert "deals/s" in err
    assert "in all at most" in err
    assert " points" in err
    assert _sequential.clock(3725.2) == "1:02:05"


# -- what follows ---------------------------------------------------------------------------------------------


def made(part, key, values, opponent="greed"):
    cell = Cell(part, f"{key[0]:g} s" if part == "time" else f"{key}", f"search:{part}={key}", opponent, 64, 0.1, key)
    return Played(cell, np.array(values, float), False, 1.0, 0)


def grid_of(gain_samples, gain_sims, noise, deals=400):
    """Values with a known worth of twice the samples and twice the sims; what is common to a deal is common to all cells."""
    rng = np.random.default_rng(0)
    common = rng.normal(0, 100, deals)
    return {(s, m): common + gain_samples * np.log2(s) + gain_sims * np.log2(m) + rng.normal(0, noise, deals)
            for s in (4, 8, 16) for m in (2, 4, 8)}


def test_where_cpu_is_best_spent():
    """Twice the sims costs half as much (in octaves) as twice the samples: 4 points there are worth 8 here."""
    cost = {key: key[0] * key[1] ** 0.5 for key in grid_of(0, 0, 1)}
    advice = budgets.advice_of("gongzhu", "greed", grid_of(5, 4, 1), cost)
    assert advice.verdict == "simulations"
    assert advice.samples.mean() == pytest.approx(5, abs=0.3)
    assert advice.sims.mean() == pytest.approx(8, abs=0.3)
    assert "is best spent on deeper search." in advice.sentence()
    assert budgets.advice_of("gongzhu", "greed", grid_of(9, 4, 1), cost).verdict == "samples"
    advice = budgets.advice_of("gongzhu", "greed", grid_of(8, 4, 30), cost)
    assert advice.verdict == "not told apart"
    assert "more samples and deeper search are not told apart." in advice.sentence()
    assert json.loads(json.dumps(advice.plain()))["difference"]["ci95"][0] < 0
    with pytest.raises(SearchDouError, match="CPU does not grow"):
        budgets.advice_of("gongzhu", "greed", grid_of(1, 1, 1), dict.fromkeys(cost, 5.0))


def test_monotone_within_the_intervals():
    rng = np.random.default_rng(0)
    common = rng.normal(0, 100, 64)
    rising = [made("time", (t,), common + 10 * i + rng.normal(0, 5, 64)) for i, t in enumerate((0.01, 0.03, 0.1))]
    assert [step[:2] for step in budgets.steps_of(rising[::-1])] == [("0.01 s", "0.03 s"), ("0.03 s", "0.1 s")]
    assert not budgets.falls_of(rising)
    assert "the curve is monotone in time" in budgets.show_steps("gongzhu", "greed", rising)
    falling = [*rising, made("time", (0.3,), common + 5 + rng.normal(0, 5, 64))]
    assert [fall[:2] for fall in budgets.falls_of(falling)] == [("0.03 s", "0.3 s"), ("0.1 s", "0.3 s")]
    assert "the curve is NOT monotone" in budgets.show_steps("gongzhu", "greed", falling)


def test_a_slow_fall_is_seen_and_a_flat_curve_is_not_blamed():
    rng = np.random.default_rng(1)
    times, blamed = (0.01, 0.03, 0.1, 0.3, 1.0, 2.0), {0: 0, -20: 0}
    for fall in blamed:
        for _ in range(200):
            curve = [made("time", (t,), rng.normal(fall * i, 140, 64)) for i, t in enumerate(times)]
            blamed[fall] += bool(budgets.falls_of(curve))
    assert blamed[0] <= 20                       # 5% of 200 are 10
    assert blamed[-20] >= 120


def test_the_page_and_the_pictures(tmp_path):
    pytest.importorskip("matplotlib")
    rng = np.random.default_rng(0)
    grid = [made("grid", (s, m), rng.normal(50, 10, 64), opponent) for s in (4, 8) for m in (2, 4)
            for opponent in ("greed", "net")]
    times = [made("time", (t,), rng.normal(50, 10, 64)) for t in (0.01, 0.1)]
    page = budgets.report("gongzhu", [*grid, *times], {p.cell.spec: 3.0 for p in grid}, 15.0, 7, "the command")
    lines = page.splitlines()
    assert "`the command`" in lines
    assert "never at where it lies" in page
    assert "Looks at 64 deals; a cell stops at the first where half its 95% interval is at most 15 (points a game)" in page
    assert lines.count("| budget | agent | CPU ms a choice | over greed | deals | ms | over net | deals | ms |") == 1
    rows = [line for line in lines if line.startswith("| (") or line.startswith("| 0.")]
    assert len(rows) == 6
    assert all(line.count("|") == lines[lines.index(rows[0]) - 1].count("|") for line in rows[:4])
    assert rows[-1].endswith("|  |  |  |")      # not played against net
    values = {p.cell.key: p.values for p in grid if p.cell.opponent == "net"}
    cost = {key: float(key[0] * key[1]) for key in values}
    text = budgets.show_advice("gongzhu", budgets.advice_of("gongzhu", "net", values, cost), values, cost)
    assert "| 4 x 2 | " in text
    budgets.draw_grid("gongzhu", grid, tmp_path / "grid.png")
    budgets.draw_time("gongzhu", times, tmp_path / "time.png")
    assert all((tmp_path / name).read_bytes().startswith(b"\x89PNG") for name in ("grid.png", "time.png"))


def test_a_share_has_no_sign():
    shares = np.array([0.5, 1.0, 0.5, 1.0])
    assert budgets.level("doudizhu", shares, 2).startswith("0.75 ± ")
    assert budgets.level("gongzhu", 10 * shares, 0).startswith("+8 ± ")


def test_cost_grows_with_the_budget():
    small, large = (f"search:{budget},mode=tree,leaf=value" for budget in ("samples=1,sims=1", "samples=16,sims=64"))
    cost = budgets.cpu_ms("gongzhu", [small, large], positions=4)
    assert 0 < cost[small] < cost[large]


@pytest.mark.parametrize(("given", "words"), [
    ({"game": "bridge"}, "unknown game 'bridge'"), ({"game": "gongzhu", "parts": "grid,oink"}, "unknown part 'oink'"),
    ({"game": "gongzhu", "target": 0.0}, "the target must be above 0"), ({"game": "gongzhu", "most": 1}, "at least 2"),
    ({"game": "gongzhu", "quick": True, "parts": "leaf"}, "a quick run has no cells of leaf")])
def test_bad_settings(given, words):
    with pytest.raises(SearchDouError, match=words):
        budgets.run(**given)
