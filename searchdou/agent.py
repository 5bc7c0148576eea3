"""`Agent`: a player named by a spec, for a game named by its name."""

from __future__ import annotations

from typing import Any

from searchdou import agents, games
from searchdou.errors import IllegalAction, SearchDouError


class Agent:
    """Plays one seat: `act` takes what the seat may know and returns what it does.

    >>> from searchdou import doudizhu
    >>> state = doudizhu.Game(bidding=False).deal(seed=1)
    >>> Agent("doudizhu", "rule").act(state.infoset()) in state.legal_actions()
    True
    """

    def __init__(self, game: str, spec: str, seed: int = 0) -> None:
        self.game, self.spec = game, spec
        self._infoset_type = games.load(game).InfoSet
        self.player = agents.make(game, spec, seed)

    def act(self, infoset: Any) -> Any:
        """The move, or the bid while bidding, of the seat that `infoset` belongs to."""
        self._check(infoset)
        return self.player.act(infoset)

    def _check(self, infoset: Any) -> None:
        if not isinstance(infoset, self._infoset_type):
            raise SearchDouError(f"a {self.game} agent acts on a {self.game} InfoSet, not on {type(infoset).__name__}")
        if infoset.is_over:
            raise IllegalAction("the game is over")
        if infoset.turn != infoset.seat:
            raise IllegalAction(f"seat {infoset.turn} is to act, not seat {infoset.seat}")
