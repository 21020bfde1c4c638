"""A cursor over a flatbuffer in which nothing is trusted: every offset is checked before its use.

Offsets may point anywhere, so a small file can name the same table or vector again and again. What
is decoded is therefore charged to an allowance of memory that grows with the size of the file.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, NoReturn

from core.base.errors import InputError
from core.flatbuf.schema import Schema, TableSchema

Place = tuple["Place", str, int] | None
"""Where a table stands: that of its parent, the parent's field, and the position in a vector."""

UNKNOWN = "unknown:"
"""Begins the name of a table or a field that a newer schema has; its bytes are kept as they are."""

_UOFFSET = struct.Struct("<I")
_SOFFSET = struct.Struct("<i")
_VTABLE_HEAD = struct.Struct("<HH")
_MAX_SLOTS = 64
"""Fields beyond these are not looked at; the widest table of all schemas has 17."""

# Upper bounds of what the values made of a part of the file take in memory, with the objects that
# are needed on the way; a test holds them against tracemalloc.
_TABLE_BYTES = 150
_SLOT_BYTES = 75
_NUMBER_BYTES = 48
_STRING_BYTES = 60
_WIDE_CHARACTER_BYTES = 8
_SMALL_FILE_FACTOR = 64
_FILE_FACTOR = 3
_MEBIBYTE = 1 << 20


def place_text(place: Place, field: str = "") -> str:
    """A place in words, from the outermost table on."""
    parts = [field.replace("_", " ")] if field else []
    while place is not None:
        place, name, index = place
        words = name.replace("_", " ")
        parts.append(f"{words.removesuffix('s')} {index}" if index >= 0 else words)
    return ", ".join(reversed(parts))


class Source:
    """The bytes of a file in some format, and how much more may be made of them."""

    __slots__ = ("_left", "_vtables", "data", "schema")

    def __init__(self, data: bytes, schema: Schema) -> None:
        self.data = data
        self.schema = schema
        size = len(data)
        # The first bound keeps the time in proportion for small files, the second the memory.
        self._left = min(
            _SMALL_FILE_FACTOR * size + _MEBIBYTE, _FILE_FACTOR * size + 56 * _MEBIBYTE
        )
        self._vtables: dict[int, tuple[tuple[int, ...], int, int]] = {}

    def spend(self, amount_bytes: int, place: Place, field: str = "") -> None:
        """Take from the allowance."""
        self._left -= amount_bytes
        if self._left < 0:
            raise InputError(
                "from here on the file unfolds to more than its size allows;"
                " it names the same parts again and again",
                place_text(place, field),
            )

    def root(self, kind: str) -> TableView:
        """The table that the whole file is."""
        return TableView(self, self.schema.table(kind), self.follow(0, None, "root"), None)

    def follow(self, position: int, place: Place, field: str) -> int:
        """The position that the offset at a checked position leads to; four bytes are there."""
        target = position + int(_UOFFSET.unpack_from(self.data, position)[0])
        if target == position or target + 4 > len(self.data):
            raise InputError(
                f"the offset at byte {position} leads to byte {target} of {len(self.data)}",
                place_text(place, field),
            )
        return target

    def text(self, start: int, count: int, place: Place, field: str) -> str:
        """The text in checked bytes; what is no text is escaped."""
        self.spend(_STRING_BYTES, place, field)
        if not count:
            return ""
        raw = self.data[start : start + count]
        self.spend(count if raw.isascii() else _WIDE_CHARACTER_BYTES * count, place, field)
        return raw.decode(errors="backslashreplace")

    def vtable(self, table: int, place: Place) -> tuple[tuple[int, ...], int]:
        """Offsets of the fields of the table at a checked position, and the table's size."""
        start = table - _SOFFSET.unpack_from(self.data, table)[0]
        known = self._vtables.get(start)
        if known is None:
            known = self._vtables[start] = self._read_vtable(start, place)
        slots, size, cost = known
        if table + size > len(self.data):
            raise InputError(
                f"the table at byte {table} takes {size} bytes, of which"
                f" {len(self.data) - table} are there",
                place_text(place),
            )
        self.spend(cost, place)
        return slots, size

    def _read_vtable(self, start: int, place: Place) -> tuple[tuple[int, ...], int, int]:
        room = len(self.data) - start
        is_inside = start >= 0 and room >= _VTABLE_HEAD.size
        vtable_size, table_size = (
            _VTABLE_HEAD.unpack_from(self.data, start) if is_inside else (0, 0)
        )
        if not 4 <= vtable_size <= room or table_size < 4:
            raise InputError(f"there is no valid vtable at byte {start}", place_text(place))
        count = min((vtable_size - 4) // 2, _MAX_SLOTS)
        slots = struct.unpack_from(f"<{count}H", self.data, start + 4)
        used = count - slots.count(0)
        cost = _TABLE_BYTES + _SLOT_BYTES * used
        self.spend(cost, place)
        return slots, table_size, cost


class TableView:
    """One table of a file; each access checks what it is about to read."""

    __slots__ = ("_extent", "_position", "_slots", "_source", "place", "schema")

    def __init__(self, source: Source, schema: TableSchema, position: int, place: Place) -> None:
        self.schema = schema
        self.place = place
        self._source = source
        self._position = position
        self._slots, self._extent = source.vtable(position, place)

    def fail(self, field: str, message: str) -> NoReturn:
        """Refuse the file because of a field of this table."""
        raise InputError(message, place_text(self.place, field))

    def place_of(self, name: str) -> int:
        """Where a field's own bytes are; 0 where the file does not set it."""
        field = self.schema.by_name[name]
        return self._at(field.slot, name, field.width_bytes or 4)

    def scalar(self, name: str) -> Any:
        """Value of a scalar field, or the schema's default."""
        field = self.schema.by_name[name]
        at = self._at(field.slot, name, field.width_bytes)
        return struct.unpack_from(field.code, self._source.data, at)[0] if at else field.default

    def string(self, name: str) -> str:
        """A text; empty where there is none, and bytes that are no text escaped."""
        return self._source.text(*self._vector(name, 1), self.place, name)

    def strings(self, name: str) -> tuple[str, ...]:
        """A vector of texts; empty where there is none."""
        start, count = self._vector(name, 4)
        heads = (self._source.follow(start + 4 * at, self.place, name) for at in range(count))
        texts = (self._elements(head, 1, name) for head in heads)
        return tuple(self._source.text(*each, self.place, name) for each in texts)

    def region(self, name: str) -> tuple[int, int]:
        """Where a vector of bytes starts, and its length; nothing is copied."""
        return self._vector(name, 1)

    def copied(self, name: str) -> bytes:
        """A vector of bytes."""
        start, count = self._vector(name, 1)
        return self.copied_from(start, count, name)

    def copied_from(self, start: int, count: int, name: str) -> bytes:
        """Bytes from anywhere in the file, on behalf of a field of this table."""
        if start + count > len(self._source.data):
            self.fail(name, f"{count} bytes from byte {start} on reach beyond the end of the file")
        self._source.spend(_STRING_BYTES + count, self.place, name)
        return self._source.data[start : start + count]

    def numbers(self, name: str) -> tuple[Any, ...]:
        """A vector of scalars; empty where there is none."""
        field = self.schema.by_name[name]
        start, count = self._vector(name, field.width_bytes)
        self._source.spend(_NUMBER_BYTES * count, self.place, name)
        return struct.unpack_from(f"<{count}{field.code[1:]}", self._source.data, start)

    def table(self, name: str) -> TableView | None:
        """A table, if the file sets it."""
        field = self.schema.by_name[name]
        at = self._at(field.slot, name, 4)
        if not at:
            return None
        target = self._source.follow(at, self.place, name)
        schema = self._source.schema.table(field.target)
        return TableView(self._source, schema, target, (self.place, name, -1))

    def tables(self, name: str) -> Iterator[TableView]:
        """The tables of a vector, one after the other."""
        field = self.schema.by_name[name]
        source = self._source
        schema = source.schema.table(field.target)
        start, count = self._vector(name, 4)
        for index in range(count):
            place = (self.place, name, index)
            yield TableView(source, schema, source.follow(start + 4 * index, place, ""), place)

    def count(self, name: str) -> int:
        """Length of a vector of tables."""
        return self._vector(name, 4)[1]

    def union(self, name: str) -> TableView | None:
        """The table that a union holds, if any; of no known fields where its type is unknown."""
        field = self.schema.by_name[name]
        at, type_at = self._at(field.slot, name, 4), self._at(field.slot - 1, name, 1)
        code = self._source.data[type_at] if type_at else 0
        if not at or not code:
            return None
        known = self._source.schema
        kind = known.names_of(field.target).get(code)
        schema = known.table(kind) if kind else TableSchema(kind=f"{UNKNOWN}{code}")
        target = self._source.follow(at, self.place, name)
        return TableView(self._source, schema, target, (self.place, name, -1))

    def inline(self) -> bytes:
        """The bytes of the table itself, without what its offsets lead to."""
        return self.copied_from(self._position, self._extent, "")

    def unknown_fields(self) -> Iterator[tuple[int, bytes]]:
        """Slot and inline bytes of each field that the file sets and the schema is too old for."""
        ends = sorted({*self._slots, self._extent})
        for slot in range(self.schema.slot_count, len(self._slots)):
            if at := self._at(slot, "", 1):
                offset = self._slots[slot]
                end = next((end for end in ends if end > offset), offset + 1)
                yield slot, self.copied_from(at, end - offset, "")

    def _offset(self, slot: int) -> int:
        return self._slots[slot] if slot < len(self._slots) else 0

    def _at(self, slot: int, name: str, width: int) -> int:
        """Checked position of a field's own bytes, or 0 where the file does not set it."""
        offset = self._offset(slot)
        if not offset:
            return 0
        # Tables that flatc makes of JSON say that they end before their last field does, so that
        # the file's end alone is asked for.
        if offset < 4 or self._position + offset + width > len(self._source.data):
            self.fail(name, f"the field lies at byte {offset} of a table, where no field can be")
        return self._position + offset

    def _vector(self, name: str, width: int) -> tuple[int, int]:
        """Checked start and length of a vector's elements; nothing where the file sets none."""
        at = self._at(self.schema.by_name[name].slot, name, 4)
        if not at:
            return 0, 0
        return self._elements(self._source.follow(at, self.place, name), width, name)

    def _elements(self, head: int, width: int, name: str) -> tuple[int, int]:
        """Checked start and length of the vector at a checked position."""
        count = int(_UOFFSET.unpack_from(self._source.data, head)[0])
        room = len(self._source.data) - head - 4
        if count * width > room:
            self.fail(name, f"{count} elements of {width} bytes, where {room} bytes are left")
        return head + 4, count
