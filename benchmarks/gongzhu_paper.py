"""ScrofaZero's tables and figures with ours beside: python benchmarks/gongzhu_paper.py PART... [--deals N] [--workers 2]

Parts: `table2` everyone against everyone; `table3` sampling and weighing at equal samples, `table3-time` at equal time;
`table4` what cards are worth to a net; `table8` a raw net on averaged and on one-hot input; `figure2` the learning curve;
`figure3` and `figure4` correction factors and variances by card; `logloss` what the weights know of the hidden cards; `all`.

Prints Markdown, each part with its command; matches are kept and resumed (`_paper.py`). The nets of --nets DIR are copied
first, so that a training that goes on does not change them under way.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from _paper import (
    HERE,
    LINE,
    Bench,
    all_settings,
    each_game,
    frozen_nets,
    parser_of,
    plots,
    run_parts,
    saved,
    table,
    with_settings,
)

from inference._rng_kernels import stream
from inference.belief import Belief, weights_of
from inference.past import log_weights
from searchdou import agents
from searchdou.agents.gongzhu_net import seen_by
from searchdou.arena.match import MatchResult
from searchdou.arena.stats import Floats, intransitivity, intransitivity_error, mean_se, plus_minus
from searchdou.arena.tournament import TournamentResult
from searchdou.errors import SearchDouError
from searchdou.games.gongzhu import Deal, Game, InfoSet, Move, encode, hidden
from searchdou.games.gongzhu import _net_kernels as nets_kernels
from searchdou.games.gongzhu._encode_kernels import OBSERVER
from searchdou.games.gongzhu._kernels import RANKS, Position, legal, start, step
from searchdou.games.gongzhu._search_kernels import HELD, with_hands
from searchdou.games.gongzhu.cards import CARDS, SUITS, pack, parse_card
from searchdou.games.gongzhu.cards import RANKS as RANK_NAMES
from searchdou.nets._net_kernels import best_of
from searchdou.progress import each

DEALS = {"table2": 1024, "table3": 1024, "table3-time": 1024, "table4": 20_000, "table8": 1024, "figure3": 1000,
         "figure4": 1000, "logloss": 200}
WITH_NETS = ("net", "search", "oracle", "averaged-input", "one-hot-input")
TELL = 5.0                  # points: how many deals would tell so small a difference?
TOLD = 1.96 + 0.84          # at the 5% level four times of five


# --- Table 2: everyone against everyone -----------------------------------------------------------------------------

# Points of the first over the second; the paper prints the column's points over the row's.
PAPER_2 = {("if", "random"): 194, ("greed", "random"): 275, ("search", "random"): 319, ("greed", "if"): 80,
           ("search", "if"): 127, ("search", "greed"): 60}


def table2(bench: Bench) -> None:
    specs = {"random": "random", "if": "if", "greed": "greed", "net": "net", "search": with_settings("search", bench.search),
             "oracle": with_settings("oracle", bench.oracle)}
    names = [name for name in specs if not bench.agents or name in bench.agents]
    pairs = {(i, j): bench.match(specs[names[i]], specs[names[j]], "table2")
             for i, j in combinations(range(len(names)), 2)}
    result = TournamentResult("gongzhu", names, pairs)
    means, halves = result.tables()["points"]
    bench.head("Table 2: points a game, row against column", "table2", f"--search {bench.search}",
               f"--oracle {bench.oracle}", *([f"--agents {','.join(bench.agents)}"] if bench.agents else []))
    print(f"{bench.number('table2')} deals twice (the second time with the teams' hands swapped), seed {bench.seed}, ± 95% "
          "paired by deal; in brackets the paper's, whose SZS stands beside `search` (SZS weighs its deals uniformly, "
          "`search` as its settings say). `oracle` sees all hands: a ceiling, not an opponent.")
    table(["", *names], [[a, *("" if a == b else f"{means[i, j]:+.1f} ± {halves[i, j]:.1f}{_paper_2(a, b)}"
                               for j, b in enumerate(names))] for i, a in enumerate(names)])
    for chosen in (["random", "if", "greed", "search"], names):
        if len(chosen) < 3 or not set(chosen) <= set(names):
            continue
        rows = [names.index(name) for name in chosen]
        values = result.per_deal()[np.ix_(rows, rows)]
        paper = "; paper 0.03 ± 0.02" if chosen != names else ""
        print(f"Intransitivity (eq. 17) of {', '.join(chosen)}: {intransitivity(values.mean(axis=2)):.3f} ± "
              f"{intransitivity_error(values):.3f} (bootstrap standard error){paper}.")
    seconds = result.seconds_per_decision().items()
    print("ms a decision: " + ", ".join(f"{name} {1000 * spent:.2f}" for name, spent in seconds), flush=True)


def _paper_2(a: str, b: str) -> str:
    points = PAPER_2.get((a, b), -PAPER_2.get((b, a), 0))
    return f" ({points:+d})" if points else ""


# --- Table 3: how deals are sampled and weighed ---------------------------------------------------------------------

# Cell, its settings, and the paper's points and share of games won (+drawn).
CELLS = [
    ("uniform", "strata=none,weights=uniform", "59.6 ± 3.3", "62.2 (+2.8)"),
    ("equal strata (the paper's SS)", "strata=equal,weights=uniform", "59.7 ± 3.3", "64.4 (+2.0)"),
    ("exact strata", "strata=exact,weights=uniform", "", ""),
    ("uniform + IEC", "strata=none,weights=iec,beta=0.02", "54.5 ± 4.7", ""),
    ("equal strata + IEC", "strata=equal,weights=iec,beta=0.02", "73.9 ± 3.3", "67.7 (+2.5)"),
    ("exact strata + IEC", "strata=exact,weights=iec,beta=0.02", "", ""),
    ("exact strata + Bayes", "strata=exact,weights=bayes,beta=0.02", "", ""),
    ("exact strata + linear, 0.015", "strata=exact,weights=linear,beta=0.015", "", ""),
]


def table3(bench: Bench) -> None:
    _table3(bench, "table3", bench.budget, "Table 3: sampling and weighing at equal samples", f"--budget {bench.budget}")


def table3_time(bench: Bench) -> None:
    rest = ",".join(word for word in bench.budget.split(",") if word.partition("=")[0] not in ("samples", "time"))
    _table3(bench, "table3-time", f"time={bench.time:g}" + (f",{rest}" if rest else ""),
            f"Table 3 at equal time, {bench.time:g} s a move", f"--time {bench.time:g}", f"--budget {bench.budget}")


def _table3(bench: Bench, part: str, budget: str, title: str, *more: str) -> None:
    rows, first, by_cell = [], None, {}
    for cell, settings, paper, paper_won in CELLS:
        match = bench.match(f"search:{budget},{settings}", "greed", part)
        values = by_cell[cell] = match.outcomes.mean(axis=1)
        if first is None:
            first, paired = values, ["", "", ""]
        else:
            sd = float((values - first).std(ddof=1)) if len(values) > 1 else float("nan")
            needed = "" if np.isnan(sd) else f"{np.ceil((TOLD * sd / TELL) ** 2):,.0f}"
            paired = [plus_minus(values - first), f"{sd:.0f}", needed]
        rows.append([cell, plus_minus(values), paper, *paired, _won(match), paper_won,
                     f"{1000 * match.clocks['a'].seconds_per_decision:.1f}"])
    duel = bench.match(f"search:{budget},{CELLS[4][1]}", f"search:{budget},{CELLS[0][1]}", part)
    bench.head(title, part, *more)
    print(f"`search:{budget}` against `greed`, {bench.number(part)} deals twice, seed {bench.seed}, the same deals and "
          "seeds in all cells, ± 95% paired by deal. The paper does not say what its ± is (it is nearer to one standard "
          f"error of 2,048 games than to 95%). The deals needed would tell a true difference of {TELL:g} points from the "
          "first cell at the 5% level four times of five, by the sd of the paired difference.")
    table(["cell", "points over greed", "paper", "less the first cell", "its sd a deal", f"deals to tell {TELL:g} points",
           "games won (+drawn) %", "paper", "ms a decision"], rows)
    plain, weighed = ([by_cell[cell] for cell, *_ in CELLS[k:k + 3]] for k in (0, 3))
    bayes, linear = (by_cell[cell] for cell, *_ in CELLS[6:])
    print(f"IEC, mean over the three ways to draw: {plus_minus((sum(weighed) - sum(plain)) / 3)}. Over uniform draws, mean "
          f"over uniform weights and IEC: equal strata {plus_minus((plain[1] + weighed[1] - plain[0] - weighed[0]) / 2)}, "
          f"exact strata {plus_minus((plain[2] + weighed[2] - plain[0] - weighed[0]) / 2)}. Over exact strata with uniform "
          f"weights: Bayes {plus_minus(bayes - plain[2])}, linear {plus_minus(linear - plain[2])}.")
    print(f"{CELLS[4][0]} against {CELLS[0][0]}, {bench.number(part)} deals twice: "
          f"{plus_minus(duel.outcomes.mean(axis=1))}, games won (+drawn) {_won(duel)}%; paper 15.5 ± 4.1, 53.5 (+3.3)%.",
          flush=True)


def _won(match: MatchResult) -> str:
    return f"{100 * (match.outcomes > 0).mean():.1f} (+{100 * (match.outcomes == 0).mean():.1f})"


# --- Table 4: what a card is worth ----------------------------------------------------------------------------------

PAPER_4 = {"SA": "-20 ~ -40", "SK": "-20 ~ -40", "CA": "-20", "CK": "-20", "CQ": "-10", "CJ": "-10", "DA": "20", "DK": "10",
           "DQ": "10"}
SPECIAL = {"S": "SQ", "D": "DJ", "C": "C10"}
LOW = 5                     # ranks 2 .. 6


def table4(bench: Bench) -> None:
    worth = {card: _worth_rows(bench, card) for card in PAPER_4}
    bench.head("Table 4: what holding a card is worth", "table4")
    print("Points the open-card net gives the holder's side at the first move (seat 0 leads), less what it gives when the "
          "card is swapped with a random low card (2-6) of its suit from another hand; mean ± one standard error over "
          "random deals in which neither the suit's special card (SQ, DJ, C10) nor that low card is in the holder's hand "
          f"(deals in brackets, of {bench.number('table4')}, seed {bench.seed}). Points are the difference of the teams: a "
          "swap with an opponent takes a burden from one team and gives it to the other, and so counts it twice; with the "
          "partner it stays in the team. Mr. Greed's number is for the card in one hand: beside it stands half of the "
          "swap with an opponent.")
    rows = []
    for card, (changes, partner) in worth.items():
        parts = [changes, changes[partner], changes[~partner]]
        rows.append([card, f"{HELD[parse_card(card)]:.0f}", PAPER_4[card], _with_error(parts[2] / 2),
                     *(f"{_with_error(part)} ({len(part)})" for part in parts)])
    table(["card", "Mr. Greed", "paper's net", "ours, half with an opponent", "with any other seat", "with the partner",
           "with an opponent"], rows)


def _with_error(values: Floats) -> str:
    mean, se = mean_se(values)
    return f"{mean:+.1f} ± {se:.1f}"


def _worth_rows(bench: Bench, name: str) -> tuple[Floats, np.ndarray]:
    """What swapping the card away costs its holder's side by deal, and which deals swapped it with the partner."""
    oracle, out = encode.oracle_in(bench.nets), encode.moves_scratch()
    card = parse_card(name)
    suit = card // RANKS
    special = parse_card(SPECIAL[SUITS[suit]])
    changes, partner = [], []
    for number in each(range(bench.number("table4")), f"worth of {name}", "deals", LINE):
        hands = [pack(hand) for hand in Deal.random(bench.seed, number).hands]
        holder = next(seat for seat in range(4) if hands[seat] >> card & 1)
        low = [other for other in range(RANKS * suit, RANKS * suit + LOW) if not hands[holder] >> other & 1]
        if hands[holder] >> special & 1 or not low:
            continue
        rng = stream(bench.seed, number, card)
        other = low[int(np.random.default_rng(int(rng[0])).integers(len(low)))]
        taker = next(seat for seat in range(4) if hands[seat] >> other & 1)
        swapped = list(hands)
        both = 1 << card | 1 << other
        swapped[holder] ^= both
        swapped[taker] ^= both
        before, after = (nets_kernels.oracle_value(oracle, start(a, b, c, d, 0), rng, out)
                         for a, b, c, d in (hands, swapped))
        changes.append((before - after) * (1 if holder % 2 == 0 else -1))
        partner.append((taker - holder) % 4 == 2)
    return np.array(changes), np.array(partner, bool)


# --- Table 8: a raw net on averaged and on one-hot input ------------------------------------------------------------

class AveragedInput:
    """The open-card net alone, fed with what a seat sees: unseen cards spread over the others ("triple-1/3-hot")."""

    def __init__(self, nets: str = "") -> None:
        net = encode.oracle_in(nets).net
        rows = net.rows.copy()
        rows[OBSERVER:OBSERVER + 4] = 0.0        # this net has never seen them on, and what it has there is noise
        self.policy = nets_kernels.Blueprint(net._replace(rows=rows), np.zeros((4, 3)), np.zeros(16))
        self._out = encode.moves_scratch()

    def act(self, infoset: InfoSet) -> Move:
        return Move(int(nets_kernels.blueprint_choice(self.policy, seen_by(infoset), stream(0), self._out)))


class OneHotInput:
    """The open-card net alone, fed with one random deal of the unseen cards as if it were the true one."""

    def __init__(self, nets: str = "", seed: int = 0) -> None:
        self.oracle, self.seed = encode.oracle_in(nets), seed
        self._out, self._q = encode.moves_scratch(), np.zeros(16)

    def act(self, infoset: InfoSet) -> Move:
        if len(infoset.legal_actions()) == 1:
            return infoset.legal_actions()[0]
        deal = hidden.hidden_of(infoset).draw(1, stream(self.seed, infoset.key))
        position = with_hands(infoset.seen_position(), hidden.seat_hands(infoset, deal)[0])
        n = legal(position, self._out)
        nets_kernels.oracle_values(self.oracle, position, self._out, n, self._q)
        return Move(int(self._out[best_of(self._q, n)]))


# Here and not in a function: the processes of a match import this file again, and must know the names too.
agents.register("gongzhu", "averaged-input", lambda: AveragedInput)
agents.register("gongzhu", "one-hot-input", lambda: OneHotInput)


def table8(bench: Bench) -> None:
    rows = []
    for label, spec, paper in (("open-card net, one-hot input (one random deal)", "one-hot-input", "1 ± 16"),
                               ("open-card net, averaged input", "averaged-input", "7 ± 4.6"),
                               ("`net`: the blueprint, trained on averaged input", "net", "")):
        match = bench.match(spec, "greed", "table8")
        rows.append([label, plus_minus(match.outcomes.mean(axis=1)), paper,
                     f"{1000 * match.clocks['a'].seconds_per_decision:.2f}"])
    bench.head("Table 8: raw nets over Mr. Greed by what they are fed", "table8")
    print(f"No search: the card of the highest value is played. {bench.number('table8')} deals twice, seed {bench.seed}, "
          "± 95% paired by deal. Averaged input spreads every unseen card over the hands that may hold it, so that the sums "
          "fit; the lengths of hidden suits, which the open-card net is used to see, are left off.")
    table(["net and input", "points over greed", "paper", "ms a decision"], rows)


# --- Figure 2: the learning curve -----------------------------------------------------------------------------------

def figure2(bench: Bench) -> None:
    places = [*([Path(bench.options.nets) / "curve.json"] if bench.options.nets else []), HERE / "gongzhu_curve.json"]
    path = next((path for path in places if path.exists()), None)
    if path is None:
        raise SearchDouError(f"no learning curve: there is no {' and no '.join(map(str, places))}")
    curve = json.loads(path.read_text())
    pyplot = plots()
    figure, (upper, lower) = pyplot.subplots(2, 1, figsize=(7, 7), sharex=True, layout="constrained")
    for name, label in (("net", "net alone"), ("search", "search, 24 deals")):
        marks = [row for row in curve if name in row]
        if marks:
            upper.errorbar([row["hours"] for row in marks], [row[name] for row in marks], marker="o", markersize=3,
                           yerr=[1.96 * row[f"{name}_se"] for row in marks], capsize=2, label=label)
    upper.axhline(0.0, color="gray", linewidth=0.8)
    for points, label in ((60.0, "paper: SZS, 60"), (73.9, "paper: SS with IEC, 73.9"), (7.0, "paper: raw net, 7")):
        upper.axhline(points, linestyle=":", linewidth=1.0, color="black")
        upper.annotate(label, (1.0, points), xycoords=("axes fraction", "data"), ha="right", va="bottom", fontsize=8)
    upper.set_ylabel("points a game over Mr. Greed, ± 95%")
    upper.legend(loc="best")
    other = lower.twinx()
    for cards, style in ((20, "-"), (24, "--")):
        hours = [row["hours"] for row in curve]
        lower.plot(hours, [row[f"rmse{cards}"] for row in curve], f"C0{style}", label=f"error, up to {cards} cards left")
        other.plot(hours, [row[f"regret{cards}"] for row in curve], f"C3{style}", label=f"regret, up to {cards} cards left")
    lower.set_xlabel("hours of training, two CPU cores")
    lower.set_ylabel("rmse of the open-card net, points", color="C0")
    other.set_ylabel("points its choices give away", color="C3")
    lines = [*lower.get_lines(), *other.get_lines()]
    lower.legend(lines, [str(line.get_label()) for line in lines], fontsize=8, loc="best")
    for axis in (upper, lower):
        axis.grid(alpha=0.3)
    picture = saved(bench, figure, "gongzhu_curve.png")
    bench.head("Figure 2: the learning curve", "figure2")
    print(f"From {path}: points a game over `greed` (± 95%) and the open-card net on exactly solved endings (error and "
          "regret in points, with up to 20 and 24 cards left). The paper's curve is by epochs of less than a "
          "minute on a GPU.")
    chosen = curve if len(curve) <= 12 else [curve[round(i * (len(curve) - 1) / 11)] for i in range(12)]
    table(["hours", "games", "net", "search", "rmse 20 / 24", "regret 20 / 24"],
          [[f"{row['hours']:.2f}", f"{row['games']:,.0f}", *(f"{row[name]:+.0f} ± {1.96 * row[name + '_se']:.0f}"
            if name in row else "" for name in ("net", "search")), f"{row['rmse20']:.0f} / {row['rmse24']:.0f}",
            f"{row['regret20']:.1f} / {row['regret24']:.1f}"] for row in chosen])
    print(f"![learning curve]({picture.name})")


# --- Figures 3 and 4: the net's opinion of every card ---------------------------------------------------------------

BETA = 0.015                # the paper's, for figure 3


@dataclass(frozen=True)
class CardSums:
    """Sums by game and card, [games, 52], over all choices in which the card was legal."""

    times: Floats
    gamma: Floats           # correction factor, eq. 12
    value: Floats           # action value, points in all for the side that plays
    value2: Floats          # its square
    edge: Floats            # the same, less the mean of the legal cards
    edge2: Floats


@cache
def card_sums(bench: Bench, games: int) -> CardSums:
    """Play `games` games by `net` on all seats and look at every choice of more than one card."""
    policy, out, scratch = encode.blueprint_in(bench.nets), encode.moves_scratch(), np.zeros(16)
    sums = np.zeros((6, games, 52))
    for number in each(range(games), "choices of the net", "games", LINE):
        position = Game().start(Deal.random(bench.seed, number)).position
        while position.plays < 52:
            n = legal(position, out)
            if n > 1:
                nets_kernels.blueprint_values(policy, position, out, n, scratch)
                q, cards = scratch[:n], out[:n]
                gamma, edge = np.exp(-BETA * (q.max() - q)), q - q.mean()
                sums[:, number, cards] += (np.ones(n), gamma, q, q ** 2, edge, edge ** 2)
                position = step(position, int(cards[best_of(q, n)]))
            else:
                position = step(position, int(out[0]))
    return CardSums(*sums)


def mean_by_card(times: Floats, total: Floats) -> tuple[Floats, Floats]:
    """Mean by card and half its 95% interval; choices of one game are not independent, games are."""
    count = np.maximum(1, times.sum(axis=0))
    mean = total.sum(axis=0) / count
    return mean, 1.96 * np.sqrt(np.square(total - mean * times).sum(axis=0)) / count


def variance_by_card(times: Floats, total: Floats, squares: Floats) -> tuple[Floats, Floats]:
    """Variance by card and half its 95% interval, in the same way."""
    count = np.maximum(1, times.sum(axis=0))
    mean = total.sum(axis=0) / count
    around = squares - 2 * mean * total + mean ** 2 * times
    variance = around.sum(axis=0) / count
    return variance, 1.96 * np.sqrt(np.square(around - variance * times).sum(axis=0)) / count


def bars(axis: Any, heights: Floats, halves: Floats, label: str) -> None:
    """52 bars by suit, low to high."""
    for suit, colour in enumerate(("C7", "C3", "C1", "C2")):
        cards = slice(RANKS * suit, RANKS * (suit + 1))
        axis.bar(np.arange(RANKS) + (RANKS + 1) * suit, heights[cards], yerr=halves[cards], color=colour, capsize=1.5,
                 error_kw={"linewidth": 0.8})
    spots = [(RANKS + 1) * suit + rank for suit in range(4) for rank in range(RANKS)]
    axis.set_xticks(spots, CARDS, rotation=90, fontsize=7)
    axis.set_xlim(-1, spots[-1] + 1)
    axis.set_ylabel(label)
    axis.grid(axis="y", alpha=0.3)


def by_card(values: Floats, digits: int) -> None:
    """A table of 4 suits and 13 ranks."""
    table(["", *RANK_NAMES], [[SUITS[suit], *(f"{x:.{digits}f}" for x in values[RANKS * suit:RANKS * (suit + 1)])]
                              for suit in range(4)])


def extremes(values: Floats, count: int = 5) -> str:
    order = np.argsort(values)
    tops = RANKS * np.arange(4) + values.reshape(4, RANKS).argmax(axis=1)
    chosen = (("Lowest", order[:count]), ("highest", order[::-1][:count]), ("highest of each suit", tops))
    return ", ".join(f"{name} {' '.join(CARDS[i] for i in cards)}" for name, cards in chosen)


def figure3(bench: Bench) -> None:
    games = bench.number("figure3")
    sums = card_sums(bench, games)
    means, halves = mean_by_card(sums.times, sums.gamma)
    figure, axis = plots().subplots(figsize=(11, 3.5), layout="constrained")
    bars(axis, means, halves, f"mean correction factor, beta {BETA:g}")
    picture = saved(bench, figure, "gongzhu_gamma.png")
    bench.head("Figure 3: mean correction factor by card", "figure3")
    print(f"gamma = exp(-{BETA:g} (q_max - q_a)), the blueprint's values q, mean over every legal card of every choice in "
          f"{games} games of `net` with itself, seed {bench.seed}, {sums.times.sum():,.0f} cards looked at; the largest 95% "
          f"interval is ± {halves.max():.3f} (games as units). The paper finds SQ low and every suit highest at about 10.")
    by_card(means, 3)
    print(f"{extremes(means)}.\n\n![correction factors]({picture.name})")


def figure4(bench: Bench) -> None:
    games = bench.number("figure4")
    sums = card_sums(bench, games)
    values, halves = variance_by_card(sums.times, sums.value, sums.value2)
    edges, edge_halves = variance_by_card(sums.times, sums.edge, sums.edge2)
    figure, (upper, lower) = plots().subplots(2, 1, figsize=(11, 6.5), layout="constrained")
    bars(upper, values, halves, "variance of the value")
    bars(lower, edges, edge_halves, "variance of the value less\nthe legal cards' mean")
    picture = saved(bench, figure, "gongzhu_variance.png")
    bench.head("Figure 4: variance of values by card", "figure4")
    print("Variance, in points squared, of the blueprint's value of playing a card, over every legal card of every choice "
          f"in {games} games of `net` with itself, seed {bench.seed}; the largest 95% interval is ± {halves.max():.0f} "
          "(games as units). A value is the whole game's points, those already taken among them. The paper finds SQ "
          "large, and HK and HA largest of the hearts.")
    by_card(values, 0)
    print(f"{extremes(values)}.\n\nOf the value less the mean of the legal cards, which leaves only what the card itself "
          f"changes (largest interval ± {edge_halves.max():.0f}):")
    by_card(edges, 0)
    print(f"{extremes(edges)}.\n\n![variances]({picture.name})")


# --- Log-loss: what the weights know of the hidden cards ------------------------------------------------------------

STAGES = ("tricks 1-3", "4-6", "7-9", "10-12")
IEC_BETAS = (0.005, 0.01, 0.02, 0.04)
CASES = [*(f"iec {beta:g}" for beta in IEC_BETAS), "bayes 0.02", "linear 0.015"]


def logloss(bench: Bench) -> None:
    bench.head("Beliefs: log-loss per hidden card of its true holder", "logloss", f"--samples {bench.samples}")
    print(f"One belief a stage of a game (the move is drawn at random), {bench.samples} deals weighed by the blueprint's "
          f"values (all deals when there are no more), {bench.number('logloss')} games by each player with itself, seed "
          f"{bench.seed}. Uniform is the loss itself in nats, the others are the differences to it on the same deals: "
          "negative is better. ± one standard error over games; in brackets the mean effective share of the deals, "
          "all stages.")
    rows = []
    for player in ("greed", "net"):
        spec = bench.spec(player)
        identity = f"logloss {all_settings('gongzhu', spec)} {bench.digest} {bench.seed} {bench.samples} {CASES}"
        games = each_game(partial(belief_rows, spec, bench.nets, bench.seed, bench.samples), bench.number("logloss"),
                          bench.workers, bench.file(f"logloss {player}", identity))
        for case in ("uniform", *CASES):
            losses = np.array([[stage[case][0] for stage in game] for game in games])
            share = np.mean([[stage[case][1] for stage in game] for game in games])
            cells = [losses[:, i] for i in range(len(STAGES))] + [losses.mean(axis=1)]
            rows.append([player if case == "uniform" else "", f"{case} ({share:.2f})", *map(_loss, cells)])
    table(["games by", "weights, beta", *STAGES, "all"], rows)


def _loss(values: Floats) -> str:
    mean, se = mean_se(values)
    return f"{mean:+.4f} ± {se:.4f}"


_player = cache(partial(agents.make, "gongzhu"))    # one a process


def belief_rows(spec: str, nets: str, seed: int, samples: int, number: int) -> list[dict[str, list[float]]]:
    """By stage: [log-loss, effective share] of the uniform belief, and [difference to it, share] of every case."""
    player, policy = _player(spec), encode.blueprint_in(nets)
    state = Game().start(Deal.random(seed, number))
    rng = np.random.default_rng((seed, number))
    turns = [int(rng.integers(max(1, 12 * stage), 12 * (stage + 1))) for stage in range(len(STAGES))]
    rows = []
    for turn in range(turns[-1] + 1):
        infoset = state.infoset()
        if turn in turns:
            rows.append(judged(infoset, state.position, policy, samples, stream(seed, number, turn)))
        state.act(player.act(infoset))
    return rows


def judged(infoset: InfoSet, position: Position, policy: Any, samples: int, rng: Any) -> dict[str, list[float]]:
    """The beliefs of the seat to act against the true hands of `position`."""
    unseen = hidden.hidden_of(infoset)
    deals = unseen.enumerate()[0] if unseen.count <= samples else unseen.draw(samples, rng)
    hands, past = hidden.seat_hands(infoset, deals), hidden.past_of(infoset)
    truth = np.array([position[(infoset.seat + 1 + place) % 4] for place in range(3)])
    weigh = partial(log_weights, past, hands, policy)
    regret = weigh(rule="iec", beta=1.0)             # the log of IEC's weight is -beta times the regrets: one replay for all
    logs = {f"iec {beta:g}": beta * regret for beta in IEC_BETAS}
    logs |= {"bayes 0.02": weigh(rule="bayes", beta=0.02), "linear 0.015": weigh(rule="linear", beta=0.015)}
    uniform = Belief(unseen, deals, np.full(len(deals), 1 / len(deals))).log_loss(truth)
    beliefs = {case: Belief(unseen, deals, weights_of(log)) for case, log in logs.items()}
    return {"uniform": [uniform, 1.0]} | {case: [belief.log_loss(truth) - uniform, belief.ess / len(deals)]
                                          for case, belief in beliefs.items()}


# --- the command line -----------------------------------------------------------------------------------------------

PARTS = {
    "table2": table2, "table3": table3, "table3-time": table3_time, "table4": table4, "table8": table8, "figure2": figure2,
    "figure3": figure3, "figure4": figure4, "logloss": logloss}


def bench_of(options: argparse.Namespace) -> Bench:
    """The bench of this paper."""
    nets, digest = frozen_nets(options.nets, encode.FILES, options.runs)
    return Bench("gongzhu", "gongzhu_paper.py", DEALS, WITH_NETS, options, nets, digest)


def main() -> None:
    parser = parser_of(__doc__, PARTS, DEALS)
    parser.add_argument("--search", default="time=0.1", help="settings of search in table2")
    parser.add_argument("--agents", default="", help="who plays in table2, by commas; all six without it")
    parser.add_argument("--oracle", default="sims=1000", help="settings of oracle in table2")
    parser.add_argument("--budget", default="samples=9", help="settings of search in table3")
    parser.add_argument("--time", type=float, default=0.02, help="seconds a move in table3-time")
    parser.add_argument("--samples", type=int, default=512, help="deals a belief of logloss is made of")
    options = parser.parse_args()
    options.agents = tuple(filter(None, options.agents.split(",")))
    run_parts(options, PARTS, lambda: bench_of(options))


if __name__ == "__main__":
    main()
