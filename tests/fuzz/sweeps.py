"""Sweeps that somebody else has made: bytes, values and tables changed; what is read is told of."""

from __future__ import annotations

import functools
import json
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

from core.api import sweeps
from core.base.errors import OptionError
from core.base.frozen import field_names
from core.ir import knobs
from core.ir.settings import Settings
from core.sweep.file import Done
from core.sweep.schema import TABLES
from tests.fuzz.damage import EDGES, VALUES, WORDS, damaged_json
from tests.fuzz.kind import Inconsistent, Kind

LIMITS = tuple(range(4096, 10 * 4096, 4096))
VERDICTS = tuple(sweeps.Verdict)
LONG = ("x" * 100_000, "[" * 100_000, "\0" * 1000, b"\xff" * 9, b"", float("nan"), -1.5, 1e19)
STATEMENTS = (
    "CREATE VIEW more AS SELECT * FROM cell",
    "CREATE INDEX more ON cell (error)",
    "CREATE TRIGGER more BEFORE INSERT ON claim BEGIN DELETE FROM cell; END",
    "CREATE TABLE more (x)",
    "ALTER TABLE cell ADD COLUMN more TEXT DEFAULT 'x'",
    "ALTER TABLE model RENAME COLUMN name TO title",
    "DROP TABLE settings",
    "DROP TABLE claim",
    "DELETE FROM model",
    "DELETE FROM cell",
    "PRAGMA user_version = 99",
    "PRAGMA auto_vacuum = 1; VACUUM",
    "PRAGMA page_size = 512; VACUUM",
    "PRAGMA journal_mode = WAL",
    "ANALYZE",
)


def _base(random: Random) -> bytes:
    return _sweep(random.randrange(4))


@functools.cache
def _sweep(models: int) -> bytes:
    """Cells of some models, of every verdict."""
    asked = sweeps.plan(Settings(), {"limit_bytes": LIMITS}).asked
    totals = sweeps.Totals(
        **{name: 1000 + at for at, name in enumerate(field_names(sweeps.Totals))}
    )
    named = [
        sweeps.SweptModel(digest=f"{n:032x}", name=f"m{n}.tflite", size_bytes=n)
        for n in range(models)
    ]
    with _file(b"") as path, sweeps.SweepFile.written(path) as file:
        file.name(named, [each.swept for each in asked])
        file.put(
            Done(
                model=model.digest,
                settings=each.swept.digest,
                outcome=_outcome(VERDICTS[at % len(VERDICTS)], totals),
                seconds_taken=0.25,
            )
            for model in named
            for at, each in enumerate(asked)
        )
        return path.read_bytes()


def _outcome(verdict: sweeps.Verdict, totals: sweeps.Totals) -> sweeps.Outcome:
    if verdict in (sweeps.Verdict.REFUSED, sweeps.Verdict.LOST):
        return sweeps.Outcome(verdict=verdict, error="because")
    return sweeps.Outcome(verdict=verdict, totals=totals)


def _damaged(data: bytes, random: Random) -> bytes:
    for _ in range(random.choice((1, 1, 2, 4))):
        match random.randrange(4):
            case 0:
                data = _flipped(data, random)
            case 1:
                data = _with(data, [(random.choice(STATEMENTS), ())])
            case _:
                data = _with(data, list(_changes(random)))
    return data


def _flipped(data: bytes, random: Random) -> bytes:
    """With other bytes, mostly where a file says what it is."""
    found = bytearray(data)
    for _ in range(random.choice((1, 4, 32))):
        at = random.randrange(min(random.choice((100, 4096, len(data) + 1)), len(data) + 1) or 1)
        found[at : at + 1] = bytes([random.choice((0, 1, 127, 255, random.randrange(256)))])
    if random.random() < 0.2:
        del found[random.randrange(len(found) + 1) :]
    return bytes(found)


def _changes(random: Random) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Another value in one or in all rows of a column."""
    table, column = random.choice(_columns())
    value: Any = random.choice((*EDGES, *VALUES, *WORDS, *LONG))
    if column in ("words", "configs") and random.random() < 0.7:
        value = damaged_json(json.dumps(["--optimise", "Size", "x"]), random)
    if isinstance(value, int) and value >= 1 << 63:
        value = float(value)
    if isinstance(value, list | dict):
        value = json.dumps(value)
    cast = random.choice(("?", "CAST(? AS TEXT)", "CAST(? AS BLOB)"))
    digest = "settings" if table == "cell" else "digest"
    some = f"unicode(substr({digest}, -1)) % {random.choice((1, 2, 9))} = 0"
    yield f"UPDATE OR IGNORE {table} SET {column} = {cast} WHERE {some}", (value,)


@functools.cache
def _columns() -> tuple[tuple[str, str], ...]:
    with closing(sqlite3.connect(":memory:")) as connection:
        for table in TABLES:
            connection.execute(table)
        return tuple(
            (name, row[1])
            for name in ("model", "settings", "cell")
            for row in connection.execute(f"PRAGMA table_info({name})")
        )


def _with(data: bytes, statements: list[tuple[str, tuple[Any, ...]]]) -> bytes:
    """A file after some statements; those that it does not take are left out."""
    with _file(data) as path:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            for statement, values in statements:
                for part in statement.split("; ") if not values else [statement]:
                    with suppress(sqlite3.Error, UnicodeError):
                        connection.execute(part, values)
        return path.read_bytes()


@contextmanager
def _file(data: bytes) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sweep.sqlite"
        if data:
            path.write_bytes(data)
        yield path


def _use(_: bytes, data: bytes, random: Random) -> None:
    with _file(data) as path:
        path.touch()
        with sweeps.SweepFile.read(path) as file:
            cells = tuple(file.cells())
            if file.count() != len(cells):
                raise Inconsistent("there are more cells than are read")
        for form in ("csv", "json", "html"):
            sweeps.render(path.name, cells, form)
        for cell in cells:
            with suppress(LookupError, OptionError):
                knobs.read_words(cell.settings.words)
        if random.random() < 0.3:
            # Whoever may read it may also go on with it.
            with sweeps.SweepFile.written(path) as file:
                if tuple(file.cells()) != cells:
                    raise Inconsistent("it has other cells when it is gone on with")


KIND = Kind("sqlite", _base, _damaged, _use)
