"""The pages of search budgets in RESULTS.md say what the deals packed beside them say."""

from __future__ import annotations

import gzip
import re
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from searchdou.arena.stats import half95

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
CELL = re.compile(r"([+-]?[\d.]+) ± ([\d.]+) \| (\d+)\*? \|")
POINTS, WON = "(outcome_1 + outcome_2) / 2", "((outcome_1 > 0) + (outcome_2 > 0)) / 2.0"


def deals_of(game: str, value: str, folder: Path) -> dict[tuple[str, str], dict[int, float]]:
    """Values by deal of every match: {(agent, opponent): {number: value}}."""
    path = folder / "budgets.sqlite"
    path.write_bytes(gzip.decompress((BENCHMARKS / f"budgets-{game}.sqlite.gz").read_bytes()))
    found: dict[tuple[str, str], dict[int, float]] = {}
    opened = sqlite3.connect(path)
    for a, b, number, worth in opened.execute(
            f"SELECT a, b, number, {value} FROM match JOIN deal ON match = id WHERE seed = '2026'"):
        found.setdefault((a, b), {})[number] = worth
    opened.close()
    return found


@pytest.mark.parametrize(("game", "fixed", "value", "form", "cells"), [
    ("gongzhu", "greed", POINTS, ("+.1f", ".1f"), 50), ("doudizhu", "rule", WON, (".3f", ".3f"), 50)])
def test_every_cell_is_the_mean_of_its_deals(game, fixed, value, form, cells, tmp_path):
    deals = deals_of(game, value, tmp_path)
    text = (BENCHMARKS / "RESULTS.md").read_text()
    page = text.split(f"## {game}: strength by search budget")[1].split("\n## ")[0]
    checked = 0
    for row in page.splitlines():
        agent = re.search(r"\| `(search:[^`]+)` \|", row)
        for opponent, (mean, half, n) in zip((fixed, "net"), CELL.findall(row) if agent else [], strict=False):
            values = np.array([deals[agent[1], opponent][number] for number in range(int(n))])
            assert f"{values.mean():{form[0]}}" == mean
            assert f"{half95(values):{form[1]}}" == half
            checked += 1
    assert checked == cells
