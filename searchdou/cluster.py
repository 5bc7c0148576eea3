"""Work on a Ray cluster: numbered jobs done by actors; what a lost actor had not finished is handed to another.

A job is decided by its arguments alone, so it does not matter who does it, nor how often it was begun.
"""

from __future__ import annotations

import logging
import os
import socket
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from searchdou.errors import SearchDouError

RETRIES = 3             # a job is handed out so often again after its actor was lost with it
AHEAD = 2               # jobs at an actor, so that it need not wait for the next
PATIENCE_S = 600.0      # for the first actor to be ready: nodes may have to come up, and kernels to be compiled


class Cluster:
    """A connection to Ray: to the cluster at `address` (`auto` finds one that runs here), or to one begun on this machine.

    A cluster begun here listens on 127.0.0.1 only, and ends with this object. In a program that is already connected, that
    connection is used.
    """

    def __init__(self, address: str = "", workers: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise SearchDouError(f"a cluster needs at least one worker, not {workers}")
        self.ray = _import_ray(loopback=not address or address.startswith(("127.", "localhost")))
        self._ours = not self.ray.is_initialized()
        if self._ours:
            quiet = {"logging_level": logging.ERROR, "log_to_driver": False}
            try:
                if address:
                    _knock(address)
                    self.ray.init(address=address, **quiet)
                else:
                    self.ray.init(address="local", num_cpus=workers, include_dashboard=False,
                                  _node_ip_address="127.0.0.1", **quiet)
            except (OSError, ValueError, RuntimeError) as error:
                why = str(error).strip().splitlines() or [repr(error)]
                raise SearchDouError(f"Ray cannot be reached at {address or 'this machine'}: {why[0]}") from None
        self.workers = workers or max(1, int(self.ray.cluster_resources().get("CPU", 1)))

    def close(self) -> None:
        """Let go of the cluster; one that was begun here ends."""
        if self._ours:
            self.ray.shutdown()

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _knock(address: str) -> None:
    """Refuse an address where nobody answers: Ray itself would try for minutes."""
    if address == "auto" or "://" in address:
        return
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 1 << 16:
        raise ValueError("an address is auto or host:port")
    socket.create_connection((host.strip("[]"), int(port)), timeout=10.0).close()


def _import_ray(loopback: bool) -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if loopback:
        # Without it Ray replaces 127.0.0.1 by the address of a network and listens on all of them. It is read at import.
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    try:
        import ray
    except ImportError as error:
        raise SearchDouError(f"--ray needs the ray extra, pip install 'searchdou[ray]' ({error})") from None
    return ray


class _Worker:
    """What lives in an actor: it builds whoever does the jobs, and passes them on."""

    def begin(self, folder: str, make: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        if os.path.isdir(folder):
            os.chdir(folder)            # relative names of nets and programs mean what they mean to who asked
        self.player = make(*arguments)

    def play(self, *job: Any) -> Any:
        return self.player.play(*job)

    def close(self) -> None:
        if hasattr(self.player, "close"):
            self.player.close()


@dataclass
class _Hand:
    """An actor, and its calls in the order they run: a reference and the job's number (None while it is being built)."""

    actor: Any
    calls: deque[tuple[Any, int | None]] = field(default_factory=deque)
    ready: bool = False


class Crew:
    """`size` actors of `cpus` each with a player of its own, `make(*arguments)`, that does jobs by `play(*job)`."""

    def __init__(self, cluster: Cluster, size: int, what: str, make: Callable[..., Any], *arguments: Any,
                 cpus: int = 1) -> None:
        most = max((node["Resources"].get("CPU", 0) for node in cluster.ray.nodes() if node["Alive"]), default=0)
        if most < cpus:
            raise SearchDouError(f"a worker needs {cpus} CPUs, and no machine of the cluster has more than {most:g}")
        self._ray, self._what, self._player = cluster.ray, what, (make, arguments)
        self._actor = cluster.ray.remote(num_cpus=cpus, max_restarts=0)(_Worker)
        self._jobs: dict[int, tuple[Any, ...]] = {}     # all that are not done
        self._queue: deque[int] = deque()               # those that no actor has
        self._losses: dict[int | None, int] = {}        # actors lost, by the job they were at
        self._since = time.monotonic()                  # when an actor was last ready
        self._hands = [self._hired() for _ in range(size)]

    def submit(self, number: int, *job: Any) -> None:
        """Have job `number` done."""
        self._jobs[number] = job
        self._queue.append(number)
        self._hand_out()

    def next(self) -> tuple[int, Any]:
        """Wait until any job is done; its number and its answer. What a job raises is raised here."""
        from ray.exceptions import RayError, RayTaskError
        while True:
            self._hand_out()
            hand = self._first_done()
            reference, number = hand.calls.popleft()
            try:
                answer = self._ray.get(reference)
            except RayTaskError as error:
                if not isinstance(error.cause, RayError):
                    raise error.cause from None
                self._replace(hand, number, error.cause)
            except RayError as error:
                self._replace(hand, number, error)
            else:
                if number is not None:
                    del self._jobs[number]
                    return number, answer
                hand.ready = True
                self._losses.pop(None, None)

    def close(self) -> None:
        """End the actors; those at rest end what they have started."""
        from ray.exceptions import RayError
        hands, self._hands = self._hands, []
        with suppress(RayError):                        # the cluster is gone, and they with it
            resting = [hand.actor.close.remote() for hand in hands if hand.ready and not hand.calls]
            if resting:
                self._ray.wait(resting, num_returns=len(resting), timeout=5.0)
            for hand in hands:
                self._ray.kill(hand.actor)

    def _hired(self) -> _Hand:
        hand = _Hand(self._actor.remote())
        hand.calls.append((hand.actor.begin.remote(os.getcwd(), *self._player), None))
        return hand

    def _hand_out(self) -> None:
        """Jobs to actors that are ready: one to each, then another."""
        for depth in range(AHEAD):
            for hand in self._hands:
                if self._queue and hand.ready and len(hand.calls) <= depth:
                    number = self._queue.popleft()
                    hand.calls.append((hand.actor.play.remote(*self._jobs[number]), number))

    def _first_done(self) -> _Hand:
        """An actor whose first call has come to an end, good or bad."""
        while True:
            busy = {hand.calls[0][0]: hand for hand in self._hands if hand.calls}
            done, _ = self._ray.wait(list(busy), timeout=1.0)
            if done:
                return busy[done[0]]
            if any(hand.ready for hand in self._hands):
                self._since = time.monotonic()
            elif time.monotonic() - self._since > PATIENCE_S:
                raise SearchDouError(f"no worker of the cluster was ready within {PATIENCE_S:g} s")

    def _replace(self, hand: _Hand, number: int | None, error: Exception) -> None:
        """The actor is lost: its jobs go back to the front of the queue, and another is hired."""
        self._losses[number] = self._losses.get(number, 0) + 1
        if self._losses[number] > RETRIES:
            deed = "workers cannot be started" if number is None else f"{self._what} {number} was lost with its worker"
            why = " ".join(str(error).split())[:300]
            raise SearchDouError(f"{deed}, {self._losses[number]} times in all; the last time: {why}")
        self._ray.kill(hand.actor)                      # it may only be out of reach
        self._queue.extendleft(reversed([n for n in (number, *(n for _, n in hand.calls)) if n is not None]))
        self._hands[self._hands.index(hand)] = self._hired()
