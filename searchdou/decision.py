"""`Decision`: a move and the evidence for it; the command line draws this object, and so may anyone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from inference.belief import Belief
from mcts.root import Estimate


@dataclass(frozen=True, eq=False)
class Decision:
    """What was chosen, what every candidate is worth, and what is believed about every hidden card."""

    action: Any                      # a Move, or a bid
    values: dict[Any, Estimate]      # points for the side that acts: weighted mean, standard error, deals looked at
    belief: Belief | None            # None when nothing is hidden or there was nothing to choose
    line: tuple[Any, ...]            # the play that is expected on the likeliest deal, the action first
    seconds: float
    deals: int = 0                   # deals searched; the belief is of all that were weighed, which may be more
    simulations: int = 0
    solved: int = 0                  # endings solved exactly

    @property
    def ess(self) -> float:
        """Effective sample size of the belief; 0 when there is none."""
        return self.belief.ess if self.belief else 0.0

    def ranked(self) -> list[tuple[Any, Estimate]]:
        """Candidates, the chosen one first, then by how long they lasted and what they are worth."""
        return sorted(self.values.items(), key=lambda item: (item[0] != self.action, -item[1].visits,
                                                             -item[1].mean if item[1].visits else 0.0))
