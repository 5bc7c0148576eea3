"""The command line as people meet it: what it prints, and one clear line when something is wrong."""

import csv
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

import searchdou
from searchdou import cli, games, progress
from searchdou.arena.store import Store

HOUSE = Path(__file__).resolve().parent.parent
EVERY_GAME = pytest.mark.parametrize("game", games.GAMES)


@pytest.fixture(autouse=True)
def own_store(monkeypatch, tmp_path):
    """Results of a test are found by no other; and a slow machine shows no progress where none is looked for."""
    monkeypatch.setenv("SEARCHDOU_STORE", str(tmp_path / "results.sqlite"))
    monkeypatch.setattr(progress, "PATIENCE", math.inf)


class Ran:
    """What a command printed and its status; that kernels were compiled meanwhile is no part of it."""

    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, re.sub(r"^compiling kernels.*\n", "", err, flags=re.MULTILINE)


@pytest.fixture
def searchdou_(capsys, monkeypatch):
    """Run `searchdou ...` in this process, as the console script would; lines are what a person types."""
    def run(*arguments, lines=()):
        typed = iter(lines)

        def read(*_args, **_options):
            try:
                return next(typed)
            except StopIteration:
                raise EOFError from None
        monkeypatch.setattr(sys, "argv", ["searchdou", *map(str, arguments)])
        monkeypatch.setattr("builtins.input", read)
        # rich keeps the stream it was made with: take today's
        monkeypatch.setattr(cli.console, "_file", None)
        monkeypatch.setattr(cli.errors, "_file", None)
        status = 0
        try:
            cli.main()
        except SystemExit as done:
            status = done.code or 0
        return Ran(status, *capsys.readouterr())
    return run


def outside(*arguments, **options):
    """Run it in a process of its own."""
    done = subprocess.run([sys.executable, "-m", "searchdou.cli", *map(str, arguments)], cwd=HOUSE, capture_output=True,
                          text=True, check=False, timeout=120, **options)
    return Ran(done.returncode, done.stdout, done.stderr)


def test_version(searchdou_):
    assert searchdou_("version").out.strip() == searchdou.__version__
    done = outside("version")
    assert (done.status, done.out.strip(), done.err) == (0, searchdou.__version__, "")


def test_help_names_every_command(searchdou_):
    done = searchdou_("--help")
    assert done.status == 0
    assert all(command in done.out for command in ("play", "demo", "match", "tournament", "results", "bot", "bench",
                                                   "version"))


@EVERY_GAME
def test_demo(game, searchdou_):
    done = searchdou_("demo", "--game", game)
    assert (done.status, done.err) == (0, "")
    assert "Points by seat: " in done.out
    assert ("landlord" in done.out) == (game == "doudizhu")


@EVERY_GAME
def test_agents_among_themselves(game, searchdou_):
    """The same seed is the same game, word by word."""
    seats = {"doudizhu": "rule,random,random", "gongzhu": "greed,if,random,if"}[game]
    done = searchdou_("play", "--game", game, "--seats", seats, "--seed", 5)
    assert (done.status, done.err) == (0, "")
    assert "Points by seat: " in done.out
    assert searchdou_("play", "--game", game, "--seats", seats, "--seed", 5).out == done.out
    assert searchdou_("play", "--game", game, "--seats", seats, "--seed", 6).out != done.out


# -- a person at the table ------------------------------------------------------------------------------------


@EVERY_GAME
def test_a_person_plays_a_whole_game(game, capsys, monkeypatch, tmp_path):
    """Nonsense, cards that are not held and `?` are all answered in words; then any legal move goes."""
    record = tmp_path / "games.jsonl"
    seen, replies = [], iter(())
    asked = 0

    def person(*_args, **_options):
        nonlocal replies, asked
        text = capsys.readouterr().out
        seen.append(text)
        assert len(seen) < 500, text
        word = next(replies, None)
        if word is None:
            asked += 1
            replies = iter(["oink [/] [red]", "S99", "", "?", "!"] if asked < 4 else ["?", "!"])
            word = next(replies)
        if word == "!":      # the list stands on the screen now: the last of it
            return text.partition("your ")[0].strip().replace("\n", " ").split(", ")[-1]
        return word
    seats = {"doudizhu": "you,rule,rule", "gongzhu": "if,you,if,you"}[game]
    monkeypatch.setattr(sys, "argv", ["searchdou", "play", "--game", game, "--seats", seats, "--seed", "1", "--record",
                                      str(record)])
    monkeypatch.setattr("builtins.input", person)
    monkeypatch.setattr(cli.console, "_file", None)
    with pytest.raises(SystemExit) as done:
        cli.main()
    assert not done.value.code
    text = "".join(seen) + capsys.readouterr().out
    assert "no card" in text
    assert "Points by seat: " in text
    state = games.load(game).load(record.read_text())
    assert state.is_over
    assert json.loads(record.read_text())["extra"] == {"agents": seats.split(","), "seed": 1}


def test_moves_that_are_not_legal_are_explained(searchdou_):
    done = searchdou_("play", "--game", "gongzhu", "--seats", "you,if,if,if", lines=["S99", "oink", "SA", "SK", "SQ", "SJ"])
    assert "no card 'S99'; a card is one of S H D C" in done.out
    assert "seat 0 does not hold S" in done.out
    done = searchdou_("play", "--seats", "you,rule,rule", "--no-bidding", lines=["", "345", "4", "x", "[/]"])
    assert "seat 0 leads and may not pass" in done.out
    assert "345 is no combination of the standard rules" in done.out
    assert "no card 'X' in 'x'" in done.out
    done = searchdou_("play", "--seats", "you,you,you", lines=["7", "x", "2", "1", "3"])
    assert "a bid is 0, 1, 2 or 3, not '7'" in done.out
    assert "a bid of 1 does not exceed the bid of 2" in done.out
    assert "bids 3" in done.out


@EVERY_GAME
def test_the_end_of_input_ends_the_game(game, searchdou_):
    seats = {"doudizhu": "you,you,you", "gongzhu": "you,if,if,if"}[game]
    done = searchdou_("play", "--game", game, "--seats", seats)
    assert (done.status, done.err) == (2, "searchdou: the input ended before the game did\n")
    done = outside("play", "--game", game, "--seats", seats, stdin=subprocess.DEVNULL)
    assert (done.status, done.err) == (2, "searchdou: the input ended before the game did\n")


# -- figures --------------------------------------------------------------------------------------------------


def test_match_as_json(searchdou_):
    done = searchdou_("match", "--a", "rule", "--b", "random", "--decks", 3, "--seed", 1, "--json")
    summary = json.loads(done.out)
    assert (done.status, summary["decks"], summary["seed"], summary["version"]) == (0, 3, 1, searchdou.__version__)
    assert set(summary["wp"]) == set(summary["ci95"]["adp"]) == {"landlord", "peasants", "overall"}
    done = searchdou_("match", "--game", "gongzhu", "--a", "greed:samples=2", "--b", "if", "--deals", 3, "--json")
    assert {"points", "se", "ci95", "win", "draw", "deals", "seconds_per_decision"} <= set(json.loads(done.out))
    done = outside("match", "--game", "gongzhu", "--a", "if", "--b", "random", "--deals", 2, "--json")
    assert json.loads(done.out)["deals"] == 2


@EVERY_GAME
def test_one_deal_has_no_error_and_is_still_json(game, searchdou_):
    def strict(word):
        raise ValueError(f"{word} is not JSON")
    done = searchdou_("match", "--game", game, "--a", "random", "--b", "random:seed=2", "--deals", 1, "--json")
    summary = json.loads(done.out, parse_constant=strict)
    assert (summary["se"] if game == "gongzhu" else summary["se"]["wp"]["overall"]) is None
    assert (summary["ci95"] if game == "gongzhu" else summary["ci95"]["wp"]["overall"]) == [None, None]
    assert searchdou_("match", "--game", game, "--a", "random", "--b", "random:seed=2", "--deals", 1).status == 0
    done = searchdou_("tournament", "--game", game, "--agents", "random;random:seed=2", "--deals", 1, "--json")
    assert json.loads(done.out, parse_constant=strict)["deals"] == 1


@EVERY_GAME
def test_match_as_a_table(game, searchdou_):
    other = {"doudizhu": "rule", "gongzhu": "if"}[game]
    done = searchdou_("match", "--game", game, "--a", other, "--b", "cmd:/no/such[/]program", "--deals", 2)
    assert (done.status, done.err) == (0, "")
    text = re.sub(r"\s+", " ", done.out)
    assert ", 2 de" in text
    assert "ms a decision: " in text
    assert re.search(r"cmd:/no/such\[/\]program forfeited \d+ moves", text)
    assert "cannot be started: No such file or directory" in text


INTERVAL = r"[+-]\d+\.\d\d ± \d+\.\d\d"
PACE = r"[\d.,]+ deals/s, in 0:00:\d\d"


@pytest.fixture
def terminal(monkeypatch):
    """A wide one, for what goes to stderr."""
    monkeypatch.setattr(cli, "errors", Console(stderr=True, force_terminal=True, color_system=None, width=160))


def test_progress_of_a_match_in_a_log(searchdou_, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    words = ["match", "--game", "gongzhu", "--a", "if", "--b", "random", "--json"]
    one = searchdou_(*words, "--deals", 1).err.splitlines()
    assert one[0] == "if v random: 0 of 1 deals"
    assert re.fullmatch(rf"if v random: 1 of 1 deals, {PACE}, [+-]\d+\.\d\d", one[-1])         # one deal has no interval
    done = searchdou_(*words, "--deals", 4)
    assert json.loads(done.out)["deals"] == 4
    assert re.fullmatch(rf"if v random: 4 of 4 deals, {PACE}, {INTERVAL}", done.err.splitlines()[-1])
    low, high = json.loads(done.out)["ci95"]
    assert done.err.strip().endswith(f"± {(high - low) / 2:.2f}")
    assert "\r" not in done.err


def test_progress_of_a_match_on_a_terminal(searchdou_, terminal):
    words = ["match", "--game", "gongzhu", "--a", "if", "--b", "random", "--json"]
    one = searchdou_(*words, "--deals", 1).err
    assert re.search(rf"if v random .* 1 of 1 deals, {PACE}, [+-]\d+\.\d\d\s", one)
    assert "±" not in one
    assert re.search(rf"if v random .* 4 of 4 deals, {PACE}, {INTERVAL}", searchdou_(*words, "--deals", 4).err)


def test_progress_of_a_tournament(searchdou_, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    words = ["tournament", "--game", "gongzhu", "--agents", "if;random;random:seed=2", "--json"]
    err = searchdou_(*words, "--deals", 3).err
    for pair in ("1 of 3, if v random", "2 of 3, if v random:seed=2", "3 of 3, random v random:seed=2"):
        assert re.search(rf"^{pair}: 3 of 3 deals, {PACE}, {INTERVAL}$", err, flags=re.MULTILINE)


def test_progress_of_a_tournament_on_a_terminal(searchdou_, terminal):
    err = searchdou_("tournament", "--game", "gongzhu", "--agents", "if;random", "--json", "--deals", 3).err
    assert re.search(rf"1 of 1, if v random .* 3 of 3 deals, {PACE}, {INTERVAL}", err)


def test_match_is_resumed_from_the_store(searchdou_, tmp_path):
    path = tmp_path / "r.sqlite"
    words = ["match", "--game", "gongzhu", "--a", "if", "--b", "random", "--store", path, "--json"]
    first = searchdou_(*words, "--deals", 3)
    assert first.err == ""
    again = searchdou_(*words, "--deals", 3)
    assert json.loads(again.out) == json.loads(first.out)               # even the clock: nothing was played
    assert again.err == f"3 of 3 deals from {path}\n"
    more = searchdou_(*words, "--deals", 4)
    assert (json.loads(more.out)["deals"], more.err) == (4, f"3 of 4 deals from {path}\n")
    assert searchdou_(*words, "--deals", 3, "--seed", 5).err == ""      # another match
    assert searchdou_(*words, "--deals", 3, "--fresh").err == ""        # another attempt
    words = ["tournament", "--game", "gongzhu", "--agents", "if;random;random:seed=2", "--deals", 4]
    assert searchdou_(*words, "--store", path, "--json").err == f"3 of 12 deals from {path}\n"   # of the last attempt


def test_the_store_is_where_the_environment_says(searchdou_, tmp_path, monkeypatch):
    words = ["match", "--game", "gongzhu", "--a", "if", "--b", "random", "--deals", 1, "--json"]
    searchdou_(*words)
    assert Path(os.environ["SEARCHDOU_STORE"]).exists()
    monkeypatch.delenv("SEARCHDOU_STORE")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    searchdou_(*words)
    assert (tmp_path / "data" / "searchdou" / "results.sqlite").exists()
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    searchdou_(*words)
    assert (tmp_path / "home" / ".local" / "share" / "searchdou" / "results.sqlite").exists()


def test_results_compared(searchdou_, monkeypatch):
    monkeypatch.setattr(cli, "console", Console(width=250, highlight=False))
    searchdou_("match", "--game", "gongzhu", "--a", "if", "--b", "random", "--deals", 3)
    searchdou_("match", "--game", "doudizhu", "--a", "rule", "--b", "random", "--deals", 2)
    searchdou_("match", "--game", "gongzhu", "--a", "greed:samples=2", "--b", "random", "--deals", 2)
    both = [json.loads(searchdou_("results", "--match", match, "--json").out)["deals"] for match in (3, 1)]
    points = [[(row["outcome_1"] + row["outcome_2"]) / 2 for row in rows[:2]] for rows in both]
    more = json.loads(searchdou_("results", "--match", 3, "--less", 1, "--json").out)
    assert (more["deals"], more["figure"]) == (2, "points")
    assert more["mean"] == pytest.approx(sum(points[0]) / 2 - sum(points[1]) / 2)
    told = searchdou_("results", "--match", 3, "--less", 1).out
    assert told.startswith("greed:samples=2 v random less if v random: points ")
    assert told.endswith("paired by deal, 2 common deals\n")
    for words, why in ((("--match", 1, "--less", 2), "no deals in common: their game is gongzhu and doudizhu"),
                       (("--match", 1, "--less", 9), "no such match 9"), (("--less", 1), "--less goes with --match")):
        assert why in searchdou_("results", *words).err


def test_results(searchdou_, tmp_path, monkeypatch):
    monkeypatch.setattr(cli, "console", Console(width=250, highlight=False))
    for game, a, b, deals in (("gongzhu", "if", "random", 3), ("doudizhu", "rule", "random", 2),
                              ("gongzhu", "cmd:/no/such[/]program", "if", 1)):
        searchdou_("match", "--game", game, "--a", a, "--b", b, "--deals", deals)
    listed = json.loads(searchdou_("results", "--json").out)["matches"]
    assert [(m["id"], m["game"], m["a"], m["deals"], m["figure"]) for m in listed] == [
        (1, "gongzhu", "if", 3, "points"), (2, "doudizhu", "rule", 2, "WP"),
        (3, "gongzhu", "cmd:/no/such[/]program", 1, "points")]
    done = searchdou_("results")
    assert (done.status, done.err) == (0, "")
    for word in ("cmd:/no/such[/]program", "rule", "points", "WP", listed[0]["commits"][0]):
        assert word in done.out

    def chosen(*words):
        return [m["id"] for m in json.loads(searchdou_("results", *words, "--json").out)["matches"]]
    assert chosen("--game", "gongzhu") == [1, 3]
    assert chosen("--agent", "random") == [1, 2]
    assert chosen("--game", "gongzhu", "--agent", "rand") == [1]
    assert chosen("--since", "2020-01-31") == chosen("--since", "2020-01-31T18:00+08:00") == [1, 2, 3]
    assert chosen("--since", "2999-01-01") == []
    one = searchdou_("results", "--match", 3)
    assert one.status == 0
    assert all(word in one.out for word in ("forfeited 52 moves", "deals of match 3", '{"command": "/no/such[/]program"'))
    one = json.loads(searchdou_("results", "--match", 1, "--json").out)
    assert one["summary"] == json.loads(searchdou_("match", "--game", "gongzhu", "--a", "if", "--b", "random", "--deals", 3,
                                                   "--json").out)
    assert [row["number"] for row in one["deals"]] == [0, 1, 2]
    rows = list(csv.DictReader(searchdou_("results", "--csv", "-").out.splitlines()))
    assert [(row["match"], row["deal"]) for row in rows] == [("1", "0"), ("1", "1"), ("1", "2"), ("2", "0"), ("2", "1"),
                                                             ("3", "0")]
    assert [[float(row["outcome_1"]), float(row["outcome_2"])] for row in rows[:3]] == [
        [row["outcome_1"], row["outcome_2"]] for row in one["deals"]]
    assert json.loads(rows[5]["a_forfeits"]) == {"dead": 52}
    assert {"a_settings", "b_weights", "version", "seed", "rules", "attempt", "time_s", "commit", "played"} <= set(rows[0])
    assert searchdou_("results", "--game", "gongzhu", "--csv", tmp_path / "x.csv").out == ""
    assert len((tmp_path / "x.csv").read_text().splitlines()) == 5


def test_tournament_as_json(searchdou_, tmp_path):
    done = searchdou_("tournament", "--agents", "random,if,greed", "--deals", 4, "--plot", tmp_path / "x.png", "--json")
    summary = json.loads(done.out)
    assert summary["agents"] == ["random", "if", "greed"]
    assert set(summary["wpg"]) == {"random", "if"}
    assert {"epsilon", "epsilon_se"} <= set(summary)
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
    done = searchdou_("tournament", "--agents", "random,if", "--deals", 4, "--markdown", tmp_path / "x.md", "--anchor", "if",
                      "--json")
    rows = {row["agent"]: row for row in json.loads(done.out)["ratings"]["agents"]}
    assert rows["if"]["elo"] == 0 > rows["random"]["elo"]
    assert f"| 2 | `random` | {rows['random']['elo']:+.0f} |" in (tmp_path / "x.md").read_text()
    done = searchdou_("tournament", "--game", "doudizhu", "--agents", "random; rule; random:seed=4", "--decks", 3)
    assert (done.status, done.err) == (0, "")
    assert all(f"{measure} {part}" in done.out for measure in ("WP", "ADP") for part in ("overall", "landlord", "peasants"))
    done = searchdou_("tournament", "--agents", "if;greed:samples=2,seed=3", "--deals", 2, "--json")
    assert json.loads(done.out)["agents"] == ["if", "greed:samples=2,seed=3"]


@EVERY_GAME
def test_bot(game):
    request = json.dumps(games.load(game).Game().deal(1).infoset().to_request(1.0))
    agent = {"doudizhu": "rule", "gongzhu": "greed"}[game]
    done = subprocess.run([sys.executable, "-m", "searchdou.cli", "bot", "--game", game, "--agent", agent], check=True,
                          input=f"{request}\noink\n".encode() + b"\xff\xfe\n" + request.encode() + b"\n",
                          capture_output=True, cwd=HOUSE, timeout=120)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert answers[0] == answers[3]
    assert list(answers[0]) == [{"doudizhu": "bid", "gongzhu": "card"}[game]]
    assert list(answers[1]) == list(answers[2]) == ["error"]


@pytest.mark.peers
def test_bench_engine(searchdou_):
    pytest.importorskip("pyspiel")
    pytest.importorskip("rlcard")
    pytest.importorskip("douzero")
    rows = json.loads(searchdou_("bench", "engine", "--seconds", 0.05, "--json").out)["rows"]
    assert all(set(row) == {"engine", "task", "per_cpu_s"} and row["per_cpu_s"] > 0 for row in rows)
    found = {(row["engine"], row["task"]) for row in rows}
    assert found >= {*((engine, "doudizhu_random_games") for engine in (
        "searchdou", "open_spiel_cpp", "open_spiel", "rlcard", "douzero")), ("searchdou", "doudizhu_lead_moves"),
        ("douzero", "doudizhu_lead_moves"), ("searchdou", "gongzhu_random_games"), ("open_spiel_cpp", "hearts_random_games")}


def test_bench_budgets(searchdou_, tmp_path):
    """A corner of the grid on two deals; the second time nothing is played and the numbers are the same."""
    pytest.importorskip("matplotlib")
    words = ("bench", "budgets", "--game", "gongzhu", "--quick", "--parts", "grid", "--most", 2, "--workers", 1, "--store",
             tmp_path / "results.sqlite")
    one, two = json.loads(searchdou_(*words, "--json").out), json.loads(searchdou_(*words, "--json").out)
    assert one == two                    # the CPU of a cell too, and what follows from it
    assert {cell["agent"] for cell in one["cells"]} == {f"search:samples={s},sims={m},mode=tree,leaf=value"
                                                        for s in (4, 16) for m in (4, 16)}
    assert all((cell["deals"], cell["stopped"]) == (2, "most deals") for cell in one["cells"])
    with Store(tmp_path / "results.sqlite", write=False) as store:
        assert [match["deals"] for match in store.matches()] == [2] * 4
    done = searchdou_(*words)
    assert done.status == 0
    assert "Against greed, on 2 common deals, twice the CPU is worth" in done.out
    assert (tmp_path / "gongzhu_budgets_grid.png").exists()


def test_bench_soak(searchdou_):
    """A single game; the soak itself is tested in tests/benchmarks/."""
    done = searchdou_("bench", "soak", "--games", 1, "--first", 200, "--json")
    assert done.status == 0
    assert json.loads(done.out)["games"] == 1


# -- what goes wrong ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("arguments", "words"), [
    ("play --game bridge", "unknown game 'bridge'; known: doudizhu, gongzhu"),
    ("demo --game bridge", "unknown game 'bridge'"),
    ("match --game bridge", "unknown game 'bridge'"),
    ("tournament --game bridge", "unknown game 'bridge'"),
    ("bot --game bridge", "unknown game 'bridge'"),
    ("play --rules oink", "unknown rule set 'oink'; known: botzone, douzero"),
    ("play --game gongzhu --rules botzone", "unknown rule set of gongzhu 'botzone'; known: standard"),
    ("match --rules oink", "unknown rule set 'oink'"),
    ("match --game gongzhu --a if --b if --rules oink", "unknown rule set of gongzhu 'oink'"),
    ("match --a oink", "unknown doudizhu agent 'oink'"),
    ("match --game gongzhu --a greed:sample=4 --b if", "unknown setting of greed 'sample'; known: samples, seed"),
    ("match --game gongzhu --a greed:samples=x --b if", "samples takes int, not 'x'"),
    ("match --deals 0", "a match needs at least one deal, not 0"),
    ("match --workers 0", "at least one worker, not 0"),
    ("match --time-s 0", "the time limit a move must be above 0 s"),
    ("match --a cmd:", "cmd: names no program"),
    ("tournament --agents if", "two or more different agents, not if"),
    ("tournament --agents if,random --anchor greed", "unknown anchor 'greed'; known: if, random"),
    ("tournament --agents if,oink", "unknown gongzhu agent 'oink'"),
    ("bench budgets --game bridge", "unknown game 'bridge'"),
    ("bench budgets --parts oink", "unknown part 'oink'; known: deals, grid, leaf, threads, time"),
    ("bench soak --games 0", "at least one game"),
    ("bot --agent oink", "unknown doudizhu agent 'oink'"),
    ("play --seats rule,rule", "doudizhu has 3 seats, 'rule,rule' names 2"),
    ("play --seats rule,rule,oink", "unknown doudizhu agent 'oink'"),
    ("match --a random --deals 1 --store /dev/null/file", "the results file /dev/null/file cannot be used"),
    ("results --store /no/such/folder/file", "there are no results in /no/such/folder/file yet"),
    ("results --store /dev/null", "there are no results in /dev/null yet"),
    ("results --game bridge", "unknown game 'bridge'"),
    ("results --since yesterday", "--since takes a date such as 2026-01-31"),
    ("results --match 7", "there is no such match 7 in"),
    ("play --seats rule,rule,rule --record /no/such/folder/file", "/no/such/folder/file"),
    ("tournament --agents if,random --deals 1 --plot /no/such/folder/x.png", "/no/such/folder/x.png cannot be written"),
    ("tournament --agents if,random --plot /tmp/x.foo", "--plot /tmp/x.foo: a picture ends in ."),
    ("match --a cmd:cat --time-s inf", "may take 1,000,000 s at most, not inf"),
    ("match --deals 99999999999999999999", "a match has at most 1,000,000,000 deals"),
    ("match --workers 99999999999999999999", "at most 1,024 of a worker, not 99999999999999999999"),
    ("match --a search:beta=nan", "beta takes a number that is finite"),
    ("play --seats rule;rule;cmd:cat", "cmd:cat is a program: programs take seats in matches and tournaments only"),
    ("results --since 0001-01-01T00:00+23:00", "--since takes a date"),
    ("results --csv x.csv --json", "--csv goes without --json"),
    ("results --csv x.csv --less 1 --match 1", "--csv goes without --less"),
    ("bench engine --seconds nan", "a measurement takes seconds above 0"),
    ("bench search --seconds -1", "a measurement takes seconds above 0"),
    ("bench budgets --workers 0", "at least one worker"),
    ("train gongzhu --set resume=no", "resume has an option of its own, --resume"),
    ("train doudizhu --resume --set start=x", "--resume goes on from the checkpoint"),
])
def test_one_line_says_what_is_wrong(arguments, words, searchdou_, tmp_path):
    Store(tmp_path / "results.sqlite").close()
    done = searchdou_(*arguments.split())
    assert done.status == 2
    assert done.err.startswith("searchdou: ")
    assert len(done.err.strip().splitlines()) == 1
    assert words in done.err
    assert "Traceback" not in done.out + done.err


def test_no_output_is_written_over_results(searchdou_, tmp_path):
    store = tmp_path / "results.sqlite"
    assert searchdou_("match", "--a", "random", "--b", "random", "--deals", 2).status == 0
    kept = store.read_bytes()
    for arguments in (("results", "--csv", store),
                      ("tournament", "--agents", "random,if", "--deals", 1, "--markdown", store),
                      ("tournament", "--agents", "random,if", "--deals", 1, "--plot", store),
                      ("play", "--seats", "rule,rule,rule", "--record", store)):
        ran = searchdou_(*arguments)
        assert (ran.status, ran.err.count("\n")) == (2, 1)
        assert f"{store} is a database, such as results are kept in; it is not written over" in ran.err
        assert store.read_bytes() == kept


def test_advice_is_json_whatever_has_no_error(searchdou_):
    for words in ("search:samples=1", "search:samples=4,mode=ismcts", "search:samples=4,trust=5"):
        ran = searchdou_("advise", "--position", "role=landlord_up hand=3456789TJQKA22BR3 public=4TA history=44,-", "--json",
                         "--agent", words)
        assert json.loads(ran.out, parse_constant=pytest.fail)["action"]
    ran = searchdou_("advise", "--position", "seat=0 hand=3445566789TJQKA22", "--json", "--agent", "search:bids=net")
    assert {value["se"] for value in json.loads(ran.out, parse_constant=pytest.fail)["values"].values()} == {None}


def test_a_record_that_is_no_text(searchdou_, tmp_path):
    path = tmp_path / "records.jsonl"
    path.write_bytes(b"\xff\xfe{}")
    ran = searchdou_("advise", "--record", path)
    assert ran.status == 2
    assert f"{path} is not text in UTF-8" in ran.err


@pytest.mark.parametrize("arguments", ["match --game bridge", "play --rules oink", "bot --agent oink"])
def test_no_traceback_from_the_shell(arguments):
    done = outside(*arguments.split())
    assert (done.status, done.out) == (2, "")
    assert re.fullmatch(r"searchdou: unknown [^\n]+\n", done.err)


def test_unknown_options_and_commands(searchdou_):
    for words, named in (("oink", "oink"), ("match --oink", "--oink"), ("match --time-s long", "--time-s"),
                         ("bench oink", "oink")):
        done = searchdou_(*words.split())
        assert done.status == 2
        assert named in done.err
        assert "Traceback" not in done.err


def test_an_interrupt_is_no_traceback(searchdou_, monkeypatch):
    def interrupted(*_args, **_options):
        raise KeyboardInterrupt
    monkeypatch.setattr("searchdou.arena.match.run_match", interrupted)
    done = searchdou_("match", "--a", "random", "--deals", 1)
    assert done.status == 130
    assert "Traceback" not in done.out + done.err


def test_a_closed_pipe_is_no_traceback():
    """`searchdou play | head -1`."""
    done = subprocess.run(f"{sys.executable} -m searchdou.cli play --seats rule,rule,rule | head -1", shell=True, cwd=HOUSE,
                          capture_output=True, text=True, check=False, timeout=120,
                          env={**os.environ, "PYTHONUNBUFFERED": "1"})
    assert "Traceback" not in done.stderr
