"""The schema as text, asked of its generated bindings.

Each accessor of a generated class runs once over a probe that notes which slot it looks up and what
it then reads there. A newer version of the bindings therefore brings its operators along.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import Any

import tflite

from core.flatbuf.schema import FieldKind, FieldSchema

_UNIONS = MappingProxyType(
    {
        "details": "QuantizationDetails",
        "array_segments": "SparseIndexVector",
        "array_indices": "SparseIndexVector",
    }
)
"""Unions whose field is not called after them; the bindings do not name a field's union."""


def schema_text() -> str:
    """Every table and enumeration of the bindings, as `resources/schema/tflite.txt` has them."""
    return "\n\n".join("\n".join(_lines(name)) for name in names()) + "\n"


def names() -> list[str]:
    """All that the bindings know."""
    found = (module.name for module in pkgutil.iter_modules(tflite.__path__))
    return sorted(name for name in found if name[0].isupper())


def is_table(name: str) -> bool:
    """Whether it is a table; what is none is an enumeration."""
    return hasattr(importlib.import_module(f"tflite.{name}"), f"{name}Start")


def _lines(name: str) -> Iterator[str]:
    if is_table(name):
        yield f"table {name}"
        yield from (_field_line(field) for field in _fields(name))
    else:
        yield f"enum {name}"
        # Python writes numbers of its own into classes, between underscores.
        members = {key: code for key, code in vars(_binding(name)).items() if key[0] != "_"}
        yield from (f"{key} {code}" for key, code in members.items() if type(code) is int)


def _field_line(field: FieldSchema) -> str:
    parts = [field.name, str(field.slot), field.kind.value, field.code, field.target]
    if field.kind is FieldKind.SCALAR:
        parts.append(str(field.default))
    return " ".join(part for part in parts if part)


def _fields(kind: str) -> list[FieldSchema]:
    """The fields of a table in the order of their slots; a union's type belongs to the union."""
    accessors: dict[int, str] = {}
    binding = _binding(kind)
    for name, accessor in vars(binding).items():
        if name[0].isupper() and name != "Init" and callable(accessor):
            slot = _probed(binding, name, is_set=False)[0].slot
            # The accessors of a vector (its length and so on) share its slot and extend its name.
            accessors[slot] = min(name, accessors.get(slot, name), key=len)
    fields = [_field(binding, slot, accessors[slot]) for slot in sorted(accessors)]
    types = {item.slot - 1 for item in fields if item.kind is FieldKind.UNION}
    return [item for item in fields if item.slot not in types]


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
    record._tab = probe
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
            raise AssertionError("the schema has gained a vector of strings")
        return FieldKind.STRING
    if "Indirect" in probe.asked:
        return FieldKind.TABLES if is_vector else FieldKind.TABLE
    return FieldKind.NUMBERS if is_vector else FieldKind.SCALAR
