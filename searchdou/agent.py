"""`Agent`: a player named by a spec, for a game named by its name."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from searchdou import adapters, agents, games
from searchdou.errors import IllegalAction, SearchDouError

if TYPE_CHECKING:
    from searchdou.decision import Decision


class Agent:
    """Plays one seat: `act` takes what the seat may know and returns what it does.

    Threads may share an agent: it thinks about one decision at a time, the others wait. For decisions side by side make
    one agent a thread. Pickled, an agent is what it was made from.

    >>> from searchdou import doudizhu
    >>> state = doudizhu.Game(bidding=False).deal(seed=1)
    >>> Agent("doudizhu", "rule").act(state.infoset()) in state.legal_actions()
    True
    """

    def __init__(self, game: str, spec: str, seed: int = 0) -> None:
        self.game, self.spec, self.seed = game, spec, seed
        self._infoset_type = games.load(game).InfoSet
        self.player = agents.make(game, spec, seed)
        self._thinking = threading.Lock()        # players write into scratch of their own, without the GIL

    def __reduce__(self) -> tuple[Any, ...]:
        return Agent, (self.game, self.spec, self.seed)

    def act(self, infoset: Any) -> Any:
        """The move, or the bid while bidding, of the seat that `infoset` belongs to.

        Takes our InfoSet, and for DouDizhu also DouZero's infoset (answers its list of ints) and RLCard's state
        (answers its string).
        """
        ours, back = self._ours(infoset)
        with self._thinking:
            return back(self.player.act(ours))

    def analyze(self, infoset: Any) -> Decision:
        """The move with the evidence for it; agents that give none say so by an empty `values`."""
        ours, _ = self._ours(infoset)
        with self._thinking:
            if hasattr(self.player, "analyze"):
                return self.player.analyze(ours)  # type: ignore[no-any-return]
            from searchdou.decision import Decision
            began = time.perf_counter()
            action = self.player.act(ours)
            return Decision(action, {}, None, (action,), time.perf_counter() - began)

    # RLCard's agents have these three.
    use_raw = True

    def step(self, state: Any) -> Any:
        """RLCard's name for `act`."""
        return self.act(state)

    def eval_step(self, state: Any) -> tuple[Any, dict[str, Any]]:
        """RLCard's `act` with information beside it."""
        return self.act(state), {}

    def _ours(self, infoset: Any) -> tuple[Any, Any]:
        """Our infoset, checked, and the way back for an action."""
        back: Callable[[Any], Any] = _same
        if not isinstance(infoset, self._infoset_type):
            adapted = adapters.adapt(self.game, infoset)
            if adapted is None:
                raise SearchDouError(f"a {self.game} agent acts on a {self.game} InfoSet, not on {type(infoset).__name__}")
            infoset, back = adapted
        if infoset.is_over:
            raise IllegalAction("the game is over")
        if infoset.turn != infoset.seat:
            raise IllegalAction(f"seat {infoset.turn} is to act, not seat {infoset.seat}")
        return infoset, back


def _same(action: Any) -> Any:
    return action
