"""The file of a sweep: what is in it stays whole, and what it is not is told in one line."""

from __future__ import annotations

import os
import re
import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.api.sweeps import Outcome, SweepFile, SweptModel, Totals, Verdict, plan
from core.base.errors import CoreError
from core.base.frozen import field_names, replace
from core.ir.settings import Settings
from core.sweep.file import Done
from core.sweep.schema import TABLES, VERSION

MODEL = SweptModel(digest="m", name="m.tflite", size_bytes=1)
TOTALS = Totals(**{name: number for number, name in enumerate(field_names(Totals))})
ASKED = plan(Settings(), {"limit_bytes": tuple(range(1024, 9 * 1024, 1024))}).asked
DONE = [
    Done(
        model="m",
        settings=asked.swept.digest,
        outcome=Outcome(verdict=Verdict.FITS, totals=TOTALS),
        seconds_taken=0.5,
    )
    for asked in ASKED
]


def named(path: Path) -> SweepFile:
    file = SweepFile.written(path)
    file.name([MODEL], [asked.swept for asked in ASKED])
    return file


def test_what_is_put_is_what_is_read(tmp_path: Path) -> None:
    with named(tmp_path / "s") as file:
        file.put(DONE)
        refused = Outcome(verdict=Verdict.REFUSED, error="it is 'so'")
        file.name([replace(MODEL, digest="n", name="n.tflite")], ())
        file.put([replace(DONE[0], model="n", outcome=refused)])
        assert file.settings() == {asked.swept.digest: asked.swept for asked in ASKED}
        assert file.models()["m"] == MODEL
    with SweepFile.read(tmp_path / "s") as file:
        *cells, other = file.cells()
    assert (other.model.name, other.outcome) == ("n.tflite", refused)
    assert [cell.settings.limit_bytes for cell in cells] == list(range(1024, 9 * 1024, 1024))
    assert {cell.outcome for cell in cells} == {DONE[0].outcome}


class InterruptedAt:
    """A connection at which Ctrl+C is pressed once, as soon as a statement is done."""

    def __init__(self, connection: sqlite3.Connection, statement: str) -> None:
        self._connection, self._statement = connection, statement

    def execute(self, statement: str, *more: object) -> sqlite3.Cursor:
        done = self._connection.execute(statement, *more)
        if statement.startswith(self._statement):
            self._statement = "-"
            raise KeyboardInterrupt
        return done

    def __getattr__(self, name: str) -> object:
        return getattr(self._connection, name)


@pytest.mark.parametrize("statement", ["BEGIN", "INSERT", "COMMIT"])
def test_what_is_interrupted_at_any_statement_can_be_put_again(
    tmp_path: Path, statement: str
) -> None:
    with named(tmp_path / "s") as file:
        file._connection = InterruptedAt(file._connection, statement)
        with pytest.raises(KeyboardInterrupt):
            file.put(DONE)
        assert file.count() in (0, len(DONE))
        file.put(DONE)
        assert file.count() == len(DONE)


def test_each_total_has_its_column() -> None:
    columns = re.findall(r"(?m)^    (\w+) (?:TEXT|REAL|INTEGER)", TABLES[2])
    names = list(field_names(Totals))
    assert columns[4 : 4 + len(names)] == names
    kinds = dict(re.findall(r"(?m)^    (\w+) (TEXT|REAL|INTEGER)", TABLES[2]))
    for name in names:
        assert kinds[name] == {"int": "INTEGER", "float": "REAL"}[Totals.__annotations__[name]]


def test_a_cell_that_is_there_stays_unless_there_is_more_to_say(tmp_path: Path) -> None:
    lost = Outcome(verdict=Verdict.LOST, error="gone")
    differs = Outcome(verdict=Verdict.DIFFERS, totals=TOTALS, error="wrong")
    with named(tmp_path / "s") as file:

        def put(outcome: Outcome, **more: str) -> Outcome:
            file.put([replace(DONE[0], outcome=outcome, **more)])
            return next(file.cells()).outcome

        assert put(lost) == lost
        assert put(DONE[0].outcome) == DONE[0].outcome
        assert put(lost) == DONE[0].outcome
        put(DONE[0].outcome, schedule_file="a.json")
        put(DONE[0].outcome, compiled_file="a.tflite")
        known = file.known("m")[DONE[0].settings]
        assert (known.schedule_file, known.compiled_file) == ("a.json", "a.tflite")
        assert put(differs) == differs
        assert file.count() == 1


def test_two_writers_lose_nothing(tmp_path: Path) -> None:
    def write(cells: list[Done]) -> None:
        with named(tmp_path / "s") as file:
            for cell in cells:
                file.put([cell])

    threads = [threading.Thread(target=write, args=(cells,)) for cells in (DONE, DONE[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with SweepFile.read(tmp_path / "s") as file:
        assert file.count() == len(DONE)


def test_all_of_a_batch_or_nothing(tmp_path: Path) -> None:
    with named(tmp_path / "s") as file:
        unknown = replace(DONE[1], seconds_taken=None)  # type: ignore[arg-type] - which is the point
        with pytest.raises(CoreError):
            file.put([DONE[0], unknown])
        assert file.count() == 0
        file.put(DONE)
        assert file.count() == len(DONE)


def changed(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()


def told(path: Path, open_file: object) -> str:
    with pytest.raises(CoreError) as caught:
        open_file(path)  # type: ignore[operator] - one of the two ways to open
    text = str(caught.value)
    assert str(path) in text
    assert "\n" not in text
    return text


OPENED = pytest.mark.parametrize("open_file", [SweepFile.written, SweepFile.read])


@OPENED
@pytest.mark.parametrize(("version", "way_out"), [(VERSION + 1, "newer"), (VERSION - 1, "anew")])
def test_a_file_of_another_version_is_refused(
    tmp_path: Path, open_file: object, version: int, way_out: str
) -> None:
    path = tmp_path / "s"
    named(path).__exit__()
    changed(path, f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    text = told(path, open_file)
    assert f"is a sweep of version {version}" in text
    assert way_out in text
    assert path.read_bytes() == before


@OPENED
def test_what_is_no_sweep_is_refused_and_stays(tmp_path: Path, open_file: object) -> None:
    path = tmp_path / "s"
    changed(path, "CREATE TABLE diary (day TEXT)")
    before = path.read_bytes()
    assert "is no sweep" in told(path, open_file)
    path.write_bytes(b"SQLite format 3\0" + b"rubbish" * 1000)
    told(path, open_file)
    path.write_bytes(before[:5000])
    told(path, open_file)


def test_looking_makes_no_file(tmp_path: Path) -> None:
    told(tmp_path / "s", SweepFile.read)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_takes_no_file_is_told(tmp_path: Path) -> None:
    told(tmp_path / "missing" / "s", SweepFile.written)
    told(tmp_path, SweepFile.written)


@pytest.fixture
def nobody() -> Iterator[None]:
    """Root may write everywhere, so somebody else is it for as long as the test."""
    own = os.geteuid()
    if own == 0:
        os.seteuid(65534)
    yield
    os.seteuid(own)


@OPENED
@pytest.mark.usefixtures("nobody")
@pytest.mark.parametrize("mode", [0o500, 0o000], ids=["not writable", "not to be looked into"])
def test_a_folder_that_is_closed_is_told(mode: int, open_file: object) -> None:
    folder = Path(tempfile.mkdtemp())
    folder.chmod(mode)
    told(folder / "s", open_file)
    folder.chmod(0o700)
    folder.rmdir()
