"""`net`: the blueprint alone, one evaluation a legal card, from what the seat sees: microseconds a move."""

from __future__ import annotations

from inference._rng_kernels import stream
from searchdou.errors import check_shares
from searchdou.games.gongzhu import InfoSet, Move, encode
from searchdou.games.gongzhu import _net_kernels as kernels
from searchdou.games.gongzhu._kernels import Position


def seen_by(infoset: InfoSet) -> Position:
    """The position with all unseen cards in the next hand: averaged features look at their union only."""
    position = infoset.seen_position()
    nobody = ("hand0", "hand1", "hand2", "hand3")[(infoset.seat + 1) % 4]
    return position._replace(**{nobody: infoset.packed_unseen})


class NetPlayer:
    """Plays the card the net values highest; `nets` is the folder of its weights, without it the shipped ones."""

    def __init__(self, nets: str = "", noise: float = 0.0, seed: int = 0) -> None:
        check_shares("net", {"noise": noise})
        self.policy = encode.blueprint_in(nets, noise)
        self.seed = seed
        self._out = encode.moves_scratch()

    def act(self, infoset: InfoSet) -> Move:
        return Move(int(kernels.blueprint_choice(self.policy, seen_by(infoset), stream(self.seed, infoset.key), self._out)))
