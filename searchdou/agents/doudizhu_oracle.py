"""`oracle`: cheats. It is shown all hands and plays what the open-card nets value highest: a ceiling, never an opponent."""

from __future__ import annotations

from typing import Any

import numpy as np

from searchdou.agents.doudizhu_net import Bidder
from searchdou.errors import SearchDouError, check_shares
from searchdou.games.doudizhu import Move, State, encode
from searchdou.games.doudizhu import _net_kernels as kernels
from searchdou.games.doudizhu._kernels import MAX_MOVES, legal
from searchdou.nets._net_kernels import best_of


class OraclePlayer:
    """One evaluation a legal move with all hands known; it bids like `net`, from its own hand."""

    sees_all_hands = True

    def __init__(self, nets: str = "", mix: float = 0.5, seed: int = 0) -> None:
        check_shares("oracle", {"mix": mix})
        self.leaf = encode.oracle_in(nets, mix)
        self.bidder = Bidder(encode.blueprint_in(nets), "net", 1, seed)
        self._out, self._q = np.empty(MAX_MOVES, np.int64), np.empty(MAX_MOVES)

    def act(self, infoset: Any) -> Move:
        raise SearchDouError("oracle is shown all hands: it plays in matches and tournaments only, as a ceiling")

    def act_open(self, state: State) -> int | Move:
        """The best action with all hands known."""
        if state.phase == "bid":
            return self.bidder.values(state.infoset()).best
        n = int(legal(state.position, self._out))
        kernels.oracle_values(self.leaf, state.position, self._out, n, self._q)
        return Move(int(self._out[best_of(self._q, n)]))
