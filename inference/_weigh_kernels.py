"""Scores of deals by what the players did: IEC and Bayes (ScrofaZero 5.4)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from inference._game_kernels import action_values, legal, step, with_hands
from inference._math_kernels import exp, log
from inference.kernel import kernel

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

IEC, BAYES, LINEAR = 0, 1, 2
LINEAR_FLOOR = 0.1      # the original program's factor: max(1 - beta * regret, 0.1)


@kernel
def weigh(start: Any, actions: Ints, important: Ints, hands: Ints, offset: Ints, policy: Any, beta: float, rule: int,
          out: Ints, q: Floats, log_weights: Floats) -> None:
    r"""Log score of every deal: the product over the important past actions of

    \gamma = e^{-\beta (q_max - q_a)}                          (IEC, eq. 12)
    \gamma_a / \sum_{legal} \gamma                             (BAYES, eq. 13)

    `start` is the state at the first of `actions`; `hands` [deals, seats] plus `offset` [seats] are the cards every
    seat held then. The denominators of eq. 13 are dropped by IEC on purpose: it makes the score insensitive to the
    number of legal choices.
    """
    full = np.empty(hands.shape[1], np.int64)
    for row in range(hands.shape[0]):
        for seat in range(full.size):
            full[seat] = hands[row, seat] + offset[seat]
        state = with_hands(start, full)
        score = 0.0
        for t in range(actions.size):
            if important[t]:
                score += _log_factor(state, actions[t], policy, beta, rule, out, q)
            state = step(state, actions[t])
        log_weights[row] = score


@kernel
def _log_factor(state: Any, action: int, policy: Any, beta: float, rule: int, out: Ints, q: Floats) -> float:
    n = legal(state, out)
    if n < 2:
        return 0.0
    action_values(policy, state, out, n, q)
    top, chosen = q[0], q[0]
    for i in range(n):
        top = max(top, q[i])
        if out[i] == action:
            chosen = q[i]
    if rule == LINEAR:
        return log(max(1.0 - beta * (top - chosen), LINEAR_FLOOR))
    factor = -beta * (top - chosen)
    if rule == BAYES:
        total = 0.0
        for i in range(n):
            total += exp(-beta * (top - q[i]))
        factor -= log(total)
    return factor
