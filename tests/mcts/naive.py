"""Open-card endings solved by trying everything, written on the naive twins of the rules; and random endings to solve."""

from __future__ import annotations

import math
import random
from functools import cache
from typing import NamedTuple

from searchdou.games.doudizhu import _kernels as doudizhu_kernels
from searchdou.games.doudizhu import rule_set
from searchdou.games.doudizhu.cards import pack as pack_ranks
from searchdou.games.gongzhu import _kernels as gongzhu_kernels
from searchdou.games.gongzhu.cards import pack as pack_cards
from tests.doudizhu import naive as doudizhu
from tests.doudizhu.strategies import kind_of, packed_of
from tests.gongzhu import naive as gongzhu

# --- Gongzhu ----------------------------------------------------------------------------------------------------------


def gongzhu_value(game: gongzhu.Game) -> int:
    """Final difference of the teams when everybody plays for it with open cards."""
    if game.is_over():
        return game.difference()
    values = []
    for card in game.legal():
        after = game.copy()
        after.play(card)
        values.append(gongzhu_value(after))
    return max(values) if game.turn % 2 == 0 else min(values)


def gongzhu_ending(rng: random.Random, cards_each: int) -> gongzhu.Game:
    """A random ending: `cards_each` a seat at the start of a trick, then up to three cards played.

    The hands are rich in cards that score. Captured cards lie anywhere, or hearts (and the doubler) with one seat, so
    that doubling and all hearts in one pile happen.
    """
    deck = gongzhu.DECK.copy()
    rng.shuffle(deck)
    if rng.random() < 0.7:
        special = [card for card in deck if card in gongzhu.SCORING]
        chosen = special[:rng.randint(0, 3 * cards_each)]
        deck = chosen + [card for card in deck if card not in chosen]
    kept, gone = deck[:4 * cards_each], deck[4 * cards_each:]
    rng.shuffle(kept)
    game = gongzhu.Game([kept[i::4] for i in range(4)], rng.randrange(4))
    hearts_to = rng.choice((None, 0, 1, 2, 3))
    for card in gone:
        game.piles[hearts_to if hearts_to is not None and card[0] == "H" else rng.randrange(4)].append(card)
    for _ in range(rng.choice((0, 0, 1, 2, 3))):
        game.play(rng.choice(game.legal()))
    return game


def gongzhu_position(game: gongzhu.Game) -> gongzhu_kernels.Position:
    """The same position as the engine writes it."""
    hands, piles = ([pack_cards(" ".join(cards)) for cards in part] for part in (game.hands, game.piles))
    trick = [gongzhu.DECK.index(card) for card in game.trick] + [-1, -1, -1]
    return gongzhu_kernels.Position(*hands, *piles, *trick[:3], game.leader, game.turn, 52 - sum(map(len, game.hands)), 0)


# --- DouDizhu ---------------------------------------------------------------------------------------------------------

_without = cache(doudizhu.without)


class Ending(NamedTuple):
    """An open position of DouDizhu in words; seat 0 to 2, any of them the landlord."""

    rules: str
    landlord: int
    bid: int
    hands: tuple[str, ...]
    turn: int
    to_beat: doudizhu.Action = doudizhu.PASS
    passes: int = 0
    bombs: int = 0
    landlord_plays: int = 1
    peasant_plays: int = 1

    def legal(self) -> list[doudizhu.Action]:
        return sorted(doudizhu.legal_moves(self.hands[self.turn], self.to_beat, self.rules))

    def play(self, action: doudizhu.Action) -> Ending:
        after = (self.turn + 1) % 3
        if action == doudizhu.PASS:
            if self.passes:
                return self._replace(turn=after, to_beat=doudizhu.PASS, passes=0)
            return self._replace(turn=after, passes=1)
        hands = list(self.hands)
        hands[self.turn] = _without(hands[self.turn], action.cards)
        mine = self.turn == self.landlord
        return self._replace(hands=tuple(hands), turn=after, to_beat=action, passes=0,
                             bombs=self.bombs + (action.category in ("BOMB", "ROCKET")),
                             landlord_plays=self.landlord_plays + mine, peasant_plays=self.peasant_plays + (not mine))

    def points(self) -> int | None:
        """What the landlord wins; None before the end."""
        if all(self.hands):
            return None
        won = self.hands[self.landlord] == ""
        spring = self.peasant_plays == 0 if won else self.landlord_plays == 1
        payoff = doudizhu.RULES[self.rules].payoff
        stake = {"one": 1, "bombs": 2 * 2**self.bombs, "bid": 2 * max(self.bid, 1) * 2 ** (self.bombs + spring)}[payoff]
        return stake if won else -stake

    def position(self) -> doudizhu_kernels.Position:
        """The same position as the engine writes it."""
        hands = [pack_ranks(hand) for hand in self.hands]
        winner = next((seat for seat in range(3) if not self.hands[seat]), -1)
        return doudizhu_kernels.Position(*hands, 0, rule_set(self.rules).switches, self.turn, self.landlord, self.bid,
                                         self.landlord, 3, kind_of(self.to_beat), self.passes, self.bombs,
                                         self.landlord_plays, self.peasant_plays, winner, 0, 0, 0, 0, 0)


@cache
def doudizhu_value(ending: Ending) -> int:
    """The landlord's points when everybody plays for them with open cards."""
    points = ending.points()
    if points is not None:
        return points
    values = [doudizhu_value(ending.play(action)) for action in ending.legal()]
    return max(values) if ending.turn == ending.landlord else min(values)


def doudizhu_ending(rng: random.Random, rules: str, cards: int) -> Ending:
    """A random ending of so many cards in all, rich in bombs, leading or answering a move of one's own or another's."""
    deck = list(doudizhu.DECK)
    block = rng.choice((1, 1, 2, 4))
    pieces = [deck[i:i + block] for i in range(0, len(deck), block)]
    rng.shuffle(pieces)
    deck = [card for piece in pieces for card in piece]
    sizes = [1, 1, 1]
    for _ in range(cards - 3):
        sizes[rng.randrange(3)] += 1
    hands = [doudizhu.ordered(deck[sum(sizes[:i]):sum(sizes[:i + 1])]) for i in range(3)]
    rest = doudizhu.ordered(deck[sum(sizes):][:12])
    landlord, turn, bombs = rng.randrange(3), rng.randrange(3), rng.choice((0, 0, 1, 2))
    landlord_plays = rng.choice((1, 1, 2, 3))
    peasant_plays = rng.choice((0, 0, 1, 2))
    ending = Ending(rules, landlord, rng.randrange(4), tuple(hands), turn, bombs=bombs, landlord_plays=landlord_plays,
                    peasant_plays=peasant_plays)
    if rng.random() < 0.5:       # there is a move on the table, played out of cards that are gone
        moves = sorted(doudizhu.legal_moves(rest, doudizhu.PASS, rules), key=lambda action: (len(action.cards), action))
        ending = ending._replace(to_beat=rng.choice(moves[:rng.choice((8, len(moves)))]), passes=rng.randrange(2))
    return ending


def packed_action(action: doudizhu.Action) -> int:
    """The engine's number of an action."""
    return packed_of(action)


# --- tree search ------------------------------------------------------------------------------------------------------

class Node:
    """A node of the slow tree: children by action once it is expanded."""

    def __init__(self) -> None:
        self.children: dict[int, Node] | None = None
        self.visits, self.total, self.prior = 0, 0.0, 0.0


class SlowTree:
    """The same search with objects; `rules` are a game's compiled functions, random numbers are spent in the same order."""

    def __init__(self, rules, evaluate, priors, c, below, *, children=None, minimax=False) -> None:
        self.rules, self.evaluate, self.priors, self.c, self.below = rules, evaluate, priors, c, below
        self.children, self.minimax = children, minimax     # of a leaf that looks ahead: (state, actions) -> values
        self.root = Node()

    def search(self, state, simulations, rng) -> None:
        for _ in range(simulations):
            self._simulate(state, rng)

    def _simulate(self, state, rng) -> None:
        path, signs, value = [self.root], [], None
        while not self.rules.over(state):
            node = path[-1]
            signs.append(1.0 if self.rules.side(state) == 0 else -1.0)
            if node.children is None:
                if node.visits == 0 and node is not self.root and self.children is None:
                    break
                node.children = {action: Node() for action in self.rules.legal(state)}
                if self.priors is not None:
                    for action, p in self.priors(state).items():
                        node.children[action].prior = p
                if self.children is not None and len(node.children) > 1:
                    worth = self.children(state, list(node.children))
                    for action, q in zip(node.children, worth, strict=True):
                        node.children[action].visits, node.children[action].total = 1, signs[-1] * q
                    value = signs[-1] * max(worth)
                    break
            sign = 1.0 if self.rules.side(state) == 0 else -1.0
            action = self._puct(node, sign) if self.priors is not None else self._ucb(node, sign, rng)
            path.append(node.children[action])
            state = self.rules.step(state, action)
        if value is None:
            value = self.rules.points(state) if self.rules.over(state) else self.evaluate(state, rng)
        if not self.minimax:
            for node in path:
                node.visits += 1
                node.total += value
            return
        path[-1].visits += 1
        path[-1].total = value * path[-1].visits
        for node, sign in reversed(list(zip(path[:-1], signs, strict=False))):
            node.visits += 1
            best = max(sign * child.total / child.visits for child in node.children.values() if child.visits)
            node.total = sign * best * node.visits

    def _ucb(self, node, sign, rng) -> int:
        """v + c sqrt(ln N / n), ScrofaZero 8.6; an unvisited child first, a random one (a reservoir of one)."""
        fresh = [action for action, child in node.children.items() if not child.visits]
        if fresh:
            chosen = fresh[0]
            for k, action in enumerate(fresh[1:], 2):
                if self.below(rng, k) == 0:
                    chosen = action
            return chosen
        return max(node.children, key=lambda a: sign * node.children[a].total / node.children[a].visits
                   + self.c * math.sqrt(math.log(node.visits + 1) / node.children[a].visits))

    def _puct(self, node, sign) -> int:
        """v + c p sqrt(N) / (1 + n); an unvisited child is thought worth its parent."""
        parent = sign * node.total / max(1, node.visits)

        def score(child) -> float:
            value = sign * child.total / child.visits if child.visits else parent
            return value + self.c * child.prior * math.sqrt(node.visits + 1) / (1 + child.visits)
        return max(node.children, key=lambda a: score(node.children[a]))

    def statistics(self) -> dict[tuple[int, ...], tuple[int, float]]:
        """Visits and total by path of actions."""
        found = {}

        def walk(node, path) -> None:
            found[path] = (node.visits, node.total)
            for action, child in (node.children or {}).items():
                walk(child, (*path, action))
        walk(self.root, ())
        return found


def statistics(tree) -> dict[tuple[int, ...], tuple[int, float]]:
    """The same of a compiled tree."""
    found = {}

    def walk(node, path) -> None:
        found[path] = (int(tree.visits[node]), float(tree.total[node]))
        child = int(tree.first[node])
        while child >= 0:
            walk(child, (*path, int(tree.action[child])))
            child = int(tree.sibling[child])
    walk(0, ())
    return found
