"""Programs in seats: what they say well, and every way in which they can fail. A match always ends, and says so."""

from __future__ import annotations

import io
import json
import os
import random
import re
import shlex
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console

from searchdou import games
from searchdou.arena import bots
from searchdou.arena.bots import CommandPlayer, serve
from searchdou.arena.match import MatchSettings, run_match
from searchdou.arena.show import show_match
from searchdou.arena.table import Forfeit
from searchdou.errors import SearchDouError

DOCS = Path(__file__).resolve().parents[2] / "docs" / "bots.md"
OPPONENT = {"doudizhu": "random", "gongzhu": "if"}

# Every bot below begins with this: `requests()` reads them, `first` is a legal answer (our hand's first move by force).
HEAD = """
import json, os, sys, time
def requests():
    for line in sys.stdin:
        yield json.loads(line)
def say(answer):
    print(json.dumps(answer), flush=True)
def legal(request):
    if request["game"] == "gongzhu":
        n = len(request["history"]) % 4
        led = request["history"][-n][1][0] if n else ""
        return {"card": ([card for card in request["hand"] if card[0] == led] or request["hand"])[-1]}
    last = [cards for _, cards in request["history"][-2:]]
    return {"play": "" if any(last) else request["hand"][-1]}
with open(PIDS, "a") as file:
    print(os.getpid(), file=file)
"""


@pytest.fixture
def bot(tmp_path):
    """Write a program and give the spec that starts it; at the end none of them may be running."""
    pids = tmp_path / "pids"

    def write(code, name="bot.py"):
        path = tmp_path / name
        path.write_text(f"PIDS = {str(pids)!r}\n{HEAD}\n{code}\n")
        return f"cmd:{shlex.quote(sys.executable)} {shlex.quote(str(path))}"
    yield write
    if pids.exists():
        assert not [pid for pid in pids.read_text().split() if alive(int(pid))]


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().split()[2] if Path("/proc").exists() else True


def match(spec, game="gongzhu", deals=1, time_s=5.0, start_s=10.0, **options):
    return run_match(MatchSettings(game, spec, OPPONENT[game], deals, seed=3, time_s=time_s, start_s=start_s), **options)


def forfeits(result, side="a"):
    """The kinds and numbers of a side's forfeits; the summary and the printed table must say the same."""
    told = result.summary()["forfeits"][side]
    kinds = {kind: number for kind, number in told.items() if kind not in ("total", "reasons")}
    assert told["total"] == sum(kinds.values())
    assert len(told["reasons"]) == min(5, told["total"])
    assert all(reason.partition(":")[0] in kinds for reason in told["reasons"])
    json.dumps(result.summary(), allow_nan=True)
    console = Console(file=io.StringIO(), width=200)
    show_match(result.summary(), console)
    if told["total"]:
        assert f"forfeited {told['total']} moves" in console.file.getvalue()
        assert all(f"{number} {kind}" in console.file.getvalue() for kind, number in kinds.items())
    else:
        assert "forfeited" not in console.file.getvalue()
    assert not result.summary()["forfeits"]["b" if side == "a" else "a"]["total"]
    return kinds


GOOD = "for request in requests(): say(legal(request))"
EVERY_GAME = pytest.mark.parametrize("game", games.GAMES)


# -- programs that play ---------------------------------------------------------------------------------------


@EVERY_GAME
def test_a_good_bot(game, bot):
    result = match(bot(GOOD), game, deals=2)
    assert forfeits(result) == {}
    assert result.clocks["a"].decisions > 20
    again = match(bot(GOOD), game, deals=2)
    assert again.outcomes.tolist() == result.outcomes.tolist()


@pytest.mark.parametrize(("game", "workers"), [("doudizhu", 1), ("gongzhu", 1), ("gongzhu", 2)])
def test_our_agents_as_bots_play_as_they_do_in_process(game, workers, monkeypatch):
    """`searchdou bot` reads all that an agent needs from one request, whatever came before."""
    monkeypatch.setattr("searchdou.arena.match.FEW", 2)
    agent = {"doudizhu": "rule", "gongzhu": "greed:samples=3"}[game]
    spec = f'cmd:"{sys.executable} -m searchdou.cli bot --game {game} --agent {agent}"'
    deals = 4 if workers == 2 else 2
    inside = match(agent, game, deals)
    outside = match(spec, game, deals, start_s=120.0, workers=workers)
    assert forfeits(outside) == {}
    assert outside.outcomes.tolist() == inside.outcomes.tolist()
    assert outside.clocks["a"].decisions == inside.clocks["a"].decisions


@EVERY_GAME
def test_the_example_of_the_docs(game, tmp_path):
    (code,) = re.findall(r"```python\n(.*?)```", DOCS.read_text(), re.DOTALL)
    (tmp_path / "mybot.py").write_text(code)
    assert len([line for line in code.splitlines() if line.strip()]) <= 18
    result = match(f"cmd:{sys.executable} {tmp_path / 'mybot.py'}", game, deals=2)
    assert forfeits(result) == {}


def test_the_requests_of_the_docs_can_be_read():
    """Every JSON line of the docs is what it is said to be."""
    requests = [json.loads(line) for line in re.findall(r"^\{\"game.*\}$", DOCS.read_text(), re.MULTILINE)]
    assert {(request["game"], request.get("phase")) for request in requests} == {
        ("doudizhu", "bid"), ("doudizhu", "play"), ("gongzhu", None)}
    for request in requests:
        infoset = games.load(request["game"]).InfoSet.from_request(request)
        assert infoset.to_request(request["time_s"]) == request
        assert infoset.legal_actions()


def test_extra_words_and_noise_on_stderr_do_no_harm(bot):
    result = match(bot("""
for request in requests():
    print("thinking \\xff" * 500, file=sys.stderr)
    say({**legal(request), "comment": "I like it", "value": 0.5})
"""))
    assert forfeits(result) == {}


def test_a_greeting_costs_one_move(bot):
    """A line nobody asked for is dropped once the answer to the last request is there."""
    player = CommandPlayer("gongzhu", bot("say('hello')\n" + GOOD).removeprefix("cmd:"), time_s=5.0)
    state = games.load("gongzhu").Game().deal(1)
    with pytest.raises(Forfeit, match="'\"hello") as raised:
        player.act(state.infoset())
    assert raised.value.kind == "garbled"
    for _ in range(5):
        time.sleep(0.05)
        state.act(player.act(state.infoset()))
    player.close()


# -- programs that fail ---------------------------------------------------------------------------------------


@EVERY_GAME
@pytest.mark.parametrize(("answer", "kind", "words"), [
    ("print('oink', flush=True)", "garbled", "'oink.n', which is not JSON"),
    ("print('', flush=True)", "garbled", "which is not JSON"),
    ("print('{\"card\": \"S2\"', flush=True)", "garbled", "which is not JSON"),
    ("print('[' * 50000, flush=True)", "garbled", "which is not JSON"),
    ("print('{\"bid\": ' + '9' * 9000 + '}', flush=True)", "garbled", "which is not JSON"),
    ("sys.stdout.buffer.write(b'\\xff\\xfe\\n'); sys.stdout.flush()", "garbled", "which is not JSON"),
    ("say(['S2'])", "garbled", "which is not a JSON object"),
    ("say(None)", "garbled", "which is not a JSON object"),
    ("say({})", "illegal", "the answer has no"),
    ("say({'error': 'help'})", "illegal", "the answer has no"),
    ("say({'card': 'S99', 'play': '1'})", "illegal", "no card"),
    ("say({'card': 'X', 'play': 'Z'})", "illegal", "no card"),
    ("say({'card': None, 'play': None})", "illegal", "written as text"),
    ("say({'card': ['S2'], 'play': ['3']})", "illegal", "written as text"),
    ("say({'card': 'S2', 'play': '3333444455556666'})", "illegal", "is n"),
])
def test_bad_answers(game, answer, kind, words, bot):
    """The first three answers of every game are bad, the rest are good."""
    start = 1 if game == "doudizhu" else 3
    result = match(bot(f"""
for n, request in enumerate(requests()):
    if n < {start}:
        if 'S2' in request['hand'] and request['game'] == 'gongzhu' and "'S2'" in {answer!r}:
            request['hand'].remove('S2')
        {answer}
    else:
        say(legal(request))
"""), game)
    kinds = forfeits(result)
    assert set(kinds) == {kind}
    assert 1 <= kinds[kind] <= start
    assert re.search(words, result.clocks["a"].reasons[0]), result.clocks["a"].reasons
    assert result.clocks["a"].decisions > 10


@EVERY_GAME
def test_always_illegal(game, bot):
    """A bot that never plays well loses by the table's modest moves, and every one of them is counted."""
    result = match(bot("for request in requests(): say({'card': 'ZZ', 'play': '34', 'bid': 9})"), game)
    assert forfeits(result) == {"illegal": result.clocks["a"].decisions}


def test_a_card_that_does_not_follow(bot):
    result = match(bot("""
for request in requests():
    n = len(request["history"]) % 4
    led = request["history"][-n][1][0] if n else ""
    wrong = [card for card in request["hand"] if led and card[0] != led]
    say({"card": wrong[0]} if wrong else legal(request))
"""))
    assert set(forfeits(result)) == {"illegal"}
    assert "is not legal here" in result.clocks["a"].reasons[0]


@EVERY_GAME
def test_hangs_at_once(game, bot):
    began = time.monotonic()
    result = match(bot("time.sleep(1000)"), game, time_s=0.2, start_s=0.3)
    assert forfeits(result) == {"late": 3, "dead": result.clocks["a"].decisions - 3}
    assert time.monotonic() - began < 5
    assert "gave no answer within 0.5 s" in result.clocks["a"].reasons[0]
    assert "late 3 times in a row and was ended" in result.clocks["a"].reasons[3]


def test_hangs_after_some_moves(bot):
    result = match(bot("""
for n, request in enumerate(requests()):
    if n == 7:
        time.sleep(1000)
    say(legal(request))
"""), time_s=0.3)
    assert forfeits(result) == {"late": 3, "dead": result.clocks["a"].decisions - 10}


def test_a_late_answer_is_not_taken_for_the_next_move(bot):
    """Each answer carries the number of cards it was given for: a stale one would be told from a fresh one."""
    result = match(bot("""
for n, request in enumerate(requests()):
    if n in (5, 20):
        time.sleep(0.6)
    if n == 5:
        say({"card": "late"})
    else:
        say(legal(request))
"""), deals=2, time_s=0.5)
    assert forfeits(result) == {"late": 2}
    # All other moves were the bot's own: the same bot that is never late differs in no more than those two games.
    good = match(bot(GOOD), deals=2)
    assert result.outcomes[1].tolist() == good.outcomes[1].tolist()
    assert result.clocks["a"].decisions == good.clocks["a"].decisions


def test_exits_at_once(bot):
    result = match(bot("sys.exit(3)"))
    assert forfeits(result) == {"dead": result.clocks["a"].decisions}
    assert "ended with status 3" in result.clocks["a"].reasons[0]
    assert "after 3 starts" in result.clocks["a"].reasons[3]


def test_exits_in_the_middle_and_is_started_again(bot):
    """Two deaths are forgiven; after the third start there is no other."""
    result = match(bot("""
for n, request in enumerate(requests()):
    if n == 5:
        sys.stderr.buffer.write(b"\\xff\\xfe Traceback\\n no more cards\\n")
        sys.exit(1)
    say(legal(request))
"""))
    assert forfeits(result) == {"dead": result.clocks["a"].decisions - 3 * 5}
    assert "ended with status 1:  no more cards".replace("  ", " ") in result.clocks["a"].reasons[0].replace("  ", " ")


def test_a_crash_names_its_error(bot):
    result = match(bot("for request in requests(): say(1 / 0)"))
    assert "ZeroDivisionError: division by zero" in result.clocks["a"].reasons[0]


def test_closes_its_output_and_stays(bot):
    result = match(bot("sys.stdin.readline(); os.close(1); time.sleep(1000)"), time_s=0.5)
    assert forfeits(result) == {"dead": result.clocks["a"].decisions}


def test_an_endless_line(bot):
    result = match(bot("sys.stdin.readline()\nwhile True: sys.stdout.write('x' * 65536)"))
    assert set(forfeits(result)) == {"garbled", "dead"}
    assert result.clocks["a"].forfeits["garbled"] == 3
    assert "more than 65536 characters in a line" in result.clocks["a"].reasons[0]


def test_endless_lines(bot):
    """Output that never stops is not kept: neither memory nor a full pipe may hold up the match."""
    result = match(bot("while True: print('oink')"), deals=4)
    assert set(forfeits(result)) == {"garbled", "dead"}
    assert sum(forfeits(result).values()) == result.clocks["a"].decisions


def test_two_lines_an_answer(bot):
    """A few lines too many are dropped, or taken for answers; many end the program."""
    result = match(bot("for request in requests(): print('oink'); say(legal(request))"), deals=2)
    assert "garbled" in forfeits(result)
    assert sum(forfeits(result).values()) <= result.clocks["a"].decisions


def test_answers_without_reading(bot, monkeypatch):
    """Requests that nobody reads fill a pipe; the match must not wait for it."""
    monkeypatch.setattr("searchdou.arena.bots.UNASKED", 10**6)
    result = match(bot("while True:\n    print('oink', flush=True)\n    time.sleep(0.002)"), deals=6)
    assert set(forfeits(result)) == {"garbled", "dead"}


def test_a_program_that_does_not_exist():
    result = match("cmd:/no/such/program --at all")
    assert forfeits(result) == {"dead": result.clocks["a"].decisions}
    assert "/no/such/program cannot be started: No such file" in result.clocks["a"].reasons[0]


def test_what_a_program_started_ends_with_it(bot, tmp_path):
    inner = tmp_path / "inner.py"
    inner.write_text(f"import os, time\nwith open({str(tmp_path / 'pids')!r}, 'a') as file:\n"
                     "    print(os.getpid(), file=file)\ntime.sleep(1000)")
    result = match(bot(f"import subprocess\nsubprocess.run([sys.executable, {str(inner)!r}])"), time_s=0.5, start_s=0.5)
    assert set(forfeits(result)) == {"late", "dead"}
    time.sleep(0.2)


def test_both_sides_may_fail(bot):
    settings = MatchSettings("gongzhu", bot("sys.exit(1)", "a.py"), bot("for r in requests(): say(5)", "b.py"), 1,
                             time_s=5.0)
    result = run_match(settings)
    assert result.clocks["a"].forfeits == {"dead": 52}
    assert result.clocks["b"].forfeits == {"garbled": 52}


def test_an_interrupt_ends_the_programs(bot, tmp_path):
    def stop(done, values):
        if done == 1:
            raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt) as raised:
        match(bot(GOOD), deals=3, progress=stop)
    time.sleep(0.1)
    assert not [pid for pid in (tmp_path / "pids").read_text().split() if alive(int(pid))]
    assert raised


@pytest.mark.parametrize(("command", "message"), [("", "names no program"), ('python "x', "cannot be read as a command")])
def test_bad_commands(command, message):
    with pytest.raises(SearchDouError, match=message):
        match(f"cmd:{command}")


def test_a_player_on_its_own(bot):
    """`CommandPlayer` is usable without a match; the first answer may take `start_s` longer."""
    slow_start = bot("time.sleep(0.5)\n" + GOOD)
    player = CommandPlayer("gongzhu", slow_start.removeprefix("cmd:"), time_s=0.2, start_s=5.0)
    state = games.load("gongzhu").Game().deal(1)
    assert player.act(state.infoset()) in state.legal_actions()
    player.close()
    player.close()
    player = CommandPlayer("gongzhu", slow_start.removeprefix("cmd:"), time_s=0.1, start_s=0.0)
    with pytest.raises(Forfeit, match=r"gave no answer within 0\.1 s") as raised:
        player.act(state.infoset())
    assert raised.value.kind == "late"
    player.close()
    assert CommandPlayer("gongzhu", "x").start_s == bots.START_S == MatchSettings("gongzhu", "if", "if", 1).start_s


# -- our own bots ---------------------------------------------------------------------------------------------


def served(game, lines, agent="random"):
    answers = io.StringIO()
    serve(game, agent, io.StringIO("".join(line + "\n" for line in lines)), answers)
    return [json.loads(line) for line in answers.getvalue().splitlines()]


@EVERY_GAME
def test_serve_answers_every_request(game):
    state = games.load(game).Game().deal(1)
    while state.phase != "play":
        state.act(state.legal_actions()[-1])
    good = json.dumps(state.infoset().to_request(1.0))
    other = json.dumps(state.infoset((state.turn + 1) % state.game.seats).to_request(1.0))
    bad = ["oink", "[]", "5", "null", "{}", '{"seat": 0}', "[" * 50000, "9" * 5000, '{"game": "bridge"}', '{"game": []}',
           other]
    answers = served(game, [good, "", "  ", *(line for each in bad for line in (each, good))])
    assert len(answers) == 1 + 2 * len(bad)
    assert all(state.infoset().from_answer(answer) in state.legal_actions() for answer in answers[::2])
    assert len({json.dumps(answer) for answer in answers[::2]}) == 1      # the same position, the same answer
    assert all(set(answer) == {"error"} and answer["error"] for answer in answers[1::2])
    assert "this bot plays" in answers[1 + 2 * bad.index('{"game": "bridge"}')]["error"]
    assert "is to act, not seat" in answers[-2]["error"]


@EVERY_GAME
def test_serve_lives_through_anything(game):
    """One field of a good request at a time is spoilt in many ways."""
    chance = random.Random(4)
    state = games.load(game).Game().deal(2)
    for _ in range(12):
        state.act(chance.choice(state.legal_actions()))
    request = state.infoset().to_request(1.0)
    junk = [None, True, -1, 1.0, 7, 10**30, "", "oink", [], [None], [[1]], [[0, "S2"]], [1.0], ["S2", 3], {}, {"a": 1}]
    lines = [json.dumps({**request, key: value}) for key in request for value in junk if key != "time_s"]
    answers = served(game, [*lines, json.dumps(request)])
    assert len(answers) == len(lines) + 1
    for line, answer in zip(lines, answers, strict=False):
        if set(answer) != {"error"}:
            games.load(game).InfoSet.from_request(json.loads(line)).from_answer(answer)
    assert "error" not in answers[-1]
