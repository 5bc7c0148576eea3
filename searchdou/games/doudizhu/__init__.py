"""DouDizhu: three players, 54 cards, one landlord against two peasants."""

from searchdou.games.doudizhu.cards import PASS, Category, Move, min_plays, parse_move
from searchdou.games.doudizhu.infoset import ROLES, InfoSet
from searchdou.games.doudizhu.records import dump, load
from searchdou.games.doudizhu.rules import Bid, Deal, Game, Play, State
from searchdou.games.doudizhu.rulesets import RULE_SETS, RuleSet, rule_set

__all__ = ["PASS", "ROLES", "RULE_SETS", "Bid", "Category", "Deal", "Game", "InfoSet", "Move", "Play", "RuleSet",
           "State", "dump", "load", "min_plays", "parse_move", "rule_set"]
