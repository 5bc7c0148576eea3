"""All pairs on common deals: cross tables, WPG, epsilon, the picture."""

import io
import json

import numpy as np
import pytest
from rich.console import Console

from searchdou.arena.match import MatchSettings, run_match
from searchdou.arena.stats import ci95, intransitivity
from searchdou.arena.store import Store
from searchdou.arena.tournament import TournamentResult, markdown_of, plot_tournament, run_tournament, show_tournament
from searchdou.errors import SearchDouError

AGENTS = {"gongzhu": ["random", "if", "greed"], "doudizhu": ["random", "rule", "random:seed=5"]}
DEALS = 8


@pytest.fixture(scope="module", params=sorted(AGENTS))
def result(request):
    return run_tournament(request.param, AGENTS[request.param], DEALS, seed=2)


def test_a_pair_is_a_match_on_common_deals(result):
    assert sorted(result.pairs) == [(0, 1), (0, 2), (1, 2)]
    for (i, j), pair in result.pairs.items():
        alone = run_match(MatchSettings(result.game, result.agents[i], result.agents[j], DEALS, seed=2))
        assert np.array_equal(pair.outcomes, alone.outcomes)
        assert pair.settings == alone.settings


def test_the_cross_tables_mirror(result):
    tables = result.tables()
    assert list(tables) == (["points"] if result.game == "gongzhu" else [
        f"{measure} {part}" for measure in ("WP", "ADP") for part in ("overall", "landlord", "peasants")])
    for name, (means, halves) in tables.items():
        assert np.isnan(np.diag(means)).all()
        assert np.isnan(np.diag(halves)).all()
        # What i wins as landlord, j loses as peasants.
        other = name.replace("landlord", "?").replace("peasants", "landlord").replace("?", "peasants")
        mirrored, mirrored_halves = tables[other]
        off = ~np.eye(len(means), dtype=bool)
        total = 1.0 if name.startswith("WP") else 0.0
        assert means[off] == pytest.approx((total - mirrored.T)[off])
        assert halves[off] == pytest.approx(mirrored_halves.T[off])


def test_the_cells_are_those_of_the_match(result):
    summary = result.pairs[0, 1].summary()
    tables = result.tables()
    if result.game == "gongzhu":
        assert tables["points"][0][0, 1] == summary["points"]
        assert tables["points"][1][0, 1] == pytest.approx((summary["ci95"][1] - summary["ci95"][0]) / 2)
    else:
        for measure in ("wp", "adp"):
            for part in ("overall", "landlord", "peasants"):
                means, halves = tables[f"{measure.upper()} {part}"]
                low, high = summary["ci95"][measure][part]
                assert (means[0, 1], halves[0, 1]) == pytest.approx((summary[measure][part], (high - low) / 2))


def test_the_summary(result):
    summary = result.summary()
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    assert (summary["game"], summary["agents"], summary["deals"], summary["seed"]) == (
        result.game, result.agents, DEALS, 2)
    values = result.per_deal()
    assert values.shape == (3, 3, DEALS)
    assert np.array_equal(values, -values.transpose(1, 0, 2))
    assert summary["epsilon"] == intransitivity(values.mean(axis=2))
    assert 0 <= summary["epsilon"] <= 1
    assert summary["epsilon_se"] > 0
    assert {row["agent"] for row in summary["ratings"]["agents"]} == set(result.agents)
    assert summary["ratings"] == result.ratings().plain()
    assert set(summary["seconds_per_decision"]) == set(result.agents)
    assert summary["forfeits"] == dict.fromkeys(result.agents, 0)
    if result.game == "gongzhu":
        assert list(summary["wpg"]) == ["random", "if"]
        for agent in ("random", "if"):
            i = result.agents.index(agent)
            assert summary["wpg"][agent] == {"points": summary["tables"]["points"]["mean"][i][2],
                                             "ci95": ci95(values[i, 2])}
        assert summary["wpg"]["random"]["points"] < 0
    else:
        assert "wpg" not in summary


def test_wpg_does_not_hang_on_the_order():
    one = run_tournament("gongzhu", ["greed", "if"], 6).summary()["wpg"]
    two = run_tournament("gongzhu", ["if", "greed"], 6).summary()["wpg"]
    assert list(one) == list(two) == ["if"]
    assert "epsilon" not in run_tournament("gongzhu", ["if", "greed"], 2).summary()


def test_what_is_shown(result):
    console = Console(file=io.StringIO(), width=200)
    show_tournament(result, console)
    text = console.file.getvalue()
    assert all(f"{name}: row against column, 8 deals twice, seed 2" in text for name in result.tables())
    assert all(agent in text for agent in result.agents)
    assert "intransitivity epsilon (eq. 17): " in text
    assert ("WPG if: " in text) == (result.game == "gongzhu")
    assert "Bradley-Terry strengths on the Elo scale, the mean is 0" in text
    assert "forfeited" not in text


def test_the_page(result):
    page = markdown_of(result)
    assert page.startswith(f"## {result.game}: ratings of 3 agents\n\nAll pairs on 8 common deals, each twice, seed 2")
    assert all(f"`{agent}`" in page for agent in result.agents)
    result.anchor = result.agents[1]
    assert f"| `{result.agents[1]}` | +0 | +0 to +0 |" in markdown_of(result)
    result.anchor = None


def test_odd_names_and_forfeits_are_shown():
    result = run_tournament("gongzhu", ["if", "cmd:/no/such[/]program [red]"], 1)
    console = Console(file=io.StringIO(), width=200)
    show_tournament(result, console)
    assert "cmd:/no/such[/]program [red] forfeited 52 moves" in console.file.getvalue()


def test_the_picture(result, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "table.png"
    plot_tournament(result, path)
    assert path.read_bytes().startswith(b"\x89PNG\r\n")
    assert path.stat().st_size > 5000


def test_a_tournament_goes_on_from_its_store(tmp_path):
    path, told = tmp_path / "deep" / "results.sqlite", []
    first = run_tournament("gongzhu", ["random", "if"], 5, store=path)
    again = run_tournament("gongzhu", ["random", "if", "greed:samples=1"], 5, store=path,
                           progress=lambda pair, done, values: told.append((pair, done, len(values))))
    assert np.array_equal(again.pairs[0, 1].outcomes, first.pairs[0, 1].outcomes)
    assert told[:3] == [("random v if", 5, 5), ("random v greed:samples=1", 0, 0),   # the first pair was all there
                        ("random v greed:samples=1", 1, 1)]
    match = MatchSettings("gongzhu", "random", "if", 5)
    run_match(match, store=path, progress=lambda done, values: told.append(done))
    assert told[-1] == 5                                                         # a pair is a match like any other
    run_tournament("gongzhu", ["random", "if"], 5, store=path, fresh=True)
    with Store(path) as store:
        assert [(row["a"], row["b"], row["attempt"], row["deals"]) for row in store.matches()] == [
            ("random", "if", 1, 5), ("random", "greed:samples=1", 1, 5), ("if", "greed:samples=1", 1, 5),
            ("random", "if", 2, 5)]


@pytest.mark.parametrize("agents", [[], ["if"], ["if", "greed", "if"]])
def test_too_few_agents(agents):
    with pytest.raises(SearchDouError, match="two or more different agents"):
        run_tournament("gongzhu", agents, 2)


def test_a_made_up_tournament():
    """Rock, paper, scissors has epsilon 1; everybody beating the next by as much has 0."""
    def made(*points):
        pairs = {}
        for (i, j), value in zip(((0, 1), (0, 2), (1, 2)), points, strict=True):
            pairs[i, j] = run_match(MatchSettings("gongzhu", "if", "if", 2))
            pairs[i, j].outcomes[:] = value
        return TournamentResult("gongzhu", ["a", "b", "c"], pairs).summary()
    assert made(10, -10, 10)["epsilon"] == 1.0
    assert made(10, 20, 10)["epsilon"] == 0.0
    assert made(10, -10, 10)["tables"]["points"]["mean"] == [[None, 10, -10], [-10, None, 10], [10, -10, None]]


def test_names_are_drawn_as_they_are(tmp_path):
    result = run_tournament("gongzhu", ["random", "if"], 2)
    result.agents[1] = r"cmd:echo $\foo$"
    plot_tournament(result, tmp_path / "cross.png")
    assert (tmp_path / "cross.png").read_bytes()[:4] == b"\x89PNG"
