"""The `kernel` decorator: compiled once, kept on disk, and never stale. Each run is a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HOUSE = Path(__file__).resolve().parent.parent

CALLEE = """
from inference.kernel import kernel

@kernel
def price(n: int) -> int:
    return {price} * n
"""
CALLER = """
from inference.kernel import kernel
from shop._price_kernels import price

@kernel
def total(n: int) -> int:
    return price(n) + 1
"""
# Prints the answer and, for caller and callee, how often compiled code came from the disk or had to be made.
MAIN = """
import sys
from shop._kernels import total
answer = total(10)
stats = getattr(total, "stats", None)
print(answer, sum(stats.cache_hits.values()) if stats else "-", sum(stats.cache_misses.values()) if stats else "-")
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A package with kernels in two files, the caller in one and the callee in the other."""
    package = tmp_path / "shop"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "_kernels.py").write_text(CALLER)
    (package / "_price_kernels.py").write_text(CALLEE.format(price=3))
    return tmp_path


def run(folder: Path, code: str = MAIN, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `code` in a fresh process that keeps its compiled kernels in `folder`."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    paths = os.pathsep.join((str(folder), str(HOUSE)))
    environment = {**clean, "NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": paths, **environment}
    return subprocess.run([sys.executable, "-c", code], env=environment, cwd=folder, capture_output=True, text=True,
                          check=False)


def answer(folder: Path, **environment: str) -> tuple[int, int, int]:
    """(answer, cache hits, cache misses) of a run that must succeed."""
    done = run(folder, **environment)
    assert done.returncode == 0, done.stderr
    value, hits, misses = done.stdout.split()
    return int(value), int(hits), int(misses)


def test_the_second_run_comes_from_the_cache_and_an_edit_retires_it(shop):
    assert answer(shop) == (31, 0, 1)
    assert answer(shop) == (31, 1, 0)
    # Only the callee's file changes; Numba's own cache would go on saying 31.
    (shop / "shop" / "_price_kernels.py").write_text(CALLEE.format(price=7))
    assert answer(shop) == (71, 0, 1)
    assert answer(shop) == (71, 1, 0)


def test_bounds_checks_have_a_cache_entry_of_their_own(shop):
    assert answer(shop) == (31, 0, 1)
    assert answer(shop, NUMBA_BOUNDSCHECK="1") == (31, 0, 1)
    assert answer(shop, NUMBA_BOUNDSCHECK="1") == (31, 1, 0)
    assert answer(shop) == (31, 1, 0)


def test_a_new_kernel_file_anywhere_in_the_package_retires_the_cache(shop):
    assert answer(shop) == (31, 0, 1)
    deeper = shop / "shop" / "deeper"
    deeper.mkdir()
    (deeper / "_kernels.py").write_text("")
    assert answer(shop) == (31, 0, 1)


def test_other_files_do_not_retire_the_cache(shop):
    assert answer(shop) == (31, 0, 1)
    (shop / "shop" / "plain.py").write_text("x = 1")
    assert answer(shop) == (31, 1, 0)


def test_progress_is_one_line_and_only_when_something_compiles(shop):
    first = run(shop)
    assert first.stderr.count("\n") == 1
    assert "compiling kernels, once" in first.stderr
    assert "shop." in first.stderr
    assert "\r" not in first.stderr       # no terminal, no redrawing
    assert run(shop).stderr == ""


def test_without_the_jit_a_kernel_is_the_plain_function(shop):
    code = MAIN + "import types\nassert isinstance(total, types.FunctionType)\n"
    done = run(shop, code, NUMBA_DISABLE_JIT="1")
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, ["31", "-", "-"], "")
    assert not (shop / "cache").exists()


@pytest.mark.parametrize("name", ["prices.py", "kernels.py", "_kernel.py"])
@pytest.mark.parametrize("jit", ["0", "1"])
def test_a_kernel_in_another_file_is_refused(shop, name, jit):
    (shop / "shop" / name).write_text(CALLEE.format(price=3))
    done = run(shop, f"import shop.{name.removesuffix('.py')}", NUMBA_DISABLE_JIT=jit)
    assert done.returncode == 1
    assert f"TypeError: kernel price stands in {name}; kernels live in files named _kernels.py" in done.stderr


RECURSIVE = """
import faulthandler
faulthandler.enable()
import numpy as np
from searchdou.games.doudizhu import _kernels, min_plays
from searchdou.games.doudizhu.cards import pack
rooms = np.empty((4, _kernels.MAX_MOVES), np.int64)
print(_kernels.perft(_kernels.start(pack("345"), pack("34"), pack("56"), 0, 0, 0, 0), 3, rooms), min_plays("3334445566788"))
"""


def test_recursive_kernels_come_back_from_the_cache(tmp_path):
    # Numba keeps an unresolved symbol for a callee that was still being compiled (numba#6061): a kernel that calls
    # itself through another one works in the process that compiles it and crashes in the next.
    first, second = run(tmp_path, RECURSIVE), run(tmp_path, RECURSIVE)
    assert (first.returncode, first.stdout) == (0, "11 3\n"), first.stderr
    assert (second.returncode, second.stdout) == (0, "11 3\n"), second.stderr[:500]


def test_processes_that_start_together_compile_once(shop):
    """The second waits for the first: of three at once, one compiles and the others find it on the disk."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    environment = {**clean, "NUMBA_CACHE_DIR": str(shop / "cache"), "PYTHONPATH": os.pathsep.join((str(shop), str(HOUSE)))}
    started = [subprocess.Popen([sys.executable, "-c", MAIN], env=environment, cwd=shop, stdout=subprocess.PIPE, text=True)
               for _ in range(3)]
    answers = sorted(tuple(map(int, process.communicate(timeout=120)[0].split())) for process in started)
    assert answers == [(31, 0, 1), (31, 1, 0), (31, 1, 0)]
    assert not list((shop / "cache").rglob("*.lock"))


def test_a_process_that_dies_while_compiling_holds_nobody_up(shop):
    """Its claim goes with it."""
    killed = MAIN.replace("answer = total(10)", "import os\nk = sys.modules['inference.kernel']\n"
                          "k._Files.save = lambda *_: os._exit(9)\nanswer = total(10)")
    assert run(shop, killed).returncode == 9
    assert list((shop / "cache").rglob("*.lock"))
    assert answer(shop) == (31, 0, 1)
