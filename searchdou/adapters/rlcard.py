"""RLCard's state: any of our agents plays in `rlcard.make("doudizhu")` as it is (`env.set_agents([...])`)."""

from __future__ import annotations

from typing import Any

from searchdou.adapters._doudizhu import infoset_of, nearest
from searchdou.errors import BadInfoSet
from searchdou.games.doudizhu import Move, rule_set


def from_rlcard(state: dict[str, Any]) -> tuple[Any, Any]:
    """Our infoset, and the way from our move to RLCard's string ('pass' for a pass)."""
    try:
        raw = state["raw_obs"]
        plays = ["" if cards == "pass" else cards for _, cards in raw["trace"]]
        ours = infoset_of(rule_set("rlcard"), int(raw["self"]), raw["current_hand"], raw["seen_cards"], plays)
        legal = {"" if cards == "pass" else cards for cards in raw["actions"]}
        sorted_legal = {"".join(sorted(cards, key=_ORDER.index)): cards for cards in legal}
    except (KeyError, TypeError, ValueError) as error:
        raise BadInfoSet(f"this is no RLCard state of doudizhu: {error!r}") from None

    def back(move: Move) -> str:
        return _rlcard_order(nearest(move, sorted_legal), legal) or "pass"
    return ours, back


_ORDER = "3456789TJQKA2BR"


def _rlcard_order(cards: str, legal: set[str]) -> str:
    """RLCard writes the main part of some moves first: find its spelling of the same cards."""
    return next((spelling for spelling in legal if sorted(spelling) == sorted(cards)), cards)
