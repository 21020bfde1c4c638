"""Any record as a table of a flatbuffer: the reverse of decode, driven by the same schema."""

from __future__ import annotations

import struct
from types import MappingProxyType
from typing import Any

import flatbuffers
import numpy as np
from flatbuffers import number_types

from core.base.errors import InternalError
from core.flatbuf.schema import FieldKind, FieldSchema, Schema
from core.flatbuf.view import UNKNOWN
from core.ir.network import FieldValue, Table

DATA_ALIGNMENT = 16
"""What schemas ask of the data of buffers, and what no other vector of bytes minds."""

_FLAGS = MappingProxyType(
    {
        np.dtype(flags.packer_type.format): flags
        for flags in vars(number_types).values()
        if isinstance(flags, type) and hasattr(flags, "packer_type")
    }
)


def encode(builder: flatbuffers.Builder, schemas: Schema, record: Table) -> int:
    """Write a record, its parts before itself, and say where it stands."""
    schema = schemas.table(record.kind)
    slots: list[tuple[int, int, Any, Any]] = []
    for name, value in record.fields:
        field = schema.by_name.get(name)
        if field is None:
            raise InternalError(f"a {record.kind} has no field '{name}'")
        try:
            slots += _slots(builder, schemas, field, value)
        except (TypeError, ValueError, OverflowError, struct.error) as error:
            raise InternalError(f"{record.kind}.{name} cannot hold {value!r:.60}") from error
    builder.StartObject(schema.slot_count)
    # The widest first, so that nothing is lost to alignment.
    for _, slot, flags, value in sorted(slots, key=lambda item: item[:2]):
        if flags is None:
            builder.PrependUOffsetTRelativeSlot(slot, value, 0)
        else:
            builder.PrependSlot(flags, slot, value, None)
    return int(builder.EndObject())


def unknown_part(record: Table) -> str:
    """The first part of a record that this schema does not have, or nothing."""
    if record.kind.startswith(UNKNOWN):
        return f"options of type {record.kind.removeprefix(UNKNOWN)}"
    for name, value in record.fields:
        if name.startswith(UNKNOWN):
            return f"field {name.removeprefix(UNKNOWN)} of {record.kind}"
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Table) and (found := unknown_part(part)):
                return found
    return ""


def _slots(
    builder: flatbuffers.Builder, schemas: Schema, field: FieldSchema, value: Any
) -> list[tuple[int, int, Any, Any]]:
    """Order by width, slot, scalar type and value of what goes into the table itself."""
    match field.kind:
        case FieldKind.SCALAR:
            flags = _FLAGS[np.dtype(field.code)]
            # A trial, since a builder that fails half-way through a table is lost.
            number_types.enforce_number(value, flags)
            struct.pack(field.code, value)
            return [(-field.width_bytes, field.slot, flags, value)]
        case FieldKind.UNION:
            codes = schemas.numbers_of(field.target)
            code = codes.get(value.kind) if isinstance(value, Table) else None
            if not code:
                raise TypeError(field.target)
            type_slot = (-1, field.slot - 1, number_types.Uint8Flags, code)
            return [type_slot, (-4, field.slot, None, encode(builder, schemas, value))]
        case _:
            return [(-4, field.slot, None, _part(builder, schemas, field, value))]


def _part(
    builder: flatbuffers.Builder, schemas: Schema, field: FieldSchema, value: FieldValue
) -> int:
    match field.kind, value:
        case FieldKind.STRING, str():
            return int(builder.CreateString(value, errors="backslashreplace"))
        case FieldKind.TABLE, Table(kind=field.target):
            return encode(builder, schemas, value)
        case FieldKind.NUMBERS, bytes() if field.code == "<B":
            return _data(builder, value)
        case FieldKind.NUMBERS, tuple():
            packed = struct.pack(f"<{len(value)}{field.code[1:]}", *value)
            return int(builder.CreateNumpyVector(np.frombuffer(packed, np.dtype(field.code))))
        case FieldKind.STRINGS, tuple():
            return _vector(builder, [int(builder.CreateString(text)) for text in value])
        case FieldKind.TABLES, tuple():
            return _tables(builder, schemas, field, value)
        case _:
            raise TypeError(field.kind)


def _tables(
    builder: flatbuffers.Builder, schemas: Schema, field: FieldSchema, records: tuple[Any, ...]
) -> int:
    if any(not isinstance(record, Table) or record.kind != field.target for record in records):
        raise TypeError(field.target)
    return _vector(builder, [encode(builder, schemas, record) for record in records])


def _vector(builder: flatbuffers.Builder, offsets: list[int]) -> int:
    builder.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        builder.PrependUOffsetTRelative(offset)
    return int(builder.EndVector())


def _data(builder: flatbuffers.Builder, data: bytes) -> int:
    builder.StartVector(1, len(data), DATA_ALIGNMENT)
    builder.head -= len(data)
    builder.Bytes[builder.head : builder.head + len(data)] = data
    return int(builder.EndVector())
