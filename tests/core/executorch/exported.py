"""Programs as an exporter might write them: a sample's tables, changed, and segments behind."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import flatbuffers

from core.base.frozen import replace
from core.executorch.container import open_program
from core.executorch.schema import EXECUTORCH, PROGRAM
from core.flatbuf.decode import decode
from core.flatbuf.encode import encode
from core.ir.network import Table

HEAD_BYTES = 32
ALIGNMENT = 128


def taken_apart(data: bytes) -> tuple[Table, list[bytes]]:
    """All tables of a program, and its segments."""
    container = open_program(data)
    numbers = range(len(container.segments))
    return decode(container.root), [container.bytes_of(number, "") for number in numbers]


def table(kind: str, **fields: Any) -> Table:
    return Table(kind=kind, fields=tuple(fields.items()))


def of(record: Table, name: str) -> Any:
    return dict(record.fields)[name]


def with_fields(record: Table, fields: Mapping[str, Any]) -> Table:
    return replace(record, fields=tuple((dict(record.fields) | fields).items()))


def with_plan(record: Table, **fields: Any) -> Table:
    """A program whose first plan is another."""
    first, *others = of(record, "execution_plan")
    return with_fields(record, {"execution_plan": (with_fields(first, fields), *others)})


def exported(record: Table, segments: Sequence[bytes]) -> bytes:
    """A program of these tables, with an extended header and the segments behind it."""
    places, end = [], 0
    for segment in segments:
        start = end + -end % ALIGNMENT
        places.append(table("DataSegment", offset=start, size=len(segment)))
        end = start + len(segment)
    builder = flatbuffers.Builder(0)
    whole = with_fields(record, {"segments": tuple(places)})
    builder.Finish(encode(builder, EXECUTORCH, whole), PROGRAM)
    plain = bytes(builder.Output())
    (root,) = struct.unpack_from("<I", plain)
    program_bytes = len(plain) + HEAD_BYTES
    base = program_bytes + -program_bytes % ALIGNMENT
    head = struct.pack(
        "<I4s4sIQQQ", root + HEAD_BYTES, PROGRAM, b"eh00", HEAD_BYTES, program_bytes, base, end
    )
    data = bytearray((head + plain[8:]).ljust(base, b"\0"))
    for place, segment in zip(places, segments, strict=True):
        data = data.ljust(base + of(place, "offset"), b"\0") + segment
    return bytes(data)
