"""Scores of deals by what the players did: IEC and Bayes (ScrofaZero 5.4), and Bayes for players of unknown kinds."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from inference._game_kernels import action_values, habit_odds, has_habits, legal, step, turn, with_hands
from inference._math_kernels import exp, log
from inference._rng_kernels import Stream, uniform
from inference.kernel import kernel

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

IEC, BAYES, LINEAR, QUANTAL = 0, 1, 2, 3
LINEAR_FLOOR = 0.1      # the original program's factor: max(1 - beta * regret, 0.1)
KINDS = 7               # of players in QUANTAL: six that halve their temperature from one to the next, and random moves
FREE = 3                # of the six, the kinds that are called careless
HABIT = KINDS           # and, where the policy knows one, the player of habits
CARELESS = 8            # where the bits of careless seats begin, above those of seats that play by habit
LAPSE = 0.02            # the share of moves for which a kind of player does not answer: any legal one
HABIT_LAPSE = 0.1       # the same of the player of habits, who is the least known of them


@kernel
def weigh(start: Any, actions: Ints, important: Ints, hands: Ints, offset: Ints, policy: Any, beta: float, rule: int,
          out: Ints, q: Floats, log_weights: Floats, habit: float, careless: float, simple: Floats) -> None:
    r"""Log score of every deal: the product over the important past actions of

    \gamma = e^{-\beta (q_max - q_a)}                          (IEC, eq. 12)
    \gamma_a / \sum_{legal} \gamma                             (BAYES, eq. 13)

    QUANTAL is BAYES for a player of unknown kind: how sharply each seat chooses is not given but read from its actions.
    The score is the product over seats of the mean over kinds k of \prod_t \gamma_a^{2^k} / \sum \gamma^{2^k} (quantal
    response, McKelvey and Palfrey 1995), `beta` being that of the freest kind. A policy may know one kind more, the player
    of habits (`habit_odds`), which a seat is with probability `habit` beforehand; how likely it is to be that one on a deal,
    having acted so, goes into simple[:, 0], [deals, 2, seats]. What is not one of habits is careless, of one of the FREE
    freest kinds, with probability `careless` beforehand; how likely it is to be that goes into simple[:, 1].

    `start` is the state at the first of `actions`; `hands` [deals, seats] plus `offset` [seats] are the cards every
    seat held then. The denominators of eq. 13 are dropped by IEC on purpose: it makes the score insensitive to the
    number of legal choices.
    """
    full = np.empty(hands.shape[1], np.int64)
    known = KINDS + 1 if has_habits(policy) and habit > 0.0 else KINDS
    kinds = np.zeros((hands.shape[1], known))           # log score of every seat by kind
    powers, sums = np.empty(KINDS), np.empty(KINDS)
    for row in range(hands.shape[0]):
        for seat in range(full.size):
            full[seat] = hands[row, seat] + offset[seat]
        state = with_hands(start, full)
        score = 0.0
        kinds[:] = 0.0
        for t in range(actions.size):
            if important[t] and rule == QUANTAL:
                _add_by_kind(state, actions[t], policy, beta, out, q, powers, sums, kinds[turn(state)])
            elif important[t]:
                score += _log_factor(state, actions[t], policy, beta, rule, out, q)
            state = step(state, actions[t])
        if rule == QUANTAL:
            for seat in range(full.size):
                mean = _log_mean(kinds[seat, :KINDS])
                score += mean
                if known > KINDS:
                    odds = habit / (1.0 - habit) * exp(min(kinds[seat, HABIT] - mean, 700.0))
                    simple[row, 0, seat] = odds / (1.0 + odds)
                    score += log((1.0 - habit) * (1.0 + odds))
                if careless > 0.0:
                    ahead = _log_mean(kinds[seat, :FREE]) - _log_mean(kinds[seat, FREE:KINDS - 1])
                    odds = careless / (1.0 - careless) * exp(min(ahead, 700.0))
                    simple[row, 1, seat] = (1.0 - simple[row, 0, seat]) * odds / (1.0 + odds)
        log_weights[row] = score


@kernel
def _add_by_kind(state: Any, action: int, policy: Any, beta: float, out: Ints, q: Floats, powers: Floats, sums: Floats,
                 kinds: Floats) -> None:
    """Add the log probability of an action by every kind of player to `kinds`."""
    n = legal(state, out)
    if n < 2:
        return
    action_values(policy, state, out, n, q)
    top = q[0]
    for i in range(1, n):
        top = max(top, q[i])
    powers[:], sums[:] = 0.0, 0.0
    for i in range(n):
        power = exp(-beta * (top - q[i]))
        for k in range(KINDS - 1):
            sums[k] += power
            if out[i] == action:
                powers[k] = power
            power *= power                  # half the temperature
    powers[KINDS - 1], sums[KINDS - 1] = 1.0, n
    for k in range(KINDS):
        kinds[k] += log((1.0 - LAPSE) * powers[k] / sums[k] + LAPSE / n)
    if kinds.size > KINDS:
        habit_odds(policy, state, out, n, q)
        total, chosen = 0.0, 0.0
        for i in range(n):
            total += q[i]
            if out[i] == action:
                chosen = q[i]
        kinds[HABIT] += log((1.0 - HABIT_LAPSE) * chosen / total + HABIT_LAPSE / n)


@kernel
def draw_simple(chances: Floats, rng: Stream, drawn: Ints) -> None:
    """Who plays simply on each deal, with the chances [deals, 2, seats]: a bit a seat of habits, and of the careless
    CARELESS bits further up."""
    for row in range(chances.shape[0]):
        drawn[row] = 0
        for seat in range(chances.shape[2]):
            habit, careless = chances[row, 0, seat], chances[row, 1, seat]
            if habit + careless > 0.0:
                luck = uniform(rng)
                if luck < habit:
                    drawn[row] |= 1 << seat
                elif luck < habit + careless:
                    drawn[row] |= 1 << (seat + CARELESS)


@kernel
def _log_mean(logs: Floats) -> float:
    """ln of the mean of e^logs."""
    top = logs[0]
    for k in range(1, logs.size):
        top = max(top, logs[k])
    total = 0.0
    for k in range(logs.size):
        total += exp(logs[k] - top)
    return top + log(total / logs.size)


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
