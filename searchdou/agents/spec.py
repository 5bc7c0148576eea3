"""Agents by name: `NAME[:key=value,...]`, the same words in Python, on the command line and in results."""

from __future__ import annotations

import inspect
import math
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from searchdou.errors import SearchDouError, UnknownName


class Player(Protocol):
    """What an agent file provides: one method, from what a seat may know to what it does."""

    def act(self, infoset: Any) -> Any:
        """The action chosen, one of `infoset.legal_actions()`."""


@dataclass(frozen=True)
class Spec:
    """A name and its settings, as text; `cmd:` keeps everything after the colon as one command.

    >>> Spec.parse("greed:samples=40,seed=2")
    Spec(name='greed', settings=(('samples', '40'), ('seed', '2')))
    """

    name: str
    settings: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, text: str) -> Spec:
        if not isinstance(text, str):
            raise SearchDouError(f"an agent is named by text such as 'search:time=1', not by {text!r}")
        name, colon, rest = text.strip().partition(":")
        if name == "cmd":
            command = rest.strip()
            for quote in "\"'":    # quotes around the whole command, as they may arrive from a file or a shell
                if len(command) > 1 and command[0] == command[-1] == quote and quote not in command[1:-1]:
                    command = command[1:-1]
            return cls(name, (("command", command),))
        settings: list[tuple[str, str]] = []
        for item in rest.split(",") if colon else ():
            key, equals, value = item.partition("=")
            if not equals or not key:
                raise SearchDouError(f"agent {text!r}: {item!r} is not key=value")
            if any(key.strip() == known for known, _ in settings):
                raise SearchDouError(f"agent {text!r}: {key.strip()} is given twice")
            settings.append((key.strip(), value.strip()))
        return cls(name, tuple(settings))

    def __str__(self) -> str:
        if self.name == "cmd":
            return f"cmd:{self.settings[0][1]}"
        return self.name + (":" + ",".join(f"{k}={v}" for k, v in self.settings) if self.settings else "")


MOST = 1 << 31              # a whole number in a spec is below; seeds may be of any length
Factory = Callable[..., Player]
_FACTORIES: dict[tuple[str, str], Callable[[], Factory]] = {}


def register(game: str, name: str, load: Callable[[], Factory]) -> None:
    """Make `name` an agent of `game`; `load` imports its class only when it is asked for."""
    _FACTORIES[game, name] = load


def names(game: str) -> list[str]:
    """The agents of a game."""
    return sorted(name for g, name in _FACTORIES if g == game)


def resolve(game: str, spec: str | Spec, seed: int = 0) -> tuple[Factory, dict[str, Any]]:
    """What builds the player a spec names, and the settings given to it, each of its own type."""
    parsed = spec if isinstance(spec, Spec) else Spec.parse(spec)
    if not names(game):
        raise UnknownName("game", game, {g for g, _ in _FACTORIES})
    if parsed.name == "cmd":
        raise SearchDouError(f"{parsed} is a program: programs take seats in matches and tournaments only")
    if (game, parsed.name) not in _FACTORIES:
        raise UnknownName(f"{game} agent", parsed.name, names(game))
    factory = _FACTORIES[game, parsed.name]()
    parameters = inspect.signature(described(factory), eval_str=True).parameters
    settings: dict[str, Any] = {}
    for key, text in parsed.settings:
        if key not in parameters:
            raise UnknownName(f"setting of {parsed.name}", key, parameters)
        settings[key] = _converted(parsed, key, text, parameters[key].annotation)
    if "seed" in parameters:
        settings.setdefault("seed", seed)
    return factory, settings


def described(factory: Factory) -> Callable[..., Any]:
    """What the settings are arguments of: a dataclass of settings, or the player's class itself."""
    kind: Callable[..., Any] = getattr(factory, "Settings", factory)
    return kind


def make(game: str, spec: str | Spec, seed: int = 0) -> Player:
    """Build the player a spec names; its settings are the keyword arguments of its class."""
    factory, settings = resolve(game, spec, seed)
    kind = described(factory)
    return factory(**settings) if kind is factory else factory(game, kind(**settings))


def command_words(command: str) -> list[str]:
    """The command of a `cmd:` agent as a program and its arguments, split as a shell would."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise SearchDouError(f"cmd:{command} cannot be read as a command: {error}") from None
    if not words:
        raise SearchDouError("cmd: names no program")
    return words


def _converted(spec: Spec, key: str, text: str, kind: Any) -> Any:
    try:
        if kind is bool:
            return {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}[text.lower()]
        if kind in (float, float | None):
            number = float(text)
            if not math.isfinite(number):
                raise SearchDouError(f"agent {spec}: {key} takes a number that is finite, not {text!r}")
            return number
        if kind in (int, int | None):
            whole = int(text)
            if key != "seed" and abs(whole) >= MOST:
                raise SearchDouError(f"agent {spec}: {key} takes a whole number below {MOST:,}, not {text!r}")
            return whole
        return text
    except SearchDouError:
        raise
    except (KeyError, ValueError):
        raise SearchDouError(f"agent {spec}: {key} takes {getattr(kind, '__name__', kind)}, not {text!r}") from None
