"""What the nets of DouDizhu see: features of a position and an action (`_encode_kernels` says how), and the nets by role."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from searchdou.games.doudizhu import _encode_kernels as kernels
from searchdou.games.doudizhu._kernels import MAX_MOVES, Position
from searchdou.games.doudizhu._net_kernels import Blueprint, Nets, Oracle
from searchdou.nets import Kind, Sizes, Weights, random_weights
from searchdou.nets.files import WIDTH, kept

FEATURES, VERSION = kernels.FEATURES, kernels.VERSION
ROLES = ("landlord", "down", "up", "bid")        # as in _net_kernels; bids are made by the blueprint alone
VIEWS = {"seen": "blueprint", "open": "oracle"}
HEADS = 3


def kind_of(view: str, role: str) -> Kind:
    """The kind of the net of a role."""
    return Kind("doudizhu", f"{view} {role}", FEATURES, VERSION, HEADS)


def file_of(view: str, role: str) -> str:
    """The name of its weights file."""
    return f"doudizhu-{VIEWS[view]}-{role}.safetensors"


def roles_of(view: str) -> tuple[str, ...]:
    """The roles that have a net of a view."""
    return ROLES if view == "seen" else ROLES[:3]


def features(position: Position, action: int, shown: bool = False) -> dict[int, float]:
    """Which features are on after an action of the seat to act: as that seat sees it, or with all hands shown."""
    ids, on = np.zeros(kernels.MOST, np.int64), np.zeros(kernels.MOST, np.float32)
    total: dict[int, float] = {}
    for write in (partial(kernels.encode_before, position, shown), partial(kernels.changed_by, position, action)):
        n = int(write(ids, on))
        for k in range(n):
            total[int(ids[k])] = total.get(int(ids[k]), 0.0) + float(on[k])
    return {feature: value for feature, value in total.items() if value}


def nets_of(weights: Callable[[str], Weights], view: str) -> Nets:
    """The nets of a view by role, with scratch of their own."""
    made = [weights(role).net(kernels.MOST) for role in roles_of(view)]
    return Nets(*made, *([made[0]] if len(made) < 4 else []))


def blueprint(weights: Callable[[str], Weights], mix: float = 0.5, noise: float = 0.0) -> Blueprint:
    """One-seat nets as a policy, with scratch of its own."""
    return Blueprint(nets_of(weights, "seen"), np.zeros(MAX_MOVES), np.zeros(MAX_MOVES), mix, noise)


def oracle(weights: Callable[[str], Weights], mix: float = 0.0) -> Oracle:
    """Open-card nets as a leaf, with scratch of its own."""
    return Oracle(nets_of(weights, "open"), np.zeros(MAX_MOVES), np.zeros(MAX_MOVES), mix)


def weights_in(view: str, folder: str = "") -> Callable[[str], Weights]:
    """The weights of a view by role that lie in `folder`; the shipped ones when it is empty."""
    return lambda role: kept(file_of(view, role), kind_of(view, role), folder)


def blueprint_in(folder: str = "", mix: float = 0.5, noise: float = 0.0) -> Blueprint:
    """The one-seat nets whose weights lie in `folder`; the shipped ones when it is empty."""
    return blueprint(weights_in("seen", folder), mix, noise)


def oracle_in(folder: str = "", mix: float = 0.0) -> Oracle:
    """The open-card nets whose weights lie in `folder`; the shipped ones when it is empty."""
    return oracle(weights_in("open", folder), mix)


def untrained(view: str, seed: int = 0, width: int = WIDTH) -> Callable[[str], Weights]:
    """Weights that have learned nothing."""
    return lambda role: random_weights(kind_of(view, role), Sizes(FEATURES, HEADS, width), seed + ROLES.index(role))
