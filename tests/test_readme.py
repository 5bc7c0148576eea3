"""What the README and the docstrings show is run."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import inference
import mcts
import searchdou

HOUSE = Path(__file__).resolve().parent.parent
README = HOUSE / "README.md"
PEERS = {"torch", "rlcard", "douzero", "pyspiel", "open_spiel", "pettingzoo", "matplotlib", "ray"}


def blocks():
    """The ```python blocks of the README."""
    text = README.read_text() if README.exists() else ""
    return re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def modules():
    for package in (searchdou, inference, mcts):
        yield package.__name__
        yield from (found.name for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.",
                                                                 onerror=lambda name: None))


def test_the_readme_has_an_example():
    assert blocks(), "README.md shows no ```python block"


@pytest.mark.parametrize("code", blocks(), ids=lambda code: code.splitlines()[0][:40])
def test_the_readme_runs(code, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(compile(code, str(README), "exec"), {"__name__": "readme"})
    # A comment after print(...) that begins with a number is a promise of what is printed.
    promised = re.findall(r"^print\(.*\)\s*# (-?\d[\d.]*):", code, re.MULTILINE)
    printed = capsys.readouterr().out.split()
    assert all(number in printed for number in promised)


def test_links_of_the_readme_lead_somewhere():
    for link in re.findall(r"\]\((?!http)([^)#]+)", README.read_text()):
        assert (HOUSE / link).exists(), f"README.md links to {link}, which does not exist"


@pytest.mark.parametrize("name", sorted(set(modules())))
def test_doctests(name, tmp_path, monkeypatch):
    if name.endswith("__main__"):
        pytest.skip("a script")
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        if (error.name or "").split(".")[0] in PEERS:
            pytest.skip(f"needs {error.name}")
        raise
    monkeypatch.chdir(tmp_path)
    failed, _ = doctest.testmod(module)
    assert not failed
