"""The bot protocol: one JSON object a line in, one a line out, so that any program can take a seat (docs/bots.md).

`CommandPlayer` seats a program; `serve` lets one of our agents be such a program.
"""

from __future__ import annotations

import json
import queue
import shlex
import subprocess
import tempfile
import threading
import time
from typing import IO, Any

from searchdou import games
from searchdou.agent import Agent
from searchdou.arena.table import Forfeit
from searchdou.errors import SearchDouError

START_S = 60.0       # the first answer of a fresh process may take this much longer: interpreters and compilers start
MAX_LINE = 1 << 16   # characters of an answer that are read
STARTS = 3           # a program that ends by itself is started again up to this many times in all
LATES = 3            # a program that is late this often in a row is ended for good


class CommandPlayer:
    """A program in a seat. A late, illegal, garbled or missing answer raises `Forfeit`; nothing else escapes."""

    def __init__(self, game: str, command: str, time_s: float = 1.0, start_s: float = START_S) -> None:
        self.game, self.command, self.time_s, self.start_s = game, command, time_s, start_s
        try:
            self._arguments = shlex.split(command)
        except ValueError as error:
            raise SearchDouError(f"cmd:{command} cannot be read as a command: {error}") from None
        if not self._arguments:
            raise SearchDouError("cmd: names no program")
        self._process: subprocess.Popen[str] | None = None
        self._starts = 0
        self._lates = 0
        self._given_up = ""

    def act(self, infoset: Any) -> Any:
        answer = self._ask(json.dumps(infoset.to_request(self.time_s)))
        try:
            data = json.loads(answer)
        except json.JSONDecodeError:
            raise Forfeit("garbled", f"{self._arguments[0]} answered {answer[:80]!r}, which is not JSON") from None
        if not isinstance(data, dict):
            raise Forfeit("garbled", f"{self._arguments[0]} answered {answer[:80]!r}, which is not a JSON object")
        try:
            return infoset.from_answer(data)
        except SearchDouError as error:
            raise Forfeit("illegal", f"{self._arguments[0]} answered {answer[:80]}: {error}") from None

    def _ask(self, request: str) -> str:
        if self._given_up:
            raise Forfeit("dead", self._given_up)
        limit = self.time_s
        if self._process is None:
            self._start()
            limit += self.start_s
        assert self._process is not None
        assert self._process.stdin is not None
        deadline = time.monotonic() + limit
        try:
            self._process.stdin.write(request + "\n")
            self._process.stdin.flush()
        except OSError:
            self._died()
        self._owed += 1
        while True:
            try:
                line = self._answers.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                self._lates += 1
                if self._lates >= LATES:
                    self._given_up = f"{self._arguments[0]} was late {LATES} times in a row and was ended"
                    self.close()
                raise Forfeit("late", f"{self._arguments[0]} gave no answer within {limit:g} s") from None
            if line is None:
                self._died()
            self._owed -= 1
            if self._owed == 0:          # earlier answers that came too late are dropped
                self._lates = 0
                return line or ""

    def _start(self) -> None:
        self._starts += 1
        self._owed = 0
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 (kept while the program runs)
        try:
            self._process = subprocess.Popen(self._arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                             stderr=self._errors, text=True, encoding="utf-8", errors="replace")
        except OSError as error:
            self._given_up = f"{self._arguments[0]} cannot be started: {error.strerror}"
            raise Forfeit("dead", self._given_up) from None
        self._answers: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=_read_lines, args=(self._process.stdout, self._answers), daemon=True).start()

    def _died(self) -> None:
        """The program has ended: say how, and start it again at the next move unless it did so too often."""
        assert self._process is not None
        try:
            self._process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
        status = self._process.returncode
        self._errors.seek(0)
        words = self._errors.read()[-200:].strip().splitlines()
        reason = f"{self._arguments[0]} ended with status {status}" + (f": {words[-1]}" if words else "")
        self.close()
        if self._starts >= STARTS:
            self._given_up = f"{reason}, for the {STARTS}rd time"
        raise Forfeit("dead", reason) from None

    def close(self) -> None:
        """End the program: end of input first, then by force."""
        process, self._process = self._process, None
        if process is None:
            return
        try:
            if process.stdin:
                process.stdin.close()
            process.wait(timeout=0.5)
        except (OSError, subprocess.TimeoutExpired):
            process.kill()
            process.wait()
        if process.stdout:
            process.stdout.close()
        self._errors.close()


def _read_lines(stream: IO[str], answers: queue.Queue[str | None]) -> None:
    try:
        while line := stream.readline(MAX_LINE):
            answers.put(line)
    except (OSError, ValueError):
        pass  # closed under us: the program is being ended
    answers.put(None)


def serve(game: str, spec: str, requests: IO[str], answers: IO[str], seed: int = 0) -> None:
    """Answer every request line until the input ends; a request that cannot be read is answered with its error."""
    agent = Agent(game, spec, seed)
    module = games.load(game)
    for line in requests:
        if not line.strip():
            continue
        try:
            request = json.loads(line)
            if not isinstance(request, dict):
                raise SearchDouError("a request is a JSON object")
            if request.get("game", game) != game:
                raise SearchDouError(f"this bot plays {game}, not {request['game']!r}")
            infoset = module.InfoSet.from_request(request)
            answer = infoset.to_answer(agent.act(infoset))
        except (json.JSONDecodeError, SearchDouError) as error:
            answer = {"error": str(error)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
