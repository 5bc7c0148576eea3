"""How a deal becomes games between two sides, and how their outcomes are told, game by game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from searchdou import games
from searchdou.arena.stats import Floats, ci95, mean_se
from searchdou.errors import UnknownName


@dataclass(frozen=True)
class DouDizhuFormat:
    """Card play of every deck twice: side a is the landlord, then side b is (DouZero's and PerfectDou's way)."""

    rules: str = "standard"
    name = "doudizhu"

    def games(self, seed: int, number: int) -> Iterator[tuple[Any, tuple[int, ...]]]:
        """The games of deal `number`: a fresh state, and which side (0 is a, 1 is b) sits on each seat."""
        module = games.load(self.name)
        deal = module.Deal.random(seed, number)
        game = module.Game(module.rule_set(self.rules), bidding=False)
        yield game.start(deal), (0, 1, 1)
        yield game.start(deal), (1, 0, 0)

    def outcome(self, state: Any, sides: tuple[int, ...]) -> float:
        """Side a's points, ADP1: as landlord its own, as peasants both together."""
        return float(state.adp1() if sides[0] == 0 else -state.adp1())

    def summary(self, outcomes: Floats) -> dict[str, Any]:
        """WP and ADP of side a from outcomes [deals, 2]: as landlord, as peasants, overall."""
        wins = (outcomes > 0).astype(np.float64)
        result: dict[str, Any] = {"wp": {}, "adp": {}, "ci95": {"wp": {}, "adp": {}}, "se": {"wp": {}, "adp": {}}}
        for measure, values in (("wp", wins), ("adp", outcomes)):
            parts = {"landlord": values[:, 0], "peasants": values[:, 1], "overall": values.mean(axis=1)}
            for part, column in parts.items():
                result[measure][part], result["se"][measure][part] = mean_se(column)
                result["ci95"][measure][part] = ci95(column)
        return {**result, "decks": len(outcomes)}

    def headline(self, outcomes: Floats) -> tuple[str, Floats]:
        """The figure of a list of matches, one number a deal: side a's share of wins."""
        return "WP", (outcomes > 0).mean(axis=1, dtype=np.float64)

    def value(self, outcomes: Floats) -> Floats:
        """One number a deal for tables: side a's mean points."""
        values: Floats = outcomes.mean(axis=1)
        return values


@dataclass(frozen=True)
class GongzhuFormat:
    """Two against two, every deal twice: the second time all hands move one seat on, so the teams swap hands."""

    rules: str = "standard"
    name = "gongzhu"

    def games(self, seed: int, number: int) -> Iterator[tuple[Any, tuple[int, ...]]]:
        """The games of deal `number`: a fresh state, and which side (0 is a, 1 is b) sits on each seat."""
        module = games.load(self.name)
        deal = module.Deal.random(seed, number)
        game = module.Game()
        yield game.start(deal, first=0), (0, 1, 0, 1)
        yield game.start(deal.rotated(1), first=1), (0, 1, 0, 1)

    def outcome(self, state: Any, sides: tuple[int, ...]) -> float:
        """Side a's points minus side b's."""
        return float(state.difference())

    def summary(self, outcomes: Floats) -> dict[str, Any]:
        """Points a game of side a over side b from outcomes [deals, 2]; a deal is won by its mean."""
        values = self.value(outcomes)
        points, se = mean_se(values)
        return {"points": points, "se": se, "ci95": ci95(values), "win": float((values > 0).mean()),
                "draw": float((values == 0).mean()), "deals": len(outcomes)}

    def headline(self, outcomes: Floats) -> tuple[str, Floats]:
        """The figure of a list of matches, one number a deal: side a's points over side b."""
        return "points", self.value(outcomes)

    def value(self, outcomes: Floats) -> Floats:
        """One number a deal: the mean of its two games."""
        values: Floats = outcomes.mean(axis=1)
        return values


Format = DouDizhuFormat | GongzhuFormat


def format_of(game: str, rules: str = "standard") -> Format:
    """The format in which a game is measured."""
    if game == "doudizhu":
        games.load(game).rule_set(rules)
        return DouDizhuFormat(rules)
    if game == "gongzhu":
        if rules != "standard":
            raise UnknownName("rule set of gongzhu", rules, ["standard"])
        return GongzhuFormat(rules)
    raise UnknownName("game", game, games.GAMES)
