"""What the DouDizhu adapters share: an infoset from a hand, the cards played, and what is left of the public cards."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from searchdou.errors import BadInfoSet, SearchDouError
from searchdou.games.doudizhu import InfoSet, Move, RuleSet, parse_move
from searchdou.games.doudizhu.cards import RANKS, pack, unpack


def infoset_of(rules: RuleSet, seat: int, hand: str, public: str, plays: Sequence[str]) -> InfoSet:
    """The infoset of `seat` (0 is the landlord) after `plays` in order from the landlord, '' a pass.

    Both engines take a public card away once the landlord has played one of its rank, so `public` may hold fewer
    than three; the missing ones are ranks the landlord has played, those first of which some are still public.
    """
    history: list[tuple[int, Move]] = []
    for number, cards in enumerate(plays):
        to_beat = next((move for _, move in history[:-3:-1] if move), None)
        history.append((number % 3, _read(cards, rules, to_beat)))
    played = "".join(move.cards for player, move in history if player == 0)
    played = "".join(sorted(played, key=lambda card: card not in public))
    missing = 3 - len(public)
    fill = played[:missing] + played[:1] * max(0, missing - len(played))
    if missing < 0 or (missing and not fill):
        raise BadInfoSet(f"three public cards are needed, not {public!r}")
    held = len(hand) + sum(len(move.cards) for player, move in history if player == seat)
    if held != (20 if seat == 0 else 17):
        raise BadInfoSet(f"{len(hand)} cards in hand and {held - len(hand)} played: "
                         f"{'the landlord has 20' if seat == 0 else 'a peasant has 17'} in all")
    # Their engines have judged the history already, by their own reading of doubtful planes: it is not judged again.
    return InfoSet.trusted(seat=seat, hand=unpack(pack(hand)), rules=rules, landlord=0, public=unpack(pack(public + fill)),
                           first=0, bids=(), history=tuple(history))


def _read(cards: str, rules: RuleSet, to_beat: Move | None) -> Move:
    try:
        return parse_move(cards, rules, to_beat)
    except SearchDouError as error:
        raise BadInfoSet(f"a move of the history cannot be read: {error}") from None


def nearest(action: Move, legal: Collection[str]) -> str:
    """The cards of the action, or, where the other engine does not allow them, the most modest ones it does allow."""
    if not legal:
        raise BadInfoSet("the position has no legal actions")
    if action.cards in legal:
        return action.cards
    return "" if "" in legal else min(legal, key=lambda cards: (len(cards), RANKS.index(cards[0])))
