"""Settings of every test: Hypothesis is steady (no clock, no chance between runs) and smaller when the JIT is off; results
go to a folder of the test run, never to the user's home."""

import os
import tempfile

from hypothesis import HealthCheck, settings
from numba.core import config

settings.register_profile(
    "house", deadline=None, derandomize=True, database=None, max_examples=25 if config.DISABLE_JIT else 100,
    suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")

_results = tempfile.TemporaryDirectory(prefix="searchdou-tests-")     # gone at the end
os.environ["SEARCHDOU_STORE"] = os.path.join(_results.name, "results.sqlite")
