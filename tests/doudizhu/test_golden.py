"""Stored games, one for every rule set and every way to end: replayed, they must say what they said before.

The file was written once with the engine and checked with the naive twin. If a line changes, the rules changed:
raise `records.VERSION` and say so in CHANGELOG.md.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from searchdou.games.doudizhu import RULE_SETS, dump, load

from .strategies import naive_twin

pytestmark = pytest.mark.unit

LINES = (Path(__file__).parent / "golden.jsonl").read_text().splitlines()
RECORDS = {json.loads(line)["extra"]["what"]: line for line in LINES}


@pytest.mark.parametrize("what", RECORDS)
def test_a_stored_game_replays(what):
    line = RECORDS[what]
    state = load(line)
    assert dump(state, what=what) == line
    twin = naive_twin(state)
    result = json.loads(line)["result"]
    assert result == {"landlord": twin.landlord, "winner": twin.winner, "bombs": twin.bombs, "spring": twin.spring,
                      "payoffs": list(twin.payoffs())}


def test_the_stored_games_show_every_ending():
    records = [json.loads(line) for line in LINES]
    assert len(RECORDS) == len(records)
    assert {record["rules"] for record in records} == set(RULE_SETS)
    results = [record["result"] for record in records]
    assert any(result["spring"] and result["winner"] == result["landlord"] for result in results)
    assert any(result["spring"] and result["winner"] != result["landlord"] for result in results)
    assert any(result["bombs"] for result in results)
    assert any("BR" in record["moves"] for record in records)
    assert any(record["bids"] == [0, 0, 0] and result["winner"] is None
               for record, result in zip(records, results, strict=True))


# What a reader can work out from the line by hand.
@pytest.mark.parametrize(("what", "payoffs"), [
    ("all pass: a draw", [0, 0, 0]),
    ("spring at a bid of 2", [8, -4, -4]),             # 2 x 2 for spring, the landlord twice
    ("anti-spring without bidding", [-4, 2, 2]),       # 1 x 2 for anti-spring
    ("two bombs and a rocket at a bid of 3", [48, -24, -24]),   # 3 x 2^3
])
def test_payoffs_by_hand(what, payoffs):
    assert json.loads(RECORDS[what])["result"]["payoffs"] == payoffs
