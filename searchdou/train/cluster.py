"""Self-play on a Ray cluster: remote actors play blocks with the weights they are sent, the learner stays here."""

from __future__ import annotations

import pickle
import socket
from collections.abc import Callable
from functools import partial
from typing import Any

import searchdou
from searchdou.cluster import AHEAD, Cluster, Crew
from searchdou.errors import SearchDouError


class RemoteActor:
    """The actor of a training on another machine; a job comes as bytes, because arrays that lie in the object store are
    read-only, which is another type to the compiler."""

    def __init__(self, version: str, make: Callable[..., Any], *arguments: Any) -> None:
        if version != searchdou.__version__:
            raise SearchDouError(f"{socket.gethostname()} would play other games: its version is {searchdou.__version__}, "
                                 f"not {version}")
        self._actor = make(*arguments)

    def play(self, block: int, job: bytes) -> Any:
        return self._actor.play(block, pickle.loads(job))


class RemoteActors:
    """Plays blocks as `LocalActor` does, several at a time. The learner takes them in the order of their numbers, so a
    training of so many blocks is decided by its seed and the number of actors, whoever was lost on the way."""

    def __init__(self, cluster: Cluster, make: Callable[..., Any], *arguments: Any) -> None:
        size = max(1, cluster.workers - 1)      # one CPU is for the learner
        self.ahead = AHEAD * size
        self._cluster = cluster
        self._crew = Crew(cluster, size, "block", RemoteActor, searchdou.__version__, make, *arguments)
        self._early: dict[int, Any] = {}        # done, but not asked for yet

    def start(self, block: int, job: Any) -> Callable[[], Any]:
        """Begin a block; the job with its weights is put into the object store once. Returns what waits for the samples."""
        self._crew.submit(block, block, self._cluster.ray.put(pickle.dumps(job)))
        return partial(self._result, block)

    def _result(self, block: int) -> Any:
        while block not in self._early:
            number, samples = self._crew.next()
            self._early[number] = samples
        return self._early.pop(block)

    def close(self) -> None:
        """End the actors, and what they are at."""
        self._crew.close()
