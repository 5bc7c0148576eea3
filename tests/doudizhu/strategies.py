"""Hands, deals and games for Hypothesis, and the bridge between the engine's moves and the naive twin's actions."""

from __future__ import annotations

import random
from collections.abc import Iterator

from hypothesis import settings
from hypothesis import strategies as st
from numba.core import config

from searchdou.games.doudizhu import Deal, Game, Move, State, rule_set
from searchdou.games.doudizhu._kernels import KIND_BASE, KIND_SHIFT
from searchdou.games.doudizhu.cards import Category, moves_from, pack

from . import naive

RULE_NAMES = tuple(naive.RULES)
rule_names = st.sampled_from(RULE_NAMES)
seeds = st.integers(0, 2**32 - 1)


def examples(n: int) -> settings:
    """`n` examples, and a quarter of them when the JIT is off (Python is a hundred times slower)."""
    return settings(max_examples=max(5, n // 4) if config.DISABLE_JIT else n)


@st.composite
def hands(draw: st.DrawFn, max_cards: int = 20) -> str:
    """Hands rich in runs, trios and bombs: uniform ones hardly ever hold a plane."""
    cards = ""
    low, length, copies = draw(st.integers(0, 11)), draw(st.integers(0, 6)), draw(st.integers(1, 4))
    blocks = [(rank, copies) for rank in range(low, min(low + length, 12))]
    blocks += draw(st.lists(st.tuples(st.integers(0, 14), st.integers(1, 4)), min_size=1, max_size=10))
    for rank, wanted in blocks:
        char = naive.RANKS[rank]
        cards += char * min(wanted, naive.DECK.count(char) - cards.count(char), max_cards - len(cards))
    return naive.ordered(cards)


def shuffled_deal(rng: random.Random, blocks: int) -> Deal:
    """A random deal; with `blocks` of several cards kept together there are many bombs and springs."""
    deck = naive.DECK
    pieces = [deck[i:i + blocks] for i in range(0, len(deck), blocks)]
    rng.shuffle(pieces)
    cards = "".join(pieces)
    return Deal((cards[:17], cards[17:34], cards[34:51]), cards[51:])


deals = st.builds(lambda seed, blocks: shuffled_deal(random.Random(seed), blocks), seeds, st.integers(1, 4))


@st.composite
def fresh_games(draw: st.DrawFn) -> tuple[State, random.Random]:
    """A game that has not begun, and the source of chance to play it with."""
    game = Game(rule_set(draw(rule_names)), bidding=draw(st.booleans()))
    return game.start(draw(deals), draw(st.integers(0, 2))), random.Random(draw(seeds))


def play_on(state: State, rng: random.Random, stop: int = 1000) -> Iterator[State]:
    """Play random actions in place, at most `stop`; yields before each one and at the end.

    Now and then the longest move is taken, so that games are short enough for springs.
    """
    greedy = rng.choice((0.0, 0.5, 0.9))
    for _ in range(stop):
        yield state
        if state.is_over:
            return
        actions = state.legal_actions()
        action = rng.choice(actions)
        if state.phase == "play" and rng.random() < greedy:
            action = max(actions, key=lambda move: len(move.cards))
        state.act(action)
    yield state


@st.composite
def games(draw: st.DrawFn, finished: bool = False) -> State:
    """A game after some random actions, or at its end."""
    state, rng = draw(fresh_games())
    for _ in play_on(state, rng, 1000 if finished else draw(st.integers(0, 60))):
        pass
    return state


def action_of(move: Move) -> naive.Action:
    """The engine's move in the words of the naive twin."""
    return naive.Action(move.category.name, move.rank, move.length, move.cards)


def kind_of(action: naive.Action) -> int:
    """The engine's number for what an action is, to be beaten."""
    if action == naive.PASS:
        return 0
    rank = naive.RANKS.index(action.rank) if action.rank else 0
    return int(KIND_BASE[Category[action.category], action.length]) + rank


def packed_of(action: naive.Action) -> int:
    return kind_of(action) << KIND_SHIFT | pack(action.cards)


def engine_moves(hand: str, to_beat: naive.Action, name: str) -> list[naive.Action]:
    """The engine's answer to `naive.legal_moves`, as a list so that duplicates show."""
    return [action_of(Move(packed)) for packed in moves_from(pack(hand), kind_of(to_beat), rule_set(name))]


def naive_twin(state: State) -> naive.Game:
    """The same game in the naive twin, replayed from the deal."""
    twin = naive.Game(state.game.rules.name, state.deal.hands, state.deal.kitty, state.first, state.game.bidding)
    for bid in state.bids:
        twin.bid(bid)
    for _, move in state.history:
        twin.play(action_of(move))
    return twin
