"""`oracle`: cheats. It is shown all hands and searches them: a ceiling for tables, never an opponent for anyone.

Every other agent is given an InfoSet. The arena hands the open state only to players that say `sees_all_hands`, and this
is the only one that does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mcts._root_kernels import Plan
from mcts.root import Limit, Root, Samples
from searchdou.errors import SearchDouError
from searchdou.games.gongzhu import Move, State, encode


class OraclePlayer:
    """Searches the true hands: a tree of `sims` simulations a card with the open-card net, solved at `solve` cards."""

    sees_all_hands = True

    def __init__(self, sims: int = 1000, c: float = 20.0, solve: int = 24, nets: str = "", seed: int = 0) -> None:
        if sims < 1:
            raise SearchDouError(f"oracle needs at least one simulation, not {sims}")
        if not c >= 0 or solve < 0:
            raise SearchDouError(f"oracle: c and solve must be at least 0, not {c} and {solve}")
        self.seed = seed
        plan = Plan(1, sims, c, 0.0, solve, 2_000_000, True)
        self._root = Root(plan, lambda: encode.oracle_in(nets), lambda: encode.oracle_in(nets), most_moves=1024)

    def act(self, infoset: Any) -> Move:
        raise SearchDouError("oracle is shown all hands: it plays in matches and tournaments only, as a ceiling")

    def act_open(self, state: State) -> Move:
        """The best card with all hands known."""
        legal = state.legal_actions()
        if len(legal) == 1:
            return legal[0]
        p = state.position
        deal = Samples(np.array([[p.hand0, p.hand1, p.hand2, p.hand3]], np.int64), np.zeros(1), last=True)
        result = self._root.search(p, [move.card for move in legal], 1.0 if p.turn % 2 == 0 else -1.0,
                                   lambda start, n: deal, Limit(samples=1), self.seed)
        return legal[result.best]
