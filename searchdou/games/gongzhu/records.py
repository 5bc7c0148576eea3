"""Game records of Gongzhu: one JSON object a line; reading one replays the game and checks every word of it."""

from __future__ import annotations

import json
from typing import Any

from searchdou.errors import BadRecord, SearchDouError
from searchdou.games.gongzhu.rules import Deal, Game, State

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
    try:
        record = json.loads(line)
    except (json.JSONDecodeError, TypeError) as error:
        raise BadRecord(f"not a JSON object on one line: {error}") from None
    return from_record(record)


def from_record(record: Any) -> State:
    """Replay a record given as a dict."""
    if not isinstance(record, dict):
        raise BadRecord(f"a record is a JSON object, not {type(record).__name__}")
    if record.get("format") != FORMAT or record.get("version") != VERSION:
        raise BadRecord(f"format {record.get('format')!r} version {record.get('version')!r} is not "
                        f"{FORMAT!r} version {VERSION}")
    try:
        state = Game().start(Deal(tuple(record["deal"]["hands"])), record["first"])
        moves = list(record["moves"])
        result = record["result"]
    except KeyError as missing:
        raise BadRecord(f"the record has no {missing}") from None
    except SearchDouError as error:
        raise BadRecord(str(error)) from None
    except (TypeError, AttributeError) as error:
        raise BadRecord(f"the record cannot be read: {error}") from None
    for number, move in enumerate(moves):
        try:
            state.play(move)
        except SearchDouError as error:
            raise BadRecord(f"move {number + 1}: {error}") from None
    if result != _result(state):
        raise BadRecord(f"the result says {result}, the replay gives {_result(state)}")
    return state
