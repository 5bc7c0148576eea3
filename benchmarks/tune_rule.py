"""Tune the weights of the `rule` player of DouDizhu by matches: python benchmarks/tune_rule.py --minutes 20

A (1+1) search: change a few weights, keep the change when it does no worse on fresh common decks against the
RLCard agent and against the weights so far. Prints every step; paste the last line into DEFAULTS.
`--bids` instead measures, for the weights as they are, how often a landlord of a given hand price wins.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from searchdou import agents
from searchdou.agents._doudizhu_rule_kernels import DEFAULTS, hand_price
from searchdou.agents.doudizhu_rule import RulePlayer
from searchdou.arena.formats import DouDizhuFormat
from searchdou.arena.table import Clock, play
from searchdou.doudizhu import Deal, Game, rule_set
from searchdou.games.doudizhu.cards import pack
from searchdou.progress import Line, clock, each

FORMAT = DouDizhuFormat()


def player(weights: np.ndarray) -> RulePlayer:
    rule = RulePlayer()
    rule.weights = weights
    return rule


def values(a: agents.Player, b: agents.Player, decks: range, seed: int = 77) -> np.ndarray:
    """Wins plus a fifth of the points of side a, one number a deck."""
    rows = []
    for number in decks:
        row = []
        for state, sides in FORMAT.games(seed, number):
            play(state, [(a, b)[side] for side in sides], [Clock()] * 3)
            points = FORMAT.outcome(state, sides)
            row.append((points > 0) + 0.2 * points)
        rows.append(np.mean(row))
    return np.array(rows)


def tune(minutes: float, decks: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    best = DEFAULTS.copy()
    rlcard = agents.make("doudizhu", "rlcard")
    end = time.time() + 60 * minutes
    start, tries, line = 0, 0, Line()
    while time.time() < end:
        tries += 1
        if line.due():
            line.tell("tuning", f"try {tries}, {clock(end - time.time())} left")
        trial = best.copy()
        for i in rng.choice(len(best), rng.integers(1, 4), replace=False):
            trial[i] = max(0.0, trial[i] * np.exp(rng.normal(0, 0.5)) + rng.normal(0, 0.03))
        trial[9:] = trial[9:].clip(0.02, 0.95)
        block = range(start, start + decks)
        start += decks
        gain = values(player(trial), rlcard, block) - values(player(best), rlcard, block)
        duel = values(player(trial), player(best), block) - 0.5
        total = gain + duel
        t = total.mean() / (total.std() / np.sqrt(decks) + 1e-9)
        if t > 1.0:
            best = trial
            print(f"{tries:4d} t={t:4.1f} rlcard {gain.mean():+.3f} duel {duel.mean():+.3f} "
                  f"[{', '.join(f'{w:.3f}' for w in best)}]", flush=True)
    print("final", [round(float(w), 3) for w in best])


def bids(deals: int) -> None:
    """Share of games the landlord wins and its points by the price of its 17 cards, all seats by `rule`."""
    rule, rows, switches = RulePlayer(), [], rule_set("standard").switches
    for number in each(range(deals), "landlords by the price of their hands", "deals"):
        state = Game(bidding=False).start(Deal.random(3, number))
        unseen = sum(pack(cards) for cards in (*state.deal.hands[1:], state.deal.kitty))
        price = hand_price(pack(state.deal.hands[0]), switches, unseen, rule.weights, rule._scratch)
        play(state, [rule] * 3, [Clock()] * 3)
        rows.append((price, state.landlord_won, state.adp2()))
    table = np.array(sorted(rows))
    for part in np.array_split(table, 12):
        low, high, (_, wins, points) = part[0, 0], part[-1, 0], part.mean(axis=0)
        print(f"price {low:6.2f} .. {high:6.2f}  wins {wins:.3f}  points {points:+.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--decks", type=int, default=250)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--bids", type=int, default=0, help="deals to measure the bidding limits on")
    options = parser.parse_args()
    if options.bids:
        bids(options.bids)
    else:
        tune(options.minutes, options.decks, options.seed)
