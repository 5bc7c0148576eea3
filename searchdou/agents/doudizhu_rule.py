"""`rule`: the hand-written DouDizhu player; see `_doudizhu_rule_kernels.py` for how it thinks."""

from __future__ import annotations

from searchdou.agents import _doudizhu_rule_kernels as kernels
from searchdou.games.doudizhu import InfoSet, Move
from searchdou.games.doudizhu._kernels import KIND_SHIFT


class RulePlayer:
    """Plans its hand, cooperates as a peasant, keeps its bombs. Nothing in it is random."""

    def __init__(self) -> None:
        self.weights = kernels.DEFAULTS.copy()
        self._scratch = kernels.new_scratch()

    def act(self, infoset: InfoSet) -> int | Move:
        if infoset.landlord is None:
            return int(kernels.choose_bid(infoset.packed_hand, infoset.rules.switches, infoset.packed_unseen, infoset.bid,
                                          self.weights, self._scratch))
        seat, left = infoset.seat, infoset.cards_left
        partner_led = infoset.landlord not in (seat, infoset.last_player) and infoset.last_player != seat
        seen = kernels.Seen(infoset.packed_hand, infoset.to_beat.packed >> KIND_SHIFT, infoset.rules.switches,
                            infoset.packed_unseen, partner_led, seat == infoset.landlord, left[(seat + 1) % 3],
                            left[(seat + 2) % 3], (seat + 1) % 3 == infoset.landlord)
        return Move(int(kernels.choose(seen, self.weights, self._scratch)))
