import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from searchdou.arena.stats import ci95, intransitivity, intransitivity_error, mean_se

VALUES = st.lists(st.integers(-4000, 4000).map(lambda x: x / 4), min_size=2, max_size=40).map(np.array)
pytestmark = pytest.mark.unit


@given(VALUES)
def test_intervals_are_those_of_scipy(values):
    mean, se = mean_se(values)
    assert mean == pytest.approx(values.mean())
    assert se == pytest.approx(stats.sem(values), abs=1e-12)
    low, high = ci95(values)
    if se > 0:
        expected = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
        assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-9)
    else:
        assert low == high == mean
    assert low <= mean <= high


def test_intervals_cover_the_truth():
    """Of 2,000 experiments of ten deals about 95% have the true mean in their interval, whatever the shape."""
    rng = np.random.default_rng(1)
    for draw, truth in ((rng.normal(3.0, 2.0, (2000, 10)), 3.0), (rng.uniform(0.0, 1.0, (2000, 10)), 0.5)):
        covered = np.mean([low <= truth <= high for low, high in map(ci95, draw)])
        assert 0.935 < covered < 0.965


def test_few_values():
    assert mean_se(np.array([])) == (0.0, pytest.approx(np.nan, nan_ok=True))
    assert mean_se(np.array([5.0])) == (5.0, pytest.approx(np.nan, nan_ok=True))
    assert np.isnan(ci95(np.array([5.0]))).all()          # one deal says nothing of its error
    assert ci95(np.array([5.0, 5.0])) == [5.0, 5.0]


def table(x, n):
    """An antisymmetric table from its upper half."""
    xi = np.zeros((n, n))
    xi[np.triu_indices(n, 1)] = x[:n * (n - 1) // 2]
    return xi - xi.T


def test_what_is_transitive_and_what_is_not():
    strength = np.array([5.0, 2.0, -1.0, -6.0])
    assert intransitivity(strength[:, None] - strength[None, :]) == pytest.approx(0.0)
    rock_paper_scissors = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], float)
    assert intransitivity(rock_paper_scissors) == 1.0
    assert intransitivity(np.zeros((3, 3))) == 0.0
    # The paper's Table 2: Mr. Random, Mr. If, Mr. Greed.
    assert intransitivity(table([-194.0, -275.0, -80.0], 3)) == pytest.approx(1 / (194 + 80 + 275))


@given(st.lists(st.integers(-300, 300), min_size=10, max_size=10), st.integers(3, 5), st.floats(0.01, 100))
def test_epsilon_does_not_hang_on_names_or_units(x, n, scale):
    xi = table(x, n)
    epsilon = intransitivity(xi)
    assert 0 <= epsilon <= 1
    assert intransitivity(scale * xi) == pytest.approx(epsilon)
    assert intransitivity(-xi) == pytest.approx(epsilon)
    for order in itertools.islice(itertools.permutations(range(n)), 24):
        assert intransitivity(xi[np.ix_(order, order)]) == pytest.approx(epsilon)


def test_bootstrap_error():
    """It is the spread of epsilon over experiments, it shrinks with more deals, and the same seed gives it again."""
    rng = np.random.default_rng(2)
    means = np.array([-190.0, -275.0, -80.0])

    def experiment(deals):
        xi = np.zeros((3, 3, deals))
        xi[np.triu_indices(3, 1)] = means[:, None] + rng.normal(0.0, 150.0, (3, deals))
        return xi - xi.transpose(1, 0, 2)
    small, large = experiment(64), experiment(1024)
    error = intransitivity_error(small)
    assert error == intransitivity_error(small) > 0
    assert 0 < intransitivity_error(large) < error
    spread = np.std([intransitivity(experiment(1024).mean(axis=2)) for _ in range(300)])
    assert intransitivity_error(large) == pytest.approx(spread, rel=0.75)
