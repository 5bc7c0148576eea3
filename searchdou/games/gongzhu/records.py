"""Game records of Gongzhu: one JSON object a line; reading one replays the game and checks every word of it."""

from __future__ import annotations

import json
from typing import Any

from searchdou.games.gongzhu.rules import Deal, Game, State
from searchdou.games.replay import Phase, parse, replay

FORMAT = "searchdou.gongzhu"
VERSION = 1


def to_record(state: State, **extra: Any) -> dict[str, Any]:
    """A finished or unfinished game as a dict; `extra` (agents, seed) is kept under "extra"."""
    record: dict[str, Any] = {
        "format": FORMAT, "version": VERSION, "deal": {"hands": list(state.deal.hands)}, "first": state.first,
        "moves": [str(move) for _, move in state.history], "result": _result(state)}
    if extra:
        record["extra"] = extra
    return record


def _result(state: State) -> dict[str, Any] | None:
    if not state.is_over:
        return None
    return {"points": list(state.points()), "difference": state.difference(), "payoffs": list(state.payoffs())}


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
    state = Game().start(Deal(tuple(record["deal"]["hands"])), record["first"])
    return state, [("move", list(record["moves"]), state.play)]
