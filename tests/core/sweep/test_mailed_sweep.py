"""A sweep that somebody else has made: read as what it is, or refused in one line, and soon."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import struct
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from core.api import sweeps
from core.api.sweeps import Cell, Outcome, SweepFile, SweptModel, Totals, Verdict
from core.base.errors import CoreError
from core.base.frozen import field_names, members, replace
from core.ir.settings import Settings
from core.sweep.file import Done, Sweeper
from core.sweep.plan import Asked
from core.sweep.schema import CLAIMS, TABLES

MODELS = [SweptModel(digest=f"{n:032x}", name=f"m{n}.tflite", size_bytes=n) for n in range(3)]
LIMITS = tuple(range(1024, 16 * 1024, 1024))
ASKED = sweeps.plan(Settings(), {"limit_bytes": LIMITS}).asked
TOTALS = Totals(**{name: 1000 + at for at, name in enumerate(field_names(Totals))})
OUTCOMES = (
    Outcome(verdict=Verdict.FITS, totals=replace(TOTALS, excess_bytes=0)),
    Outcome(verdict=Verdict.EXCEEDS, totals=TOTALS),
    Outcome(verdict=Verdict.REFUSED, error="it is 'so'"),
    Outcome(verdict=Verdict.DIFFERS, totals=TOTALS, error="wrong"),
)
SHOWN = 6
"""Cells that are drawn: enough for a curve."""
MOST_SECONDS = 10
"""For a machine that others use too; what is refused takes milliseconds."""


def written(path: Path, cells_asked: Sequence[Asked] = ASKED) -> Path:
    with SweepFile.written(path) as file:
        file.name(MODELS, [asked.swept for asked in cells_asked])
        file.put(
            Done(
                model=model.digest,
                settings=asked.swept.digest,
                outcome=OUTCOMES[at % len(OUTCOMES)],
                seconds_taken=0.5,
            )
            for model in MODELS
            for at, asked in enumerate(cells_asked)
        )
        file.beat(Sweeper("somebody", "somewhere", 7, 1))
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return written(tmp_path / "s.sqlite")


def changed(path: Path, *statements: str, values: tuple[object, ...] = ()) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        # Nothing of it is to outlive the machine, so nobody waits for the disk.
        connection.execute("PRAGMA synchronous = OFF")
        for statement in statements:
            connection.execute(statement, values)


def used(path: Path) -> tuple[Cell, ...]:
    """What reports and the app do with a sweep."""
    with SweepFile.read(path) as file:
        cells = tuple(file.cells())
        assert file.count() == len(cells)
        for model in file.models():
            file.known(model)
        file.sweepers()
    for form in ("csv", "json", "html"):
        assert sweeps.render(path.name, cells[:SHOWN], form)
    return cells


def outcome(path: Path) -> tuple[tuple[Cell, ...], str]:
    """What is in a file, or the one line in which it is refused; soon, in either case."""
    start, cells, text = time.monotonic(), (), ""
    try:
        cells = used(path)
    except CoreError as error:
        text = str(error)
    assert time.monotonic() - start < MOST_SECONDS
    assert not text or (text.startswith(f"{path}: ") and text.isprintable() and len(text) < 500)
    return cells, text


def refusal(path: Path) -> str:
    """Why a file is refused."""
    _, text = outcome(path)
    assert text, "it is read"
    return text


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
PRODUCT = f"SELECT 1 FROM {', '.join(f'model AS m{at}' for at in range(40))}"
FOREIGN = {
    "its view 'cells'": ["CREATE VIEW cells AS SELECT * FROM cell"],
    "its view 'cell'": ["DROP TABLE cell", f"CREATE VIEW cell AS {PRODUCT}"],
    "its view 'sweeper'": ["DROP TABLE sweeper", f"CREATE VIEW sweeper AS {PRODUCT}"],
    # Others are refused before that: SQLite is told that no sweep adds up two queries.
    "malformed database schema": ["DROP TABLE cell", f"CREATE VIEW cell AS {ENDLESS}"],
    "its trigger 'late'": ["CREATE TRIGGER late AFTER INSERT ON cell BEGIN DELETE FROM model; END"],
    "its index 'names'": ["CREATE INDEX names ON model (name)"],
    "its index 'some'": ["CREATE INDEX some ON model (name) WHERE abs(size_bytes) > 1"],
    "its table 'diary'": ["CREATE TABLE diary (day TEXT)"],
    "its table 'words": ["CREATE VIRTUAL TABLE words USING fts5 (word)"],
    "its table 'model'": ["ALTER TABLE model ADD COLUMN more TEXT"],
    "its table 'settings'": ["ALTER TABLE settings RENAME COLUMN engine TO motor"],
    "its table 'claim'": ["DROP TABLE claim", "CREATE TABLE claim (model, settings, sweeper)"],
    "table cell is missing": ["DROP TABLE cell"],
}
"""What a file has that no sweep has, by what is said of it."""


@pytest.mark.parametrize("said", FOREIGN)
def test_what_no_sweep_has_is_refused_by_its_name(path: Path, said: str) -> None:
    changed(path, *FOREIGN[said])
    assert said in refusal(path)
    before = path.read_bytes()
    with pytest.raises(CoreError, match=re.escape(said)):
        SweepFile.written(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "other",
    [
        "size_bytes",
        "size_bytes TEXT NOT NULL",
        "size_bytes INTEGER",
        "size_bytes INTEGER NOT NULL DEFAULT (abs(1))",
        "size_bytes INTEGER NOT NULL CHECK (size_bytes > 0)",
        "size_bytes INTEGER NOT NULL COLLATE NOCASE",
        "size_bytes INTEGER AS (length(hex(zeroblob(400000000)))) VIRTUAL",
        "size_bytes INTEGER NOT NULL, more TEXT",
        "size_bytes INTEGER NOT NULL /* -- */",
    ],
)
def test_a_column_is_as_sweeps_have_it(tmp_path: Path, other: str) -> None:
    path, table = written(tmp_path / "s"), TABLES[0]
    mine = "size_bytes INTEGER NOT NULL"
    assert mine in table
    changed(path, "DROP TABLE model", table.replace(mine, other))
    assert "its table 'model' is none that a sweep has" in refusal(path)


@pytest.mark.parametrize("ending", ["", "WITHOUT ROWID, STRICT"])
def test_a_table_is_as_sweeps_have_it(path: Path, ending: str) -> None:
    changed(path, "DROP TABLE model", TABLES[0].replace("WITHOUT ROWID", ending))
    assert "its table 'model' is none that a sweep has" in refusal(path)


def test_comments_and_claims_make_no_difference(path: Path) -> None:
    cells = used(path)
    changed(path, "DROP TABLE model", "DROP TABLE claim")
    changed(path, TABLES[0].replace("of the file", "of what it's called").replace("    ", "  "))
    for model in MODELS:
        row = tuple(members(model).values())
        changed(path, "INSERT INTO model VALUES (?, ?, ?)", values=row)
    assert used(path) == cells


STRANGE = (
    None, -1, 0, 7, 1.5, float("inf"), float("-inf"), float("nan"), (1 << 63) - 1, "", "x", "fits",
    "\x00", "[]", "[1]", "{}", "[[]]", "[" * 100_000, '["\\ud800"]', "9" * 5000, "x" * (2 << 20),
    b"", b"\xff", b"\xff" * 1000, b"x" * (2 << 20),
)  # fmt: skip
TYPES = {"str": str, "int": int, "float": (int, float), "tuple[str, ...]": tuple}


def columns() -> Iterator[tuple[str, str]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in (*TABLES, *CLAIMS):
            connection.execute(statement)
        for table in ("model", "settings", "cell", "sweeper"):
            for _, name, *_ in connection.execute(f"PRAGMA table_info({table})"):
                yield table, name


@pytest.mark.parametrize(("table", "column"), [*columns()])
def test_each_cell_is_of_its_type_or_refused_with_its_place(
    tmp_path: Path, table: str, column: str
) -> None:
    """A value comes into all rows of a table: so few as have each outcome once will do."""
    path = written(tmp_path / "s.sqlite", ASKED[: len(OUTCOMES)])
    whole = path.read_bytes()
    for value in STRANGE:
        for as_text in (False, True) if isinstance(value, bytes) else (False,):
            path.write_bytes(whole)
            put = "CAST(? AS TEXT)" if as_text else "?"
            change = f"UPDATE OR IGNORE {table} SET {column} = {put}"
            changed(path, change, values=(value,))
            judge(path, table)


def judge(path: Path, table: str) -> None:
    cells, text = outcome(path)
    if text:
        assert re.search(f": table ({table}|cell), row \\d+[,:] |too big", text)
    for cell in cells:
        for value in (cell.model, cell.settings, cell.outcome.totals):
            if value is not None:
                demand_types(value)


def demand_types(value: SweptModel | Totals) -> None:
    for name, part in members(value).items():
        kind = type(value).__annotations__[name]
        assert isinstance(part, TYPES[kind])
        assert not isinstance(part, int | float) or 0 <= part < 1 << 63
        texts = part if isinstance(part, tuple) else [part] if isinstance(part, str) else []
        assert all(text.encode() or True for text in texts)


def test_a_row_is_told_by_its_place(path: Path) -> None:
    digest = ASKED[4].swept.digest
    changed(path, "UPDATE settings SET words = 'x' WHERE digest = ?", values=(digest,))
    place = sorted(asked.swept.digest for asked in ASKED).index(digest) + 1
    assert f"table settings, row {place}, words: 'x' is there" in refusal(path)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE cell SET verdict = 'fits'", "nothing is there, where"),
        ("UPDATE cell SET verdict = 'lost'", "is lost, and has figures"),
        ("DELETE FROM model", "nothing tells what"),
        ("DELETE FROM settings", "nothing tells what"),
    ],
)
def test_cells_are_of_one_piece(path: Path, statement: str, said: str) -> None:
    changed(path, statement)
    assert said in refusal(path)


@pytest.mark.parametrize("pid", [0, -1, 1 << 40])
def test_no_number_of_a_process_means_many(path: Path, pid: int) -> None:
    changed(path, "UPDATE sweeper SET pid = ?", values=(pid,))
    assert "number of a process" in refusal(path)


def test_a_file_that_a_sweep_names_is_not_read(path: Path, tmp_path: Path) -> None:
    """A pipe that nobody writes to would be read for ever."""
    os.mkfifo(tmp_path / "pipe")
    changed(path, "UPDATE settings SET configs = ?", values=(json.dumps([str(tmp_path / "pipe")]),))
    assert used(path)


@pytest.mark.parametrize("seed", range(60))
def test_whatever_is_damaged_is_read_or_refused_in_one_line(path: Path, seed: int) -> None:
    random, data = Random(seed), bytearray(path.read_bytes())
    for _ in range(random.choice((1, 1, 2, 8, 64))):
        at = random.randrange(random.choice((100, 4096, len(data))))
        data[at] = random.choice((random.randrange(256), data[at] ^ 1 << random.randrange(8), 255))
    if random.random() < 0.1:
        del data[random.randrange(len(data)) :]
    path.write_bytes(data)
    outcome(path)


PAGE = 4096


def test_a_file_that_leads_to_one_page_again_and_again_comes_to_an_end(path: Path) -> None:
    """Fifteen pages, each of which leads to the next one as often as it can."""
    changed(path, f"PRAGMA page_size = {PAGE}", "VACUUM")
    pages = cut(path.read_bytes())
    with closing(sqlite3.connect(path)) as connection:
        find = "SELECT rootpage FROM sqlite_master WHERE name = 'cell'"
        (root,) = connection.execute(find).fetchone()
    top = pages[root - 1]
    assert top[0] == 2, "it has a page inside"
    for _ in range(15):
        pages[root - 1] = leading_to(top, len(pages) + 1)
        root = len(pages) + 1
        pages.append(top)
    first = bytearray(pages[0])
    first[28:32] = struct.pack(">I", len(pages))
    path.write_bytes(b"".join((bytes(first), *pages[1:])))
    assert "more to read than a sweep of its size" in refusal(path)


def cut(data: bytes) -> list[bytes]:
    return [data[at : at + PAGE] for at in range(0, len(data), PAGE)]


def leading_to(page: bytes, number: int) -> bytes:
    """A page inside a tree of which every part is one page."""
    found = bytearray(page)
    (cells,) = struct.unpack_from(">H", page, 3)
    places = [8, *(struct.unpack_from(">H", page, 12 + 2 * at)[0] for at in range(cells))]
    for place in places:
        struct.pack_into(">I", found, place, number)
    return bytes(found)


@pytest.mark.parametrize("content", [b"", b"x", b"SQLite format 3\0", bytes(5000)])
def test_what_is_no_database_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "s"
    path.write_bytes(content)
    assert refusal(path)
