"""Mr. If and Mr. Greed of the ScrofaZero paper; the long matches of Table 2 are in benchmarks/RESULTS.md."""

import numpy as np
import pytest

from searchdou.agents import _gongzhu_kernels as kernels
from searchdou.agents import make
from searchdou.arena.match import MatchSettings, run_match
from searchdou.games.gongzhu import Deal, Game, InfoSet
from searchdou.games.gongzhu.cards import MOVES, pack

CARDS = [str(move) for move in MOVES]


@pytest.mark.parametrize(("a", "b", "least"), [("if", "random", 120.0), ("greed", "random", 180.0), ("greed", "if", 0.0)])
def test_who_beats_whom(a, b, least):
    summary = run_match(MatchSettings("gongzhu", a, b, 64, seed=1)).summary()
    assert summary["points"] > least
    assert summary["ci95"][0] > 0


def test_enough_samples_leave_little_to_chance():
    state = Game().deal(5)
    moves = {str(make("gongzhu", "greed:samples=200", seed).act(state.infoset())) for seed in range(5)}
    assert len(moves) <= 2


def infoset_after(history, hand, first=0):
    return InfoSet.from_text(f"seat={(first + len(history.split(','))) % 4} first={first} hand={hand} history={history}")


@pytest.mark.parametrize("spec", ["if", "greed"])
def test_the_pig_goes_under_an_enemys_ace(spec):
    """Spades led by an enemy's ace, the pig in hand: give it away."""
    infoset = infoset_after("S2,SA", "S3,S4,SQ,H2,H3,H4,H5,D2,D3,D4,C2,C3,C4")
    assert str(make("gongzhu", spec).act(infoset)) == "SQ"


@pytest.mark.parametrize("spec", ["if", "greed"])
def test_the_pig_is_thrown_on_another_suit(spec):
    """Void in the suit an enemy wins: the pig goes there."""
    infoset = infoset_after("DK,D2,D3", "S3,S4,SQ,H2,H3,H4,H5,S5,S6,S7,C2,C3,C4")
    assert str(make("gongzhu", spec).act(infoset)) == "SQ"


@pytest.mark.parametrize("spec", ["if", "greed"])
def test_the_pig_does_not_go_to_the_partner(spec):
    """Seat 3 is last; seat 1, its partner, is winning the trick."""
    infoset = infoset_after("D2,DA,D3", "S3,S4,SQ,H2,H3,H4,H5,S5,S6,S7,C2,C3,C4")
    assert infoset.seat == 3
    assert str(make("gongzhu", spec).act(infoset)) != "SQ"


@pytest.mark.parametrize("spec", ["if", "greed"])
def test_the_sheep_is_caught(spec):
    """The sheep lies on the table, nobody plays after us, and the ace of diamonds wins it."""
    infoset = infoset_after("DJ,D2,D3", "DA,D4,S3,S4,S5,H2,H3,H4,H5,C2,C3,C4,C5")
    assert str(make("gongzhu", spec).act(infoset)) == "DA"


def test_greed_samples_respect_voids():
    """Groups and places given to the sampler: a void seat may hold nothing of its suit, and all hands are filled."""
    state = Game().start(Deal.random(6))
    rng = np.random.default_rng(1)
    seen = 0
    while not state.is_over:
        infoset = state.infoset()
        cards, sizes, allowed = np.empty(39, np.int64), np.empty(4, np.int64), np.empty(4, np.int64)
        voids = np.array(infoset.packed_voids)
        kernels.groups_of(infoset.packed_unseen, voids, infoset.seat, cards, sizes, allowed)
        unseen = [CARDS[card] for card in cards[:sizes.sum()]]
        assert pack(unseen) == infoset.packed_unseen
        for suit in range(4):
            for place in range(3):
                void = "SHDC"[suit] in infoset.voids[(infoset.seat + 1 + place) % 4]
                assert bool(allowed[suit] >> place & 1) != void
                seen += void
        state.act(state.legal_actions()[rng.integers(len(state.legal_actions()))])
    assert seen > 20
