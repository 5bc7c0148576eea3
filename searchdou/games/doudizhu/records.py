"""Game records of DouDizhu: one JSON object a line; reading one replays the game and checks every word of it."""

from __future__ import annotations

import json
from typing import Any

from searchdou.errors import BadRecord
from searchdou.games.doudizhu.rules import Deal, Game, State
from searchdou.games.doudizhu.rulesets import rule_set
from searchdou.games.replay import Phase, parse, replay

FORMAT = "searchdou.doudizhu"
VERSION = 1


def to_record(state: State, **extra: Any) -> dict[str, Any]:
    """A finished or unfinished game as a dict; `extra` (agents, seed) is kept under "extra"."""
    record: dict[str, Any] = {
        "format": FORMAT, "version": VERSION, "rules": state.game.rules.name, "bidding": state.game.bidding,
        "deal": {"hands": list(state.deal.hands), "kitty": state.deal.kitty}, "first": state.first,
        "bids": list(state.bids), "moves": [move.cards for _, move in state.history], "result": _result(state)}
    if extra:
        record["extra"] = extra
    return record


def _result(state: State) -> dict[str, Any] | None:
    if not state.is_over:
        return None
    return {"landlord": state.landlord, "winner": state.winner, "bombs": int(state.position.bombs),
            "spring": state.spring, "payoffs": list(state.payoffs())}


def dump(state: State, **extra: Any) -> str:
    """The record as one line of JSON, without the newline."""
    return json.dumps(to_record(state, **extra), separators=(",", ":"))


def load(line: str) -> State:
    """Replay a line written by `dump`; anything that does not fit raises `BadRecord` and says where."""
    return from_record(parse(line))


def from_record(record: Any) -> State:
    """Replay a record given as a dict."""
    return replay(record, FORMAT, VERSION, _begin, _result)


def _begin(record: dict[str, Any]) -> tuple[State, list[Phase]]:
    if not isinstance(record["bidding"], bool):
        raise BadRecord(f"bidding is true or false, not {record['bidding']!r}")
    game = Game(rule_set(record["rules"]), bidding=record["bidding"])
    state = game.start(Deal(tuple(record["deal"]["hands"]), record["deal"]["kitty"]), record["first"])
    return state, [("bid", list(record["bids"]), state.bid), ("move", list(record["moves"]), state.play)]
