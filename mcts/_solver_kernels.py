"""The exact value of an ending with open cards: alpha-beta with a transposition table.

The game says which moves are worth trying and in what order (`moves`), what the points still to come depend on
(`key`), and what is settled already (`settled`, `scale`): entries hold points still to come, so they serve every
way of reaching the same ending. Values are integers in points of side 0, final = settled + scale * to come.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inference._game_kernels import key, moves, over, reach, scale, settled, side, step
from inference.kernel import kernel

Ints = npt.NDArray[np.int64]

HUGE = 1 << 40
EXACT, AT_LEAST, AT_MOST = 1, 2, 3


class Table(NamedTuple):
    """The transposition table; rows of key, key, value, bound, move. Entries never go stale: they are facts."""

    rows: Ints        # [power of two, 5]
    nodes: Ints       # [3] nodes searched in this call, the most allowed (0: no limit), and a salt: entries made under
                      #     another salt are not seen, so that a node limit strikes the same whatever was solved before


def new_table(bits: int = 16) -> Table:
    """A table of 2^bits rows."""
    return Table(np.zeros((1 << bits, 5), np.int64), np.zeros(3, np.int64))


@kernel
def solve(state: Any, table: Table, out: Ints, alpha: int, beta: int) -> int:
    """Final points of side 0 from `state` under best play, exact if between alpha and beta.

    `out` is scratch for the moves of all depths: a few dozen per ply. When the table's node limit is passed the
    answer is meaningless; the caller looks at `table.nodes`.
    """
    base, unit = settled(state), scale(state)
    low = -HUGE if alpha <= -HUGE else (alpha - base) // unit
    high = HUGE if beta >= HUGE else -((base - beta) // unit)
    return base + unit * to_come(state, table, out, low, high)


@kernel
def to_come(state: Any, table: Table, out: Ints, alpha: int, beta: int) -> int:
    """Points still to come for side 0, in units of `scale(state)`; fail-soft alpha-beta."""
    if over(state):
        return 0
    rows, nodes = table.rows, table.nodes
    nodes[0] += 1
    if nodes[1] and nodes[0] > nodes[1]:
        return 0
    most = reach(state)
    if alpha >= most:                                   # nobody can win that much any more
        return most
    if beta <= -most:
        return -most
    a, b = key(state)
    slot, known = -1, -1
    if a != 0 or b != 0:
        a ^= nodes[2]
        slot = (a ^ (b >> 7)) & (rows.shape[0] - 1)
        if rows[slot, 0] == a and rows[slot, 1] == b:
            value, bound = rows[slot, 2], rows[slot, 3]
            if bound == EXACT or (bound == AT_LEAST and value >= beta) or (bound == AT_MOST and value <= alpha):
                return value
            known = rows[slot, 4]
    n = moves(state, out)
    if known >= 0:                                      # what was best here before goes first
        for i in range(n):
            if out[i] == known:
                for j in range(i, 0, -1):
                    out[j] = out[j - 1]
                out[0] = known
                break
    base, unit = settled(state), scale(state)
    mine = side(state) == 0
    best = -HUGE if mine else HUGE
    best_move = out[0]
    low, high = alpha, beta
    for i in range(n):
        after = step(state, out[i])
        gained, unit_after = settled(after) - base, scale(after)
        # value = (gained + unit_after * v) / unit; both games keep this whole
        lo = -HUGE if low <= -HUGE else (low * unit - gained) // unit_after
        hi = HUGE if high >= HUGE else -((gained - high * unit) // unit_after)
        value = (gained + unit_after * to_come(after, table, out[n:], lo, hi)) // unit
        if mine:
            if value > best:
                best, best_move = value, out[i]
            low = max(low, best)
        else:
            if value < best:
                best, best_move = value, out[i]
            high = min(high, best)
        if low >= high:
            break
    if slot >= 0 and not (nodes[1] and nodes[0] > nodes[1]):
        rows[slot, 0], rows[slot, 1], rows[slot, 2], rows[slot, 4] = a, b, best, best_move
        rows[slot, 3] = AT_LEAST if best >= beta else AT_MOST if best <= alpha else EXACT
    return best


@kernel
def solved_line(state: Any, table: Table, out: Ints, line: Ints) -> int:
    """Write a line of best play for both sides; returns its length. Solves every position on the way, and ends where that
    takes more nodes than the table allows."""
    n = 0
    while not over(state) and n < line.size:
        table.nodes[0] = 0
        value = solve(state, table, out, -HUGE, HUGE)
        count = moves(state, out)
        found = -1
        for i in range(count):
            if found < 0 and solve(step(state, out[i]), table, out[count:], -HUGE, HUGE) == value:
                found = out[i]
        if table.nodes[1] and table.nodes[0] > table.nodes[1]:
            return n
        line[n] = found
        state = step(state, found)
        n += 1
    return n
