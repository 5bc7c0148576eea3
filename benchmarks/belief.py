"""Do the weights know more than a uniform guess? python benchmarks/belief.py --game gongzhu --deals 100

Games among hand-written players, weighed by the game's cheap policy (`gongzhu_paper.py logloss` takes the net); at every
few moves the seat to act weighs 512 deals, and the belief is judged by the log-loss of the true hidden hands against the
uniform sampler's (same deals, equal weights). Negative is better than uniform. Standard errors are over games. In DouDizhu
beta 0 shows what the choice among equal cards alone tells.
"""

from __future__ import annotations

import argparse

import numpy as np

from inference._rng_kernels import stream
from inference.belief import Belief, weights_of
from inference.past import log_weights
from searchdou import agents, games
from searchdou.agents.search import SearchPlayer
from searchdou.progress import each

CASES = {"gongzhu": [("iec", 0.005), ("iec", 0.01), ("iec", 0.02), ("iec", 0.05), ("bayes", 0.02), ("linear", 0.015)],
         "doudizhu": [("iec", 0.0), ("iec", 0.25), ("iec", 0.5), ("iec", 1.0), ("bayes", 0.5), ("bayes", 1.0)]}


def run(game: str, deals: int, samples: int, opponent: str) -> None:
    module = games.load(game)
    player = SearchPlayer(game, policy="rule")
    kit, policy = player.kit, player._policy
    others = agents.make(game, opponent)
    losses: dict[tuple[str, float], list[float]] = {case: [] for case in CASES[game]}
    sizes: dict[tuple[str, float], list[float]] = {case: [] for case in CASES[game]}
    for number in each(range(deals), f"{game} by {opponent}", "deals"):
        table = module.Game(bidding=False) if game == "doudizhu" else module.Game()
        state = table.start(module.Deal.random(99, number))
        turn = 0
        by_game: dict[tuple[str, float], list[float]] = {case: [] for case in CASES[game]}
        while not state.is_over:
            infoset = state.infoset()
            if turn % 7 == 5 and infoset.legal_actions() and len(infoset.legal_actions()) > 1:
                hidden = kit.hidden_of(infoset)
                hands = hidden.draw(samples, stream(7, number, turn))
                by_seat = kit.seat_hands(infoset, hands)
                p = state.position
                full = [p.hand0, p.hand1, p.hand2] + ([p.hand3] if game == "gongzhu" else [p.kitty])
                seats = [(infoset.seat + 1 + i) % table.seats for i in range(len(hidden.places))]
                truth = np.array([int(full[seat]) for seat in seats])
                flat = Belief(hidden, hands, np.full(samples, 1 / samples)).log_loss(truth)
                for rule, beta in CASES[game]:
                    logs = log_weights(kit.past_of(infoset), by_seat, policy, rule=rule, beta=beta,
                                       most_moves=kit.most_moves) + kit.log_weight(infoset, by_seat)
                    belief = Belief(hidden, hands, weights_of(logs))
                    by_game[rule, beta].append(belief.log_loss(truth) - flat)
                    sizes[rule, beta].append(belief.ess)
            state.act(others.act(infoset))
            turn += 1
        for case, values in by_game.items():
            if values:
                losses[case].append(float(np.mean(values)))
    for case, values in losses.items():
        print(f"{case[0]:7s} beta {case[1]:<6g} log-loss less uniform's {np.mean(values):+.4f} "
              f"± {np.std(values) / np.sqrt(len(values)):.4f}  ess {np.mean(sizes[case]):.0f} of {samples}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=sorted(CASES), required=True)
    parser.add_argument("--deals", type=int, default=100)
    parser.add_argument("--samples", type=int, default=512)
    parser.add_argument("--opponent", default="")
    options = parser.parse_args()
    run(options.game, options.deals, options.samples,
        options.opponent or ("rule" if options.game == "doudizhu" else "greed"))
