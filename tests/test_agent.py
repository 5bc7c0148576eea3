"""`Agent`: shared by threads, sent to other processes."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

from searchdou import Agent, games

EVERY_GAME = pytest.mark.parametrize("game", games.GAMES)


def positions(game: str, seed: int):
    state = games.load(game).Game().deal(seed)
    player = Agent(game, "random", seed)
    while not state.is_over:
        yield state.infoset()
        state.act(player.act(state.infoset()))


@EVERY_GAME
@pytest.mark.parametrize("spec", ["net", "search:samples=6"])
def test_threads_may_share_an_agent(game, spec):
    """It answers what it would answer one question at a time; without a lock this ends the process."""
    infosets = [infoset for seed in range(2) for infoset in positions(game, seed)]
    alone = list(map(Agent(game, spec).act, infosets))
    shared = Agent(game, spec)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(shared.act, infosets)) == alone


@EVERY_GAME
@pytest.mark.parametrize("spec", ["random", "net", "search:samples=6"])
def test_an_agent_is_pickled_as_what_it_was_made_from(game, spec):
    agent = Agent(game, spec, seed=5)
    copy = pickle.loads(pickle.dumps(agent))
    assert (copy.game, copy.spec, copy.seed) == (game, spec, 5)
    infosets = list(positions(game, 3))[::4]
    assert list(map(copy.act, infosets)) == list(map(agent.act, infosets))
