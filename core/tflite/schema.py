"""What a TensorFlow Lite file may hold, asked of the schema's generated bindings.

No table of ours repeats the schema: each accessor of a generated class runs once over a probe that
notes which slot it looks up and what it then reads there. A newer version of the bindings therefore
brings its operators along.
"""

from __future__ import annotations

import enum
import functools
import importlib
import re
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from core.base.errors import InternalError

Scalar = bool | int | float

_UNIONS = MappingProxyType(
    {
        "details": "QuantizationDetails",
        "array_segments": "SparseIndexVector",
        "array_indices": "SparseIndexVector",
    }
)
"""Unions whose field is not called after them; the bindings do not name a field's union."""


class FieldKind(enum.Enum):
    """How a field is stored."""

    SCALAR = "scalar"
    STRING = "string"
    NUMBERS = "vector of scalars"
    TABLE = "table"
    TABLES = "vector of tables"
    UNION = "union"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldSchema:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSchema:
    """The fields of a table in the order of their slots; a union's type belongs to the union."""

    kind: str
    fields: tuple[FieldSchema, ...] = ()
    by_name: Mapping[str, FieldSchema] = field(default_factory=dict, compare=False, repr=False)

    @property
    def slot_count(self) -> int:
        """Slots up to the last one that the schema knows."""
        return self.fields[-1].slot + 1 if self.fields else 0


@functools.cache
def table_schema(kind: str) -> TableSchema:
    """The schema of the table with this name."""
    accessors: dict[int, str] = {}
    binding = _binding(kind)
    for name, accessor in vars(binding).items():
        if name[0].isupper() and name != "Init" and callable(accessor):
            slot = _probed(binding, name, is_set=False)[0].slot
            # The accessors of a vector (its length and so on) share its slot and extend its name.
            accessors[slot] = min(name, accessors.get(slot, name), key=len)
    fields = [_field(binding, slot, accessors[slot]) for slot in sorted(accessors)]
    types = {item.slot - 1 for item in fields if item.kind is FieldKind.UNION}
    kept = tuple(item for item in fields if item.slot not in types)
    by_name = MappingProxyType({item.name: item for item in kept})
    return TableSchema(kind=kind, fields=kept, by_name=by_name)


@functools.cache
def names_of(enumeration: str) -> Mapping[int, str]:
    """Name of each number of an enumeration; for a union, of the table that it stands for."""
    members = vars(_binding(enumeration))
    return MappingProxyType({code: name for name, code in members.items() if type(code) is int})


@functools.cache
def numbers_of(enumeration: str) -> Mapping[str, int]:
    """Number of each name of an enumeration."""
    return MappingProxyType({name: code for code, name in names_of(enumeration).items()})


class _Probe:
    """Stands in for the bytes under a generated class, and notes what is asked of it."""

    Bytes = b""
    Pos = 0

    def __init__(self, *, is_set: bool) -> None:
        self.is_set = is_set
        self.slot = -1
        self.asked: set[str] = set()
        self.code = ""

    def Offset(self, vtable_offset: int) -> int:  # noqa: N802 - the bindings call it so
        # The first look-up counts: the code of an operator falls back on an older field. A vtable
        # begins with two sizes of two bytes each.
        if self.slot < 0:
            self.slot = vtable_offset // 2 - 2
        return int(self.is_set)

    def Get(self, flags: Any, _offset: int) -> Any:  # noqa: N802
        self.code = self.code or "<" + flags.packer_type.format.lstrip("<")
        return flags.py_type(0)

    def __getattr__(self, name: str) -> Callable[..., int]:
        self.asked.add(name)
        return lambda *_: 0


def _binding(name: str) -> Any:
    return getattr(importlib.import_module(f"tflite.{name}"), name)


def _probed(binding: Any, name: str, *, is_set: bool) -> tuple[_Probe, Any]:
    """What an accessor asks for and answers when its field is set, or is not."""
    record, probe = binding(), _Probe(is_set=is_set)
    record._tab = probe  # noqa: SLF001 - the one door that the bindings leave
    accessor = getattr(record, name)
    takes_index = accessor.__func__.__code__.co_argcount == 2
    return probe, accessor(0) if takes_index else accessor()


def _field(binding: Any, slot: int, accessor: str) -> FieldSchema:
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", accessor).lower()
    probe, answer = _probed(binding, accessor, is_set=True)
    kind = _kind(probe)
    target = ""
    if kind is FieldKind.UNION:
        target = _UNIONS.get(name, accessor)
    elif kind in (FieldKind.TABLE, FieldKind.TABLES):
        target = type(answer).__name__
    default = _probed(binding, accessor, is_set=False)[1] if kind is FieldKind.SCALAR else 0
    return FieldSchema(
        name=name, slot=slot, kind=kind, code=probe.code, default=default, target=target
    )


def _kind(probe: _Probe) -> FieldKind:
    is_vector = "Vector" in probe.asked
    if "Union" in probe.asked:
        return FieldKind.UNION
    if "String" in probe.asked:
        if is_vector:
            raise InternalError("the schema has gained a vector of strings")
        return FieldKind.STRING
    if "Indirect" in probe.asked:
        return FieldKind.TABLES if is_vector else FieldKind.TABLE
    return FieldKind.NUMBERS if is_vector else FieldKind.SCALAR
