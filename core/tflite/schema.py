"""What a TensorFlow Lite file may hold: its tables and enumerations, read from a list of them.

The list is what the schema's generated bindings say when a test asks them. To import the bindings
themselves would take longer than to compile a small network: all of their 180 modules come along.
"""

from __future__ import annotations

import enum
import functools
import struct
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from core.base.frozen import Frozen, replace

SCHEMA = Path(__file__).parents[2] / "resources" / "schema" / "tflite.txt"

Scalar = bool | int | float
_SCALARS: Mapping[str, Callable[[str], Scalar]] = {"?": "True".__eq__, "f": float}
"""How a text is one; all others are whole numbers."""


class FieldKind(enum.Enum):
    """How a field is stored."""

    SCALAR = "scalar"
    STRING = "string"
    NUMBERS = "numbers"
    TABLE = "table"
    TABLES = "tables"
    UNION = "union"


class FieldSchema(Frozen):
    """One field of a table.

    `code` is the scalar's format for struct and numpy alike; `target` names the table or the union.
    """

    name: str
    slot: int
    kind: FieldKind
    code: str = ""
    default: Scalar = 0
    target: str = ""

    @property
    def width_bytes(self) -> int:
        """Bytes of one scalar."""
        return struct.calcsize(self.code)


class TableSchema(Frozen, dict=True):
    """The fields of a table in the order of their slots; a union's type belongs to the union."""

    kind: str
    fields: tuple[FieldSchema, ...] = ()

    @functools.cached_property
    def by_name(self) -> Mapping[str, FieldSchema]:
        """The fields by their names."""
        return {item.name: item for item in self.fields}

    @property
    def slot_count(self) -> int:
        """Slots up to the last one that the schema knows."""
        return self.fields[-1].slot + 1 if self.fields else 0


@functools.cache
def table_schema(kind: str) -> TableSchema:
    """The schema of the table with this name."""
    fields = tuple(_field(line) for line in _sections()["table", kind])
    return TableSchema(kind=kind, fields=fields)


@functools.cache
def names_of(enumeration: str) -> Mapping[int, str]:
    """Name of each number of an enumeration; for a union, of the table that it stands for."""
    members = (line.split() for line in _sections()["enum", enumeration])
    return MappingProxyType({int(code): name for name, code in members})


@functools.cache
def numbers_of(enumeration: str) -> Mapping[str, int]:
    """Number of each name of an enumeration."""
    return MappingProxyType({name: code for code, name in names_of(enumeration).items()})


@functools.cache
def _sections() -> Mapping[tuple[str, str], tuple[str, ...]]:
    """The lines below each heading; a heading is what it is about, and a name."""
    return dict(_split(SCHEMA.read_text("utf-8")))


def _split(text: str) -> Iterator[tuple[tuple[str, str], tuple[str, ...]]]:
    for section in text.split("\n\n"):
        heading, *lines = section.splitlines()
        about, name = heading.split()
        yield (about, name), tuple(lines)


def _field(line: str) -> FieldSchema:
    name, slot, kind, *rest = line.split()
    known = FieldSchema(name=name, slot=int(slot), kind=FieldKind(kind))
    match known.kind:
        case FieldKind.SCALAR:
            code, default = rest
            return replace(known, code=code, default=_SCALARS.get(code[-1], int)(default))
        case FieldKind.NUMBERS:
            return replace(known, code=rest[0])
        case FieldKind.STRING:
            return known
        case FieldKind.TABLE | FieldKind.TABLES | FieldKind.UNION:
            return replace(known, target=rest[0])
