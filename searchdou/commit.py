"""Which commit of the source tree is running, for results and weights that must be traced to their code."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent


@cache
def commit() -> str:
    """The short hash, with a + when files differ from it; 'unknown' where this is no checkout of ours."""
    try:
        # An installed copy may lie inside the repository of another project, whose commit says nothing.
        if Path(_git("rev-parse", "--show-toplevel")).resolve() != HOME:
            return "unknown"
        return _git("describe", "--always", "--dirty=+", "--exclude=*")
    except (OSError, subprocess.SubprocessError):
        return "unknown"


def _git(*words: str) -> str:
    return subprocess.run(["git", "-C", str(HOME), *words], capture_output=True, text=True, timeout=10, check=True,
                          env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"}).stdout.strip()
