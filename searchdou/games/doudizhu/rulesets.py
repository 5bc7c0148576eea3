"""Named rule sets of DouDizhu, as data: what engines disagree about, one field each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from searchdou.errors import UnknownName
from searchdou.games.doudizhu import _kernels


@dataclass(frozen=True)
class RuleSet:
    """Which kickers, which extra combinations, and what a game is worth.

    Kickers never share a rank with the main part in any of them.
    """

    name: str
    both_jokers: bool = False       # the two jokers may ride together as kickers
    quad_kickers: bool = False      # four of a kind may serve as four solo kickers
    extending_trios: bool = False   # a trio that would lengthen a plane may serve as its three solo kickers
    paired_solos: bool = True       # solo kickers may repeat a rank
    quad_two: bool = True           # four of a kind with two solos or two pairs
    quad_chains: bool = False       # 33334444, alone, with four solos or with four pairs; not a bomb
    bid_stake: bool = True          # the stake begins at the bid, else at 1
    bombs_double: bool = True
    spring_doubles: bool = True
    forced_landlord: bool = False   # when all pass seat 0 is landlord at stake 1, else the deal is a draw
    landlord_twice: bool = True     # the landlord wins or loses twice the stake

    @cached_property
    def switches(self) -> int:
        """The fields as the compiled rules read them."""
        pairs = ((self.both_jokers, _kernels.BOTH_JOKERS), (self.quad_kickers, _kernels.QUAD_KICKERS),
                 (self.extending_trios, _kernels.EXTENDING_TRIOS), (self.paired_solos, _kernels.PAIRED_SOLOS),
                 (self.quad_two, _kernels.QUAD_TWO), (self.quad_chains, _kernels.QUAD_CHAINS),
                 (self.bid_stake, _kernels.BID_STAKE), (self.bombs_double, _kernels.BOMBS_DOUBLE),
                 (self.spring_doubles, _kernels.SPRING_DOUBLES), (self.forced_landlord, _kernels.FORCED_LANDLORD),
                 (self.landlord_twice, _kernels.LANDLORD_TWICE))
        return sum(bit for on, bit in pairs if on)


RULE_SETS: dict[str, RuleSet] = {rules.name: rules for rules in (
    RuleSet("standard"),
    RuleSet("rlcard", bid_stake=False, bombs_double=False, landlord_twice=False),
    RuleSet("douzero", both_jokers=True, quad_kickers=True, extending_trios=True, bid_stake=False,
            spring_doubles=False),
    RuleSet("openspiel", extending_trios=True, quad_two=False),
    RuleSet("botzone", both_jokers=True, paired_solos=False, quad_chains=True, forced_landlord=True),
)}


def rule_set(rules: str | RuleSet) -> RuleSet:
    """The rule set of that name; a RuleSet passes through.

    >>> rule_set("standard").quad_two
    True
    """
    if isinstance(rules, RuleSet):
        return rules
    try:
        return RULE_SETS[rules]
    except (KeyError, TypeError):
        raise UnknownName("rule set", rules, RULE_SETS) from None
