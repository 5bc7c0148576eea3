"""`rule`: the hand-written DouDizhu player; see `_doudizhu_rule_kernels.py` for how it thinks."""

from __future__ import annotations

from searchdou.agents import _doudizhu_rule_kernels as kernels
from searchdou.games.doudizhu import InfoSet, Move
from searchdou.games.doudizhu._kernels import KIND_SHIFT

# Prices of a 17-card hand up to which it bids 3, 2, 1; set by benchmarks/tune_rule.py.
BID_PRICES = (1.0, 1.6, 2.2)


class RulePlayer:
    """Plans its hand, cooperates as a peasant, keeps its bombs. Nothing in it is random."""

    def __init__(self) -> None:
        self.weights = kernels.DEFAULTS.copy()

    def act(self, infoset: InfoSet) -> int | Move:
        if infoset.landlord is None:
            return self._bid(infoset)
        seat, left = infoset.seat, infoset.cards_left
        partner_led = infoset.landlord not in (seat, infoset.last_player) and infoset.last_player != seat
        return Move(int(kernels.choose(
            infoset.packed_hand, infoset.to_beat.packed >> KIND_SHIFT, infoset.rules.switches, infoset.packed_unseen,
            partner_led, seat == infoset.landlord, left[(seat + 1) % 3], left[(seat + 2) % 3],
            (seat + 1) % 3 == infoset.landlord, self.weights)))

    def _bid(self, infoset: InfoSet) -> int:
        price = kernels.hand_price(infoset.packed_hand, infoset.rules.switches, infoset.packed_unseen, self.weights)
        bid = sum(price <= limit for limit in BID_PRICES)
        return bid if bid > infoset.bid else 0
