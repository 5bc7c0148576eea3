"""The games, one folder each, all with the same names inside."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from searchdou.errors import UnknownName

GAMES = ("doudizhu", "gongzhu")


def load(name: str) -> ModuleType:
    """The module of a game, with its `Game`, `Deal`, `State`, `Move`, `InfoSet`, `dump` and `load`."""
    if name not in GAMES:
        raise UnknownName("game", name, GAMES)
    return import_module(f"searchdou.games.{name}")
