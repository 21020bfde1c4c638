"""What the files of a format may hold: its tables and enumerations, read from a list of them.

A list is what the format's own schema says, and a test holds it against that. To import bindings
that are generated of it would take longer than to compile a small network.
"""

from __future__ import annotations

import enum
import functools
import struct
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from core.base.frozen import Frozen, replace

_FOLDER = Path(__file__).parents[2] / "resources" / "schema"

Scalar = bool | int | float
_SCALARS: Mapping[str, Callable[[str], Scalar]] = {"?": "True".__eq__, "f": float, "d": float}
"""How a text is one; all others are whole numbers."""


class FieldKind(enum.Enum):
    """How a field is stored."""

    SCALAR = "scalar"
    STRING = "string"
    STRINGS = "strings"
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


class Schema:
    """The tables and enumerations of one format, each read when it is first asked for."""

    def __init__(self, name: str) -> None:
        self.path = _FOLDER / f"{name}.txt"
        self._tables: dict[str, TableSchema] = {}
        self._names: dict[str, Mapping[int, str]] = {}
        self._numbers: dict[str, Mapping[str, int]] = {}

    def table(self, kind: str) -> TableSchema:
        """The schema of the table with this name."""
        made = self._tables.get(kind)
        if made is None:
            fields = tuple(_field(line) for line in self._sections["table", kind])
            made = self._tables[kind] = TableSchema(kind=kind, fields=fields)
        return made

    def names_of(self, enumeration: str) -> Mapping[int, str]:
        """Name of each number of an enumeration; for a union, of the table that it stands for."""
        made = self._names.get(enumeration)
        if made is None:
            members = (line.split() for line in self._sections["enum", enumeration])
            made = MappingProxyType({int(code): name for name, code in members})
            self._names[enumeration] = made
        return made

    def numbers_of(self, enumeration: str) -> Mapping[str, int]:
        """Number of each name of an enumeration."""
        made = self._numbers.get(enumeration)
        if made is None:
            codes = {name: code for code, name in self.names_of(enumeration).items()}
            made = self._numbers[enumeration] = MappingProxyType(codes)
        return made

    @functools.cached_property
    def _sections(self) -> Mapping[tuple[str, str], tuple[str, ...]]:
        """The lines below each heading; a heading is what it is about, and a name."""
        return dict(_split(self.path.read_text("utf-8")))


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
        case FieldKind.STRING | FieldKind.STRINGS:
            return known
        case FieldKind.TABLE | FieldKind.TABLES | FieldKind.UNION:
            return replace(known, target=rest[0])
