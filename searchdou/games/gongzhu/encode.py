"""What the nets of Gongzhu see: features of a position, open or as one seat knows it (`_encode_kernels` says how)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from searchdou.games.gongzhu import _encode_kernels as kernels
from searchdou.games.gongzhu._kernels import Position
from searchdou.games.gongzhu._net_kernels import Blueprint, Judges, Oracle, Seer
from searchdou.nets import Kind, Sizes, Weights, random_weights
from searchdou.nets.files import WIDTH, kept

FEATURES, VERSION = kernels.FEATURES, kernels.VERSION
OPEN = Kind("gongzhu", "open", FEATURES, VERSION)
AVERAGED = Kind("gongzhu", "averaged", FEATURES, VERSION)
CRITIC = Kind("gongzhu", "open, honest play", FEATURES, VERSION)
FILES = ORACLE_FILE, CRITIC_FILE, BLUEPRINT_FILE = (
    "gongzhu-oracle.safetensors", "gongzhu-critic.safetensors", "gongzhu-blueprint.safetensors")
KINDS = dict(zip(FILES, (OPEN, CRITIC, AVERAGED), strict=True))


def features(position: Position, observer: int | None = None) -> dict[int, float]:
    """Which features are on and how much: with all hands open, or as `observer` sees them."""
    ids, on = np.zeros(kernels.MOST, np.int64), np.zeros(kernels.MOST, np.float32)
    if observer is None:
        n = int(kernels.encode_open(position, ids, on))
    else:
        n = int(kernels.encode_averaged(position, observer, np.zeros((4, 3)), ids, on))
    return dict(zip(ids[:n].tolist(), on[:n].tolist(), strict=True))


def shares(position: Position, observer: int) -> npt.NDArray[np.float64]:
    """How the observer spreads unseen cards, [4 suits, 3 seats after it]."""
    own = (position.hand0, position.hand1, position.hand2, position.hand3)[observer]
    unseen = (position.hand0 | position.hand1 | position.hand2 | position.hand3) & ~own
    out = np.zeros((4, 3))
    kernels.spread(position, observer, unseen, out)
    return out


def oracle(weights: Weights) -> Oracle:
    """An open-card net as a leaf, with scratch of its own."""
    return Oracle(weights.net(kernels.MOST))


def blueprint(weights: Weights, noise: float = 0.0) -> Blueprint:
    """A one-seat net as a policy, with scratch of its own."""
    return Blueprint(weights.net(kernels.MOST), np.zeros((4, 3)), np.zeros(16), noise)


def oracle_in(folder: str = "") -> Oracle:
    """The open-card net whose weights lie in `folder`; the shipped one when it is empty."""
    return oracle(kept(ORACLE_FILE, OPEN, folder))


def critic_in(folder: str = "") -> Oracle:
    """The net that sees all hands and says what comes of them when the players do not; the weights lie in `folder`."""
    return oracle(kept(CRITIC_FILE, CRITIC, folder))


def judges_in(folder: str = "") -> Judges:
    """Critic and oracle together."""
    critic, net = critic_in(folder), oracle_in(folder).net
    return Judges(critic, Oracle(net._replace(ids=critic.net.ids, on=critic.net.on)))


def seer_in(folder: str = "") -> Seer:
    """A player that sees all hands, by the open-card net in `folder`."""
    return Seer(oracle_in(folder), np.zeros(16))


def blueprint_in(folder: str = "", noise: float = 0.0) -> Blueprint:
    """The one-seat net whose weights lie in `folder`; the shipped one when it is empty."""
    return blueprint(kept(BLUEPRINT_FILE, AVERAGED, folder), noise)


def untrained(kind: Kind, seed: int = 0, width: int = WIDTH) -> Weights:
    """Weights that have learned nothing."""
    return random_weights(kind, Sizes(FEATURES, width=width), seed)


def moves_scratch() -> npt.NDArray[np.int64]:
    """Room for the legal cards of one position."""
    return np.zeros(16, np.int64)
