"""The bot protocol: one JSON object a line in, one a line out, so that any program can take a seat (docs/bots.md).

`CommandPlayer` seats a program; `serve` lets one of our agents be such a program.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
import time
from typing import IO, Any

from searchdou import games
from searchdou.agent import Agent
from searchdou.agents.spec import command_words
from searchdou.arena.table import Forfeit
from searchdou.errors import SearchDouError

START_S = 60.0       # the first answer of a fresh process may take this much longer: interpreters and compilers start
MAX_LINE = 1 << 16   # an answer longer than this many characters ends the program
UNASKED = 64         # and so do this many lines that no request asked for
STARTS = 3           # a program that has ended is started again up to this many times in all
LATES = 3            # a program that is late this often in a row is ended for good


class CommandPlayer:
    """A program in a seat. A late, illegal, garbled or missing answer raises `Forfeit`; nothing else escapes."""

    def __init__(self, game: str, command: str, time_s: float = 1.0, start_s: float | None = None) -> None:
        self.game, self.command, self.time_s = game, command, time_s
        self.start_s = START_S if start_s is None else start_s
        self._arguments = command_words(command)
        self._program: _Program | None = None
        self._starts = 0
        self._lates = 0
        self._given_up = ""

    def act(self, infoset: Any) -> Any:
        answer = self._ask(json.dumps(infoset.to_request(self.time_s)))
        try:
            data = json.loads(answer)
        except (ValueError, RecursionError):   # the second: thousands of brackets
            raise Forfeit("garbled", f"{self._arguments[0]} answered {answer[:80]!r}, which is not JSON") from None
        if not isinstance(data, dict):
            raise Forfeit("garbled", f"{self._arguments[0]} answered {answer[:80]!r}, which is not a JSON object")
        try:
            return infoset.from_answer(data)
        except SearchDouError as error:
            raise Forfeit("illegal", f"{self._arguments[0]} answered {answer[:80].strip()}: {error}") from None

    def _ask(self, request: str) -> str:
        if self._given_up:
            raise Forfeit("dead", self._given_up)
        limit = self.time_s
        if self._program is None:
            self._start()
            limit += self.start_s
        program = self._program
        assert program is not None
        for _ in range(program.answers.qsize() if program.owed == 0 else 0):
            self._line(program, 0.0)         # nobody asked for it: a greeting, a second line
            program.unasked += 1
        if program.requests.qsize() > LATES:
            self._end("dead", "answers, but does not read its requests,")
        deadline = time.monotonic() + limit
        program.requests.put(request)
        program.owed += 1
        while True:
            try:
                line = self._line(program, max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                self._lates += 1
                if self._lates >= LATES:
                    self._given_up = f"{self._arguments[0]} was late {LATES} times in a row and was ended"
                    self.close()
                raise Forfeit("late", f"{self._arguments[0]} gave no answer within {limit:g} s") from None
            program.owed -= 1
            if program.owed == 0:            # earlier answers that came too late are dropped
                self._lates = 0
                return line

    def _line(self, program: _Program, seconds: float) -> str:
        line = program.answers.get(timeout=seconds)
        if line is None:
            self._end("dead", "")
        elif line is FLOOD or program.unasked > UNASKED:
            self._end("garbled", f"printed more than {MAX_LINE} characters in a line or {UNASKED} lines unasked")
        return line or ""

    def _start(self) -> None:
        self._starts += 1
        try:
            self._program = _Program(self._arguments)
        except (OSError, ValueError) as error:
            self._given_up = f"{self._arguments[0]} cannot be started: {getattr(error, 'strerror', None) or error}"
            raise Forfeit("dead", self._given_up) from None

    def _end(self, kind: str, deed: str) -> None:
        """End the program and say why; it is started again at the next move unless that was too often."""
        program, self._program = self._program, None
        assert program is not None
        reason = f"{self._arguments[0]} {deed + ' and ' if deed else ''}ended {program.close()}"
        if self._starts >= STARTS:
            self._given_up = f"{reason}, after {STARTS} starts"
        raise Forfeit(kind, reason)

    def close(self) -> None:
        """End the program: end of input first, then by force."""
        program, self._program = self._program, None
        if program is not None:
            program.close()


FLOOD = "too much"  # told apart from an answer by identity


class _Program:
    """A process with a thread on either pipe, so that neither a full nor an empty one ever holds up the match."""

    def __init__(self, arguments: list[str]) -> None:
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 (kept while the program runs)
        try:
            # A session of its own: what it has started ends with it.
            self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
                                            text=True, encoding="utf-8", errors="replace", start_new_session=True)
        except BaseException:
            self.errors.close()
            raise
        self.owed = 0                            # requests without an answer so far
        self.unasked = 0                         # lines that were no answer
        self.requests: queue.Queue[str | None] = queue.Queue()
        self.answers: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=_write_lines, args=(self.process.stdin, self.requests), daemon=True).start()
        threading.Thread(target=_read_lines, args=(self.process.stdout, self.answers), daemon=True).start()

    def close(self) -> str:
        """End of input, and force if that does not end it; says how it ended."""
        self.requests.put(None)
        try:
            self.process.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.kill()
            self.process.wait()
        self.errors.seek(max(0, self.errors.seek(0, os.SEEK_END) - 400))
        words = self.errors.read().decode("utf-8", "replace").strip().splitlines()
        self.errors.close()
        return f"with status {self.process.returncode}" + (f": {words[-1][:200]}" if words else "")


def _write_lines(stream: IO[str], requests: queue.Queue[str | None]) -> None:
    try:
        with stream:
            while (line := requests.get()) is not None:
                stream.write(line + "\n")
                stream.flush()
    except OSError:
        pass  # it has ended; the reader finds out


def _read_lines(stream: IO[str], answers: queue.Queue[str | None]) -> None:
    with stream:
        while line := stream.readline(MAX_LINE):
            if len(line) == MAX_LINE or answers.qsize() > UNASKED:
                answers.put(FLOOD)
                return
            answers.put(line)
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
        except Exception as error:  # whatever it is sent, a bot lives on
            answer = {"error": str(error) or repr(error)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
