"""The net alone, the one agent that cheats, and weights that are not there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from inference._policy_kernels import Ahead, Mean, ahead_value, mean_value
from inference._rng_kernels import stream
from searchdou import Agent
from searchdou.arena.match import MatchSettings, run_match
from searchdou.errors import SearchDouError
from searchdou.games.gongzhu import Game, _kernels, encode, hidden
from searchdou.games.gongzhu import _net_kernels as nets
from searchdou.nets import BadWeights, save_weights
from searchdou.nets.files import kept
from tests.inference import cases

HOUSE = Path(__file__).resolve().parent.parent.parent


def test_the_shipped_weights_are_small_and_say_where_they_come_from():
    total = 0
    for name, kind in encode.KINDS.items():
        total += (HOUSE / "searchdou" / "weights" / name).stat().st_size
        meta = kept(name, kind).meta
        assert {"game", "view", "version", "run", "settings", "hours", "games", "commit"} <= set(meta)
    assert total < 2_000_000


def test_the_net_beats_those_who_know_little():
    summary = run_match(MatchSettings("gongzhu", "net", "random", 32, seed=1)).summary()
    assert summary["ci95"][0] > 150
    assert run_match(MatchSettings("gongzhu", "net", "if", 64, seed=1)).summary()["points"] > 0


def test_the_net_sees_one_seat_only():
    agent = Agent("gongzhu", "net")
    for seed in range(12):
        state = cases.gongzhu_game(seed, 3 * seed)
        infoset = state.infoset()
        action = agent.act(infoset)
        assert action in state.legal_actions()
        policy = encode.blueprint_in()
        rows = hidden.seat_hands(infoset, hidden.hidden_of(infoset).draw(3, stream(seed)))
        legal = np.array([move.card for move in state.legal_actions()])
        found = set()
        for row in rows:
            q = np.zeros(len(legal))
            from searchdou.games.gongzhu import _net_kernels, _search_kernels
            _net_kernels.blueprint_values(policy, _search_kernels.with_hands(state.position, row), legal, len(legal), q)
            found.add(tuple(q.tolist()))
        assert len(found) == 1
        assert action.card == legal[int(np.argmax(found.pop()))]


def test_a_playout_may_stop_and_ask_the_oracle():
    policy, oracle, out = encode.blueprint_in(), encode.oracle_in(), np.empty(64, np.int64)
    for seed in range(8):
        after = position = cases.gongzhu_game(seed, 7 * seed).position
        said = []
        for _ in range(6):
            over = _kernels.is_over(after)
            said.append(_kernels.difference(after) if over else nets.oracle_value(oracle, after, stream(1), out))
            if not over:
                after = _kernels.step(after, nets.blueprint_choice(policy, after, stream(1), out))
        for fade, expected in ((0.0, said[-1]), (0.5, np.average(said, weights=[32, 16, 8, 4, 2, 1])), (1.0, np.mean(said))):
            assert ahead_value(Ahead(policy, oracle, 5, fade), position, stream(1), out) == pytest.approx(expected)


def test_judges_say_the_mean_of_what_each_says():
    judges, critic, oracle, out = encode.judges_in(), encode.critic_in(), encode.oracle_in(), np.empty(64, np.int64)
    for seed in range(8):
        position = cases.gongzhu_game(seed, 6 * seed).position
        each = [nets.oracle_value(net, position, stream(1), out) for net in (critic, oracle)]
        assert each[0] != each[1]
        assert nets.judged_value(judges, position, stream(1), out) == pytest.approx(np.mean(each), abs=1e-3)


def test_critic_and_oracle_judge_together_unless_one_is_asked_for():
    found = []
    for settings in ("", ",judge=both", ",judge=oracle", ",judge=critic"):
        values = Agent("gongzhu", f"search:samples=4,solve=0,lines=1{settings}").analyze(Game().deal(4).infoset()).values
        found.append({str(move): estimate.mean for move, estimate in values.items() if estimate.visits == 4})
    assert found[0] == found[1]
    assert found[2] != found[3]
    everywhere = set.intersection(*map(set, found))       # searched on all deals by all three
    assert everywhere
    for card in everywhere:
        assert found[0][card] == pytest.approx((found[2][card] + found[3][card]) / 2)
    with pytest.raises(SearchDouError, match="judge of search"):
        Agent("gongzhu", "search:judge=nobody")


def test_a_second_line_is_played_with_open_cards():
    seer, oracle, out, q = encode.seer_in(), encode.oracle_in(), np.empty(64, np.int64), np.empty(16)
    for seed in range(8):
        position = cases.gongzhu_game(seed, 6 * seed).position
        n = _kernels.legal(position, out)
        nets.oracle_values(oracle, position, out, n, q)
        assert nets.seer_choice(seer, position, stream(1), out.copy()) == out[int(np.argmax(q[:n]))]
        one, other = (Ahead(policy, oracle, 8, 0.85) for policy in (encode.blueprint_in(), seer))
        found = mean_value(Mean(one, other), position, stream(1), out)
        assert found == pytest.approx(np.mean([ahead_value(leaf, position, stream(1), out) for leaf in (one, other)]))


def test_noise_takes_a_seed():
    state = Game().deal(3)
    moves = [str(Agent("gongzhu", "net:noise=1", seed).act(state.infoset())) for seed in (1, 1, 2, 3, 4)]
    assert moves[0] == moves[1]
    assert len(set(moves)) > 1


# --- the one that cheats ------------------------------------------------------------------------------------------------

def test_the_oracle_cannot_be_asked_as_an_agent():
    with pytest.raises(SearchDouError, match="shown all hands: it plays in matches and tournaments only"):
        Agent("gongzhu", "oracle").act(Game().deal(1).infoset())
    with pytest.raises(SearchDouError, match="at least one simulation"):
        Agent("gongzhu", "oracle:sims=0")


def test_the_oracle_is_a_ceiling_and_its_settings_decide():
    settings = MatchSettings("gongzhu", "oracle:sims=60,solve=20", "greed", 12, seed=1)
    result = run_match(settings)
    assert result.summary()["points"] > 100
    assert run_match(settings).outcomes.tolist() == result.outcomes.tolist()


# --- weights ------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("spec", ["net", "search", "oracle"])
def test_weights_that_cannot_be_used_are_named(spec, tmp_path):
    with pytest.raises(BadWeights, match="cannot be read"):
        Agent("gongzhu", f"{spec}:nets={tmp_path}")
    for name, kind in encode.KINDS.items():
        save_weights(tmp_path / name, encode.untrained(kind))
        data = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(data[:len(data) // 2])
    with pytest.raises(BadWeights, match="cut short"):
        Agent("gongzhu", f"{spec}:nets={tmp_path}")
    done = subprocess.run([sys.executable, "-m", "searchdou.cli", "match", "--game", "gongzhu", "--deals", "1",
                           "--a", f"{spec}:nets={tmp_path}", "--b", "random"], cwd=HOUSE, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 2
    assert "cut short" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_of_weights_is_used(tmp_path):
    for name, kind in encode.KINDS.items():
        save_weights(tmp_path / name, encode.untrained(kind, 9))
    state = Game().deal(4)
    shipped = Agent("gongzhu", "search:samples=4,sims=4")
    other = Agent("gongzhu", f"search:samples=4,sims=4,nets={tmp_path}")
    worth = [{str(move): e.mean for move, e in agent.analyze(state.infoset()).values.items()} for agent in (shipped, other)]
    assert worth[0] != worth[1]
    before = kept(encode.ORACLE_FILE, encode.OPEN, str(tmp_path))
    assert kept(encode.ORACLE_FILE, encode.OPEN, str(tmp_path)) is before
    save_weights(tmp_path / encode.ORACLE_FILE, encode.untrained(encode.OPEN, 10))   # as a training does
    after = kept(encode.ORACLE_FILE, encode.OPEN, str(tmp_path))
    assert not np.array_equal(before.arrays["rows"], after.arrays["rows"])
