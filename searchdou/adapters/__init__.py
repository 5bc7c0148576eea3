"""Other projects' ways of telling a position, read into our InfoSet, and our actions told their way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Adapted = tuple[Any, Callable[[Any], Any]]      # (our infoset, our action -> their action)


def adapt(game: str, position: Any) -> Adapted | None:
    """Our infoset of a foreign position and the way back; None when it is none that we know."""
    if game != "doudizhu":
        return None
    if hasattr(position, "player_position") and hasattr(position, "card_play_action_seq"):
        from searchdou.adapters.douzero import from_douzero
        return from_douzero(position)
    if isinstance(position, dict) and "raw_obs" in position:
        from searchdou.adapters.rlcard import from_rlcard
        return from_rlcard(position)
    return None
