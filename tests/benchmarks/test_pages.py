"""The page of search budgets in RESULTS.md says what the deals packed beside it say."""

from __future__ import annotations

import gzip
import re
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from searchdou.arena.stats import half95

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
CELL = re.compile(r"([+-][\d.]+) ± ([\d.]+) \| (\d+)\*? \|")


@pytest.fixture(scope="module")
def deals(tmp_path_factory):
    """Values by deal of every match: {(agent, opponent): {number: points}}."""
    path = tmp_path_factory.mktemp("pages") / "budgets.sqlite"
    path.write_bytes(gzip.decompress((BENCHMARKS / "budgets-gongzhu.sqlite.gz").read_bytes()))
    found: dict[tuple[str, str], dict[int, float]] = {}
    opened = sqlite3.connect(path)
    for a, b, number, value in opened.execute(
            "SELECT a, b, number, (outcome_1 + outcome_2) / 2 FROM match JOIN deal ON match = id WHERE seed = '2026'"):
        found.setdefault((a, b), {})[number] = value
    opened.close()
    return found


def test_every_cell_is_the_mean_of_its_deals(deals):
    text = (BENCHMARKS / "RESULTS.md").read_text()
    page = text[text.index("## gongzhu: strength by search budget"):text.index("## Soak")]
    checked = 0
    for row in page.splitlines():
        agent = re.search(r"\| `(search:[^`]+)` \|", row)
        cells = CELL.findall(row) if agent else []
        for opponent, (mean, half, n) in zip(("greed", "net"), cells, strict=False):
            values = np.array([deals[agent[1], opponent][number] for number in range(int(n))])
            assert f"{values.mean():+.1f}" == mean
            assert f"{half95(values):.1f}" == half
            checked += 1
    assert checked == 50
