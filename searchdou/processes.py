"""Processes that others begin."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import threading
from collections.abc import Callable


def end_with_parent(before: Callable[[], None] = lambda: None) -> None:
    """From now on this process ends when the one that began it is gone, however it went; `before` is called then.

    A pool's workers would wait for work for ever: the pipe it comes through is held open by the others of them.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        multiprocessing.connection.wait([parent.sentinel])
        before()
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="end-with-parent").start()
