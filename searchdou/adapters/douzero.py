"""DouZero's InfoSet: any of our agents plays in `douzero.env.game.GameEnv` as it is.

    players = {position: Agent("doudizhu", "rule") for position in ("landlord", "landlord_down", "landlord_up")}
    env = GameEnv(players)

`other_hand_cards` and `all_handcards` tell where hidden cards are; they are never read.
"""

from __future__ import annotations

from typing import Any

from searchdou.adapters._doudizhu import infoset_of, nearest
from searchdou.errors import BadInfoSet
from searchdou.games.doudizhu import ROLES, Move, rule_set

_CHARS = dict(zip((*range(3, 15), 17, 20, 30), "3456789TJQKA2BR", strict=True))


def from_douzero(infoset: Any) -> tuple[Any, Any]:
    """Our infoset, and the way from our move to DouZero's sorted list of ints."""
    try:
        seat = ROLES.index(infoset.player_position)
        ours = infoset_of(rule_set("douzero"), seat, _text(infoset.player_hand_cards), _text(infoset.three_landlord_cards),
                          [_text(cards) for cards in infoset.card_play_action_seq])
        legal = {_text(sorted(cards)): sorted(cards) for cards in infoset.legal_actions}
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise BadInfoSet(f"this is no DouZero infoset: {error!r}") from None

    def back(move: Move) -> list[int]:
        return list(legal[nearest(move, legal)])
    return ours, back


def _text(cards: list[int]) -> str:
    return "".join(_CHARS[card] for card in cards)
