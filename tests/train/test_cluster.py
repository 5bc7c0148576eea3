"""Training with remote actors: it ends, writes weights, and a killed actor changes nothing."""

import os
import signal

import pytest

pytest.importorskip("torch")

from searchdou.cluster import Cluster
from searchdou.games.gongzhu import encode
from searchdou.nets import load_weights
from searchdou.train import dmc, loop, scrofa

pytestmark = pytest.mark.xdist_group("ray")

TINY = {"gongzhu": {"games": 16, "batch": 64, "exam_positions": 10, "deals": 0, "search_deals": 0, "blocks": 6},
        "doudizhu": {"games": 16, "batch": 32, "decks": 0, "rlcard_decks": 0, "blocks": 4}}
KINDS = {"gongzhu": (scrofa.Training, scrofa.ScrofaSettings), "doudizhu": (dmc.Training, dmc.DmcSettings)}


def trained(game, folder, tell=lambda line, lasting: None, cluster=None):
    """The numbers of all nets after a tiny training."""
    training, settings = KINDS[game]
    made = training(settings(**TINY[game], out=folder), tell, cluster)
    curve = made.run()
    assert len(curve) == 1
    assert made.block == TINY[game]["blocks"]
    for learner in made.learners.values():
        assert load_weights(folder / learner.file, learner.kind).meta["games"] == str(16 * made.block)
    return {name: {key: array.tobytes() for key, array in learner.weights().arrays.items()}
            for name, learner in made.learners.items()}


def test_remote_actors_teach_what_a_local_one_does(nodes, tmp_path, monkeypatch):
    with Cluster(nodes.address) as cluster:         # two CPUs: one for the learner; Gongzhu has its turn below
        remote = trained("doudizhu", tmp_path / "remote", cluster=cluster)
    monkeypatch.setattr(loop.LocalActor, "ahead", 2)
    assert trained("doudizhu", tmp_path / "local") == remote


def test_a_killed_actor_plays_its_block_again(nodes, tmp_path, monkeypatch, losses):
    lines, killed = [], []

    def tell(line, lasting):
        lines.append(line)
        if len(lines) == 2:
            killed.extend(pid for pids in nodes.workers() for pid in pids)
            os.kill(killed[0], signal.SIGKILL)
    with Cluster(nodes.address) as cluster:
        remote = trained("gongzhu", tmp_path / "remote", tell, cluster)
    assert len(killed) == len(losses) == 1
    monkeypatch.setattr(loop.LocalActor, "ahead", 2)
    assert trained("gongzhu", tmp_path / "local") == remote
    assert (tmp_path / "remote" / encode.ORACLE_FILE).exists()
