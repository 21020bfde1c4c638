"""A connection to a file that anybody may have made and mailed: nothing in it is run, and nothing
takes longer than a sweep of its size can.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from core.base.errors import InputError, OptionError
from core.sweep.schema import APPLICATION_ID, CLAIMS, TABLES, VERSION

_PATIENCE_S = 60.0
"""How long another writer may hold the file."""
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 1 << 20,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 1 << 14,
    sqlite3.SQLITE_LIMIT_COLUMN: 64,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 16,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 1,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 8,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 0,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
"""Bytes of a text, of a row and of a table's description, and what no sweep needs."""
_PRAGMAS = (
    "trusted_schema = OFF",
    # A damaged page is found before anything is read from it.
    "cell_size_check = ON",
    # A commit is on the disk when it returns.
    "synchronous = FULL",
)
_FEW_STEPS, _STEPS_PER_BYTE = 1 << 20, 4
"""For one statement: each byte of a text is one, and each step of SQLite's machine, of which a row
takes 40. It has a hundred bytes and more; but a damaged file may have one row many times."""
_STEPS_AT_ONCE = 1000
_TOO_LONG = "has more to read than a sweep of its size has"
_KINDS = frozenset({"table", "view", "trigger", "index"})
_MOST_PARTS = 100
"""Of these there are five at most."""


class Connection:
    """An open file; each statement that it executes comes to an end."""

    def __init__(self, path: Path, mode: str) -> None:
        self._path, self._left = path, 0
        address = f"{path.absolute().as_uri()}?mode={mode}"
        self._sqlite = sqlite3.connect(address, uri=True, timeout=_PATIENCE_S, isolation_level=None)
        for limit, value in _LIMITS.items():
            self._sqlite.setlimit(limit, value)
        self._sqlite.text_factory = self._text
        self._sqlite.set_progress_handler(self._is_too_long, _STEPS_AT_ONCE)
        for pragma in _PRAGMAS:
            self.execute(f"PRAGMA {pragma}")

    def execute(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Execute a statement."""
        self._left = _FEW_STEPS + _STEPS_PER_BYTE * self._path.stat().st_size
        return self._sqlite.execute(statement, values)

    @property
    def in_transaction(self) -> bool:
        """Whether one has begun, and not ended."""
        return self._sqlite.in_transaction

    def close(self) -> None:
        """Leave the file."""
        self._sqlite.close()

    def _is_too_long(self) -> bool:
        self._left -= _STEPS_AT_ONCE
        return self._left < 0

    def _text(self, data: bytes) -> str:
        self._left -= len(data)
        if self._left < 0:
            raise InputError(_TOO_LONG, str(self._path))
        # What is no text can be told with its place then.
        return data.decode("utf-8", "surrogateescape")


@contextmanager
def opening(path: Path, mode: str) -> Iterator[Connection]:
    """A connection; closed where the file is refused, so that nobody waits for its lock."""
    with told(path), ExitStack() as refused:
        connection = refused.enter_context(closing(Connection(path, mode)))
        yield connection
        refused.pop_all()


def pragma(connection: Connection, name: str) -> int:
    """What a file says of itself."""
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def is_empty(connection: Connection) -> bool:
    """Whether there is nothing in a file yet."""
    return connection.execute("SELECT 1 FROM sqlite_master").fetchone() is None


def demand_own(path: Path, connection: Connection) -> None:
    """Refuse what another program has made, what another version has, and all that a sweep has not:
    a view or a trigger is a program, and a column of another type is no figure."""
    if pragma(connection, "application_id") != APPLICATION_ID:
        raise InputError("is no sweep", str(path))
    if (version := pragma(connection, "user_version")) != VERSION:
        way_out = "a newer one reads it" if version > VERSION else "sweep anew into another file"
        raise InputError(
            f"is a sweep of version {version}, and this Reefpoint knows {VERSION}; {way_out}",
            str(path),
        )
    known = _tables(*TABLES, *CLAIMS)
    query = "SELECT type, name, sql FROM sqlite_master ORDER BY name"
    parts = connection.execute(query).fetchmany(_MOST_PARTS)
    for kind, name, sql in parts:
        if kind != "table" or _described(sql) != known.get(name):
            what = kind if kind in _KINDS else "part"
            raise InputError(f"its {what} {name!a} is none that a sweep has", str(path))
    if missing := _tables(*TABLES).keys() - {name for _, name, _ in parts}:
        raise InputError(f"the table {min(missing)} is missing", str(path))


def _tables(*statements: str) -> dict[str, str]:
    """What makes tables, by their names."""
    return {sql.split()[2]: sql for sql in map(_described, statements)}


def _described(sql: Any) -> str:
    """What makes a table, without comments and with single spaces, as its file has it."""
    plain = " ".join(re.sub(r"--[^\n]*", "", str(sql)).split())
    return plain.replace("CREATE TABLE IF NOT EXISTS ", "CREATE TABLE ")


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Let what SQLite says of a file be one line that names it."""
    try:
        yield
    except OSError as error:
        raise OptionError(f"{path}: {error.strerror or 'cannot be read'}") from error
    except UnicodeDecodeError as error:
        # SQLite names what it refuses.
        raise InputError("cannot be read: it has names that are no text", str(path)) from error
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
            raise InputError(_TOO_LONG, str(path)) from error
        said = str(error).encode("unicode_escape").decode()
        # What cannot be opened may be in a folder that one may not look into.
        if not isinstance(error, sqlite3.OperationalError) and path.is_file():
            raise InputError(f"cannot be read: {said}", str(path)) from error
        raise OptionError(f"{path}: {said}") from error
