"""Settings of every test: Hypothesis is steady (no clock, no chance between runs) and smaller when the JIT is off; results
go to a folder of the test run, never to the user's home; a Ray cluster listens on 127.0.0.1 only."""

import os
import secrets
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from numba.core import config

settings.register_profile(
    "house", deadline=None, derandomize=True, database=None, max_examples=25 if config.DISABLE_JIT else 100,
    suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")

_results = tempfile.TemporaryDirectory(prefix="searchdou-tests-")     # gone at the end
os.environ["SEARCHDOU_STORE"] = os.path.join(_results.name, "results.sqlite")

# Read when Ray is imported: with the first it takes 127.0.0.1 at its word, else it listens on every network.
os.environ |= {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0",
               "RAY_memory_monitor_refresh_ms": "0"}
# A token of this test run: without one Ray makes its own, in the user's home.
os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}


class Nodes:
    """Ray nodes of one CPU each on this machine, the first of them the head."""

    def __init__(self, number):
        from ray.cluster_utils import Cluster
        self._cluster = Cluster()
        self.nodes = []
        for _ in range(number):
            self.add()

    @property
    def address(self):
        return self._cluster.address

    def add(self):
        quick = {} if self.nodes else {"_system_config": {"health_check_period_ms": 500}}     # the head asks the others
        self.nodes.append(self._cluster.add_node(num_cpus=1, include_dashboard=False, node_ip_address="127.0.0.1",
                                                 object_store_memory=80 * 2 ** 20, **quick))
        self._cluster.wait_for_nodes(60)            # that a lost node is missed takes a while, too

    def remove(self):
        """The last node, as if its power had gone."""
        self._cluster.remove_node(self.nodes.pop(), allow_graceful=False)

    def workers(self):
        """Processes that hold an actor of ours, by node."""
        found = []
        for node in self.nodes:
            raylet, = node.all_processes["raylet"]
            found.append([pid for pid, parent, command in processes()
                          if parent == raylet.process.pid and command.startswith("ray::_Worker")])
        return found

    def close(self):
        import ray
        ray.shutdown()
        started = {pid for node in self.nodes for kind in node.all_processes.values() for pid in [kind[0].process.pid]}
        started |= {pid for pid, parent, _ in processes() if parent in started}
        self._cluster.shutdown()
        until = time.monotonic() + 20
        while left := started & {pid for pid, _, _ in processes()}:
            assert time.monotonic() < until, f"Ray processes are left: {left}"
            time.sleep(0.1)


def processes():
    """(pid, parent, command) of all that run; those that have ended and wait to be noticed do not."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            if state != "Z":
                yield int(folder.name), int(parent), (folder / "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue


@pytest.fixture
def losses(monkeypatch):
    """The numbers of the jobs whose actors were lost, as they are missed."""
    from searchdou.cluster import Crew
    numbers, replace = [], Crew._replace

    def counted(self, hand, number, error):
        numbers.append(number)
        replace(self, hand, number, error)
    monkeypatch.setattr(Crew, "_replace", counted)
    return numbers


@pytest.fixture(scope="module")
def nodes():
    """A cluster of two nodes; nothing of it outlives the module."""
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'searchdou[ray]'")
    made = Nodes(2)
    yield made
    made.close()
