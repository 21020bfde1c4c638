"""Measured cycles as files have them: rows of a name or a number, and cycles; JSON or CSV.

Nobody agrees on headings, so many are understood. What a file has besides is passed over.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from core.base.errors import InputError
from core.base.frozen import NamedTuple
from core.report.measured.numbers import number_of

_CYCLES = (
    "measuredcycles",
    "npuactivecycles",
    "npuactive",
    "npucycles",
    "cycles",
    "opcycles",
    "totalcycles",
    "cyclecount",
    "cyclecounter",
    "pmucyclecounter",
    "npupmucyclecounter",
    "ethosupmucyclecounter",
    "ethosupmucycle",
    "ccnt",
    "cyccnt",
    "pmuccntr",
    "npu",
)
"""Headings of cycles; the first that a file has is taken."""
_NAMES = (
    "name",
    "operator",
    "operatorname",
    "op",
    "opname",
    "layer",
    "layername",
    "node",
    "nodename",
    "label",
    "tensor",
    "output",
)
_NUMBERS = ("id", "opid", "operatorid", "index", "opindex", "operatorindex", "layerindex", "number")
_LISTS = ("operators", "ops", "layers", "rows", "events", "traceEvents", "measurements", "cycles")
_DELIMITERS = (",", ";", "\t")


class RawRow(NamedTuple):
    """One measurement as it stands in a file."""

    line: int
    """Line of a CSV file, or place in a JSON list; from 1 on."""
    name: str
    number: int | None
    cycles: float | None
    """None where it is not a number that cycles can be."""
    cycles_text: str


def is_table(text: str) -> bool:
    """Whether a text has rows, be they damaged: it is JSON, or begins with headings."""
    if text.lstrip()[:1] in ("[", "{"):
        return True
    try:
        _columns(next(line for line in text.split("\n") if line.strip()), 1)
    except (InputError, csv.Error):
        return False
    return True


def read_rows(data: bytes) -> tuple[RawRow, ...]:
    """The rows of a file in either format."""
    text = text_of(data)
    rows = _from_json(text) if text.lstrip()[0] in "[{" else _from_csv(text)
    found = tuple(rows)
    if not found:
        raise InputError("has no measurement")
    return found


def text_of(data: bytes) -> str:
    """A file as text whose lines end alike."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError("is not text in UTF-8", f"line {line}") from error
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise InputError("is empty")
    return text


def _from_json(text: str) -> Iterator[RawRow]:
    value = _json_value(text)
    items = _json_list(value)
    if items is None:
        yield from _json_pairs(value)
        return
    for line, item in enumerate(items, 1):
        if not isinstance(item, dict):
            raise InputError("is no object with a name and cycles", f"entry {line}")
        yield from _json_row(line, item)


def _json_value(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"is not JSON: {error.msg}", f"line {error.lineno}") from error
    except RecursionError as error:
        raise InputError("is nested too deeply") from error
    except ValueError as error:
        raise InputError("has a number of too many digits") from error


def _json_pairs(value: dict[str, Any]) -> Iterator[RawRow]:
    """Names, and their cycles or what is known of them."""
    for line, (name, cycles) in enumerate(value.items(), 1):
        if isinstance(cycles, dict):
            yield from _json_row(line, {"name": name, **cycles})
        else:
            yield _row(line, name, None, cycles)


def _json_list(value: Any) -> list[Any] | None:
    """The list of rows, on its own or in an object; None where an object names them."""
    if isinstance(value, list):
        return value
    for key in _LISTS:
        if isinstance(value.get(key), list):
            found: list[Any] = value[key]
            return found
    return None


def _json_row(line: int, item: dict[str, Any]) -> Iterator[RawRow]:
    """Nothing for an event of a trace that is no measurement of an operator."""
    details = item.get("args")
    flat = item | details if isinstance(details, dict) else item
    cells = {_plain(str(key)): cell for key, cell in flat.items()}
    cycles = _first(cells, _CYCLES)
    name, number = _first(cells, _NAMES), _first(cells, _NUMBERS)
    if cycles is None or (name is None and number is None):
        if "ph" in item:
            return
        lacks = "cycles" if cycles is None else "name and no number of an operator"
        raise InputError(f"has no {lacks}", f"entry {line}")
    yield _row(line, name, number, cycles)


def _from_csv(text: str) -> Iterator[RawRow]:
    lines = text.split("\n")
    header = next(at for at, line in enumerate(lines) if line.strip())
    line = header + 1
    try:
        delimiter, places = _columns(lines[header], line)
        rows = csv.reader(io.StringIO("\n".join(lines[header:])), delimiter=delimiter)
        count = len(next(rows))
        line = header + 1 + rows.line_num
        for cells in rows:
            if any(cell.strip() for cell in cells):
                yield _csv_row(line, cells, places, count)
            line = header + 1 + rows.line_num
    except csv.Error as error:
        raise InputError(f"is not CSV: {error}", f"line {line}") from error


class _Columns(NamedTuple):
    """Where a CSV file has what."""

    name: int | None
    number: int | None
    cycles: int


def _columns(line: str, number: int) -> tuple[str, _Columns]:
    """How cells are told apart, and which are wanted; the headings say both."""
    for delimiter in _DELIMITERS:
        titles = next(csv.reader([line], delimiter=delimiter), [])
        places = {_plain(title): at for at, title in reversed(list(enumerate(titles)))}
        cycles = _first(places, _CYCLES)
        found = _Columns(_first(places, _NAMES), _first(places, _NUMBERS), -1)
        if cycles is not None and (found.name is not None or found.number is not None):
            return delimiter, found._replace(cycles=cycles)
    raise InputError(
        "has no headings of a name (or a number) and of cycles, such as 'name,cycles'",
        f"line {number}",
    )


def _csv_row(line: int, cells: Sequence[str], places: _Columns, count: int) -> RawRow:
    if len(cells) != count:
        raise InputError(f"has {len(cells)} cells where {count} have a heading", f"line {line}")
    name = None if places.name is None else cells[places.name]
    number = None if places.number is None else cells[places.number]
    return _row(line, name, number, cells[places.cycles])


def _row(line: int, name: object, number: object, cycles: object) -> RawRow:
    text = "" if name is None else str(name).strip()
    index = index_of(number)
    if index is None and number is not None and not text:
        text = str(number).strip()
    shown = cycles if isinstance(cycles, str) else json.dumps(cycles)
    return RawRow(line, text, index, _cycles(cycles), shown.strip())


def index_of(value: object) -> int | None:
    """A cell as the number of an operator, where it is one."""
    text = str(value).strip() if isinstance(value, int | str) else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _cycles(value: object) -> float | None:
    """Cycles of a cell, with thousands apart or not; a counter may be hexadecimal."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    return number_of(str(value))


_Found = Mapping[str, Any]


def _first(found: _Found, names: Iterable[str]) -> Any:
    """What stands under the first of some headings; None where there is none of them."""
    return next((found[name] for name in names if found.get(name) is not None), None)


def _plain(title: str) -> str:
    """A heading without what differs from file to file."""
    return "".join(letter for letter in title.lower() if letter.isalnum())
