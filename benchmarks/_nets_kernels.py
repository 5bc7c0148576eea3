"""Loops for benchmarks/nets.py: so many evaluations one after another, as a search makes them."""

from __future__ import annotations

from typing import Any

from inference.kernel import kernel
from searchdou.games.gongzhu._kernels import legal
from searchdou.games.gongzhu._net_kernels import blueprint_values, oracle_value, oracle_values
from searchdou.nets._net_kernels import NEXT, forward
from searchdou.train._scrofa_kernels import read_row


@kernel
def heads(net: Any, n: int) -> float:
    """The dense layers alone."""
    total = 0.0
    for _ in range(n):
        total += forward(net, NEXT)
    return total


@kernel
def evaluate_all(leaf: Any, rows: Any, rng: Any, out: Any, values: Any) -> None:
    """Every position on its own: features, accumulator, layers."""
    for b in range(rows.shape[0]):
        values[b] = oracle_value(leaf, read_row(rows[b]), rng, out)


@kernel
def value_open(leaf: Any, rows: Any, out: Any, q: Any) -> int:
    """All legal cards of every position, open cards; returns how many cards."""
    cards = 0
    for b in range(rows.shape[0]):
        position = read_row(rows[b])
        n = legal(position, out)
        oracle_values(leaf, position, out, n, q)
        cards += n
    return cards


@kernel
def value_seen(policy: Any, rows: Any, out: Any, q: Any) -> int:
    """All legal cards of every position, as the seat to play sees it; returns how many cards."""
    cards = 0
    for b in range(rows.shape[0]):
        position = read_row(rows[b])
        n = legal(position, out)
        blueprint_values(policy, position, out, n, q)
        cards += n
    return cards
