"""The results store: one SQLite file that every match appends to, a row a deal, for resuming, tables and audits.

A deal is committed as soon as it is played, so a kill loses only deals that were under way, and any number of processes
may write to one file. The first to write a deal is right: who plays it again is given what stands there.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import searchdou
from searchdou.agents.identity import identify
from searchdou.arena.table import Clock, Played
from searchdou.commit import commit
from searchdou.errors import SearchDouError

if TYPE_CHECKING:
    from searchdou.arena.match import MatchSettings

BUSY_S = 30.0               # how long to wait for another process that writes
APPLICATION = 0x53446F75    # "SDou" in the header of the file: it is ours
SCHEMA_VERSION = 1
SCHEMA = """
CREATE TABLE match (
    id INTEGER PRIMARY KEY,
    identity TEXT NOT NULL,         -- hash of all that decides the outcomes but the number of deals
    attempt INTEGER NOT NULL,       -- 1, and one more each time it was begun afresh
    game TEXT NOT NULL, rules TEXT NOT NULL,
    seed TEXT NOT NULL,             -- a number of any length
    a TEXT NOT NULL, b TEXT NOT NULL,                       -- specs as given
    a_settings TEXT NOT NULL, b_settings TEXT NOT NULL,     -- complete, JSON
    a_weights TEXT NOT NULL, b_weights TEXT NOT NULL,       -- SHA-256 of the nets, or empty
    version TEXT NOT NULL, time_s REAL NOT NULL, start_s REAL NOT NULL,
    begun TEXT NOT NULL,                                    -- UTC
    UNIQUE (identity, attempt)
);
CREATE TABLE deal (
    match INTEGER NOT NULL REFERENCES match (id),
    number INTEGER NOT NULL,                                -- with the seed it gives the cards
    outcome_1 REAL NOT NULL, outcome_2 REAL NOT NULL,       -- of side a in the two games
    clocks TEXT NOT NULL,                                   -- of a and b, JSON: decisions, seconds, forfeits, reasons
    git_commit TEXT NOT NULL,
    played TEXT NOT NULL,                                   -- UTC
    PRIMARY KEY (match, number)
) WITHOUT ROWID;
"""


def default_path() -> Path:
    """Where the command line keeps results: $SEARCHDOU_STORE, else the user's data folder."""
    if given := os.environ.get("SEARCHDOU_STORE"):
        return Path(given)
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "searchdou" / "results.sqlite"


class Store:
    """An open results file. `write=False` only reads, and wants the file to be there."""

    def __init__(self, path: str | Path, *, write: bool = True) -> None:
        self.path = Path(path)
        with self._told():
            found = _look(self.path)
            if not found and not write:
                raise SearchDouError(f"there are no results in {self.path} yet")
            if write:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(f"file:{quote(str(self.path.absolute()))}?{_mode(self.path, write)}", uri=True,
                                       timeout=BUSY_S, isolation_level=None)
            try:
                self._db.row_factory = sqlite3.Row
                damage = self._db.execute("PRAGMA quick_check(1)").fetchone()[0]
                if damage != "ok":
                    raise sqlite3.DatabaseError(f"it is damaged ({' '.join(damage.split())})")
                if write:
                    self._create()
                else:
                    self._db.execute("PRAGMA query_only = ON")
            except BaseException:
                self._db.close()
                raise

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    # -- playing ---------------------------------------------------------------------------------------------

    def begin(self, settings: MatchSettings, fresh: bool = False) -> int:
        """The number of this match: the one to go on with, or a new one; `fresh` begins another attempt."""
        a, b = identify(settings.game, settings.a), identify(settings.game, settings.b)
        row = {"game": settings.game, "rules": settings.rules, "seed": str(settings.seed), "a": a.spec, "b": b.spec,
               "a_settings": _json(a.settings), "b_settings": _json(b.settings), "a_weights": a.weights,
               "b_weights": b.weights, "version": searchdou.__version__, "time_s": settings.time_s,
               "start_s": settings.start_s}
        identity = hashlib.sha256(_json(row).encode()).hexdigest()
        with self._told(), self._transaction():
            last = self._db.execute("SELECT id, attempt FROM match WHERE identity = ? ORDER BY attempt DESC LIMIT 1",
                                    (identity,)).fetchone()
            if last and not fresh:
                return int(last["id"])
            row |= {"identity": identity, "attempt": last["attempt"] + 1 if last else 1, "begun": _now()}
            done = self._db.execute(f"INSERT INTO match ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})",
                                    tuple(row.values()))
            return int(done.lastrowid or 0)

    def deals(self, match: int, below: int | None = None) -> dict[int, Played]:
        """The deals of a match that are kept, by number; only those below `below`."""
        with self._told():
            rows = self._db.execute("SELECT number, outcome_1, outcome_2, clocks FROM deal WHERE match = ? AND number < ? "
                                    "ORDER BY number", (match, 2 ** 62 if below is None else below))
            return {row["number"]: _played(row) for row in rows}

    def add(self, match: int, deal: Played) -> Played:
        """Keep a deal at once; returns the deal as it is kept, by whoever was first."""
        with self._told():
            done = self._db.execute("INSERT OR IGNORE INTO deal VALUES (?, ?, ?, ?, ?, ?, ?)", (
                match, deal.number, *deal.outcomes, _json([asdict(clock) for clock in deal.clocks]), commit(), _now()))
            if done.rowcount:
                return deal
            return _played(self._db.execute("SELECT number, outcome_1, outcome_2, clocks FROM deal "
                                            "WHERE match = ? AND number = ?", (match, deal.number)).fetchone())

    # -- looking ---------------------------------------------------------------------------------------------

    def matches(self, *, game: str = "", agent: str = "", since: str = "", match: int | None = None) -> list[dict[str, Any]]:
        """Matches that have deals, by number, with what their deals add up to; `since` is in UTC, `agent` part of a spec."""
        clocks = ", ".join(f"sum(json_extract(clocks, '$[{i}].{key}')) AS {side}_{key}"
                           for i, side in enumerate("ab") for key in ("decisions", "seconds"))
        with self._told():
            rows = self._db.execute(f"""
                SELECT match.*, count(*) AS deals, max(played) AS played, group_concat(DISTINCT git_commit) AS commits,
                    {clocks}
                FROM match JOIN deal ON deal.match = match.id
                WHERE (:game = '' OR game = :game) AND (instr(a, :agent) OR instr(b, :agent)) AND (:id IS NULL OR id = :id)
                GROUP BY id HAVING max(played) >= :since ORDER BY id""",
                                    {"game": game, "agent": agent, "since": since, "id": match}).fetchall()
        return [{**dict(row), "seed": int(row["seed"]), "commits": sorted(row["commits"].split(",")),
                 "a_settings": json.loads(row["a_settings"]),
                 "b_settings": json.loads(row["b_settings"])} for row in rows]

    def rows(self, match: int) -> list[dict[str, Any]]:
        """Everything kept of a match's deals."""
        with self._told():
            rows = self._db.execute("SELECT * FROM deal WHERE match = ? ORDER BY number", (match,)).fetchall()
        return [{**dict(row), "clocks": json.loads(row["clocks"])} for row in rows]

    # -- the file --------------------------------------------------------------------------------------------

    def _create(self) -> None:
        """Make the tables where there are none; of several processes that come at once, one does."""
        self._db.execute("PRAGMA synchronous = NORMAL")     # with WAL a kill loses nothing; only a power cut may
        with self._transaction():
            if not self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                for statement in SCHEMA.split(";\n"):       # executescript would end the transaction
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA application_id = {APPLICATION}")
                self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        until = time.monotonic() + BUSY_S
        while True:
            try:
                self._db.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError:                # this one does not wait for a lock by itself
                if time.monotonic() > until:
                    raise
                time.sleep(0.02)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Whatever is wrong with the file is one error that names it."""
        try:
            yield
        except SearchDouError:
            raise
        except (sqlite3.Error, OSError, ValueError, TypeError) as error:     # the last two: JSON that is none
            busy = "locked" in str(error)
            why = f"another process has held it for {BUSY_S:g} s" if busy else getattr(error, "strerror", None) or error
            raise SearchDouError(f"the results file {self.path} cannot be used: {why}") from None


def _look(path: Path) -> bool:
    """Whether there is a file of ours, by its first bytes alone: one that is not ours is not even opened by SQLite."""
    if not path.exists():
        return False
    with path.open("rb") as file:
        head = file.read(100)
    if not head:
        return False
    if not head.startswith(b"SQLite format 3\0") or len(head) < 100:
        raise SearchDouError(f"{path} is not a results file of ours, and is left as it is")
    version, application = struct.unpack(">60xI4xI28x", head)
    if application != APPLICATION:
        raise SearchDouError(f"{path} is a database, but not a results file of ours, and is left as it is")
    if version > SCHEMA_VERSION:
        raise SearchDouError(f"{path} was written by a newer SearchDou (its schema is {version}, this one knows "
                             f"{SCHEMA_VERSION}), and is left as it is")
    return True


def _mode(path: Path, write: bool) -> str:
    """How SQLite opens the file; one who only looks leaves nothing beside it, and needs no right to write."""
    if write:
        return "mode=rwc"
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return "mode=rw"            # with mode=ro SQLite's side files would stay
    return "mode=ro" if Path(f"{path}-wal").exists() else "immutable=1"


def _played(row: sqlite3.Row) -> Played:
    return Played(row["number"], [row["outcome_1"], row["outcome_2"]],
                  [Clock(**clock) for clock in json.loads(row["clocks"])])


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
