"""DouZero's, PerfectDou's and AlphaDou's tables with ours beside: python benchmarks/doudizhu_paper.py PART... [--deals N]

Parts: `cards` card play against random, rlcard, rule and one another (PerfectDou's Tables 10 and 11); `bidding` who bids how
(AlphaDou's Table 4); `choices` how a move is chosen from a net's heads (AlphaDou's Table 9); `play` what games look like
(PerfectDou's Table 5); `oracle` nets that are shown the hands beside those that are not; `ablation` sampling, weighing and
leaves at equal time; `logloss` what the weights know of the hidden cards; `frames` how fast self-play is; `curve`; `all`.

Prints Markdown, each part with its command; matches are kept and resumed (`_paper.py`). ADP as DouZero prints it: base 1,
bombs double, the landlord's points or the two peasants' together.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from _paper import (
    HERE,
    Bench,
    each_game,
    frozen_nets,
    parser_of,
    plots,
    run_parts,
    saved,
    table,
    with_settings,
)

from inference import _policy_kernels
from inference._rng_kernels import stream
from inference.belief import Belief, weights_of
from inference.past import log_weights
from searchdou import agents
from searchdou.agents.doudizhu_net import Bidder
from searchdou.arena.match import MatchResult
from searchdou.arena.stats import half95, mean_se, plus_minus
from searchdou.errors import SearchDouError
from searchdou.games.doudizhu import Deal, Game, InfoSet, _kernels, encode, hidden

DEALS = {"cards": 1000, "bidding": 4000, "choices": 4000, "play": 2000, "oracle": 4000, "ablation": 500, "logloss": 200}
FILES = tuple(encode.file_of(view, role) for view in encode.VIEWS for role in encode.roles_of(view))
WITH_NETS = ("net", "search", "oracle")


# --- card play: PerfectDou's Tables 10 and 11 -----------------------------------------------------------------------

PAPER = {"random": (".9858 / .9920", "3.254 / 2.818"), "rlcard": (".8695 / .9089", "2.222 / 2.354")}    # DouZero's row
CHEAP = 10                  # so many times the deals where no side searches


def cards(bench: Bench) -> None:
    specs = {"random": "random", "rlcard": "rlcard", "rule": "rule", "net": "net",
             "search": with_settings("search", bench.search)}
    names = [name for name in specs if not bench.agents or name in bench.agents]
    rows = []
    for low, high in combinations(names, 2):
        if (low, high) == ("random", "rlcard"):
            continue
        deals = bench.number("cards") * (1 if "search" in (low, high) else CHEAP)
        match = bench.match(specs[high], specs[low], "cards", deals)
        wp, adp = PAPER.get(low, ("", "")) if high in ("net", "search") else ("", "")
        rows.append([high, low, f"{deals:,}", *both(match), wp, adp, f"{1000 * match.clocks['a'].seconds_per_decision:.2f}"])
    bench.head("Card play: WP and ADP as landlord / as peasants", "cards", f"--search {bench.search}",
               *([f"--agents {','.join(bench.agents)}"] if bench.agents else []))
    print(f"DouZero's rules, every deck from both sides, seed {bench.seed}, ± 95%. `rlcard` is RLCard's own rule agent. "
          "The paper's columns are DouZero's own results against the same opponent on 10,000 decks.")
    table(["agent", "against", "decks", "WP", "WP overall", "ADP", "ADP overall", "DouZero WP", "DouZero ADP", "ms a move"],
          rows)


def both(match: MatchResult) -> list[str]:
    """WP and ADP as landlord / as peasants, and overall."""
    cells = []
    for values, digits in (((match.outcomes > 0).astype(float), 3), (match.outcomes, 2)):
        sides = " / ".join(f"{values[:, side].mean():.{digits}f} ± {half95(values[:, side]):.{digits}f}" for side in (0, 1))
        overall = values.mean(axis=1)
        cells += [sides, f"{overall.mean():.{digits}f} ± {half95(overall):.{digits}f}"]
    return cells


# --- bidding: AlphaDou's Table 4 ------------------------------------------------------------------------------------

PLACES = ("1st", "2nd", "3rd")
GROUPS = ((), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2))
PAPER_4 = {(): "-0.119, 0.184, -0.065; 0.123", (0,): "0.014, 0.115, -0.129; 0.049", (1,): "-0.116, 0.266, -0.150; 0.078",
           (2,): "-0.207, 0.099, 0.108; 0.054", (0, 1): "0.014, 0.193, -0.207; 0.030", (0, 2): "-0.048, 0.031, 0.018; 0.021",
           (1, 2): "-0.198, 0.191, 0.007; 0.032", (0, 1, 2): "-0.035, 0.127, -0.090; 0.010"}


def bidding(bench: Bench) -> None:
    deals = bench.number("bidding")
    bench.head("Bidding: points of every position as bidders are replaced", "bidding")
    print(f"{deals:,} deals, seed {bench.seed}; all seats play cards by `net`, the control bids by thresholds on what "
          "its hand is worth as landlord (mean over 128 sampled deals: AlphaDou's label itself, not a net's guess at it), "
          "`price` looks at 256. Points "
          "(ADP2): stake as bid, bombs and spring double, the landlord's twice. In brackets the gain of a replaced position "
          "over the control, paired by deal, ± 95%. The paper: ADP2 of the three positions; draws.")
    found = np.array(each_game(partial(bid_games, bench.nets, bench.seed), deals, bench.options.workers,
                               bench.file("bids", f"bids {bench.digest} {bench.seed}")))
    for bidder in ("net", "price"):
        rows, control = [], np.zeros((0, 0))
        for group in GROUPS:
            games = found[:, TABLES.index(bidders_at(bidder, group))]
            points, landlord, won = games[:, :3], games[:, 3], games[:, 4:]
            control = points if not group else control
            cells = []
            for place in range(3):
                gain = f" ({plus_minus(points[:, place] - control[:, place], 2)})" if place in group else ""
                cells.append(f"{points[:, place].mean():+.2f}{gain}")
            shares = [" / ".join(f"{values.mean():.3f}" for values in columns) for columns in (
                won.T, [landlord == place for place in range(3)])]
            rows.append([" & ".join(PLACES[place] for place in group) or "control", *cells, *shares,
                         f"{(landlord < 0).mean():.3f}", PAPER_4[group]])
        print(f"\n`{bidder}` in place of `threshold`:")
        table(["replaced", *PLACES, "WP", "landlord share", "draws", "AlphaDou: ADP2; draws"], rows)


def bidders_at(bidder: str, group: tuple[int, ...]) -> tuple[str, ...]:
    """Who bids at the three positions."""
    return tuple(bidder if place in group else "threshold" for place in range(3))


TABLES = list(dict.fromkeys(bidders_at(bidder, group) for bidder in ("net", "price") for group in GROUPS))


@cache
def bidders(nets: str) -> dict[str, Bidder]:
    """One of each kind a process."""
    return {how: Bidder(encode.blueprint_in(nets), how, deals, 0)
            for how, deals in (("net", 1), ("price", 256), ("threshold", 128))}


def bid_games(nets: str, seed: int, number: int) -> list[list[float]]:
    """One deal at all tables: points by position, which position is the landlord (-1 at a draw), who won."""
    deal = Deal.random(seed, number)
    known: dict[tuple[str, InfoSet], int] = {}          # tables share most of their auctions
    return [bid_game(nets, seed, number, deal, how, known) for how in TABLES]


def bid_game(nets: str, seed: int, number: int, deal: Deal, how: tuple[str, ...], known: dict[tuple[str, InfoSet], int]
             ) -> list[float]:
    """One deal at one table."""
    state = Game("standard").start(deal, first=0)
    while state.phase == "bid" and not state.is_over:
        infoset = state.infoset()
        asked = how[infoset.seat], infoset
        if asked not in known:
            known[asked] = bidders(nets)[how[infoset.seat]].values(infoset).best
        state.bid(known[asked])
    if state.is_over:
        return [0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0]
    last = _policy_kernels.playout(encode.blueprint_in(nets), state.position, stream(seed, number),
                                   np.empty(_kernels.MAX_MOVES, np.int64))
    total = float(_kernels.payoff(last))
    points = [total if seat == last.landlord else -total / 2 for seat in range(3)]
    return [*points, float(last.landlord), *(float(value > 0) for value in points)]


# --- decision rules: AlphaDou's Table 9 -----------------------------------------------------------------------------

RULES = (("highest expectation (points)", "choose=points", "0.434, -0.391 / 0.566, 0.391"),
         ("bomb check", "choose=alphadou,rho=0", "0.442, -0.362 / 0.578, 0.449"),
         ("mix within 5%", "choose=alphadou,check=false", "0.446, -0.331 / 0.581, 0.460"),
         ("bomb check and mix", "choose=alphadou", "0.452, -0.306 / 0.586, 0.482"),
         ("win rate", "choose=win", ""), ("half points, half win rate (default)", "choose=mix", ""))


def choices(bench: Bench) -> None:
    rows = []
    for label, settings, paper in RULES:
        match = bench.match(f"net:{settings}", "net:choose=points", "choices")
        rows.append([label, *both(match), paper])
    bench.head("Decision rules on the same net, against the highest expectation", "choices")
    print(f"`net` with other rules against `net:choose=points`, {bench.number('choices'):,} decks from both sides, "
          "DouZero's "
          f"rules, seed {bench.seed}, ± 95%. The paper's (WP, ADP1 as landlord / as farmer) are on DouZero's nets.")
    table(["rule", "WP", "WP overall", "ADP", "ADP overall", "paper"], rows)


# --- what games look like: PerfectDou's Table 5 ---------------------------------------------------------------------

def play(bench: Bench) -> None:
    rows = []
    for landlord, peasants in (("net", "net"), ("net", "rule"), ("rule", "net"), ("rule", "rule")):
        games = np.array(each_game(partial(play_game, bench.spec(landlord), bench.spec(peasants), bench.seed),
                                   bench.number("play"), bench.options.workers,
                                   bench.file(f"play {landlord} {peasants}", f"play {landlord} {peasants} {bench.digest} "
                                              f"{bench.seed}")))
        won, points, length, up, own, down, control = games.T
        rows.append([landlord, f"{won.mean():.3f}", plus_minus(points, 2), f"{length.mean():.2f}",
                     *(f"{100 * bombs.mean():.1f}" for bombs in (up, own, down)), f"{control.mean():.2f}", peasants])
    bench.head("Statistics of play", "play")
    print(f"{bench.number('play'):,} decks, DouZero's rules, seed {bench.seed}, means per game. Length counts actions, "
          "passes among them; bombs are bombs and rockets played per hundred games; control counts the landlord's "
          "moves that "
          "nobody beat. The paper's rows (PerfectDou as landlord and as peasants): length 31.157, bombs 66.13 / 26.67 "
          "/ 79.68%, "
          "control 10.518; its definitions of bombs and control may differ.")
    table(["landlord", "WP", "ADP", "length", "bombs, peasant before", "bombs, landlord", "bombs, peasant after",
           "landlord control", "peasants"], rows)


_player = cache(partial(agents.make, "doudizhu"))    # one a process


def play_game(landlord: str, peasants: str, seed: int, number: int) -> list[float]:
    """One deck: won, points, actions, bombs of the peasant before, the landlord, the peasant after, moves nobody beat."""
    state = Game("douzero", bidding=False).start(Deal.random(seed, number))
    while not state.is_over:
        infoset = state.infoset()
        state.act(_player(landlord if infoset.seat == infoset.landlord else peasants).act(infoset))
    moves = [((seat - state.landlord) % 3, move) for seat, move in state.history]
    bombs = [sum(who == role and move.category.name in ("BOMB", "ROCKET") for who, move in moves) for role in (2, 0, 1)]
    control = sum(who == 0 and bool(move) and not any(later for _, later in moves[i + 1:i + 3])
                  for i, (who, move) in enumerate(moves))
    points = float(state.adp1())
    return [float(points > 0), points, float(len(moves)), *map(float, bombs), float(control)]


# --- the oracle's gate ----------------------------------------------------------------------------------------------

def oracle(bench: Bench) -> None:
    rows = []
    for a, b in (("net", "rule"), ("oracle", "rule"), ("oracle", "net")):
        rows.append([a, b, *both(bench.match(a, b, "oracle"))])
    bench.head("The oracle with the true hands shown, beside the blueprint", "oracle")
    print(f"No search: the action of the highest value is played, `oracle` sees all hands. {bench.number('oracle'):,} "
          "decks from "
          f"both sides, DouZero's rules, seed {bench.seed}, ± 95%.")
    table(["agent", "against", "WP", "WP overall", "ADP", "ADP overall"], rows)


# --- the ablation ---------------------------------------------------------------------------------------------------

CELLS = (("blueprint rollouts, uniform", "weights=uniform"),
         ("blueprint rollouts, exact strata", "weights=uniform,strata=exact"),
         ("blueprint rollouts, IEC", "weights=iec"), ("blueprint rollouts, Bayes", "weights=bayes"),
         ("blueprint rollouts, exact strata and IEC", "weights=iec,strata=exact"),
         ("blueprint rollouts, quantal", "weights=quantal,pool=1"),
         ("the same, three deals weighed for one searched (default)", "weights=quantal"),
         ("the same, peasants not at their best", "weights=quantal,temper=0.1"),
         ("open-card values at the leaves of a tree, uniform", "leaf=value,mode=tree,backup=best,sims=20,weights=uniform"),
         ("open-card values, no tree, uniform", "leaf=value,mode=flat,sims=1,weights=uniform"))


def ablation(bench: Bench) -> None:
    rows, first = [], None
    for label, settings in CELLS:
        match = bench.match(f"search:{bench.search},{settings}", bench.against, "ablation")
        values = match.outcomes.mean(axis=1)
        first = values if first is None else first
        rows.append([label, *both(match), "" if values is first else plus_minus(values - first, 2),
                     f"{1000 * match.clocks['a'].seconds_per_decision:.1f}"])
    bench.head("Ablation at equal time", "ablation", f"--search {bench.search}", f"--against {bench.against}")
    print(f"`search:{bench.search}` with one change each against `{bench.against}`, {bench.number('ablation'):,} decks "
          "from both "
          f"sides, the same for all, DouZero's rules, seed {bench.seed}, ± 95%; differences of ADP paired by deck.")
    table(["cell", "WP", "WP overall", "ADP", "ADP overall", "ADP less the first cell's", "ms a move"], rows)


# --- log-loss -------------------------------------------------------------------------------------------------------

STAGES = ((37, 28), (28, 20), (20, 12), (12, 3))       # cards in the two hidden hands: from, down to
BETAS = (0.1, 0.2, 0.4, 0.8)
CASES = ["copies", *(f"iec {beta:g}" for beta in BETAS), "bayes 0.4", "quantal 0.6", "quantal 0.6, habits 0.03"]


def logloss(bench: Bench) -> None:
    bench.head("Beliefs: log-loss per hidden card of its true holder", "logloss", f"--samples {bench.samples}")
    print(f"One belief a stage of a game (cards in the two hidden hands), {bench.samples} deals weighed by the "
          f"blueprint's values, {bench.number('logloss')} games by each player with itself, full game with bidding (of "
          f"`rlcard`, which never bids, without), seed {bench.seed}. "
          "Uniform is the loss itself in nats, the others are differences to it on the same deals: negative is better. "
          "`copies` "
          "weighs only which of equal cards was played; all the others contain it. ± one standard error over games; in "
          "brackets the mean effective share of the deals.")
    rows = []
    for player in ("rule", "net", "rlcard"):
        games = each_game(partial(belief_rows, bench.spec(player), bench.nets, bench.seed, bench.samples),
                          bench.number("logloss"), bench.options.workers,
                          bench.file(f"logloss {player}", f"logloss {player} {bench.digest} {bench.seed} "
                                     f"{bench.samples} {CASES}"))
        for case in ("uniform", *CASES):
            losses = [np.array([game[str(stage)][case][0] for game in games if str(stage) in game])
                      for stage in range(len(STAGES))]
            share = np.mean([game[str(stage)][case][1] for game in games for stage in range(len(STAGES))
                             if str(stage) in game])
            rows.append([player if case == "uniform" else "", f"{case} ({share:.2f})",
                         *(f"{mean:+.4f} ± {se:.4f}" for mean, se in map(mean_se, losses))])
    table(["games by", "weights, beta", *(f"{high}-{low + 1} cards" for high, low in STAGES)], rows)


def belief_rows(spec: str, nets: str, seed: int, samples: int, number: int) -> dict[str, dict[str, list[float]]]:
    """By stage: [log-loss, effective share] of the uniform belief, and [difference to it, share] of every case."""
    player, policy = _player(spec), encode.blueprint_in(nets)
    state = Game("standard", bidding=spec != "rlcard").start(Deal.random(seed, number), first=0)     # who never bids
    rng = np.random.default_rng((seed, number))
    wanted = [int(rng.integers(low + 1, high + 1)) for high, low in STAGES]
    rows: dict[str, dict[str, list[float]]] = {}
    while not state.is_over:
        infoset = state.infoset()
        if state.phase == "play" and len(rows) < len(STAGES):
            left = sum(map(len, state.hands)) - len(state.hands[state.turn])
            stage = next((i for i, (high, low) in enumerate(STAGES) if low < left <= high), None)
            if stage is not None and str(stage) not in rows and left <= wanted[stage]:
                rows[str(stage)] = judged(infoset, state.position, policy, samples, stream(seed, number, left))
        state.act(player.act(infoset))
    return rows


def judged(infoset: InfoSet, position: Any, policy: Any, samples: int, rng: Any) -> dict[str, list[float]]:
    """The beliefs of the seat to act against the true hands of `position`."""
    unseen = hidden.hidden_of(infoset)
    deals = unseen.enumerate()[0] if unseen.count <= samples else unseen.draw(samples, rng)
    hands, past = hidden.seat_hands(infoset, deals), hidden.past_of(infoset)
    prior = np.log(unseen.enumerate()[1]) if unseen.count <= samples else np.zeros(len(deals))
    copies = prior + hidden.copies_log_weight(infoset, hands)
    truth = np.array([position[place] for place in hidden.places_of(infoset)])
    weigh = partial(log_weights, past, hands, policy, most_moves=_kernels.MAX_MOVES)
    regret = weigh(rule="iec", beta=1.0)             # the log of IEC's weight is -beta times the regrets: one replay for all
    logs = {"copies": copies} | {f"iec {beta:g}": copies + beta * regret for beta in BETAS}
    logs["bayes 0.4"] = copies + weigh(rule="bayes", beta=0.4)
    quantal = partial(weigh, rule="quantal", beta=0.6 / hidden.stake_of(infoset))
    logs["quantal 0.6"], logs["quantal 0.6, habits 0.03"] = copies + quantal(), copies + quantal(habit=0.03)
    uniform = Belief(unseen, deals, weights_of(prior)).log_loss(truth)
    beliefs = {case: Belief(unseen, deals, weights_of(log)) for case, log in logs.items()}
    return {"uniform": [uniform, 1.0]} | {case: [belief.log_loss(truth) - uniform, belief.ess / len(deals)]
                                          for case, belief in beliefs.items()}


# --- how fast, and how it learned -----------------------------------------------------------------------------------

def frames(bench: Bench) -> None:
    from searchdou.train.dmc import DmcSettings, Training
    seen: list[tuple[float, float]] = []

    class Timed(Training):
        def figures(self, played: Any, seconds: float) -> dict[str, float]:
            found = super().figures(played, seconds)
            seen.append((found["frames_per_second"], found["actor_frames_per_second"]))
            return found

    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        Timed(DmcSettings(out=Path(folder), blocks=24, exam_minutes=1e9, decks=0, rlcard_decks=0)).run()
        spent = time.perf_counter() - began
    both_, alone = np.median(seen[4:], axis=0)
    bench.head("Self-play frames a second", "frames")
    print(f"Play and learning side by side on two cores, the shipped net size, {DmcSettings.games:,} games a block, "
          f"{len(seen)} "
          f"blocks in {spent:.0f} s, medians after the fourth. A frame is one action of one seat, as DouZero counts; "
          "its paper "
          "reports about 2,000 a second on four GPUs and 48 CPU cores.")
    table(["", "frames a second", "times DouZero's"], [["play and learn", f"{both_:,.0f}", f"{both_ / 2000:.0f}"],
                                                       ["the actor's core alone", f"{alone:,.0f}", f"{alone / 2000:.0f}"]])


def curve(bench: Bench) -> None:
    places = [*([Path(bench.options.nets) / "curve.json"] if bench.options.nets else []), HERE / "doudizhu_curve.json"]
    path = next((path for path in places if path.exists()), None)
    if path is None:
        raise SearchDouError(f"no learning curve: there is no {' and no '.join(map(str, places))}")
    marks = [row for row in json.loads(path.read_text()) if "rule_points" in row]
    figure, (upper, lower) = plots().subplots(2, 1, figsize=(7, 7), sharex=True, layout="constrained")
    for name, colour in (("random", "C7"), ("rlcard", "C1"), ("rule", "C0")):
        told = [row for row in marks if f"{name}_points" in row]
        hours = [row["hours"] for row in told]
        for side, style in (("landlord", "-"), ("peasants", "--")):
            upper.plot(hours, [row[f"{name}_{side}"] for row in told], f"{colour}{style}", label=f"{name}, as {side}")
        lower.plot(hours, [row[f"{name}_points"] for row in told], f"{colour}-", label=f"against {name}")
    upper.set_ylabel("games won by the raw net")
    lower.set_ylabel("points a game (ADP, mean of both sides)")
    lower.set_xlabel("hours of training, two CPU cores")
    for axis in (upper, lower):
        axis.grid(alpha=0.3)
        axis.legend(fontsize=8)
    picture = saved(bench, figure, "doudizhu_curve.png")
    bench.head("The learning curve", "curve")
    print(f"From {path.name}: the raw net against fixed opponents while it learned, DouZero's rules.")
    chosen = marks if len(marks) <= 12 else [marks[round(i * (len(marks) - 1) / 11)] for i in range(12)]
    table(["hours", "games", "random: landlord / peasants", "rule: landlord / peasants", "rule: points"],
          [[f"{row['hours']:.2f}", f"{row['games']:,.0f}", *(f"{row[f'{name}_landlord']:.3f} / {row[f'{name}_peasants']:.3f}"
                                                            for name in ("random", "rule")),
            f"{row['rule_points']:+.2f}"] for row in chosen])
    print(f"![learning curve]({picture.name})")


# --- the command line -----------------------------------------------------------------------------------------------

PARTS = {"cards": cards, "bidding": bidding, "choices": choices, "play": play, "oracle": oracle, "ablation": ablation,
         "logloss": logloss, "frames": frames, "curve": curve}


def bench_of(options: argparse.Namespace) -> Bench:
    """The bench of these papers."""
    nets, digest = frozen_nets(options.nets, FILES, options.runs)
    return Bench("doudizhu", "doudizhu_paper.py", DEALS, WITH_NETS, options, nets, digest, "douzero")


def main() -> None:
    parser = parser_of(__doc__, PARTS, DEALS)
    parser.add_argument("--search", default="time=0.1", help="settings of search in cards and ablation")
    parser.add_argument("--agents", default="", help="who plays in cards, by commas; all five without it")
    parser.add_argument("--against", default="rlcard", help="the opponent of the ablation")
    parser.add_argument("--samples", type=int, default=256, help="deals a belief of logloss is made of")
    options = parser.parse_args()
    options.agents = tuple(filter(None, options.agents.split(",")))
    run_parts(options, PARTS, lambda: bench_of(options))


if __name__ == "__main__":
    main()
