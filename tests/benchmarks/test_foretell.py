"""What foretells a game: the pairs are what they say, and the tables tell a good leaf from a bad one."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))      # its scripts share code among themselves

import foretell


def test_a_pair_is_the_same_twice_and_its_line_ends_with_the_game():
    options = SimpleNamespace(player="net", seed=5, nets="")
    row = foretell.pair_of_leaves(options, 3)
    assert row == pytest.approx(foretell.pair_of_leaves(options, 3), nan_ok=True)
    rows = np.array([foretell.pair_of_leaves(options, number) for number in range(40)])
    played = rows[:, 5 + 2 * foretell.LONG]                                # after two nets' values along the line
    assert (rows[:, 1] == played).all()                                    # played on by `net`, as the line is
    late = rows[rows[:, 0] >= 52 - foretell.LONG]
    assert len(late) > 5
    assert (late[:, 1] == late[:, 3 + foretell.LONG]).all()
    assert (late[:, 1] == late[:, 4 + 2 * foretell.LONG]).all()
    assert not np.isnan(late[:, 2]).any()


def test_the_nearer_leaf_is_told():
    truth = np.random.default_rng(1).normal(0, 100, 2000)
    noise = np.random.default_rng(2).normal(0, 100, (2, 2000))
    good, bad = truth + 0.5 * noise[0], truth + noise[1]
    mean, error = (float(word.replace(",", "")) for word in foretell.nearer(good, bad, truth).split(" ± "))
    assert 6000 < mean < 9000
    assert error < 500
    row = foretell.row_of("good", good, np.full(2000, 5.0), truth, bad)
    assert 0.85 < float(row[1]) < 0.93
    assert row[1] == row[-2]


def test_means_along_a_line():
    said = np.arange(foretell.LONG + 1.0)
    found = foretell.leaves(np.concatenate([[30.0, 1.0, 4.0], 3 * said, said, [50.0], 2 * said, [60.0]])[None])
    assert found["oracle after 5 cards"] == 5.0
    assert found["critic after 5 cards"] == 15.0
    assert found["played out by the blueprint"] == 50.0
    fading = found["oracle, fade 0.85 over 8 cards"][0]
    assert fading == pytest.approx(np.average(said[:9], weights=0.85 ** said[:9]))
    assert found["critic, fade 0.85 over 8 cards"] == pytest.approx(3 * fading)
    assert found["half exact, half oracle"] == pytest.approx((4.0 + fading) / 2)
    assert found["half of both lines of the oracle"] == pytest.approx(1.5 * fading)
    assert found["half of that, half by open cards"] == pytest.approx(2 * fading)
    assert found["half exact, rest as above"] == pytest.approx(2.0 + fading)
