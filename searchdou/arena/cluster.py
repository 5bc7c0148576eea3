"""A match on a Ray cluster: every actor holds the two players, deals go to them one by one."""

from __future__ import annotations

import socket
from collections.abc import Generator
from contextlib import closing
from dataclasses import asdict
from typing import Any

import searchdou
from searchdou.agents.identity import identify
from searchdou.arena.match import MatchSettings, Sides
from searchdou.arena.table import Played
from searchdou.cluster import Cluster, Crew
from searchdou.errors import SearchDouError


class RemoteSides(Sides):
    """The two players of a match, on a node where they are the same as where the match was begun."""

    def __init__(self, settings: MatchSettings, wanted: dict[str, Any]) -> None:
        found = identities(settings)
        for what in wanted:
            if found[what] != wanted[what]:
                raise SearchDouError(f"{socket.gethostname()} would play another match: its {what} is {found[what]}, "
                                     f"not {wanted[what]}")
        super().__init__(settings)


def identities(settings: MatchSettings) -> dict[str, Any]:
    """What must be the same on every node."""
    return {"version": searchdou.__version__, **{f"agent {side}": asdict(identify(settings.game, spec))
                                                 for side, spec in (("a", settings.a), ("b", settings.b))}}


def played(cluster: Cluster, settings: MatchSettings, todo: list[int], cores: int = 1) -> Generator[Played, None, None]:
    """The deals, as they are done; a worker has `cores` CPUs of its node to itself."""
    Sides(settings).close()  # a bad spec is told here once, not by every worker
    size = max(1, min(cluster.workers // cores, len(todo)))
    with closing(Crew(cluster, size, "deal", RemoteSides, settings, identities(settings), cpus=cores)) as crew:
        for number in todo:
            crew.submit(number, number)
        for _ in todo:
            yield crew.next()[1]
