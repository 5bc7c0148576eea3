"""House rules that a machine can check: who may import whom, what playing needs, where kernels stand."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HOUSE = Path(__file__).resolve().parent.parent
PACKAGES = ("inference", "mcts", "searchdou")
KERNEL_FILE = re.compile(r"_([a-z0-9_]+_)?kernels\.py")


def sources(*packages: str) -> list[Path]:
    return [path for package in packages for path in sorted((HOUSE / package).rglob("*.py"))]


def imported(path: Path) -> Iterator[str]:
    """Every module a file imports, at any depth of its code."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


def decorators(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef):
            yield from (ast.unparse(decorator) for decorator in node.decorator_list)


def named(path: Path) -> str:
    return str(path.relative_to(HOUSE))


def test_there_is_something_to_check():
    assert all(sources(package) for package in PACKAGES)
    assert "inference.kernel" in set(imported(HOUSE / "inference" / "_rng_kernels.py"))
    assert "kernel" in set(decorators(HOUSE / "inference" / "_rng_kernels.py"))


@pytest.mark.parametrize("path", sources("inference", "mcts"), ids=named)
def test_the_lower_layers_do_not_know_the_games(path):
    assert not [module for module in imported(path) if module.split(".")[0] == "searchdou"]


@pytest.mark.parametrize("path", sources("inference"), ids=named)
def test_inference_is_the_lowest_layer(path):
    assert not [module for module in imported(path) if module.split(".")[0] == "mcts"]


@pytest.mark.parametrize("path", sources(*PACKAGES), ids=named)
def test_kernels_stand_in_kernel_files_and_are_made_by_the_decorator(path):
    used = set(decorators(path))
    if any(re.search(r"\b(kernel|intrinsic|overload)\b", decorator) for decorator in used):
        assert KERNEL_FILE.fullmatch(path.name), f"{named(path)} has compiled code but is no kernel file"
    # njit on its own would use Numba's cache, which keeps stale callees; kernel.py itself wraps it.
    if path != HOUSE / "inference" / "kernel.py":
        assert not [decorator for decorator in used if re.search(r"\b(njit|jit|vectorize|guvectorize|cfunc)\b", decorator)]


@pytest.mark.parametrize("path", [path for path in sources(*PACKAGES) if "kernels" in path.name], ids=named)
def test_names_of_kernel_files(path):
    assert KERNEL_FILE.fullmatch(path.name)


PLAY = """
import sys
from searchdou.games.doudizhu import Game, dump, load
state = Game().deal(seed=1)
state.bid(3)
while not state.is_over:
    state.act(state.legal_actions()[-1])
assert load(dump(state)).winner == state.winner
print(*sorted({name.split(".")[0] for name in sys.modules}))
"""


def test_playing_needs_no_torch_and_no_peers():
    done = subprocess.run([sys.executable, "-c", PLAY], cwd=HOUSE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    modules = set(done.stdout.split())
    assert "numba" in modules
    assert not modules & {"torch", "rlcard", "douzero", "pyspiel", "open_spiel", "matplotlib", "hypothesis", "pytest",
                          "ray"}
