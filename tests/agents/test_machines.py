"""Two machines with the same seed and budget play the same moves, for reasons that are the same to the last bit.

`machines.json` was written on an AMD EPYC by `python -m tests.agents.test_machines`: every decision of a game, its action
and a digest of the values, errors and weights behind it. New weights or a change of the search write it anew; another
processor, another number of threads or another day must not. What another processor does can be seen on this one:
`NUMBA_CPU_NAME=generic NUMBA_CPU_FEATURES= NUMBA_CACHE_DIR=/tmp/generic pytest tests/agents/test_machines.py` compiles
everything without AVX (two minutes).
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from searchdou import agents, games

KEPT = Path(__file__).with_name("machines.json")
SPECS = {"gongzhu": ("search:samples=12", "search:samples=3,mode=tree,leaf=value,sims=24,weights=bayes,prior=20",
                     "search:samples=8,weights=linear,strata=exact,backup=mean,mode=tree"),
         "doudizhu": ("search:samples=12", "search:samples=6,temper=0.2,weights=bayes",
                      "search:samples=4,mode=tree,sims=4", "search:samples=24,mode=ismcts")}


def decisions(game: str, spec: str, threads: int = 1) -> list[str]:
    """A game of `spec` with itself, a word a decision."""
    player = agents.make(game, f"{spec},threads={threads}")
    state, words = games.load(game).Game().deal(seed=5), []
    while not state.is_over:
        decision = player.analyze(state.infoset())
        digest = hashlib.sha256(str(decision.action).encode())
        for action, estimate in decision.values.items():
            digest.update(f"{action} {float(estimate.mean).hex()} {float(estimate.se).hex()} {estimate.visits}".encode())
        if decision.belief:
            digest.update(np.ascontiguousarray(decision.belief.hands).tobytes() + decision.belief.weights.tobytes())
        words.append(f"{decision.action} {digest.hexdigest()[:8]}")
        state.act(decision.action)
    return words


CASES = [(game, spec) for game, specs in SPECS.items() for spec in specs]


@pytest.mark.parametrize(("game", "spec"), CASES)
def test_decisions_are_those_of_the_machine_they_were_kept_on(game, spec):
    assert decisions(game, spec) == json.loads(KEPT.read_text())[game][spec]


@pytest.mark.parametrize("game", SPECS)
def test_a_second_thread_changes_no_bit(game):
    spec = SPECS[game][0]
    assert decisions(game, spec, threads=2) == json.loads(KEPT.read_text())[game][spec]


if __name__ == "__main__":
    KEPT.write_text(json.dumps({game: {spec: decisions(game, spec) for spec in specs} for game, specs in SPECS.items()},
                               indent=1) + "\n")
