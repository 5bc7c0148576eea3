"""Who may hold what: samplers, strata, weights and beliefs over hidden cards, for any game.

The lowest layer of the house. It knows no game and imports nothing of `searchdou`; it also keeps what every compiled
file here shares: the `kernel` decorator, bit tricks, the random stream, and the stubs a game fills.

    hidden.py    the unseen cards and where they may lie; exact uniform and stratified deals, enumeration
    past.py      what has been done, and the score it gives a deal (IEC, Bayes, quantal)
    belief.py    weighted deals: effective sample size, marginals, entropy, log-loss; fewer that stand for many
"""

from inference.belief import Belief
from inference.hidden import Hidden, Impossible, Kind, Stratum
from inference.kernel import kernel
from inference.past import Past, log_weights

__all__ = ["Belief", "Hidden", "Impossible", "Kind", "Past", "Stratum", "kernel", "log_weights"]
