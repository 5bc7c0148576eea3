"""Positions of both games with few deals left, found by playing on at random; the same ones every time."""

from __future__ import annotations

import random
from functools import cache

from searchdou.games import doudizhu, gongzhu
from searchdou.games.doudizhu.hidden import hidden_of as doudizhu_hidden
from searchdou.games.doudizhu.hidden import public_left
from searchdou.games.gongzhu.hidden import hidden_of as gongzhu_hidden


def gongzhu_game(seed: int, cards: int) -> gongzhu.State:
    """A game after that many random cards."""
    rng = random.Random(seed)
    state = gongzhu.Game().start(gongzhu.Deal.random(seed), seed % 4)
    for _ in range(cards):
        state.play(rng.choice(state.legal_actions()))
    return state


def doudizhu_game(seed: int, *, unseen: int, rules: str = "standard", bidding: bool = False) -> doudizhu.State:
    """A game played at random, long moves preferred, until the two others hold at most `unseen` cards (or it is over)."""
    rng = random.Random(seed)
    state = doudizhu.Game(rules, bidding=bidding).deal(seed)
    while not state.is_over:
        if state.phase == "play" and sum(map(len, state.hands)) - len(state.hands[state.turn]) <= unseen:
            return state
        actions = state.legal_actions()
        eager = state.phase == "play" and rng.random() < 0.6
        state.act(max(actions, key=lambda move: len(move.cards)) if eager else rng.choice(actions))
    return state


@cache
def gongzhu_cases(most: int = 3000) -> list[gongzhu.InfoSet]:
    """Infosets with 8 to `most` deals; some with a void, some without, of all seats and within tricks."""
    found = []
    for seed in range(200):
        infoset = gongzhu_game(seed, 38 + seed % 9).infoset()
        if 8 <= gongzhu_hidden(infoset).count <= most:
            found.append(infoset)
        if len(found) == 8:
            break
    assert any(any(infoset.voids[seat] for seat in range(4) if seat != infoset.seat) for infoset in found)
    return found


@cache
def doudizhu_cases(most: int = 3000) -> list[doudizhu.InfoSet]:
    """Infosets with 8 to `most` deals: landlords and peasants, with and without public cards still to be held."""
    public, others = [], []
    for seed in range(400):
        state = doudizhu_game(seed, unseen=6 + seed % 6, rules=("standard", "douzero")[seed % 2], bidding=seed % 3 == 0)
        if state.is_over:
            continue
        infoset = state.infoset()
        if 8 <= doudizhu_hidden(infoset).count <= most:
            known = infoset.seat != infoset.landlord and public_left(infoset)
            (public if known else others).append(infoset)
    assert len(public) >= 4
    assert any(infoset.seat == infoset.landlord for infoset in others)
    return public[:4] + others[:4]
