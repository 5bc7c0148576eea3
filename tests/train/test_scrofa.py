"""Self-play and its targets, checkpoints, and what happens when training is stopped."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chisquare

pytest.importorskip("torch")

from inference._rng_kernels import stream
from mcts._solver_kernels import HUGE, new_table, solve
from searchdou.errors import SearchDouError
from searchdou.games.gongzhu import _kernels, encode
from searchdou.games.gongzhu._net_kernels import blueprint_choice, oracle_value
from searchdou.games.gongzhu._search_kernels import with_hands
from searchdou.nets import load_weights, save_weights
from searchdou.train import _scrofa_kernels as kernels
from searchdou.train.scrofa import Actor, Exam, Job, ScrofaSettings, Training, WindowLearner

HOUSE = Path(__file__).resolve().parent.parent.parent
TINY = {"games": 16, "batch": 64, "exam_positions": 10, "deals": 0, "search_deals": 0}


def block(number: int = 0, **changed):
    settings = ScrofaSettings(**{**TINY, **changed})
    nets = (encode.untrained(kind, seed) for seed, kind in enumerate((encode.OPEN, encode.CRITIC, encode.AVERAGED)))
    return Actor(settings).play(number, Job(*nets, 0.8))[0]


def used(samples):
    """Rows and targets that were written."""
    n = int(samples.used[0])
    return samples.rows[:n], samples.target[:n]


# --- samples ------------------------------------------------------------------------------------------------------------

def test_targets_are_td_lambda_cut_where_the_line_was_left():
    """Three choices worth 10, 40, 30 to side 0 as the net thought; the second was not the best (60); it ended at 100."""
    trace = kernels.Trace(np.zeros((3, kernels.FIELDS), np.int64), np.array([10.0, 40.0, 30.0]),
                          np.array([10.0, 60.0, 30.0]), np.array([1, 0, 1]), np.array([0.0, 5.0, 5.0]))
    trace.rows[:, 11] = (0, 1, 2)                       # who leads: the sign of the target
    samples = kernels.Samples(np.zeros((3, kernels.FIELDS), np.int64), np.zeros(3, np.float32), np.zeros(1, np.int64))
    kernels._store(trace, 3, 100.0, 0.9, samples)
    last = 100.0
    second = 0.1 * 30.0 + 0.9 * last                    # the third choice was on the line: mixed
    first = 60.0                                        # the second was not: what the best was thought to be worth
    assert samples.target == pytest.approx([(last - 5) / 100, -(second - 5) / 100, first / 100])
    assert samples.rows[:, 11].tolist() == [2, 1, 0]


def test_samples_are_positions_of_real_games():
    harvest = block(games=24)
    for made, observers in zip(harvest, ({-1}, {-1}, {0, 1, 2, 3}), strict=True):
        rows, targets = used(made)
        assert len(rows) > 100
        assert np.isfinite(targets).all()
        assert set(rows[:, 15].tolist()) == observers
        for row in rows[::7]:
            position = kernels.read_row(row)
            cards = [*position[:8], *(1 << card for card in position[8:11] if card >= 0)]
            assert sum(cards) == _kernels.DECK           # every card once
            again = np.zeros(kernels.FIELDS, np.int64)
            kernels.write_row(position, int(row[15]), again)
            assert again.tolist() == row.tolist()
    views, _ = used(harvest.blueprint)
    seat_that_chose = (views[:, 12] - 1) % 4             # within a trick the observer is the one before the seat to play
    within = np.flatnonzero(views[:, 13] & 3)
    assert (seat_that_chose[within] == views[within, 15]).all()


def test_the_critic_learns_what_the_blueprint_makes_of_a_deal():
    """With lambda 1 a target is what the game came to if all went on by the blueprint, or what the critic expected of the
    line that a random card left."""
    rows, targets = used(block(honest=1.0, lived=1.0, games=30).critic)
    policy = encode.blueprint(encode.untrained(encode.AVERAGED, 2))
    critic = encode.oracle(encode.untrained(encode.CRITIC, 1))
    out, played_out = np.empty(64, np.int64), 0
    for row, target in zip(rows, targets, strict=True):
        position = start = kernels.read_row(row)
        sign = (1 if start.leader % 2 == 0 else -1) / 100
        expected = []                                    # what the critic thinks wherever the line might have been left
        while not _kernels.is_over(position):
            choice = _kernels.legal_mask(position).bit_count() > 1
            position = _kernels.step(position, blueprint_choice(policy, position, stream(1), out))
            if choice:
                expected.append(oracle_value(critic, position, stream(1), out))
        outcome = sign * (_kernels.difference(position) - _kernels.difference(start))
        played_out += target == pytest.approx(outcome, abs=1e-5)
        assert any(target == pytest.approx(value, abs=1e-4) for value in
                   (outcome, *(sign * (value - _kernels.difference(start)) for value in expected)))
    assert 0.4 < played_out / len(rows) < 1.0


def test_half_of_the_looks_are_at_any_card():
    harvest = block(honest=1.0, games=40)
    chosen = {tuple(row[:15].tolist()) for row in used(harvest.critic)[0]}
    looked_at = [tuple(row[:15].tolist()) in chosen for row in used(harvest.blueprint)[0]]
    assert 0.5 < np.mean(looked_at) < 0.85               # half of them, and of the others those that happen to be it


def test_the_oracle_learns_from_some_honest_games():
    none, some = (len(used(block(honest=1.0, shown=shown).oracle)[0]) for shown in (0.0, 1.0))
    assert none == 0
    assert some > 100


@pytest.mark.unit
@pytest.mark.parametrize(("start", "deals"), [([0b0011, 0b0100, 1 << 20, 0b1000], 12), ([1, 2, 1 << 20, 4], 6)])
def test_swaps_reach_all_deals_alike(start, deals):
    """Seat 2 sees its own hand; the others hold two cards, one and one, or one each."""
    hands, rng, seen = np.array(start, np.int64), stream(7), Counter()
    for _ in range(6000):
        kernels.swap_hidden(hands, 2, 0, rng)
        assert hands[2] == start[2]
        seen[tuple(hands.tolist())] += 1
    assert len(seen) == deals
    assert chisquare(list(seen.values())).pvalue > 1e-4


@pytest.mark.unit
def test_swaps_keep_hand_sizes_and_known_voids():
    rng, hands = stream(8), np.array([_kernels.SUIT << _kernels.RANKS * suit for suit in range(4)], np.int64)
    voids = 1 << (4 * 1 + _kernels.HEARTS) | 1 << (4 * 3 + _kernels.SPADES)
    hands[0], hands[1] = hands[1], hands[0]
    for seat in (0, 2):
        for _ in range(50):
            own = int(hands[seat])
            kernels.swap_hidden(hands, seat, voids, rng)
            assert hands[seat] == own
            assert hands.sum() == _kernels.DECK
            assert [int(hand).bit_count() for hand in hands] == [13] * 4
            assert hands[1] & _kernels.ALL_HEARTS == 0
            assert hands[3] & _kernels.SUIT == 0


def swapped(hands: tuple[int, ...], seat: int, voids: int) -> set[tuple[int, ...]]:
    """All deals that swaps between the hands `seat` does not see lead to, one by one."""
    found, new = {hands}, [hands]
    while new:
        held = new.pop()
        for one, two in combinations([other for other in range(4) if other != seat], 2):
            for given, taken in product(*([card for card in range(52) if held[other] >> card & 1] for other in (one, two))):
                if not (voids >> (4 * two + given // 13) | voids >> (4 * one + taken // 13)) & 1:
                    both = 1 << given | 1 << taken
                    deal = tuple(hand ^ both if other in (one, two) else hand for other, hand in enumerate(held))
                    if deal not in found:
                        found.add(deal)
                        new.append(deal)
    return found


def test_the_blueprint_learns_what_the_critic_thinks_on_average():
    """With few cards left there are few deals: many looks come near their mean."""
    harvest = block(honest=1.0, games=30, looks=400)
    critic, out, checked = encode.oracle(encode.untrained(encode.CRITIC, 1)), np.empty(64, np.int64), 0
    for row, target in zip(*used(harvest.blueprint), strict=True):
        position, seat = kernels.read_row(row), int(row[15])
        if max(int(hand).bit_count() for hand in position[:4]) > 2:
            continue
        values = [oracle_value(critic, with_hands(position, np.array(deal, np.int64)), stream(1), out)
                  - _kernels.difference(position) for deal in swapped(tuple(map(int, position[:4])), seat, position.voids)]
        mean = np.mean(values) * (1 if position.leader % 2 == 0 else -1) / 100
        # 400 looks, not quite independent of one another
        assert target == pytest.approx(mean, abs=6 * np.std(values) / 100 / 20 + 1e-5)
        checked += len(values) > 1
    assert checked >= 10


def test_the_last_sample_of_an_open_game_is_solved():
    rows, targets = used(block(honest=0.0, games=6).oracle)
    ends = [k for k in range(len(rows)) if k == 0 or rows[k, 13] > rows[k - 1, 13]]     # stored from the end of each game
    assert len(ends) == 6
    out, checked = np.empty(1024, np.int64), 0
    for k in ends:
        position = kernels.read_row(rows[k])
        if 52 - position.plays <= 24:
            exact = solve(position, new_table(12), out, -HUGE, HUGE) - _kernels.difference(position)
            checked += 1
            forced = exact * (1 if position.leader % 2 == 0 else -1) / 100
            assert targets[k] == pytest.approx(forced, abs=1e-5)
    assert checked >= 3


def test_a_block_is_decided_by_seed_and_number():
    one, again, other = block(1), block(1), block(2)
    for mine, same, another in zip(one, again, other, strict=True):
        assert used(mine)[0].tolist() == used(same)[0].tolist()
        assert used(mine)[1].tolist() == used(same)[1].tolist()
        assert used(mine)[0].tolist() != used(another)[0].tolist()


def test_features_for_the_learner_are_those_of_the_positions():
    for made in block(games=24):
        chosen = np.array([3, 0, 50, 3, 99])
        batch = WindowLearner.empty_batch(len(chosen), 256)
        kernels.write_features(made.rows, chosen, *batch, np.zeros((4, 3)))
        for b, number in enumerate(chosen):
            observer = int(made.rows[number, 15])
            features = encode.features(kernels.read_row(made.rows[number]), None if observer < 0 else observer)
            mine = slice(batch.starts[b], batch.starts[b + 1])
            assert dict(zip(batch.ids[mine].tolist(), batch.on[mine].tolist(), strict=True)) == features


def test_an_exam_knows_the_exact_values():
    exam = Exam(20)
    rows, cards, values = exam.stages[20]
    for row, legal, worth in zip(rows[:5], cards, values, strict=False):
        position = kernels.read_row(row)
        assert 17 <= 52 - position.plays <= 20
        sign = 1 if position.turn % 2 == 0 else -1
        held = [int(card) for card in legal if card >= 0]
        assert held == [card for card in range(52) if _kernels.legal_mask(position) >> card & 1]
        exact = [sign * int(solve(_kernels.step(position, card), new_table(12), np.empty(1024, np.int64), -HUGE, HUGE))
                 for card in held]
        assert worth[:len(held)].tolist() == exact
    marks = exam.take(encode.untrained(encode.OPEN))
    assert marks["regret20"] > 0
    assert marks["rmse20"] > 0
    assert Exam(20).take(encode.untrained(encode.OPEN)) == marks
    assert stream(1)[0] != stream(2)[0]


# --- learning -----------------------------------------------------------------------------------------------------------

def numbers(folder: Path) -> dict[str, list[float]]:
    kept = load_weights(folder / encode.ORACLE_FILE, encode.OPEN)
    return {name: array.ravel()[:50].tolist() for name, array in kept.arrays.items()}


def test_learning_lowers_the_loss_and_the_seed_decides(tmp_path):
    losses = []
    for name in ("a", "b"):
        told = []
        training = Training(ScrofaSettings(**{**TINY, "games": 100}, blocks=12, out=tmp_path / name),
                            lambda line, lasting, told=told: told.append((lasting, line)))
        first: list[float] = []

        def noted(played, rate, learn=training.learn, t=training, first=first):
            used = learn(played, rate)
            first.append(t.oracle.loss)
            return used
        training.learn = noted
        curve = training.run()
        losses.append(first)
        assert [lasting for lasting, _ in told].count(True) == len(curve) == 1
        assert "games/s" in told[0][1]
        assert json.loads((tmp_path / name / "curve.json").read_text()) == curve
        assert list((tmp_path / name / "tensorboard").iterdir())
    assert losses[0] == losses[1]
    assert np.mean(losses[0][-3:]) < 0.7 * losses[0][0]
    assert numbers(tmp_path / "a") == numbers(tmp_path / "b")
    meta = load_weights(tmp_path / "a" / encode.BLUEPRINT_FILE, encode.AVERAGED).meta
    assert (meta["run"], meta["games"]) == ("scrofa", "1200")
    assert set(meta) >= {"settings", "hours", "commit", "game", "version"}


def test_resuming_goes_on_where_it_stopped(tmp_path):
    settings = {**TINY, "out": tmp_path, "deals": 2, "search_deals": 2}
    Training(ScrofaSettings(**settings, blocks=3)).run()
    with pytest.raises(SearchDouError, match="--resume goes on from it"):
        Training(ScrofaSettings(**settings, blocks=6))
    before = numbers(tmp_path)
    more = Training(ScrofaSettings(**settings, blocks=6, resume=True))
    assert (more.block, len(more.curve)) == (3, 1)
    (tmp_path / "again").mkdir()
    save_weights(tmp_path / "again" / encode.ORACLE_FILE, more.oracle.weights())
    assert numbers(tmp_path / "again") == before
    curve = more.run()
    assert [mark["games"] for mark in curve] == [48.0, 96.0]
    assert all(np.isfinite([mark["net"], mark["search"], mark["search_se"]]).all() for mark in curve)
    assert numbers(tmp_path) != before


def test_checkpoints_that_cannot_be_used(tmp_path):
    with pytest.raises(SearchDouError, match=r"no .*checkpoint.pt to resume from"):
        Training(ScrofaSettings(**TINY, out=tmp_path, resume=True))
    path = tmp_path / "checkpoint.pt"
    for data in (b"", b"not a checkpoint", b"PK\x03\x04" + bytes(100)):
        path.write_bytes(data)
        with pytest.raises(SearchDouError, match="damaged") as caught:
            Training(ScrofaSettings(**TINY, out=tmp_path, resume=True))
        assert "\n" not in str(caught.value)
        assert path.read_bytes() == data
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("wrong", "words"), [
    ({"solve": 40}, "solve must be at most 24, not 40"), ({"solve": 4}, "solve must be at least 12, not 4"),
    ({"looks": 0}, "looks must be at least 1, not 0"), ({"honest": 1.5}, "honest is a share from 0 to 1, not 1.5"),
    ({"hours": math.inf}, "hours must be a finite number, not inf"), ({"hours": 0.0}, "hours must be above 0"),
    ({"rate": math.nan}, "rate must be a finite number"), ({"reuse": -1.0}, "reuse must be at least 0, not -1.0"),
    ({"average": 1.0}, "average must be below 1"), ({"seed": -1}, "seed must be at least 0"),
    ({"checkpoint_minutes": 0.0}, "checkpoint_minutes must be above 0"), ({"deals": -5}, "deals must be at least 0"),
    ({"exam_positions": 0}, "exam_positions must be at least 1"), ({"width": 100}, "a multiple of 64 up to 4096, not 100"),
    ({"width": 1 << 20}, "a multiple of 64 up to 4096"), ({"out": Path("a,b")}, "a,b: .* where a comma ends a setting"),
])
def test_settings_that_no_training_runs_with(tmp_path, wrong, words):
    with pytest.raises(SearchDouError, match=words):
        Training(ScrofaSettings(**{**TINY, "out": tmp_path / "x", **wrong}))
    assert not list(tmp_path.iterdir())


def test_a_checkpoint_keeps_its_settings_and_is_checked(tmp_path):
    import torch
    settings = {**TINY, "out": tmp_path, "width": 64, "rate": 3e-4, "seed": 7}
    Training(ScrofaSettings(**settings, blocks=1)).run()
    kept = Training.kept_settings(tmp_path)
    assert (kept["width"], kept["rate"], kept["seed"], kept["games"]) == (64, 3e-4, 7, 16)
    assert ScrofaSettings(**kept, out=tmp_path, resume=True).blocks == 1
    with pytest.raises(SearchDouError, match="a checkpoint of nets 64 wide, not 256"):
        Training(ScrofaSettings(**TINY, out=tmp_path, resume=True))
    path = tmp_path / "checkpoint.pt"
    whole = torch.load(path, weights_only=True)
    for change, words in (({"elapsed": math.nan}, "damaged"), ({"elapsed": -1.0}, "damaged"), ({"block": -3}, "damaged"),
                          ({"curve": '[{"x": 1}]'}, "damaged .*rmse20"), ({"curve": "7"}, "damaged"),
                          ({"settings": "{"}, "damaged"), ({"name": "dmc"}, "is a checkpoint of dmc, not of scrofa")):
        torch.save({**whole, **change}, path)
        with pytest.raises(SearchDouError, match=words):
            Training(ScrofaSettings(**settings, resume=True))
    assert Training.kept_settings(tmp_path / "nothing") == {}


# --- stopped from outside -----------------------------------------------------------------------------------------------

def started(out: Path, *more: str) -> subprocess.Popen:
    words = [f"{name}={value}" for name, value in {**TINY, "checkpoint_minutes": 0.005}.items()]
    return subprocess.Popen([sys.executable, "-m", "searchdou.cli", "train", "gongzhu", "--out", str(out),
                             *(word for item in words for word in ("--set", item)), *more], cwd=HOUSE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "COLUMNS": "200"})


def saved(out: Path) -> int:
    """Games in the weights that are saved, 0 before there are any."""
    path = out / encode.ORACLE_FILE
    return int(load_weights(path, encode.OPEN).meta["games"]) if path.exists() else 0


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_stopped_training_goes_on(tmp_path, how):
    first = started(tmp_path)
    try:
        until = time.monotonic() + 240
        while saved(tmp_path) < 32:
            assert first.poll() is None, first.stderr.read()
            assert time.monotonic() < until
            time.sleep(0.2)
        first.send_signal(how)
        out, err = first.communicate(timeout=120)
    finally:
        first.kill()
    if how == signal.SIGKILL:
        assert first.returncode == -signal.SIGKILL
    else:
        assert first.returncode == 130, err
        assert "stopped and saved; go on with: searchdou train gongzhu --resume" in out
    games = saved(tmp_path)                              # a whole file, whatever happened
    assert games >= 32
    # All other settings are the checkpoint's.
    second = subprocess.Popen([sys.executable, "-m", "searchdou.cli", "train", "gongzhu", "--resume", "--out", str(tmp_path),
                               "--set", f"blocks={games // 16 + 2}"], cwd=HOUSE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    out, err = second.communicate(timeout=240)
    assert second.returncode == 0, err
    assert saved(tmp_path) == games + 32


def test_a_checkpoint_of_the_other_game_is_named(tmp_path):
    """Whatever settings it keeps."""
    import torch
    torch.save({"name": "dmc", "settings": json.dumps({"decks": 3, "width": 256})}, tmp_path / "checkpoint.pt")
    done = subprocess.run([sys.executable, "-m", "searchdou.cli", "train", "gongzhu", "--resume", "--out", str(tmp_path)],
                          cwd=HOUSE, capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "200"})
    assert done.returncode == 2
    assert "is a checkpoint of dmc, not of scrofa" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("words", "message"), [
    (["--set", "speed=3"], "unknown setting 'speed'"), (["--set", "games"], "--set takes name=value, not 'games'"),
    (["--set", "games=many"], "--set games takes int, not 'many'"), (["--resume"], "to resume from"),
    (["--hours", "0"], "training: hours must be above 0, not 0.0")])
def test_bad_words_on_the_command_line(tmp_path, words, message):
    done = subprocess.run([sys.executable, "-m", "searchdou.cli", "train", "gongzhu", "--out", str(tmp_path), *words],
                          cwd=HOUSE, capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "200"})
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
