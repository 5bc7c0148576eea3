"""DouDizhu: everything a caller needs, in one place; it stands in `searchdou.games.doudizhu`."""

from searchdou.games.doudizhu import *  # noqa: F403
from searchdou.games.doudizhu import __all__ as __all__
