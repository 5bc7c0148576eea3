"""What weighted deals say about every card: marginals, effective size, entropy, log-loss."""

from __future__ import annotations

import math

import numpy as np
import pytest

from inference._rng_kernels import stream
from inference.belief import Belief
from inference.hidden import Hidden, Kind
from searchdou.games.doudizhu import hidden as doudizhu_hidden
from searchdou.games.doudizhu.cards import unpack as ranks
from searchdou.games.gongzhu import hidden as gongzhu_hidden
from searchdou.games.gongzhu.cards import unpack as cards

from . import cases, naive

pytestmark = pytest.mark.unit

# Two cards a, one b and one c over two places of two; the second place is known to hold one more a.
TINY = Hidden((Kind("a", 0, 7, 2), Kind("b", 3, 1, 1), Kind("c", 4, 1, 1)), ((0, 1, 2),), (3,), (2, 2), ("left", "right"),
              (0, 1))
A, B, C = 1, 8, 16


def test_a_tiny_belief_by_hand():
    hands = np.array([[A + A, B + C + A], [A + B, A + C + A]])
    belief = Belief(TINY, hands, np.array([0.25, 0.75]))
    assert belief.ess == pytest.approx(1 / (0.25**2 + 0.75**2))
    assert belief.marginals == pytest.approx(np.array([[0.25 + 0.75 / 2, 0.75 / 2], [0.75, 0.25], [0.0, 1.0]]))
    assert belief.probability("b", "left") == 0.75
    assert belief.probability("a", "right") == pytest.approx(0.375)

    def h(*p: float) -> float:
        return -sum(x * math.log(x) for x in p if x)

    assert belief.entropy == pytest.approx((2 * h(0.625, 0.375) + h(0.75, 0.25) + 0.0) / 4)
    ess = belief.ess

    def smooth(p: float) -> float:
        return (ess * p + 0.5) / (ess + 1)

    # The truth is the second deal: of the loose cards an a and the b are left, an a and the c are right.
    expected = -(math.log(smooth(0.625)) + math.log(smooth(0.375)) + math.log(smooth(0.75)) + math.log(smooth(1.0))) / 4
    assert belief.log_loss(hands[1]) == pytest.approx(expected)


def test_enumeration_is_the_uniform_belief():
    hands, p = TINY.enumerate()
    belief = Belief(TINY, hands, p, exact=True)
    assert belief.marginals == pytest.approx(np.full((3, 2), 0.5))
    assert belief.entropy == pytest.approx(math.log(2))


@pytest.mark.parametrize("number", range(4))
def test_marginals_are_the_direct_count(number):
    infoset = cases.gongzhu_cases()[number]
    hidden = gongzhu_hidden.hidden_of(infoset)
    hands = hidden.draw(50, stream(1, number))
    weights = np.random.default_rng(number).dirichlet(np.ones(50))
    belief = Belief(hidden, hands, weights)
    assert belief.marginals.sum(axis=1) == pytest.approx(np.ones(len(hidden.kinds)))
    for i, kind in enumerate(hidden.kinds):
        for place, name in enumerate(hidden.places):
            direct = sum(w for w, row in zip(weights, hands, strict=True) if kind.label in cards(int(row[place])).split())
            assert belief.marginals[i, place] == pytest.approx(direct)
            assert belief.probability(kind.label, name) == pytest.approx(direct)


@pytest.mark.parametrize("number", range(6))
def test_marginals_leave_public_cards_out(number):
    infoset = cases.doudizhu_cases()[number]
    hidden = doudizhu_hidden.hidden_of(infoset)
    deals = list(naive.doudizhu_deals(infoset))
    hands, p = hidden.enumerate()
    belief = Belief(hidden, hands, p, exact=True)
    assert belief.marginals.sum(axis=1) == pytest.approx(np.ones(len(hidden.kinds)))
    for kind in hidden.kinds:
        for place, name in enumerate(hidden.places):
            known = ranks(hidden.fixed[place]).count(kind.label)
            direct = sum(deal[place].count(kind.label) - known for deal in deals) / len(deals) / kind.copies
            assert belief.probability(kind.label, name) == pytest.approx(direct)


@pytest.mark.parametrize("number", range(4))
def test_entropy_lies_between_certainty_and_ignorance(number):
    hidden = gongzhu_hidden.hidden_of(cases.gongzhu_cases()[number])
    hands, p = hidden.enumerate()
    assert 0.0 < Belief(hidden, hands, p).entropy <= math.log(3)
    known = Belief(hidden, hands[:1], np.ones(1))
    assert known.entropy == pytest.approx(0.0, abs=1e-12)
    assert known.ess == 1.0


@pytest.mark.parametrize("number", range(4))
def test_knowing_the_truth_loses_less_than_ignorance(number):
    hidden = gongzhu_hidden.hidden_of(cases.gongzhu_cases()[number])
    hands, p = hidden.enumerate()
    truth = hands[len(hands) // 2]
    ignorant = Belief(hidden, hands, p)
    certain = Belief(hidden, np.array([truth] * 50), np.full(50, 0.02))
    leaning = Belief(hidden, hands, (p + (np.arange(len(p)) == len(hands) // 2)) / 2)
    assert certain.log_loss(truth) < leaning.log_loss(truth) < ignorant.log_loss(truth)
    wrong = Belief(hidden, np.array([hands[0]] * 50), np.full(50, 0.02))
    assert math.isfinite(wrong.log_loss(truth))
    assert wrong.log_loss(truth) > ignorant.log_loss(truth)


def test_names_that_are_not_there():
    belief = Belief(TINY, np.array([[A + A, B + C + A]]), np.array([1.0]))
    with pytest.raises(KeyError, match="no hidden card is called 'z'; there are a, b, c"):
        belief.probability("z", "left")
    with pytest.raises(KeyError, match="no place is called 'up'; there are left, right"):
        belief.probability("a", "up")


def test_nothing_is_hidden_any_more():
    belief = Belief(Hidden((), (), (), (0, 0), ("left", "right")), np.zeros((1, 2), np.int64), np.array([1.0]))
    assert belief.marginals.shape == (0, 2)
    assert belief.entropy == 0.0
