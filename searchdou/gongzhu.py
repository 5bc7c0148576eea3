"""Gongzhu by its short name: `from searchdou.gongzhu import Game`."""

from searchdou.games.gongzhu import *  # noqa: F403
from searchdou.games.gongzhu import __all__ as __all__
