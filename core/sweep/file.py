"""The file of a sweep, read and written: never half of a cell, whoever is killed, two at a time.

SQLite's rollback journal is used and not its write-ahead log: a sweep stays one file that can be
copied and mailed, also on network drives. Cells come in batches, so that waiting for the disk is
seldom; readers wait for a writer's commit for milliseconds.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self, TypeVar

from core.base.errors import about
from core.base.frozen import Frozen, NamedTuple, field_names, members, replace
from core.ir.sweep import Cell, Outcome, SweptModel, SweptSettings, Totals, Verdict
from core.sweep.connection import Connection, demand_own, is_empty, opening, told
from core.sweep.rows import (
    CELL,
    process_of,
    text_of,
    told_of,
    value_of,
    verdict_of,
    whole_of,
)
from core.sweep.schema import APPLICATION_ID, CLAIMS, TABLES, VERSION

Read = TypeVar("Read")
Named = TypeVar("Named", SweptModel, SweptSettings)

_TOTALS = field_names(Totals)


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

    def __init__(self, path: Path, connection: Connection) -> None:
        self.path = path
        self._connection = connection

    @classmethod
    def written(cls, path: Path) -> Self:
        """The file to put cells in, made where it is not there."""
        with opening(path, "rwc") as connection:
            connection.execute("BEGIN IMMEDIATE")
            if is_empty(connection):
                for table in TABLES:
                    connection.execute(table)
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {VERSION}")
            demand_own(path, connection)
            for table in CLAIMS:
                connection.execute(table)
            connection.execute("COMMIT")
        return cls(path, connection)

    @classmethod
    def read(cls, path: Path) -> Self:
        """The file to look into; an InputError where it is none."""
        # Nothing is made by looking; what a killed writer left half done is taken back.
        with opening(path, "rw" if os.access(path, os.W_OK) else "ro") as connection:
            demand_own(path, connection)
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

        def known(row: Sequence[Any], where: str) -> tuple[str, Known]:
            key, verdict, *files = row
            names = (text_of(name, where) for name in files)
            return text_of(key, where), Known(verdict_of(verdict, where), *names)

        query += " AND settings = ?" * len(one)
        return dict(self._read("cell", query, known, (model, *one)))

    def sweepers(self) -> list[Sweeper]:
        """All that have said that they are at it, and not that they have left."""

        def sweeper(row: Sequence[Any], where: str) -> Sweeper:
            name, host, pid, beats = row
            texts = text_of(name, where), text_of(host, where)
            return Sweeper(*texts, process_of(pid, where), whole_of(beats, where))

        return self._read("sweeper", "SELECT name, host, pid, beats FROM sweeper", sweeper)

    def beat(self, sweeper: Sweeper) -> None:
        """Say that somebody is at it."""
        with self._change():
            self._connection.execute("INSERT OR REPLACE INTO sweeper VALUES (?, ?, ?, ?)", sweeper)

    def claim(
        self,
        sweeper: str,
        model: str,
        settings: Iterable[str],
        others: Callable[[], Set[str]],
        is_open: Callable[[Known | None], bool],
    ) -> list[str]:
        """Those of some cells that are open and that no other has claimed: they are this one's."""
        mine = []
        find = "SELECT sweeper FROM claim WHERE model = ? AND settings = ?"
        with self._change():
            # Asked for within: who began and claimed just before this is one whose claims hold.
            holders = others()
            for each in settings:
                owner = self._connection.execute(find, (model, each)).fetchone()
                is_free = owner is None or owner[0] not in holders
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
        # A count is one step to SQLite, of which nobody sees how far it is.
        return len(self._read("cell", "SELECT model FROM cell", lambda row, _: row))

    def models(self) -> dict[str, SweptModel]:
        """All models by digest."""
        return self._named("model", SweptModel)

    def settings(self) -> dict[str, SweptSettings]:
        """All settings by digest."""
        return self._named("settings", SweptSettings)

    def cells(self) -> Iterator[Cell]:
        """All cells, one model behind the other, in an order that does not tell who made them."""
        # What they are about is told before they are put there, and so read after them.
        found = self._read("cell", f"SELECT {', '.join(CELL)} FROM cell", told_of)
        models, settings = self.models(), self.settings()
        with about(self.path):
            cells = [each.cell(models, settings) for each in found]
        return iter(sorted(cells, key=_place))

    def _named(self, table: str, kind: type[Named]) -> dict[str, Named]:
        """What digests stand for."""
        query = f"SELECT {', '.join(field_names(kind))} FROM {table}"
        found = self._read(table, query, lambda row, where: value_of(kind, row, where))
        return {each.digest: each for each in found}

    def _read(
        self,
        table: str,
        query: str,
        make: Callable[[Sequence[Any], str], Read],
        values: Sequence[Any] = (),
    ) -> list[Read]:
        """What is made of the rows that are found; what is wrong is told with its place."""
        with told(self.path), about(self.path):
            rows = self._connection.execute(query, values)
            return [make(row, f"table {table}, row {at}") for at, row in enumerate(rows, 1)]

    def _put(self, table: str, rows: Iterable[Sequence[Any]]) -> None:
        for row in rows:
            marks = ", ".join("?" * len(row))
            self._connection.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", row)

    @contextmanager
    def _change(self) -> Iterator[None]:
        """All of what is put within it, or nothing."""
        with told(self.path):
            try:
                # Within: an interruption can come when it has begun, and before anything else.
                self._connection.execute("BEGIN IMMEDIATE")
                yield
                self._connection.execute("COMMIT")
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")


def _place(cell: Cell) -> tuple[Any, ...]:
    model, chosen = cell.model, cell.settings
    target = chosen.accelerator, chosen.system_config, chosen.memory_mode
    search = chosen.strategy, chosen.engine, chosen.search, chosen.allocator
    return model.name, model.digest, *target, *search, chosen.limit_bytes, chosen.digest


def _settings_row(settings: SweptSettings) -> tuple[Any, ...]:
    """A row of the table, in which lists are JSON."""
    values = members(settings).values()
    return tuple(json.dumps(each) if isinstance(each, tuple) else each for each in values)


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
