"""The errors a caller may want to tell apart; each message names the thing that is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


class SearchDouError(ValueError):
    """Bad input of any kind; nothing was changed."""


class BadCards(SearchDouError):
    """Cards that do not exist, or more of them than the deck has."""


class IllegalAction(SearchDouError):
    """A bid or a move that the rules do not allow here."""


class BadInfoSet(SearchDouError):
    """A position that no seat could be in."""


class BadRecord(SearchDouError):
    """A game record that contradicts itself or the rules."""


class UnknownName(SearchDouError):
    """A rule set, game, agent or setting that does not exist."""

    def __init__(self, what: str, name: object, known: Iterable[str]) -> None:
        self._told = (what, name, sorted(known))
        super().__init__(f"unknown {what} {name!r}; known: {', '.join(self._told[2])}")

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return UnknownName, self._told   # so that it can come back from another process


def check_shares(who: str, shares: Mapping[str, float]) -> None:
    """Settings that are shares or chances lie from 0 to 1."""
    for name, value in shares.items():
        if not 0 <= value <= 1:             # also says no to nan
            raise SearchDouError(f"{who}: {name} is a share from 0 to 1, not {value}")
