"""SearchDou: agents that play card games with hidden hands by sampling, weighing and searching them."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from searchdou import doudizhu, gongzhu
    from searchdou.agent import Agent

try:
    __version__ = version("searchdou")
except PackageNotFoundError:  # used from a folder that was never installed
    __version__ = "0+unknown"

__all__ = ["Agent", "__version__", "doudizhu", "gongzhu"]


def __getattr__(name: str) -> Any:
    """Import a game or the agents only when they are asked for: a warm start stays quick."""
    if name in ("doudizhu", "gongzhu"):
        return import_module(f"searchdou.{name}")
    if name == "Agent":
        return import_module("searchdou.agent").Agent
    raise AttributeError(f"module 'searchdou' has no attribute {name!r}")
