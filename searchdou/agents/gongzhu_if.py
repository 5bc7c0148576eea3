"""`if`: Mr. If of the ScrofaZero paper, rules of thumb a person would give (8.2)."""

from __future__ import annotations

from searchdou.agents import _gongzhu_kernels as kernels
from searchdou.games.gongzhu import InfoSet, Move
from searchdou.games.gongzhu._kernels import RANKS


class IfPlayer:
    """Ducks points, drives the pig out, throws it under a king; nothing in it is random."""

    def act(self, infoset: InfoSet) -> Move:
        trick = [(seat, move.card) for seat, move in infoset.trick]
        best_seat, best = trick[0] if trick else (-1, -1)
        for seat, card in trick[1:]:
            if card > best and card // RANKS == best // RANKS:
                best_seat, best = seat, card
        lying = sum(1 << card for _, card in trick)
        return Move(int(kernels.if_card(
            infoset.packed_hand, infoset.packed_legal, lying, best, len(trick),
            best_seat == (infoset.seat + 2) % 4, infoset.packed_unseen)))
