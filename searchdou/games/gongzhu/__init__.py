"""Gongzhu: four players, partners opposite, 52 cards; catch the sheep, leave the pig to the others."""

from searchdou.games.gongzhu.cards import Move, parse_move, score
from searchdou.games.gongzhu.infoset import InfoSet
from searchdou.games.gongzhu.records import dump, load
from searchdou.games.gongzhu.rules import Deal, Game, Play, State

__all__ = ["Deal", "Game", "InfoSet", "Move", "Play", "State", "dump", "load", "parse_move", "score"]
