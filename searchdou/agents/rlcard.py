"""`rlcard`: the rule agent that DouZero and PerfectDou measure against, run from the douzero package.

It is handed only what its seat may know. It draws from Python's global random numbers, so these are seeded
from the infoset before every move and put back afterwards.
"""

from __future__ import annotations

import random
from types import SimpleNamespace

from searchdou.errors import SearchDouError
from searchdou.games.doudizhu import InfoSet, Move

TO_DOUZERO = dict(zip("3456789TJQKA2BR", (*range(3, 15), 17, 20, 30), strict=True))


class RLCardPlayer:
    """`douzero.evaluation.rlcard_agent.RLCardAgent` behind our infoset."""

    def __init__(self, seed: int = 0) -> None:
        try:
            from douzero.evaluation.rlcard_agent import RLCardAgent
        except ImportError as error:
            raise SearchDouError(f"the agent rlcard needs the peers extra, pip install 'searchdou[peers]' ({error})"
                                 ) from None
        self.seed = seed
        self._agents = {role: RLCardAgent(role) for role in ("landlord", "landlord_down", "landlord_up")}

    def act(self, infoset: InfoSet) -> int | Move:
        if infoset.landlord is None:
            return 0
        by_cards = {tuple(_ints(move.cards)): move for move in map(Move, infoset.packed_legal())}
        recent = [move.cards for _, move in infoset.history[:-3:-1]]
        recent += [""] * (2 - len(recent))
        last_player = infoset.last_player
        request = SimpleNamespace(
            player_hand_cards=_ints(infoset.hand), last_move=_ints(infoset.to_beat.cards),
            last_two_moves=[_ints(cards) for cards in recent],
            last_pid="landlord" if last_player is None else infoset.role_of(last_player),
            legal_actions=[list(cards) for cards in by_cards])
        kept = random.getstate()
        random.seed(infoset.key ^ self.seed)
        try:
            answer = self._agents[str(infoset.role)].act(request)
        finally:
            random.setstate(kept)
        return by_cards[tuple(answer)]


def _ints(cards: str) -> list[int]:
    return [TO_DOUZERO[char] for char in cards]
