"""A third game on both packages: every answer beside a naive one, and the page that explains it beside the code."""

import itertools
import re
from collections import Counter
from dataclasses import fields
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numba.core import config
from scipy import stats

from inference import _game_kernels
from inference._game_kernels import Uniform
from inference._policy_kernels import Rollout
from inference._rng_kernels import stream
from inference.belief import FLOOR, Belief, weights_of
from inference.past import log_weights
from mcts._root_kernels import Plan
from mcts._solver_kernels import HUGE, new_table, solve, solved_line
from mcts._tree_kernels import best_value, clear, new_tree, search
from mcts.root import InformationSetRoot, Limit, Root, Samples

from ._kernels import Thrifty, legal, step, thrifty_values, with_hands
from .game import InfoSet, hidden_of, replay, seat_hands

HERE = Path(__file__).parent
DOCS = HERE.parent.parent / "docs"
SLOW = bool(config.DISABLE_JIT)
PLAN = Plan(tree=1, simulations=200, c=1.0, temperature=0.0, solve_cards=6, solve_nodes=10_000)


def view_of(infoset):
    """The state as the seat sees it: its own hand, no others."""
    return with_hands(replay(infoset)[0], seat_hands(infoset, np.zeros((1, 2), np.int64))[0])


def candidates_of(view):
    out = np.empty(64, np.int64)
    return [int(card) for card in out[:legal(view, out)]]


def choose_card(infoset, seed=0, samples=32, threads=1, plan=PLAN):
    """Sample the hidden hands, weigh them, search each, average: the best card and the evidence."""
    hidden, past, rng = hidden_of(infoset), replay(infoset)[1], stream(seed)
    strata = hidden.strata()

    def draw(start, n):
        hands = seat_hands(infoset, hidden.draw_stratified(n, rng, strata, start=start, shift=0.5))
        return Samples(hands, log_weights(past, hands, Thrifty(), rule="iec", beta=1.0))

    view = view_of(infoset)
    cards = candidates_of(view)
    sign = 1.0 if infoset.seat == 0 else -1.0       # values are points of side 0
    root = Root(plan, lambda: Rollout(Thrifty()), Thrifty, threads=threads)
    found = root.search(view, cards, sign, draw, Limit(samples), seed)
    return cards[found.best], found


# --- the naive twin ------------------------------------------------------------------------------------------------

def naive_legal(hand, trick):
    """Cards of a frozenset that follow the first card of the trick, all when none does."""
    return sorted(card for card in hand if trick and card // 4 == trick[0] // 4) or sorted(hand)


def naive_winner(trick):
    return max(range(3), key=lambda i: (trick[i] // 4 == trick[0] // 4, trick[i]))


@cache
def minimax(hands, trick, leader):
    """Tricks of seat 0 less the others', still to come, with best play; hands are frozensets by seat."""
    if len(trick) == 3:
        leader = (leader + naive_winner(trick)) % 3
        return (1 if leader == 0 else -1) + minimax(hands, (), leader)
    seat = (leader + len(trick)) % 3
    values = [minimax((*hands[:seat], hands[seat] - {card}, *hands[seat + 1:]), (*trick, card), leader)
              for card in naive_legal(hands[seat], trick)]
    return 0 if not values else max(values) if seat == 0 else min(values)


def mask(cards):
    return sum(1 << card for card in cards)


class Table:
    """A game under way as a record of cards, by the naive rules."""

    def __init__(self, seed, plays=0):
        rng = np.random.default_rng(seed)
        deck = [int(card) for card in rng.permutation(12)]
        self.hands = tuple(frozenset(deck[4 * seat:4 * seat + 4]) for seat in range(3))
        self.history, self.trick, self.leader, self.won = (), (), 0, 0
        for _ in range(plays):
            self.play(int(rng.choice(naive_legal(self.hands[self.seat], self.trick))))

    @property
    def seat(self):
        return (self.leader + len(self.trick)) % 3

    def play(self, card):
        seat = self.seat
        self.hands = tuple(hand - {card} for hand in self.hands)
        self.history, self.trick = (*self.history, card), (*self.trick, card)
        if len(self.trick) == 3:
            self.leader = (self.leader + naive_winner(self.trick)) % 3
            self.won += 1 if self.leader == 0 else -1
            self.trick = ()
        return seat

    @property
    def infoset(self):
        return InfoSet(self.seat, mask(self.hands[self.seat]), self.history)

    @property
    def state(self):
        return with_hands(replay(self.infoset)[0], np.array([mask(hand) for hand in self.hands], np.int64))

    def exact(self):
        """The final points of side 0 for every legal card."""
        seat, values = self.seat, {}
        for card in naive_legal(self.hands[seat], self.trick):
            hands = tuple(hand - {card} for hand in self.hands)
            values[card] = self.won + minimax(hands, (*self.trick, card), self.leader)
        return values

    def best(self):
        """The cards that are best with all hands open."""
        values = self.exact()
        top = max(values.values()) if self.seat == 0 else min(values.values())
        return {card for card, value in values.items() if value == top}


def possible(table):
    """Every pair of hidden hands that explains the record, found by replaying it with each: [(next, next but one)]."""
    infoset = table.infoset
    played = [{card for at, card in zip(owners(table), table.history, strict=True) if at == seat} for seat in range(3)]
    unseen = set(range(12)) - set(table.history) - table.hands[infoset.seat]
    first, second = (infoset.seat + 1) % 3, (infoset.seat + 2) % 3
    found = []
    for hand in itertools.combinations(sorted(unseen), 4 - len(played[first])):
        hands = {infoset.seat: table.hands[infoset.seat], first: set(hand), second: unseen - set(hand)}
        if explains(table, [hands[seat] | played[seat] for seat in range(3)]):
            found.append((mask(hands[first]), mask(hands[second])))
    return sorted(found)


def owners(table):
    again, seats = Table(0), []
    for card in table.history:
        seats.append(again.play(card))
    return seats


def explains(table, hands):
    again = Table(0)
    again.hands = tuple(frozenset(hand) for hand in hands)
    for card in table.history:
        if card not in naive_legal(again.hands[again.seat], again.trick):
            return False
        again.play(card)
    return True


# --- the rules -----------------------------------------------------------------------------------------------------

@pytest.mark.unit
@pytest.mark.parametrize("seed", range(20))
def test_the_rules_are_those_of_the_naive_twin(seed):
    table, rng = Table(seed), np.random.default_rng(seed)
    state = table.state
    while table.hands[table.seat]:
        choices = naive_legal(table.hands[table.seat], table.trick)
        assert candidates_of(state) == choices
        assert (_game_kernels.turn(state), _game_kernels.over(state)) == (table.seat, False)
        card = int(rng.choice(choices))
        table.play(card)
        state = step(state, card)
        assert state == table.state
    assert _game_kernels.over(state)
    assert _game_kernels.points(state) == table.won
    assert _game_kernels.cards_left(state) == 0


# --- inference -----------------------------------------------------------------------------------------------------

POSITIONS = [(seed, plays) for plays in (0, 2, 4, 5, 7) for seed in range(3)]


@pytest.mark.unit
@pytest.mark.parametrize(("seed", "plays"), [*POSITIONS, (4, 9), (5, 10)])
def test_hidden_hands_are_those_that_explain_the_record(seed, plays):
    table = Table(seed, plays)
    deals, p = hidden_of(table.infoset).enumerate()
    assert sorted(map(tuple, deals.tolist())) == possible(table)
    assert hidden_of(table.infoset).count == len(deals)
    assert p == pytest.approx(1 / len(deals))


def test_some_of_these_positions_have_voids():
    assert any(replay(Table(seed, plays).infoset)[2].any() for seed, plays in POSITIONS)


@pytest.mark.parametrize(("seed", "plays"), POSITIONS)
def test_draws_are_uniform(seed, plays):
    table = Table(seed, plays)
    expected = possible(table)
    drawn = Counter(map(tuple, hidden_of(table.infoset).draw(100 * len(expected), stream(seed, plays)).tolist()))
    assert set(drawn) <= set(expected)
    if len(expected) > 1:
        assert stats.chisquare([drawn[deal] for deal in expected]).pvalue > 0.001


def lies_in(deal, stratum):
    return all(deal[place] >> stratum.hidden.kinds[kind].shift & 1 for kind, place in stratum.config)


@pytest.mark.unit
@pytest.mark.parametrize(("seed", "plays"), POSITIONS)
def test_strata_have_their_exact_probabilities(seed, plays):
    hidden, deals = hidden_of(Table(seed, plays).infoset), possible(Table(seed, plays))
    strata = hidden.strata()
    assert sum(stratum.probability for stratum in strata) == pytest.approx(1, abs=1e-12)
    for stratum in strata:
        inside = [deal for deal in deals if lies_in(deal, stratum)]
        assert stratum.probability == pytest.approx(len(inside) / len(deals), abs=1e-12)
        assert {tuple(deal) for deal in stratum.draw(20, stream(seed)).tolist()} <= set(inside)


@pytest.mark.unit
def test_stratified_draws_spread_as_the_probabilities_say():
    hidden = hidden_of(Table(1).infoset)
    strata = hidden.strata()
    deals = hidden.draw_stratified(200, stream(3), strata)
    for stratum in strata:
        inside = sum(lies_in(deal, stratum) for deal in deals)
        assert inside == pytest.approx(200 * stratum.probability, abs=3)       # uniform draws would be off by a dozen


def naive_score(table, hands, rule, beta):
    """Log score of one deal, hands by seat as they are now, by replaying the record."""
    again, score = Table(0), 0.0
    plays = list(zip(owners(table), table.history, strict=True))
    again.hands = tuple(frozenset(card for card in range(12) if hands[seat] >> card & 1 or (seat, card) in plays)
                        for seat in range(3))
    for card in table.history:
        choices = naive_legal(again.hands[again.seat], again.trick)
        if again.seat != table.seat and len(choices) > 1:
            q = np.empty(len(choices))
            thrifty_values(Thrifty(), again.state, np.array(choices, np.int64), len(choices), q)
            regret = q.max() - q
            gamma = np.maximum(1 - beta * regret, 0.1) if rule == "linear" else np.exp(-beta * regret)
            score += np.log(gamma[choices.index(card)] / (gamma.sum() if rule == "bayes" else 1.0))
        again.play(card)
    return score


@pytest.mark.unit
@pytest.mark.parametrize("rule", ["iec", "bayes", "linear"])
@pytest.mark.parametrize(("seed", "plays"), [(0, 2), (1, 4), (2, 7), (3, 8)])
def test_weights_are_those_of_a_naive_replay(seed, plays, rule):
    table = Table(seed, plays)
    hands = seat_hands(table.infoset, hidden_of(table.infoset).enumerate()[0])
    scores = log_weights(replay(table.infoset)[1], hands, Thrifty(), rule=rule, beta=2.0)
    assert scores == pytest.approx([naive_score(table, deal, rule, 2.0) for deal in hands.tolist()], abs=1e-12)


@pytest.mark.unit
def test_a_belief_knows_where_the_cards_are():
    table = Table(1, 4)
    hidden = hidden_of(table.infoset)
    deals, _ = hidden.enumerate()
    scores = log_weights(replay(table.infoset)[1], seat_hands(table.infoset, deals), Thrifty(), beta=2.0)
    belief = Belief(hidden, deals, weights_of(scores), exact=True)
    expected = np.maximum(np.exp(scores - scores.max()), FLOOR)
    expected /= expected.sum()
    assert 1 <= belief.ess < len(deals)
    for i, kind in enumerate(hidden.kinds):
        for place in (0, 1):
            p = sum(w for w, deal in zip(expected, deals, strict=True) if deal[place] >> kind.shift & 1)
            assert belief.marginals[i, place] == pytest.approx(p, abs=1e-12)
    truth = np.array([mask(table.hands[(table.seat + 1 + place) % 3]) for place in (0, 1)])
    assert 0 < belief.log_loss(truth) < 2


# --- mcts ----------------------------------------------------------------------------------------------------------

def solved(state):
    return solve(state, new_table(12), np.empty(64, np.int64), -HUGE, HUGE)


@pytest.mark.unit
@pytest.mark.parametrize(("seed", "plays"), [(seed, plays) for plays in (3, 5, 6, 7, 9, 10) for seed in range(3)])
def test_the_solver_is_minimax(seed, plays):
    table = Table(seed, plays)
    values = table.exact()
    assert solved(table.state) == (max if table.seat == 0 else min)(values.values())
    for card, value in values.items():
        assert solved(step(table.state, card)) == value


@pytest.mark.parametrize("seed", range(20))
def test_the_solver_is_minimax_from_the_first_card(seed):
    table, line = Table(seed), np.empty(12, np.int64)
    value = max(table.exact().values())
    assert solved(table.state) == value
    assert solved_line(table.state, new_table(), np.empty(64, np.int64), line) == 12
    for card in line.tolist():
        table.play(card)
    assert table.won == value                     # the line of best play is worth what was promised


@pytest.mark.unit
@pytest.mark.parametrize("temperature", [0.0, 0.5], ids=["ucb", "puct"])
@pytest.mark.parametrize("seed", range(3))
def test_the_tree_comes_to_the_value_of_the_solver(seed, temperature):
    table = Table(seed, 6)
    tree = new_tree(5000)
    clear(tree)
    search(tree, table.state, Rollout(Uniform()), Thrifty(), temperature, 1.0, 500 if SLOW else 5000, stream(seed),
           np.empty(64, np.int64), np.empty(64))
    value = best_value(tree, 1.0 if table.seat == 0 else -1.0)
    assert value == pytest.approx(solved(table.state), abs=0.4 if SLOW else 0.1)


def everything_known(table, n=1):
    """A `draw` for when the only possible deal is the true one, as often as it is asked for."""
    hands = np.array([[mask(hand) for hand in table.hands]] * n, np.int64)
    return lambda start, count: Samples(hands[start:start + count], np.zeros(len(hands[start:start + count])))


@pytest.mark.unit
@pytest.mark.parametrize("solve_cards", [12, 0], ids=["solver", "tree"])
@pytest.mark.parametrize(("seed", "plays"), [(seed, plays) for plays in (4, 5, 6) for seed in range(4)])
def test_the_root_finds_the_solvers_move_when_everything_is_known(seed, plays, solve_cards):
    table = Table(seed, plays)
    cards, sign = candidates_of(table.state), 1.0 if table.seat == 0 else -1.0
    plan = PLAN._replace(solve_cards=solve_cards, simulations=200 if SLOW else 1000)
    root = Root(plan, lambda: Rollout(Thrifty()), Thrifty)
    found = root.search(view_of(table.infoset), cards, sign, everything_known(table), Limit(samples=8), seed)
    assert cards[found.best] in table.best()
    if solve_cards:
        assert [sign * estimate.mean for estimate in found.estimates] == [table.exact()[card] for card in cards]
        assert all(estimate.se == 0 for estimate in found.estimates)


@pytest.mark.unit
@pytest.mark.parametrize("seed", range(3))
def test_information_set_search_finds_the_solvers_move_when_everything_is_known(seed):
    table, n = Table(seed, 6), 500 if SLOW else 4000
    cards, sign = candidates_of(table.state), 1.0 if table.seat == 0 else -1.0
    root = InformationSetRoot(lambda: Rollout(Thrifty()), 1.0)
    found = root.search(view_of(table.infoset), cards, sign, everything_known(table, n), Limit(samples=n), seed)
    assert cards[found.best] in table.best()
    assert sum(estimate.visits for estimate in found.estimates) == n


@pytest.mark.unit
@pytest.mark.parametrize("plays", [0, 1, 3, 5])
def test_the_same_seed_gives_the_same_card_with_any_number_of_threads(plays):
    infoset = Table(2, plays).infoset
    first, again, threads = (choose_card(infoset, 7, 8, threads, PLAN._replace(simulations=20)) for threads in (1, 1, 2))
    assert first[0] == again[0] == threads[0]
    assert first[1].estimates == again[1].estimates == threads[1].estimates
    assert first[0] in candidates_of(view_of(infoset))


@pytest.mark.unit
def test_hands_that_a_seat_cannot_see_do_not_change_its_card():
    table = Table(3, 4)
    seen = view_of(table.infoset)
    root = Root(PLAN._replace(simulations=20), lambda: Rollout(Thrifty()), Thrifty)
    deals = seat_hands(table.infoset, hidden_of(table.infoset).draw(6, stream(1)))
    results = [root.search(view, candidates_of(seen), 1.0, lambda start, n: Samples(deals[start:start + n], np.zeros(n)),
                           Limit(6), 5) for view in (seen, table.state)]
    assert results[0].estimates == results[1].estimates


# --- the game and the pages ----------------------------------------------------------------------------------------

def text_of(*names):
    return "".join((HERE / name).read_text() for name in names)


@pytest.mark.unit
def test_the_game_is_small():
    assert len(text_of("_kernels.py", "game.py").splitlines()) < 150


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", (DOCS / page).read_text(), re.DOTALL | re.MULTILINE)


@pytest.mark.unit
def test_code_of_the_page_is_the_code_of_the_game():
    shown = blocks("add-a-game.md", "python")
    assert len(shown) >= 6
    source = text_of("_kernels.py", "game.py", "test_third_game.py")
    for block in shown:
        assert block.strip("\n") in source, f"docs/add-a-game.md shows code that is not in tests/third_game:\n{block}"
    assert (DOCS / "add-a-game.md").read_text().count("```") == 2 * len(shown), "a block that is not python is not checked"


@pytest.mark.unit
def test_the_page_names_every_function_the_search_asks_for():
    text = (DOCS / "add-a-game.md").read_text()
    for name in (*_game_kernels.Rules.__annotations__, "choose", "values", "evaluate"):
        assert re.search(rf"^\| `{name}\(", text, re.MULTILINE), f"docs/add-a-game.md says nothing of {name}"
    assert [int(n) for n in re.findall(r"(\d+) lines", text)] == [len(text_of("_kernels.py", "game.py").splitlines())]


@pytest.mark.unit
def test_the_page_of_the_search_names_every_setting():
    from searchdou.agents.search import SearchSettings
    text = (DOCS / "search.md").read_text()
    assert not [field.name for field in fields(SearchSettings) if f"`{field.name}`" not in text]


@pytest.mark.unit
@pytest.mark.parametrize("page", ["add-a-game.md", "search.md"])
def test_links_of_the_pages_lead_somewhere(page):
    text = (DOCS / page).read_text()
    for link in re.findall(r"\]\((?!http)([^)#]+)", text):
        assert (DOCS / link).exists(), f"docs/{page} links to {link}"
    for path in re.findall(r"`((?:inference|mcts|searchdou|tests|benchmarks)/[\w/.]+\.(?:py|md))`", text):
        assert (DOCS.parent / path).exists(), f"docs/{page} names {path}"
