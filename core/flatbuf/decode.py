"""Any table of a file as a plain record, for what the compiler has no noun of its own for."""

from __future__ import annotations

from core.flatbuf.schema import FieldKind, FieldSchema
from core.flatbuf.view import UNKNOWN, TableView
from core.ir.network import FieldValue, Table


def decode(view: TableView) -> Table:
    """The record of a table, with exactly the fields that the file sets."""
    schema = view.schema
    if schema.kind.startswith(UNKNOWN):
        return Table(kind=schema.kind, fields=(("inline", view.inline()),))
    fields = [
        (field.name, _value(view, field)) for field in schema.fields if view.place_of(field.name)
    ]
    fields += [(f"{UNKNOWN}{slot}", raw) for slot, raw in view.unknown_fields()]
    return Table(kind=schema.kind, fields=tuple(item for item in fields if item[1] is not None))


def decode_union(view: TableView, name: str) -> Table | None:
    """The record that a union holds, if any."""
    member = view.union(name)
    return None if member is None else decode(member)


def _vector(view: TableView, field: FieldSchema) -> FieldValue:
    if field.kind is FieldKind.STRINGS:
        return view.strings(field.name)
    return view.copied(field.name) if field.code == "<B" else view.numbers(field.name)


def _value(view: TableView, field: FieldSchema) -> FieldValue:
    match field.kind:
        case FieldKind.SCALAR:
            value: FieldValue = view.scalar(field.name)
            return value
        case FieldKind.STRING:
            return view.string(field.name)
        case FieldKind.NUMBERS | FieldKind.STRINGS:
            return _vector(view, field)
        case FieldKind.TABLE:
            table = view.table(field.name)
            return None if table is None else decode(table)
        case FieldKind.TABLES:
            return tuple(decode(table) for table in view.tables(field.name))
        case FieldKind.UNION:
            return decode_union(view, field.name)
