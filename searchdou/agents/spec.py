"""Agents by name: `NAME[:key=value,...]`, the same words in Python, on the command line and in results."""

from __future__ import annotations

import inspect
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
        name, colon, rest = text.strip().partition(":")
        if name == "cmd":
            command = rest.strip()
            for quote in "\"'":    # quotes around the whole command, as they may arrive from a file or a shell
                if len(command) > 1 and command[0] == command[-1] == quote and quote not in command[1:-1]:
                    command = command[1:-1]
            return cls(name, (("command", command),))
        settings = []
        for item in rest.split(",") if colon else ():
            key, equals, value = item.partition("=")
            if not equals or not key:
                raise SearchDouError(f"agent {text!r}: {item!r} is not key=value")
            settings.append((key.strip(), value.strip()))
        return cls(name, tuple(settings))

    def __str__(self) -> str:
        if self.name == "cmd":
            return f"cmd:{self.settings[0][1]}"
        return self.name + (":" + ",".join(f"{k}={v}" for k, v in self.settings) if self.settings else "")


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
    parsed = Spec.parse(spec) if isinstance(spec, str) else spec
    if not names(game):
        raise UnknownName("game", game, {g for g, _ in _FACTORIES})
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
        if kind in (int, float):
            return kind(text)
        if kind == float | None or kind == int | None:
            return (float if kind == float | None else int)(text)
        return text
    except (KeyError, ValueError):
        raise SearchDouError(f"agent {spec}: {key} takes {getattr(kind, '__name__', kind)}, not {text!r}") from None
