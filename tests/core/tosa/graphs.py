"""Graphs that are made of others: their tables, changed, and written."""

from __future__ import annotations

from collections.abc import Callable

import flatbuffers

from core.base.frozen import replace
from core.flatbuf.encode import encode
from core.ir.network import Table
from core.tosa.schema import TOSA


def changed(record: Table, kind: str, change: Callable[[Table], Table]) -> Table:
    """A record in which each part of a kind is another."""
    fields = tuple(
        (
            name,
            tuple(
                changed(each, kind, change) if isinstance(each, Table) else each for each in value
            )
            if isinstance(value, tuple)
            else changed(value, kind, change)
            if isinstance(value, Table)
            else value,
        )
        for name, value in record.fields
    )
    found = replace(record, fields=fields)
    return change(found) if record.kind == kind else found


def written(record: Table) -> bytes:
    builder = flatbuffers.Builder(0)
    builder.Finish(encode(builder, TOSA, record), b"TOSA")
    return bytes(builder.Output())
