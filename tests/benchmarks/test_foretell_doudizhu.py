"""foretell_doudizhu.py: a few games, resumed, and what it refuses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

HOUSE = Path(__file__).resolve().parents[2]
SCRIPT = HOUSE / "benchmarks" / "foretell_doudizhu.py"


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, SCRIPT, "--runs", folder, "--workers", "1", "--samples", "4", *words],
                          cwd=HOUSE, capture_output=True, text=True, check=False)


def test_a_table_of_a_few_games_and_the_same_when_resumed(tmp_path):
    words = ("--side", "peasants", "--against", "random", "--model", "weights=uniform", "--model", "weights=uniform",
             "--model", "weights=quantal")
    short = run(tmp_path, "--games", "4", *words)
    assert short.returncode == 0, short.stderr
    resumed, whole = run(tmp_path, "--games", "8", *words), run(tmp_path / "other", "--games", "8", *words)
    assert resumed.stdout == whole.stdout
    assert resumed.stdout != short.stdout
    first, again, other = [line.split("|")[2:7] for line in whole.stdout.splitlines() if line.startswith("| `weights")]
    assert first == again                               # the same model says the same
    assert first[2].strip() == first[4].strip() == "+0.000 ± 0.000"
    assert other != first


def test_errors_are_those_of_games(monkeypatch):
    monkeypatch.syspath_prepend(str(HOUSE / "benchmarks"))
    import foretell_doudizhu as script
    values, games = np.array([1.0, 3.0, 1.0, 3.0]), np.array([0, 1, 2, 3])
    assert script.error(values, games) == pytest.approx(np.std(values) / 2)
    assert script.error(np.repeat(values, 5), np.repeat(games, 5)) == pytest.approx(np.std(values) / 2)


@pytest.mark.parametrize(("words", "said"), [(("--games", "2"), "at least four games"),
                                            (("--model", "weights=foo"), "unknown weights of search 'foo'"),
                                            (("--against", "nobody"), "nobody")])
def test_what_it_refuses(tmp_path, words, said):
    refused = run(tmp_path, *words)
    assert refused.returncode == 1
    assert said in refused.stderr
    assert "Traceback" not in refused.stderr
