"""`random`: any legal action, all equally likely. For both games."""

from __future__ import annotations

from typing import Any

from inference._rng_kernels import below, stream


class RandomPlayer:
    """Chooses uniformly; the choice depends on the seed and on what the seat knows, and on nothing else."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def act(self, infoset: Any) -> Any:
        actions = infoset.legal_actions()
        return actions[below(stream(self.seed, infoset.key), len(actions))]
