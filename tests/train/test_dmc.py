"""Self-play of DouDizhu: what is written down of a game, and how it is learned from."""

from __future__ import annotations

import json
from collections import Counter
from importlib.util import find_spec

import numpy as np
import pytest

pytest.importorskip("torch")


import torch

from inference._rng_kernels import stream
from searchdou.errors import SearchDouError
from searchdou.games.doudizhu import _kernels, encode
from searchdou.games.doudizhu._net_kernels import BID, BID_UNIT, role_of
from searchdou.games.doudizhu.cards import pack
from searchdou.games.doudizhu.rulesets import rule_set
from searchdou.nets import BadWeights, load_weights
from searchdou.train import _dmc_kernels as kernels
from searchdou.train.dmc import Actor, DmcSettings, Training, duel, factorised_loss

TINY = {"games": 30, "batch": 64, "decks": 0, "rlcard_decks": 0, "window": 2, "width": 128}


def training(folder, **changed) -> Training:
    return Training(DmcSettings(**{**TINY, "out": folder, "blocks": 2, **changed}))


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """One block of games, and its positions."""
    made = training(tmp_path_factory.mktemp("dmc"))
    samples, _ = Actor(made.s).play(0, made.job())
    return samples, [kernels.read_row(row) for row in samples.rows[:int(samples.used[0])]]


def test_samples_are_choices_of_real_games(played):
    samples, positions = played
    n = int(samples.used[0])
    assert 300 < n < int(samples.used[1])                # forced actions are frames, but no samples
    assert set(samples.role[:n].tolist()) == {0, 1, 2, 3}
    out = np.empty(_kernels.MAX_MOVES, np.int64)
    for position, row, role in list(zip(positions, samples.rows, samples.role, strict=False))[::5]:
        assert role_of(position) == role
        legal = out[:_kernels.legal(position, out)].tolist()
        assert len(legal) > 1
        assert row[kernels.ACTION] in legal
        cards = [position.hand0, position.hand1, position.hand2, position.played0, position.played1, position.played2]
        kitty = position.kitty if position.landlord < 0 else 0
        assert sum(cards) + kitty == pack("3456789TJQKA2" * 4 + "BR")
        again = np.zeros(kernels.FIELDS, np.int64)
        kernels.write_row(position, int(row[kernels.ACTION]), again)
        assert again.tolist() == row.tolist()


def test_returns_agree_within_a_game(played):
    """Sides of a game have opposite signs, and stakes count from the bombs that lay there before."""
    samples, positions = played
    games: list[list[int]] = []
    for k, position in enumerate(positions):
        began = position.played0 + position.played1 + position.played2 == 0 and position.bids == 0
        if not games or (began and (position.landlord < 0 or position.turn == position.landlord)
                         and position.bombs <= positions[k - 1].bombs):
            games.append([])
        games[-1].append(k)
    seen = 0
    for game in games:
        plays = [k for k in game if samples.role[k] != BID]
        landlords = {float(samples.won[k]) for k in plays if samples.role[k] == 0}
        peasants = {float(samples.won[k]) for k in plays if samples.role[k] in (1, 2)}
        assert len(landlords) <= 1
        assert len(peasants) <= 1
        if landlords and peasants:
            assert landlords != peasants
            seen += 1
        finals = {abs(float(samples.stakes[k])) * 2 ** positions[k].bombs for k in plays}
        assert len(finals) <= 1
        for k in game:
            if samples.role[k] == BID and plays:
                unit = abs(float(samples.stakes[k])) * BID_UNIT
                assert unit in {stake * bid * share for stake in finals for bid in (1, 2, 3) for share in (1, 2)}
    assert seen > 10


def test_the_loss_is_alphadous():
    found = torch.tensor([[0.5, 2.0, -1.0], [0.0, 1.0, -3.0], [0.2, 1.0, -1.0]])
    won, stakes = torch.tensor([1.0, -1.0, 0.0]), torch.tensor([1.0, -2.0, 0.0])
    expected = (0.25 + 1.0) + (1.0 + 1.0) + (0.04 + 0.5 * 1.0 + 0.5 * 1.0)
    assert float(factorised_loss(found, won, stakes)) == pytest.approx(expected / 3)


def test_the_same_seed_gives_the_same_weights_and_another_others(tmp_path):
    made = {}
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        training(tmp_path / name, seed=seed).run()
        file = tmp_path / name / encode.file_of("seen", "landlord")
        made[name] = load_weights(file, encode.kind_of("seen", "landlord")).arrays["rows"]
    assert (made["a"] == made["b"]).all()
    assert (made["a"] != made["c"]).any()


def test_a_stopped_training_goes_on(tmp_path):
    first = training(tmp_path, blocks=1)
    first.run()
    with pytest.raises(SearchDouError, match="exists: --resume goes on"):
        training(tmp_path)
    again = training(tmp_path, resume=True, blocks=2, decks=2, rlcard_decks=2)
    assert again.block == 1
    curve = again.run()
    assert again.block == 2
    assert len(curve) == 2
    assert json.loads((tmp_path / "curve.json").read_text()) == curve
    assert {"random_points", "rule_points"} <= set(curve[-1])
    assert ("rlcard_points" in curve[-1]) == (find_spec("douzero") is not None)
    (tmp_path / "checkpoint.pt").write_bytes(b"nothing")
    with pytest.raises(SearchDouError, match="damaged or from another version"):
        training(tmp_path, resume=True)


def test_a_training_can_begin_from_weights(tmp_path):
    training(tmp_path / "first", seed=5).run()
    file = encode.file_of("seen", "up")
    begun = training(tmp_path / "second", start=str(tmp_path / "first"))
    rows = load_weights(tmp_path / "first" / file, encode.kind_of("seen", "up")).arrays["rows"]
    assert (begun.nets["seen", "up"].weights().arrays["rows"] == rows).all()
    assert (begun.nets["seen", "up"].module.arrays()["rows"] == rows).all()
    wider = training(tmp_path / "wider", start=str(tmp_path / "first"), width=192).nets["seen", "up"].weights()
    assert wider.arrays["rows"].shape[1] == 192
    assert (wider.arrays["rows"][:, :128] == rows).all()
    with pytest.raises(SearchDouError, match="128 wide cannot be widened to 64"):
        training(tmp_path / "narrower", start=str(tmp_path / "first"), width=64)
    (tmp_path / "first" / file).unlink()
    with pytest.raises(BadWeights, match=f"{file}: cannot be read"):
        training(tmp_path / "third", start=str(tmp_path / "first"))


def test_without_an_oracle_only_blueprints_are_trained(tmp_path):
    assert set(training(tmp_path, oracle=0.0).learners) == {f"seen-{role}" for role in encode.ROLES}
    for share in ("full", "oracle", "strangers"):
        with pytest.raises(SearchDouError, match="is a share from 0 to 1"):
            training(tmp_path, **{share: 2.0})


def test_only_the_roles_that_are_named_learn(tmp_path):
    made = training(tmp_path / "bid", learn="bid", full=1.0, strangers=0.5, oracle=0.0, games=90)
    before = made.blueprint()
    made.run()
    after = made.blueprint()
    for role in encode.ROLES:
        same = (before[role].arrays["rows"] == after[role].arrays["rows"]).all()
        assert same == (role != "bid")
    with pytest.raises(SearchDouError, match="role to learn 'cook'; known"):
        training(tmp_path / "cook", learn="bid+cook")


def test_strangers_bid_by_thresholds_of_their_own():
    """What the own hand is worth decides, and where the thresholds lie; who holds the other cards does not."""
    policy, out = encode.blueprint_in(), np.empty(_kernels.MAX_MOVES, np.int64)
    rest = "3456789TJQKA2" * 4 + "BR"
    for hand, wanted in (("3456789TJAA222BRK", 3), ("3345567789TTJJQQK", 0)):
        left = list((Counter(rest) - Counter(hand)).elements())
        for seed in range(5):
            np.random.default_rng(seed).shuffle(left)
            position = _kernels.start(pack(hand), pack("".join(left[:17])), pack("".join(left[17:34])),
                                      pack("".join(left[34:])), rule_set("standard").switches, 0, -1)
            def bid(shift, gap, position=position):
                return kernels.stranger_bid(policy, position, shift, gap, stream(7), out)
            assert bid(0.0, 0.0) == wanted
            assert (bid(-99.0, 0.1), bid(99.0, 0.1), bid(0.0, 99.0)) == (3, 0, 1 + (wanted > 0))
            after = _kernels.step(_kernels.start(position.hand1, position.hand0, position.hand2, position.kitty,
                                                 position.rules, 0, -1), 2)
            assert kernels.stranger_bid(policy, after, 99.0, 0.1, stream(7), out) == 0
            assert kernels.stranger_bid(policy, after, -99.0, 0.1, stream(7), out) == 3
            assert kernels.stranger_bid(policy, after, 0.0, 99.0, stream(7), out) == 0        # one or two is not enough


def test_doubt_draws_among_the_nearest():
    q, rng = np.array([0.0, 0.9, -5.0, 1.0, 0.8]), np.random.default_rng(0)
    drawn = np.array([kernels.any_near(q, 5, 1.0 - 0.15, stream(int(rng.integers(1 << 40)))) for _ in range(400)])
    assert set(drawn) == {1, 3}
    assert 150 < (drawn == 1).sum() < 250
    assert kernels.any_near(q, 5, 1.0, stream(1)) == 3


def test_a_duel_with_oneself_is_even():
    policy, twin = (encode.blueprint(encode.untrained("seen", 3)) for _ in range(2))
    marks = duel(policy, twin, 20, "twin")
    assert marks["twin_points"] == 0.0
    assert marks["twin_landlord"] + marks["twin_peasants"] == pytest.approx(1.0)
