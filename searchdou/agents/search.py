"""`search`: sample the hidden hands, weigh them by what the others did, search each, average, act. For both games.

The settings are one sentence each in `SearchSettings`; a spec gives them by name: `search:time=0.5,weights=iec`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inference._game_kernels import Uniform, cards_left, has_habits, tell
from inference._math_kernels import logs, normal_gain
from inference._policy_kernels import Ahead, Mean, Rollout
from inference._rng_kernels import stream, uniform
from inference._weigh_kernels import draw_simple
from inference.belief import Belief, thinned, weights_of
from inference.hidden import Hidden, Kind
from inference.past import RULES, Past, log_weights
from mcts import _solver_kernels, _tree_kernels
from mcts._root_kernels import Plan, prior_values, weighted, world_after
from mcts.root import Estimate, InformationSetRoot, Limit, Prior, Root, Samples
from searchdou.decision import Decision
from searchdou.errors import SearchDouError, UnknownName, check_shares

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

CLOCKS: dict[str, Callable[[], float]] = {"wall": time.perf_counter, "cpu": time.thread_time}
UNSEARCHED = Estimate(float("nan"), float("nan"), 0)
ENUMERATE = 512      # with so few deals left all are looked at, when the budget allows
LINE_NODES = 4       # times the nodes a solve may take, for every position of the expected line and its moves
SELDOM = 0.01        # where all deals are listed and nobody is likelier than this to play simply, nobody does: they are gone
                     # through once, and the answer is exact


@dataclass(frozen=True)
class SearchSettings:
    """How `search` thinks; None means the game's own default."""

    time: float | None = None         # seconds a decision; without it `samples` decides
    samples: int | None = None        # deals looked at
    sims: int | None = None           # simulations (or rollouts) for a candidate on a deal
    mode: str | None = None           # tree: a tree on every deal; flat: rollouts only; ismcts: one tree over all deals
    leaf: str | None = None           # value: a net sees all hands; blueprint, rollout, random: played out by a net, by
                                      # the game's cheap policy, by random moves
    depth: int | None = None          # actions a blueprint plays out before a net's value is taken; 0 plays to the end
    fade: float | None = None         # above 0: values are taken along the way too, an action later counts so many times as
                                      # much (Gongzhu)
    judge: str | None = None          # the net that says so: critic (what comes of a deal when seats see their own cards),
                                      # oracle (when all cards lie open), or both, each counting half (Gongzhu)
    lines: int | None = None          # along which values are taken: 1 by the blueprint, 2 another by open cards (Gongzhu)
    policy: str | None = None         # whose choices weigh deals, give priors and rank moves: blueprint (a net) or rule
    nets: str = ""                    # folder of the nets' weights; without it those that came with the package
    backup: str | None = None         # of a tree: mean of its simulations, or best child (minimax)
    weights: str | None = None        # of deals: uniform, iec, bayes, linear (the original program's factor), quantal (for
                                      # players of unknown kinds)
    beta: float | None = None         # how sharply deals are weighed, per point of regret; of quantal that of the freest
                                      # kind of player, in DouDizhu per stake
    habits: float | None = None       # how likely each other seat is beforehand to be a simple player of habits, whom
                                      # quantal weights tell by its actions and playouts foresee (DouDizhu); 0: nobody is
    careless: float | None = None     # how likely each of those that are not is to choose freely; told and foreseen likewise
    pool: int | None = None           # deals drawn and weighed for every one that is searched, where not all are looked at
    slices: int | None = None         # weigh only the last so many actions of the others; 0 weighs all
    strata: str | None = None         # key cards: none, exact (by their probabilities), equal (as the paper does)
    c: float | None = None            # exploration, in points
    prior: float | None = None        # temperature of priors for PUCT, in points; 0 is UCB
    moves: int | None = None          # candidates kept, the best by the cheap policy; 0 keeps all
    trust: float | None = None        # deals for which the policy's own values count beside those searched
    caution: float | None = None      # standard errors another move must be ahead of the cheap policy's own choice
    solve: int | None = None          # with this many cards left or fewer endings are solved exactly
    alone: int | None = None          # of `flat`: with more cards than this a solution counts half, beside the leaf's value
    mix: float | None = None          # how much winning counts as such beside the points it brings (DouDizhu)
    temper: float | None = None       # how freely peasants play deals out when the landlord thinks, in stakes (DouDizhu)
    bids: str | None = None           # price: on sampled deals; net; threshold (DouDizhu)
    sure: float = 4.0                 # standard errors behind the best at which a candidate is dropped before its time; the
                                      # last one left ends the search. With 0, and gain=0, it thinks on
    gain: float | None = None         # points: a candidate expected to gain less over the best is dropped as well
    clock: str = "wall"               # what `time` counts: wall, or cpu (of one thread), for matches on a busy machine
    threads: int = 1
    seed: int = 0


class Opening(NamedTuple):
    """An action that is not searched for, a bid: its evidence, and the deals it was valued on (by place), with weights."""

    action: Any
    values: dict[Any, Estimate]
    deals: Ints | None = None
    weights: Floats | None = None


@dataclass(frozen=True)
class Kit:
    """What the search needs of a game beside its compiled rules."""

    defaults: dict[str, Any]
    hidden_of: Callable[[Any], Hidden]
    seat_hands: Callable[[Any, Ints], Ints]
    past_of: Callable[[Any], Past]
    log_weight: Callable[[Any, Ints], Any]  # (infoset, hands): what weighs a deal beside the policy's values
    view_of: Callable[[Any], Any]
    candidates: Callable[[Any], list[int]]
    twins: Callable[[Any], dict[int, int]]  # for every candidate the one to search in its place
    action_of: Callable[[Any, int], Any]
    sign_of: Callable[[Any], float]
    wins_at_once: Callable[[Any, int], bool]
    leaves: dict[str, Callable[[SearchSettings], Any]]
    policies: dict[str, Callable[[SearchSettings], Any]]
    prepare: Callable[[Any, Any], None]     # (leaf, infoset): before a decision
    unit: Callable[[Any], float]            # points that `beta` of weights=quantal counts as one
    opening: Callable[[SearchSettings], Callable[[Any, Limit | None], Opening | None]]    # makes what answers before there
                                            # is a search; a limit given goes before that of the settings
    examples: Callable[[], list[Any]]   # infosets to warm up on: any with a past, and one of every opening
    bids: tuple[str, ...]                   # ways to bid
    judges: tuple[str, ...]                 # nets that value lines
    seats: int                              # columns of `seat_hands` that are seats: the first so many
    most_moves: int
    solve_nodes: int                    # a solve is given up after so many nodes, three times as many with time for it
    drawn: Callable[[SearchSettings], bool] = lambda s: s.leaf in ("rollout", "random")    # whether a leaf asked again may
                                            # answer otherwise: one that is played out with some moves drawn
    with_time: Callable[[float], dict[str, Any]] = lambda seconds: {}     # defaults that depend on the time a decision has
    with_given: Callable[[SearchSettings], dict[str, Any]] = lambda given: {}     # and on other settings


def _second(state: Any) -> Any:
    """What the second player knows after some first action."""
    state.act(state.legal_actions()[0])
    return state.infoset()


def _gongzhu_kit() -> Kit:
    from searchdou.games.gongzhu import Game, encode, hidden
    from searchdou.games.gongzhu import _search_kernels as kernels
    from searchdou.games.gongzhu.cards import MOVES
    greedy = kernels.Greedy(0.1)
    judges: dict[str, Callable[[str], Any]] = {
        "critic": encode.critic_in, "oracle": encode.oracle_in, "both": encode.judges_in}

    def played_out(s: SearchSettings) -> Any:
        if s.depth:
            honest = Ahead(encode.blueprint_in(s.nets), judges[str(s.judge)](s.nets), s.depth, s.fade or 0.0)
            if s.lines == 1:
                return honest
            return Mean(honest, Ahead(encode.seer_in(s.nets), encode.oracle_in(s.nets), s.depth, s.fade or 0.0))
        return Rollout(encode.blueprint_in(s.nets, 0.05))

    return Kit(
        defaults={"samples": 64, "sims": 1, "mode": "flat", "leaf": "blueprint", "policy": "blueprint", "backup": "best",
                  "weights": "iec", "beta": 0.02, "habits": 0.0, "careless": 0.0, "pool": 1, "slices": 0, "strata": "none",
                  "c": 20.0, "prior": 0.0, "moves": 0, "caution": 0.0, "solve": 20, "alone": 14, "trust": 0.0, "mix": 0.0,
                  "temper": 0.0, "bids": "none", "depth": 8, "fade": 0.85, "judge": "both", "lines": 2, "gain": 0.1},
        hidden_of=hidden.hidden_of, seat_hands=hidden.seat_hands, past_of=hidden.past_of,
        log_weight=lambda infoset, hands: 0.0, view_of=lambda infoset: infoset.seen_position(),
        candidates=lambda infoset: [card for card in range(52) if infoset.packed_legal >> card & 1],
        twins=hidden.twins, action_of=lambda infoset, card: MOVES[card],
        sign_of=lambda infoset: 1.0 if infoset.seat % 2 == 0 else -1.0,
        wins_at_once=lambda infoset, card: False,
        leaves={"value": lambda s: encode.oracle_in(s.nets), "rollout": lambda s: Rollout(greedy),
                "blueprint": played_out, "random": lambda s: Rollout(Uniform())},
        policies={"blueprint": lambda s: encode.blueprint_in(s.nets), "rule": lambda s: greedy},
        prepare=lambda leaf, infoset: None, unit=lambda infoset: 1.0,
        drawn=lambda s: s.leaf in ("rollout", "random") or (s.leaf == "blueprint" and not s.depth),
        opening=lambda s: lambda infoset, limit: None, bids=("none",),
        judges=tuple(judges),
        examples=lambda: [_second(Game().deal(0))], seats=4, most_moves=1024, solve_nodes=20_000, with_time=_more_exactly,
        with_given=lambda given: {"beta": 0.01} if given.weights == "quantal" else {})


def _more_exactly(seconds: float) -> dict[str, Any]:
    """More time solves longer endings (24 cards take a few ms each) and tells nearer cards apart."""
    return {"solve": 24 if seconds >= 0.4 else 20, "gain": _finer(0.1, seconds)}


def _finer(gain: float, seconds: float) -> float:
    """`gain` at 0.1 s; less with more time, as errors shrink with the square root of it."""
    return float(round(gain * min(1.0, math.sqrt(0.1 / seconds)), 6))


def _doudizhu_kit() -> Kit:
    from searchdou.agents import _doudizhu_rule_kernels as rule
    from searchdou.agents.doudizhu_net import BIDS, SHARPNESS, Bidder
    from searchdou.agents.doudizhu_rule import RulePlayer
    from searchdou.games.doudizhu import Game, Move, _kernels, _search_kernels, encode, hidden
    from searchdou.games.doudizhu import _net_kernels as net_kernels

    def prepare(leaf: Any, infoset: Any) -> None:
        if isinstance(leaf, net_kernels.Finish):
            leaf.root[:] = _search_kernels.scale(hidden.view_of(infoset)), infoset.landlord == infoset.seat, 0
        elif isinstance(getattr(leaf, "policy", None), rule.RulePolicy):
            rule.fix_prices(leaf.policy, infoset.packed_unseen + infoset.packed_hand)

    def weighing_defaults(given: SearchSettings) -> dict[str, Any]:
        # Weighing by `rule` takes twenty times as long, and its values have another scale.
        weights = given.weights or ("iec" if given.policy == "rule" else "quantal")
        if weights != "quantal":
            return {"weights": weights}
        known = {} if given.policy == "rule" else {"habits": 0.03, "careless": 0.03}
        return {"weights": weights, "beta": SHARPNESS, "pool": 3, **known}

    def opening(s: SearchSettings) -> Callable[[Any, Limit | None], Opening | None]:
        if s.bids == "rule":
            player = RulePlayer()
            return lambda infoset, limit: Opening(player.act(infoset), {}) if infoset.landlord is None else None
        standing = None if s.time is None else Limit(seconds=s.time, clock=CLOCKS[s.clock])
        bidder = Bidder(encode.blueprint_in(s.nets), str(s.bids), s.samples or (256 if s.time is None else 1024), s.seed)

        def bid(infoset: Any, limit: Limit | None) -> Opening | None:
            if infoset.landlord is not None:
                return None
            found = bidder.values(infoset, limit or standing)
            return Opening(found.best, found.values, found.deals, found.weights)
        return bid

    return Kit(
        defaults={"samples": 64, "sims": 1, "mode": "flat", "leaf": "blueprint", "policy": "blueprint", "backup": "mean",
                  "beta": 0.4, "habits": 0.0, "careless": 0.0, "pool": 1, "slices": 0, "strata": "none", "c": 3.0,
                  "prior": 0.0, "moves": 5, "caution": 0.0, "solve": 12, "alone": 54, "trust": 20.0, "mix": 0.5,
                  "temper": 0.0, "bids": "price", "depth": 0, "fade": 0.0, "judge": "none", "lines": 1, "gain": 0.002},
        hidden_of=hidden.hidden_of, seat_hands=hidden.seat_hands, past_of=hidden.past_of,
        log_weight=hidden.copies_log_weight, view_of=hidden.view_of,
        candidates=lambda infoset: infoset.packed_legal(), twins=lambda infoset: {},
        action_of=lambda infoset, action: Move(action),
        sign_of=lambda infoset: 1.0 if infoset.landlord == infoset.seat else -1.0,
        wins_at_once=lambda infoset, action: action & _kernels.CARDS == infoset.packed_hand,
        leaves={"value": lambda s: encode.oracle_in(s.nets, s.mix or 0.0),
                "blueprint": lambda s: net_kernels.Finish(encode.blueprint_in(s.nets), np.array([1.0, 1.0, 0.0]),
                                                          s.mix or 0.0, s.depth or 0, s.temper or 0.0),
                "rollout": lambda s: Rollout(rule.rule_policy()), "random": lambda s: Rollout(Uniform())},
        policies={"blueprint": lambda s: encode.blueprint_in(s.nets), "rule": lambda s: rule.rule_policy()},
        prepare=prepare, unit=hidden.stake_of,
        drawn=lambda s: s.leaf == "random" or (s.leaf == "blueprint" and bool(s.temper)),
        opening=opening, bids=(*BIDS, "rule"), judges=("none",),
        examples=lambda: [_second(Game(bidding=False).deal(0)), _second(Game().deal(0))], seats=3,
        most_moves=4 * _kernels.MAX_MOVES, solve_nodes=20_000,
        with_time=lambda seconds: {"gain": _finer(0.002, seconds)},
        with_given=weighing_defaults)


_KITS: dict[str, Callable[[], Kit]] = {"gongzhu": _gongzhu_kit, "doudizhu": _doudizhu_kit}
_CHOICES = {"mode": ("tree", "flat", "ismcts"), "weights": ("uniform", *RULES), "strata": ("none", "exact", "equal"),
            "backup": ("mean", "best"), "clock": tuple(CLOCKS)}


class SearchPlayer:
    """The composed agent: `act` gives the move, `analyze` the move with its evidence."""

    Settings = SearchSettings

    def __init__(self, game: str, settings: SearchSettings | None = None, **given: Any) -> None:
        if game not in _KITS:
            raise UnknownName("game of search", game, _KITS)
        self.kit = _KITS[game]()
        self.settings = self.complete(game, settings or SearchSettings(**given))
        s = self.settings
        self.plan = Plan(int(s.mode == "tree"), int(s.sims or 1), float(s.c or 0.0), float(s.prior or 0.0),
                         int(s.solve or 0), self.kit.solve_nodes * (1 if (s.solve or 0) <= 20 else 3), s.backup == "best",
                         int(s.alone or 0) if s.mode == "flat" else int(s.solve or 0))
        make_leaf, make_policy = self.kit.leaves[str(s.leaf)], self.kit.policies[str(s.policy)]
        self._root = Root(self.plan, lambda: make_leaf(s), lambda: make_policy(s), threads=s.threads,
                          most_moves=self.kit.most_moves)
        self._information_set = InformationSetRoot(lambda: make_leaf(s), self.plan.c,
                                                   most_moves=self.kit.most_moves) if s.mode == "ismcts" else None
        self._policy = make_policy(s)
        for name in ("habits", "careless"):
            if getattr(s, name) and not has_habits(self._policy):
                raise SearchDouError(f"search: policy={s.policy} of {game} knows no simple players; take {name}=0")
        # With more cards left than these a deal is not solved, so that what is drawn in a leaf counts.
        self._settled = (self.plan.solve_cards if self.plan.tree else min(self.plan.solve_cards, self.plan.alone)) \
            if self.kit.drawn(s) else 1 << 30
        self._foresees = s.mode != "ismcts" and tell(self._root.workers[0].leaf, 0)
        self._opening = self.kit.opening(s)
        if s.time is not None:
            # Kernels are loaded (or compiled) now, not while a clock is running.
            for infoset in self.kit.examples():
                self._decide(infoset, evidence=True, limit=Limit(samples=1))
            logs(Hidden((Kind("any", 0, 1, 1),), ((0,),), (1,), (1,), ("somewhere",)).enumerate()[1])
            normal_gain(0.0, 1.0)

    @staticmethod
    def complete(game: str, given: SearchSettings) -> SearchSettings:
        """The settings with everything decided that was left to the game, and checked."""
        kit = _KITS[game]()
        values = {f.name: getattr(given, f.name) for f in fields(given)}
        defaults = kit.defaults | kit.with_given(given)
        if given.time and 0 < given.time < 1e6:
            defaults |= kit.with_time(given.time)
        for name, default in defaults.items():
            if values[name] is None and not (name == "samples" and given.time is not None):
                values[name] = default
        for name, known in {**_CHOICES, "leaf": tuple(kit.leaves), "policy": tuple(kit.policies),
                            "bids": kit.bids, "judge": kit.judges}.items():
            if values[name] not in known:
                raise UnknownName(f"{name} of search", values[name], known)
        for name, value in values.items():
            if isinstance(value, float) and name != "time" and not math.isfinite(value):
                raise SearchDouError(f"search: {name} must be a finite number, not {value}")
        for name, least in (("samples", 1), ("sims", 1), ("threads", 1), ("slices", 0), ("moves", 0), ("solve", 0),
                            ("alone", 0), ("depth", 0), ("fade", 0), ("lines", 1), ("beta", 0), ("c", 0),
                            ("prior", 0), ("caution", 0), ("pool", 1), ("trust", 0), ("mix", 0), ("temper", 0), ("sure", 0),
                            ("gain", 0)):
            if values[name] is not None and values[name] < least:
                raise SearchDouError(f"search: {name} must be at least {least}, not {values[name]}")
        for name, most in (("lines", 2), ("threads", 1024), ("fade", 1)):
            if values[name] > most:
                raise SearchDouError(f"search: {name} must be at most {most}, not {values[name]}")
        check_shares("search", {"mix": values["mix"]})
        for name in ("habits", "careless"):
            if not 0 <= values[name] < 1:
                raise SearchDouError(f"search: {name} is a chance from 0 to below 1, not {values[name]}")
            if values[name] and values["weights"] != "quantal":
                raise SearchDouError(f"search: {name} is read by weights=quantal, not by weights={values['weights']}")
        if given.time is not None and not given.time > 0:
            raise SearchDouError(f"search: time must be above 0 s, not {given.time}")
        if given.clock == "cpu" and given.threads > 1:
            raise SearchDouError("search: clock=cpu counts the time of one thread; take threads=1")
        if given.time == float("inf"):
            raise SearchDouError("search: time must end some day, not inf")
        return SearchSettings(**values)

    def act(self, infoset: Any) -> Any:
        return self._decide(infoset, evidence=False).action

    def analyze(self, infoset: Any) -> Decision:
        """The move with values, errors, belief and the expected line."""
        return self._decide(infoset, evidence=True)

    def _decide(self, infoset: Any, *, evidence: bool, limit: Limit | None = None) -> Decision:
        began, started = time.perf_counter(), CLOCKS[self.settings.clock]()
        opening = self._opening(infoset, limit)
        if opening is not None:
            known = None if opening.deals is None or opening.weights is None else Belief(
                self.kit.hidden_of(infoset), opening.deals, opening.weights)
            return Decision(opening.action, opening.values, known, (opening.action,), time.perf_counter() - began,
                            0 if opening.deals is None else len(opening.deals))
        candidates = self.kit.candidates(infoset)
        if len(candidates) == 1 and not evidence:
            action = self.kit.action_of(infoset, candidates[0])
            return Decision(action, {}, None, (action,), time.perf_counter() - began)
        s = self.settings
        hidden = self.kit.hidden_of(infoset)
        deals = _Deals(self, infoset, hidden)
        view, sign, key = self.kit.view_of(infoset), self.kit.sign_of(infoset), infoset.key ^ s.seed
        seconds = None if s.time is None else max(1e-3, s.time - (CLOCKS[s.clock]() - started))
        limit = limit or Limit(s.samples, seconds, CLOCKS[s.clock])
        for worker in self._root.workers:
            self.kit.prepare(worker.leaf, infoset)
        if self._information_set:
            self.kit.prepare(self._information_set.leaf, infoset)
        winning = [action for action in candidates if self.kit.wins_at_once(infoset, action)]
        twins = self.kit.twins(infoset)
        searched = [action for action in candidates if twins.get(action, action) == action]
        kept, favourite, prior = self._kept(view, deals, searched, winning)
        if self._information_set:
            result = self._information_set.search(view, kept, sign, deals.draw, limit, key)
        else:
            result = self._root.search(view, kept, sign, deals.draw, limit, key, favourite, float(s.caution or 0.0),
                                       s.sure, prior, float(s.gain or 0.0))
        estimates = dict(zip(kept, result.estimates, strict=True))
        # What wins at once is sure; what looks as good with open cards is not.
        chosen = next((action for action in winning if estimates[action].mean >= estimates[kept[result.best]].mean),
                      kept[result.best])
        best = self.kit.action_of(infoset, chosen)
        values = {self.kit.action_of(infoset, action): estimates.get(twins.get(action, action), UNSEARCHED)
                  for action in candidates}
        belief = line = None
        if evidence:
            belief = deals.belief()
            line = self._line(view, belief, chosen, infoset)
        return Decision(best, values, belief, line or (best,),
                        time.perf_counter() - began, result.deals, result.simulations, result.solved)

    def _kept(self, view: Any, deals: _Deals, candidates: list[int], winning: list[int]
              ) -> tuple[list[int], int | None, Prior | None]:
        """The candidates worth a search, the best few by the policy, which of them it would play, and what it thinks."""
        s = self.settings
        if not s.caution and not s.trust and (not s.moves or len(candidates) <= s.moves):
            return candidates, None, None
        q = np.empty(len(candidates))
        prior_values(view, deals.any(), self._policy, np.array(candidates, np.int64), q)
        ranked = np.argsort(-q, kind="stable")
        kept = sorted({*ranked[:s.moves or len(candidates)].tolist(), *map(candidates.index, winning)})
        return ([candidates[i] for i in kept], kept.index(ranked[0]) if s.caution else None,
                Prior(q[kept], s.trust) if s.trust else None)

    def _line(self, view: Any, belief: Belief, action: int, infoset: Any) -> tuple[Any, ...]:
        """The play expected on the likeliest deal: solved when it can be, else the most visited line of a tree."""
        hands = self.kit.seat_hands(infoset, belief.hands[[int(np.argmax(belief.weights))]])[0]
        scratch = self._root.workers[0].scratch
        state, over, left = world_after(view, hands, action)
        line = np.empty(16, np.int64)
        n = 0
        if not over and left <= self.plan.solve_cards:
            scratch.table.nodes[:] = 0, LINE_NODES * self.plan.solve_nodes, 0
            n = int(_solver_kernels.solved_line(state, scratch.table, scratch.out, line))
        elif not over:
            tell(self._root.workers[0].leaf, 0)
            tree = _tree_kernels.new_tree(20_000)
            _tree_kernels.clear(tree)
            _tree_kernels.search(tree, state, self._root.workers[0].leaf, self._policy, 0.0, self.plan.c, 50,
                                 stream(self.settings.seed, infoset.key), scratch.out, scratch.q)
            n = int(_tree_kernels.principal_line(tree, line))
        return tuple(self.kit.action_of(infoset, int(a)) for a in [action, *line[:n]])


class _Deals:
    """Numbered deals of one infoset with their weights, drawn as they are asked for."""

    def __init__(self, player: SearchPlayer, infoset: Any, hidden: Hidden) -> None:
        self.player, self.infoset, self.hidden = player, infoset, hidden
        s = player.settings
        self._drawn_leaf = cards_left(player.kit.view_of(infoset)) > player._settled
        self._rng = stream(s.seed, infoset.key, 1)
        self._past = player.kit.past_of(infoset) if s.weights != "uniform" else None
        self._unit = player.kit.unit(infoset) if s.weights == "quantal" else 1.0
        # Information-set search looks at a deal once a simulation, so it goes on drawing.
        self._all = s.mode != "ismcts" and hidden.count <= min(ENUMERATE, s.samples or ENUMERATE)
        self._strata = hidden.strata() if s.strata != "none" and not self._all else []
        self._shift = float(self._rng[0] >> np.uint64(11)) * 2.0 ** -53
        self._luck = stream(s.seed, infoset.key, 3)          # its own, so that who plays simply changes no deal
        self._deals: list[Ints] = []                         # by place, all that were weighed; the same by seat,
        self._hands: list[Ints] = []
        self._logs: list[Floats] = []
        self._chances: list[Floats] = []                     # and how likely each seat plays simply on them
        if self._all:
            deals, p = hidden.enumerate()
            # A random order, so that a deadline that comes first still leaves a fair part of them.
            order = np.random.default_rng(int(self._rng[0])).permutation(len(deals))
            self._list, self._log_p = deals[order], logs(p[order])

    def any(self) -> Ints:
        """Hands of one possible deal, for policies that do not look at who holds what."""
        rng = stream(self.player.settings.seed, self.infoset.key, 2)
        hands: Ints = self.player.kit.seat_hands(self.infoset, self.hidden.draw(1, rng))[0]
        return hands

    def draw(self, start: int, n: int) -> Samples:
        """n deals more, after `start`; fewer when there are no more."""
        if self._all:
            return self._listed(start, n)
        pool = int(self.player.settings.pool or 1)
        if len(self._strata) > 1:
            deals = self.hidden.draw_stratified(n * pool, self._rng, self._strata, start=start * pool, shift=self._shift,
                                                equal=self.player.settings.strata == "equal")
        else:
            deals = self.hidden.draw(n * pool, self._rng)
        hands, log_p, chances = self._weighed(deals, np.zeros(n * pool))
        if len(deals) > n:
            kept, log_p = thinned(log_p, n, float(uniform(self._rng)))
            hands, chances = hands[kept], chances[kept]
        return Samples(hands, log_p, False, self._drawn(chances))

    def _listed(self, start: int, n: int) -> Samples:
        """The next deals of the list of all. It is gone through again as long as somebody may play simply on one of them, or
        the leaf draws moves: such playouts are drawn, and one a deal tells little."""
        seen = slice(sum(map(len, self._deals)), start + n)
        if len(self._list[seen]):
            self._weighed(self._list[seen], self._log_p[seen])
        chances, rows = np.concatenate(self._chances), np.arange(start, start + n)
        weights = weights_of(np.concatenate(self._logs))
        likely = [weighted(np.ascontiguousarray(column), weights)[0] for column in chances.reshape(len(chances), -1).T]
        if max(likely) < SELDOM:
            chances = np.zeros_like(chances)
        again = self._drawn_leaf or chances.any()
        rows = rows % len(self._list) if again else rows[rows < len(self._list)]
        return Samples(np.concatenate(self._hands)[rows], np.concatenate(self._logs)[rows],
                       start + n >= len(self._list) and not again, self._drawn(chances[rows]))

    def _weighed(self, deals: Ints, log_p: Floats) -> tuple[Ints, Floats, Floats]:
        """Deals by seat with their log weights, and how likely each seat plays by habit or carelessly on them."""
        s, hands = self.player.settings, self.player.kit.seat_hands(self.infoset, deals)
        chances = np.zeros((len(hands), 2, hands.shape[1]))
        if self._past is not None and len(deals):
            log_p = log_p + log_weights(self._past, hands, self.player._policy, rule=str(s.weights),
                                        beta=float(s.beta or 0.0) / self._unit, slices=s.slices or None,
                                        most_moves=self.player.kit.most_moves, habit=float(s.habits or 0.0),
                                        careless=float(s.careless or 0.0), simple=chances)
            if not self.player._foresees:
                chances[:] = 0.0
            chances[:, :, self.infoset.seat] = 0.0
            chances[:, :, self.player.kit.seats:] = 0.0      # the kitty of bidding has a column, and nobody plays it
            log_p = log_p + self.player.kit.log_weight(self.infoset, hands)
        self._deals.append(deals)
        self._hands.append(hands)
        self._logs.append(log_p)
        self._chances.append(chances)
        return hands, log_p, chances

    def _drawn(self, chances: Floats) -> Ints:
        """Who plays by habit or carelessly on each deal."""
        bits = np.zeros(len(chances), np.int64)
        draw_simple(chances, self._luck, bits)
        return bits

    def belief(self) -> Belief:
        """All deals drawn so far as a belief."""
        deals = np.concatenate(self._deals)
        return Belief(self.hidden, deals, weights_of(np.concatenate(self._logs)),
                      exact=self._all and len(deals) == len(self._list))
