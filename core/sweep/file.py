"""The file of a sweep, read and written: never half of a cell, whoever is killed, two at a time.

SQLite's rollback journal is used and not its write-ahead log: a sweep stays one file that can be
copied and mailed, also on network drives. Cells come in batches, so that waiting for the disk is
seldom; readers wait for a writer's commit for milliseconds.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self

from core.base.errors import InputError, OptionError
from core.base.frozen import Frozen, field_names, members, replace
from core.ir.sweep import Cell, Outcome, SweptModel, SweptSettings, Totals, Verdict
from core.sweep.schema import APPLICATION_ID, CLAIMS, TABLES, VERSION

_PATIENCE_S = 60.0
"""How long another writer may hold the file."""
_TOTALS = field_names(Totals)
_CELL = ("model", "settings", "verdict", "error", *_TOTALS)


class Done(Frozen):
    """A cell as it is put into the file."""

    model: str
    settings: str
    outcome: Outcome
    seconds_taken: float
    schedule_file: str = ""
    compiled_file: str = ""


class Known(NamedTuple):
    """What there is of a cell."""

    verdict: Verdict
    schedule_file: str
    compiled_file: str


class Sweeper(NamedTuple):
    """Who puts cells into a file."""

    name: str
    host: str
    pid: int
    beats: int


class SweepFile:
    """An open file; a context manager that closes it."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    @classmethod
    def written(cls, path: Path) -> Self:
        """The file to put cells in, made where it is not there."""
        with _opening(path, "rwc") as connection:
            connection.execute("BEGIN IMMEDIATE")
            _demand_own(path, connection, may_be_empty=True)
            if not _pragma(connection, "user_version"):
                for table in TABLES:
                    connection.execute(table)
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {VERSION}")
            for table in CLAIMS:
                connection.execute(table)
            connection.execute("COMMIT")
        return cls(path, connection)

    @classmethod
    def read(cls, path: Path) -> Self:
        """The file to look into; an InputError where it is none."""
        # Nothing is made by looking; what a killed writer left half done is taken back.
        with _opening(path, "rw" if os.access(path, os.W_OK) else "ro") as connection:
            _demand_own(path, connection, may_be_empty=False)
        return cls(path, connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def name(self, models: Iterable[SweptModel], settings: Iterable[SweptSettings]) -> None:
        """Say what digests stand for, before there are cells of them."""
        with self._change():
            self._put("model", (tuple(members(model).values()) for model in models))
            self._put("settings", map(_settings_row, settings))

    def put(self, cells: Iterable[Done]) -> None:
        """Add cells, all of them or none; those that are there and say as much stay."""
        with self._change():
            for cell in cells:
                known = self.known(cell.model, cell.settings).get(cell.settings)
                if known is None or _is_news(known, cell):
                    row = _done_row(_with_files(cell, known))
                    marks = ", ".join("?" * len(row))
                    self._connection.execute(f"INSERT OR REPLACE INTO cell VALUES ({marks})", row)
                self._connection.execute(
                    "DELETE FROM claim WHERE model = ? AND settings = ?",
                    (cell.model, cell.settings),
                )

    def known(self, model: str, settings: str | None = None) -> dict[str, Known]:
        """Settings that a model has cells of, all or one, and what there is of each."""
        query = "SELECT settings, verdict, schedule_file, compiled_file FROM cell WHERE model = ?"
        one = () if settings is None else (settings,)
        with _told(self.path):
            found = self._connection.execute(query + " AND settings = ?" * len(one), (model, *one))
            return {key: Known(Verdict(verdict), *files) for key, verdict, *files in found}

    def sweepers(self) -> list[Sweeper]:
        """All that have said that they are at it, and not that they have left."""
        with _told(self.path):
            rows = self._connection.execute("SELECT name, host, pid, beats FROM sweeper")
            return [Sweeper(*row) for row in rows]

    def beat(self, sweeper: Sweeper) -> None:
        """Say that somebody is at it."""
        with self._change():
            self._connection.execute("INSERT OR REPLACE INTO sweeper VALUES (?, ?, ?, ?)", sweeper)

    def claim(
        self,
        sweeper: str,
        model: str,
        settings: Iterable[str],
        others: Set[str],
        is_open: Callable[[Known | None], bool],
    ) -> list[str]:
        """Those of some cells that are open and that no other has claimed: they are this one's."""
        mine = []
        find = "SELECT sweeper FROM claim WHERE model = ? AND settings = ?"
        with self._change():
            for each in settings:
                owner = self._connection.execute(find, (model, each)).fetchone()
                is_free = owner is None or owner[0] not in others
                if is_free and is_open(self.known(model, each).get(each)):
                    row = (model, each, sweeper)
                    self._connection.execute("INSERT OR REPLACE INTO claim VALUES (?, ?, ?)", row)
                    mine.append(each)
        return mine

    def leave(self, sweeper: str) -> None:
        """Take back all claims of one that is at it no more."""
        with self._change():
            self._connection.execute("DELETE FROM claim WHERE sweeper = ?", (sweeper,))
            self._connection.execute("DELETE FROM sweeper WHERE name = ?", (sweeper,))

    def count(self) -> int:
        """How many cells there are."""
        with _told(self.path):
            return int(self._connection.execute("SELECT count(*) FROM cell").fetchone()[0])

    def models(self) -> dict[str, SweptModel]:
        """All models by digest."""
        with _told(self.path):
            rows = self._connection.execute("SELECT digest, name, size_bytes FROM model")
            return {
                row[0]: SweptModel(digest=row[0], name=row[1], size_bytes=row[2]) for row in rows
            }

    def settings(self) -> dict[str, SweptSettings]:
        """All settings by digest."""
        names = field_names(SweptSettings)
        with _told(self.path):
            rows = self._connection.execute(f"SELECT {', '.join(names)} FROM settings")
            return {row[0]: _settings_of(dict(zip(names, row, strict=True))) for row in rows}

    def cells(self) -> Iterator[Cell]:
        """All cells, one model behind the other, in an order that does not tell who made them."""
        models, settings = self.models(), self.settings()
        with _told(self.path):
            rows = self._connection.execute(
                f"SELECT {', '.join(f'cell.{name}' for name in _CELL)} FROM cell"
                " JOIN model ON model.digest = cell.model"
                " JOIN settings ON settings.digest = cell.settings"
                " ORDER BY model.name, model.digest, accelerator, system_config, memory_mode,"
                " strategy, engine, search, allocator, limit_bytes, settings.digest"
            )
            for model, chosen, verdict, error, *totals in rows:
                found = (
                    None if totals[0] is None else Totals(**dict(zip(_TOTALS, totals, strict=True)))
                )
                outcome = Outcome(verdict=Verdict(verdict), totals=found, error=error)
                yield Cell(model=models[model], settings=settings[chosen], outcome=outcome)

    def _put(self, table: str, rows: Iterable[Sequence[Any]]) -> None:
        for row in rows:
            marks = ", ".join("?" * len(row))
            self._connection.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", row)

    @contextmanager
    def _change(self) -> Iterator[None]:
        """All of what is put within it, or nothing."""
        with _told(self.path):
            try:
                # Within: an interruption can come when it has begun, and before anything else.
                self._connection.execute("BEGIN IMMEDIATE")
                yield
                self._connection.execute("COMMIT")
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")


@contextmanager
def _opening(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    """A connection; closed where the file is refused, so that nobody waits for its lock."""
    with _told(path), ExitStack() as refused:
        connection = refused.enter_context(closing(_connected(path, mode)))
        yield connection
        refused.pop_all()


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(address, uri=True, timeout=_PATIENCE_S, isolation_level=None)
    # A commit is on the disk when it returns.
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def _demand_own(path: Path, connection: sqlite3.Connection, *, may_be_empty: bool) -> None:
    """Refuse what another program has made, and what a newer version of this one has."""
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if may_be_empty and not tables:
        return
    if _pragma(connection, "application_id") != APPLICATION_ID:
        raise InputError("is no sweep", str(path))
    if (version := _pragma(connection, "user_version")) != VERSION:
        way_out = "a newer one reads it" if version > VERSION else "sweep anew into another file"
        raise InputError(
            f"is a sweep of version {version}, and this Reefpoint knows {VERSION}; {way_out}",
            str(path),
        )


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _settings_row(settings: SweptSettings) -> tuple[Any, ...]:
    """A row of the table, in which lists are JSON."""
    values = members(settings).values()
    return tuple(json.dumps(each) if isinstance(each, tuple) else each for each in values)


def _settings_of(row: dict[str, Any]) -> SweptSettings:
    lists = {name: tuple(json.loads(row[name])) for name in ("words", "configs")}
    return SweptSettings(**row | lists)


def _is_news(known: Known, cell: Done) -> bool:
    """Whether a cell says more than the one that is there."""
    return (
        known.verdict is Verdict.LOST
        or (cell.outcome.verdict is Verdict.DIFFERS and known.verdict is Verdict.FITS)
        or cell.schedule_file > known.schedule_file
        or cell.compiled_file > known.compiled_file
    )


def _with_files(cell: Done, known: Known | None) -> Done:
    """A cell that still has the files that it had."""
    if known is None:
        return cell
    return replace(
        cell,
        schedule_file=cell.schedule_file or known.schedule_file,
        compiled_file=cell.compiled_file or known.compiled_file,
    )


def _done_row(cell: Done) -> tuple[Any, ...]:
    outcome = cell.outcome
    # All of them are numbers, of which no deep copy is needed.
    found = outcome.totals
    totals = [None if found is None else getattr(found, name) for name in _TOTALS]
    key = cell.model, cell.settings, outcome.verdict.value, outcome.error
    return (*key, *totals, cell.schedule_file, cell.compiled_file, cell.seconds_taken)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Let what SQLite says of a file be one line that names it."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        # What cannot be opened may be in a folder that one may not look into.
        if not isinstance(error, sqlite3.OperationalError) and path.is_file():
            raise InputError(f"cannot be read: {error}", str(path)) from error
        raise OptionError(f"{path}: {error}") from error
