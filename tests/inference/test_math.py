"""e^x, ln x and sums by plain arithmetic, against the library's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference import _math_kernels as kernels
from inference.belief import FLOOR, weights_of

pytestmark = pytest.mark.unit
EPSILON = 2.0 ** -52


@given(st.floats(-700, 700))
def test_exp_is_within_a_few_units_of_the_last_place(x):
    assert kernels.exp(x) == pytest.approx(math.exp(x), rel=4 * EPSILON, abs=0)


@given(st.floats(1e-300, 1e300))
def test_log_is_within_a_few_units_of_the_last_place(x):
    assert kernels.log(x) == pytest.approx(math.log(x), rel=4 * EPSILON, abs=4 * EPSILON)


@given(st.floats(-50, 50))
def test_log_undoes_exp(x):
    assert kernels.log(kernels.exp(x)) == pytest.approx(x, rel=1e-14, abs=1e-14)


def test_what_is_known_exactly():
    assert kernels.exp(0.0) == 1.0
    assert kernels.log(1.0) == 0.0
    assert kernels.exp(-1e9) == 0.0
    assert kernels.exp(float("nan")) == 0.0
    assert [kernels.log(2.0 ** k) for k in (1, 10)] == [math.log(2.0), 10 * math.log(2.0)]
    assert kernels.logs(np.array([1.0, 4.0])).tolist() == [0.0, kernels.log(4.0)]


@given(st.floats(-6, 20))
def test_erfc_is_the_librarys(x):
    assert kernels.erfc(x) == pytest.approx(math.erfc(x), rel=1e-10, abs=1e-200)


@given(st.floats(-5, 5), st.floats(0.01, 10))
def test_the_gain_of_a_normal_is_its_integral(mean, deviation):
    z = mean / deviation
    wanted = deviation * (math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi) - 0.5 * z * math.erfc(z / math.sqrt(2)))
    assert kernels.normal_gain(mean, deviation) == pytest.approx(wanted, rel=1e-6, abs=1e-9 * deviation)


@given(st.lists(st.floats(-40, 40), min_size=1, max_size=50))
def test_weights_are_those_of_numpy_to_the_last_bits(scores):
    logs = np.array(scores)
    naive = np.maximum(np.exp(logs - logs.max()), FLOOR)
    np.testing.assert_allclose(weights_of(logs), naive / naive.sum(), rtol=1e-13)
