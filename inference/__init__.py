"""Who may hold what: samplers, strata, weights and beliefs over hidden cards, for any game.

The lowest layer of the house. It knows no game and imports nothing of `searchdou`; it also keeps what
every compiled file here shares: the `kernel` decorator, bit tricks and the random stream.
The samplers and beliefs themselves arrive with their own issue (see CHANGELOG.md).
"""

from inference.kernel import kernel

__all__ = ["kernel"]
