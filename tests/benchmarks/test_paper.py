"""What the scripts of the papers share."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))      # its scripts share code among themselves

import _paper
import doudizhu_paper


def test_games_go_on_and_only_new_ones_count_for_the_rate(tmp_path, capsys):
    out = tmp_path / "games.jsonl"
    assert _paper.each_game(lambda number: number ** 2, 5, 1, out) == [0, 1, 4, 9, 16]
    assert re.fullmatch(r"games: 5 of 5 games, [\d.,]+ games/s, in 0:00:00", capsys.readouterr().err.splitlines()[-1])
    asked = []
    assert _paper.each_game(lambda number: asked.append(number) or number ** 2, 7, 1, out)[5:] == [25, 36]
    assert asked == [5, 6]
    assert re.fullmatch(r"games: 7 of 7 games, [\d.,]+ games/s, in 0:00:00", capsys.readouterr().err.splitlines()[-1])
    assert _paper.each_game(asked.append, 3, 1, out) == [0, 1, 4]                # fewer than are kept
    assert capsys.readouterr().err == "games: 3 of 3 games\n"
    assert [json.loads(line)["game"] for line in out.read_text().splitlines()] == list(range(7))


def test_statistics_of_play_count_bombs_and_moves_that_nobody_beat():
    games = [doudizhu_paper.play_game("random", "random", 3, number) for number in range(40)]
    bombs = [sum(game[3:6]) for game in games]
    assert {abs(points) for _, points, *_ in games} <= {2.0 * 2 ** n for n in range(9)}
    assert all(abs(game[1]) == 2.0 * 2 ** n for game, n in zip(games, bombs, strict=True))      # every bomb doubles
    assert max(bombs) > 0
    assert all(0 < game[6] <= game[2] for game in games if game[0])
