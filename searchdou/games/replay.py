"""What reading a game record has in common for every game: every fault is a `BadRecord` that says where."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from searchdou.errors import BadRecord, SearchDouError

State = TypeVar("State")
Phase = tuple[str, Iterable[Any], Callable[[Any], Any]]     # (what its actions are called, the actions, how one is made)


def parse(line: str) -> Any:
    """The object on a line of JSON."""
    try:
        return json.loads(line)
    except (ValueError, TypeError, RecursionError) as error:
        raise BadRecord(f"not a JSON object on one line: {error}") from None


def replay(record: Any, form: str, version: int, begin: Callable[[dict[str, Any]], tuple[State, list[Phase]]],
           result_of: Callable[[State], Any]) -> State:
    """Begin the game a record tells, make all its actions, compare the result."""
    if not isinstance(record, dict):
        raise BadRecord(f"a record is a JSON object, not {type(record).__name__}")
    if record.get("format") != form or type(record.get("version")) is not int or record["version"] != version:
        given = f"format {record.get('format')!r} version {record.get('version')!r}"
        raise BadRecord(f"{given} is not {form!r} version {version}")
    try:
        state, phases = begin(record)
        result = record["result"]
    except KeyError as missing:
        raise BadRecord(f"the record has no {missing}") from None
    except SearchDouError as error:
        raise BadRecord(str(error)) from None
    except (TypeError, AttributeError) as error:
        raise BadRecord(f"the record cannot be read: {error}") from None
    for what, actions, act in phases:
        for number, action in enumerate(actions):
            try:
                act(action)
            except SearchDouError as error:
                raise BadRecord(f"{what} {number + 1}: {error}") from None
    if result != result_of(state):
        raise BadRecord(f"the result says {result}, the replay gives {result_of(state)}")
    return state
