"""Selections as addresses of links, and back."""

from __future__ import annotations

from core.base.ids import FmId, IslandId, NpuOpId
from gui.document.selection import NOTHING_SELECTED, BufferRef, CascadeRef, Selection


def link_text(target: Selection) -> str:
    """A selection as the address of a link."""
    for field, value in zip(target._fields, target, strict=True):
        if value is not None:
            numbers = value if isinstance(value, tuple) else (value,)
            return ":".join((field, *map(str, numbers)))
    return "nothing"


def selection_of(address: str) -> Selection:
    """What the address of a link selects."""
    kind, *texts = address.split(":")
    numbers = [int(text) for text in texts]
    match kind:
        case "op":
            return Selection(op=NpuOpId(numbers[0]))
        case "fm":
            return Selection(fm=FmId(numbers[0]))
        case "cascade":
            return Selection(cascade=CascadeRef(IslandId(numbers[0]), numbers[1]))
        case "buffer":
            return Selection(buffer=BufferRef(NpuOpId(numbers[0]), numbers[1]))
        case "cpu_op":
            return Selection(cpu_op=numbers[0])
        case _:
            return NOTHING_SELECTED
