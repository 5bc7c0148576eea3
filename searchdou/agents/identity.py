"""What identifies an agent: its settings to the last default, the weights it plays with, the files of its program.

Two agents with equal identities are the same player; anything else is another one, whatever its spec says.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import searchdou
from searchdou.agents.spec import Spec, command_words, described, resolve


@dataclass(frozen=True)
class Identity:
    """An agent of a match, to be compared and kept."""

    spec: str
    settings: dict[str, Any]        # complete; for `cmd:` the command and a hash of each of its files
    weights: str = ""               # hash of its nets; empty when it plays by none


def identify(game: str, spec: str) -> Identity:
    """The identity of the agent that `spec` names now.

    >>> identify("gongzhu", "greed").settings
    {'samples': 20, 'seed': 0}
    """
    parsed = Spec.parse(spec)
    if parsed.name == "cmd":
        command = parsed.settings[0][1]
        return Identity(spec, {"command": command, "files": _files(command)})
    factory, given = resolve(game, parsed)
    kind = described(factory)
    if kind is factory:
        bound = inspect.signature(kind).bind(**given)
        bound.apply_defaults()
        settings = dict(bound.arguments)
    else:
        complete = getattr(factory, "complete", lambda game, settings: settings)
        settings = asdict(complete(game, kind(**given)))
    return Identity(spec, settings, weights_hash(game, settings["nets"]) if "nets" in settings else "")


def weights_hash(game: str, folder: str = "") -> str:
    """SHA-256 over the names and contents of a game's nets in `folder`; of the shipped ones when it is empty."""
    home = Path(folder) if folder else Path(searchdou.__file__).parent / "weights"
    digest = hashlib.sha256()
    for path in sorted(home.glob(f"{game}-*.safetensors")):
        data = path.read_bytes()
        digest.update(f"{path.name} {len(data)}\n".encode() + data)
    return digest.hexdigest()


def _files(command: str) -> dict[str, str]:
    """SHA-256 of the program and of every argument that is a file, so that an edited bot is another bot."""
    program, *arguments = command_words(command)
    found = {}
    for word, path in ((program, shutil.which(program) or program), *((word, word) for word in arguments)):
        if os.path.isfile(path):        # Path.is_file raises when a word, a script after -c, is too long for a name
            with open(path, "rb") as file:
                found[word] = hashlib.file_digest(file, "sha256").hexdigest()
    return found
