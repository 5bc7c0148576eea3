"""Open-card tree search, rollouts, exact solvers and the average over samples, for any game.

It knows no game and imports nothing of `searchdou`; a game fills the stubs of `inference._game_kernels`.

    _tree_kernels.py     UCT and PUCT: select, expand, evaluate, back up
    _solver_kernels.py   the exact value of an ending: alpha-beta with a transposition table
    _root_kernels.py     candidates valued on sampled deals; information-set search
    root.py              samples x candidates, weighted means with errors, sequential halving, threads, deadlines
"""

from mcts.root import Estimate, InformationSetRoot, Limit, Root, RootResult, Samples

__all__ = ["Estimate", "InformationSetRoot", "Limit", "Root", "RootResult", "Samples"]
