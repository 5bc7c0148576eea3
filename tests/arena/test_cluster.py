"""A match on a Ray cluster of two nodes on this machine: the same outcomes, whoever is lost on the way."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from searchdou import cli, cluster
from searchdou.arena.cluster import RemoteSides, identities
from searchdou.arena.match import MatchSettings, run_match
from searchdou.arena.store import Store
from searchdou.arena.tournament import run_tournament
from searchdou.cluster import Cluster, Crew
from searchdou.errors import SearchDouError, UnknownName

pytestmark = pytest.mark.xdist_group("ray")

HOUSE = Path(__file__).resolve().parent.parent.parent
MATCH = MatchSettings("gongzhu", "if", "random", 40, seed=3)


@pytest.fixture
def joined(nodes):
    """A connection of ours to the two nodes."""
    with Cluster(nodes.address) as made:
        assert made.workers == 2
        yield made


def figures(result):
    return {key: value for key, value in result.summary().items() if key != "seconds_per_decision"}


def at(deals, deed):
    """Progress that does something once so many deals are done."""
    def progress(done, values):
        if done == deals:
            deed()
    return progress


# -- the same outcomes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [MATCH, MatchSettings("doudizhu", "rule", "random", 12, seed=3)],
                         ids=lambda settings: settings.game)
def test_a_match_is_the_same_as_at_home(settings, joined, nodes, tmp_path):
    alone, seen = run_match(settings), []
    result = run_match(settings, cluster=joined, store=tmp_path / "results.sqlite",
                       progress=lambda done, values: seen.append([len(pids) for pids in nodes.workers()]))
    assert np.array_equal(result.outcomes, alone.outcomes)
    assert figures(result) == figures(alone)
    assert [1, 1] in seen                           # both nodes played
    with Store(tmp_path / "results.sqlite") as store:
        assert [deal.outcomes for deal in store.deals(1).values()] == alone.outcomes.tolist()


def test_a_tournament(joined):
    agents = ["if", "random"]
    alone, result = run_tournament("gongzhu", agents, 3), run_tournament("gongzhu", agents, 3, cluster=joined)
    assert np.array_equal(result.pairs[0, 1].outcomes, alone.pairs[0, 1].outcomes)


def test_an_interrupted_match_goes_on_at_home(joined, nodes, tmp_path):
    def stop():
        raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        run_match(MATCH, cluster=joined, store=tmp_path / "results.sqlite", progress=at(9, stop))
    told = []
    result = run_match(MATCH, store=tmp_path / "results.sqlite", progress=lambda done, values: told.append(done))
    assert told == list(range(9, 41))
    assert figures(result) == figures(run_match(MATCH))


# -- losses ---------------------------------------------------------------------------------------------------


def test_a_killed_worker_costs_only_its_unfinished_deals(joined, nodes, losses):
    killed = []

    def kill():
        killed.append(next(pid for pids in nodes.workers() for pid in pids))
        os.kill(killed[0], signal.SIGKILL)
    told = []

    def progress(done, values):
        told.append(done)
        at(5, kill)(done, values)
    result = run_match(MATCH, cluster=joined, progress=progress)
    assert killed
    assert len(losses) == 1
    assert told == list(range(41))                  # no deal came twice, none was forgotten
    assert np.array_equal(result.outcomes, run_match(MATCH).outcomes)


def test_a_lost_node_costs_only_its_unfinished_deals(joined, nodes, losses):
    settings = MatchSettings("gongzhu", "if", "random", 200, seed=3)
    try:
        result = run_match(settings, cluster=joined, progress=at(20, nodes.remove))
        assert (len(nodes.nodes), len(losses)) == (1, 1)
        assert np.array_equal(result.outcomes, run_match(settings).outcomes)
    finally:
        nodes.add()


def test_a_deal_that_kills_every_worker_is_given_up(joined):
    class Player:
        def play(self, number):
            if number == 3:
                os._exit(1)
            return number
    crew, answers = Crew(joined, 2, "deal", Player), []
    try:
        for number in range(6):
            crew.submit(number, number)
        # The deal before it may go down with it, when its answer is still on the way.
        with pytest.raises(SearchDouError, match=r"deal [23] was lost with its worker, 4 times in all; the last") as caught:
            answers.extend(crew.next() for _ in range(6))
        assert "\n" not in str(caught.value)
        assert set(answers) <= {(n, n) for n in (0, 1, 2, 4, 5)}
    finally:
        crew.close()


def test_workers_that_cannot_be_built(joined):
    class Refuses:
        def __init__(self):
            raise SearchDouError("not here")

    class Dies:
        def __init__(self):
            os._exit(1)
    for player, words in ((Refuses, "not here"), (Dies, "workers cannot be started, 4 times in all")):
        crew = Crew(joined, 1, "deal", player)
        try:
            with pytest.raises(SearchDouError, match=words):
                crew.next()
        finally:
            crew.close()


def test_a_cluster_without_room_is_not_waited_for_without_end(joined, monkeypatch):
    monkeypatch.setattr(cluster, "PATIENCE_S", 1.5)
    both = [Crew(joined, 2, "deal", dict), Crew(joined, 1, "deal", dict)]
    try:
        with pytest.raises(SearchDouError, match=r"no worker of the cluster was ready within 1.5 s"):
            both[1].next()
    finally:
        for crew in both:
            crew.close()


# -- what is told ---------------------------------------------------------------------------------------------


def test_bad_specs_are_told_at_once(joined):
    with pytest.raises(UnknownName, match="unknown gongzhu agent 'oink'"):
        run_match(MatchSettings("gongzhu", "oink", "if", 20), cluster=joined)


def test_a_node_with_other_agents_refuses():
    wanted = identities(MATCH)
    RemoteSides(MATCH, wanted).close()
    for other in ({"version": "0.0"}, {"agent a": {**wanted["agent a"], "weights": "0ddba11"}}):
        with pytest.raises(SearchDouError, match=rf"would play another match: its {next(iter(other))} is "):
            RemoteSides(MATCH, wanted | other)


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(SearchDouError, match=r"--ray needs the ray extra, pip install 'searchdou\[ray\]'"):
        Cluster()


@pytest.mark.parametrize(("address", "words"), [("127.0.0.1:1", "Connection refused"), ("oink", "auto or host:port"),
                                                ("127.0.0.1:99999", "auto or host:port")])
def test_an_address_where_nobody_answers(address, words):
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'searchdou[ray]'")
    with pytest.raises(SearchDouError, match=f"Ray cannot be reached at {address}: .*{words}"):
        Cluster(address)


def test_no_workers():
    with pytest.raises(SearchDouError, match="at least one worker, not 0"):
        Cluster(workers=0)


@pytest.mark.parametrize(("words", "meant"), [
    ("match --ray", "match --ray="), ("match --ray --deals 3", "match --ray= --deals 3"),
    ("match --ray auto --deals 3", "match --ray auto --deals 3"), ("match --ray=1.2.3.4:5", "match --ray=1.2.3.4:5")])
def test_the_address_may_be_left_out(words, meant):
    assert cli._words(words.split()) == meant.split()


# -- a cluster of our own -------------------------------------------------------------------------------------

LOCAL = """
import sys
from pathlib import Path
from searchdou.arena.match import MatchSettings, run_match
from searchdou.cluster import Cluster

def listening():
    lines = [line.split() for name in ("tcp", "tcp6") for line in Path("/proc/net", name).read_text().splitlines()[1:]]
    return {(words[1].split(":")[0], words[9]) for words in lines if words[3] == "0A"}      # address and inode

before = listening()
with Cluster(workers=1) as cluster:
    result = run_match(MatchSettings("gongzhu", "if", "random", 5), cluster=cluster)
    opened = listening() - before
    assert len(opened) > 4, opened
    print(*sorted({address for address, _ in opened}))
print(result.outcomes.tolist())
"""


def test_ray_begun_here_listens_on_this_machine_only():
    """In a process of its own: how Ray names this machine is settled when it is imported."""
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'searchdou[ray]'")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("RAY_ENABLE")}
    done = subprocess.run([sys.executable, "-c", LOCAL], cwd=HOUSE, capture_output=True, text=True, check=False, timeout=120,
                          env={**environment, "PYTHONPATH": str(HOUSE)})
    assert done.returncode == 0, done.stderr
    addresses, outcomes = done.stdout.splitlines()
    assert set(addresses.split()) <= {"0100007F", "0000000000000000FFFF00000100007F"}      # 127.0.0.1, as IPv6 too
    assert outcomes == str(run_match(MatchSettings("gongzhu", "if", "random", 5)).outcomes.tolist())
