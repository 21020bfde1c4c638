"""Operations without their addresses: long streams repeat a few of them at ever other places.

What does not depend on addresses is worked out once for each form.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import fields
from operator import attrgetter
from typing import NamedTuple

from core.ir.program import AddressRange, CommandStream, MapUse, NpuOperation

NO_FORM = -1
"""Stands for the form of what is no operation."""


class Forms(NamedTuple):
    """The forms of a stream."""

    of: tuple[int, ...]
    """By command: the number of its form."""
    examples: tuple[NpuOperation, ...]
    """By form: the first operation that has it."""


def forms_of(stream: CommandStream) -> Forms:
    """Which operations of a stream differ in nothing but addresses and sizes of weights."""
    numbers: dict[Hashable, int] = {}
    examples: list[NpuOperation] = []
    found = []
    for command in stream.commands:
        if not isinstance(command, NpuOperation):
            found.append(NO_FORM)
            continue
        number = numbers.setdefault(_form(command), len(numbers))
        if number == len(examples):
            examples.append(command)
        found.append(number)
    return Forms(tuple(found), tuple(examples))


def _form(op: NpuOperation) -> Hashable:
    second = op.ifm2
    return (
        _rest(op),
        _unplaced(op.ifm),
        _unplaced(op.ofm),
        _unplaced(second) if isinstance(second, MapUse) else second,
        _regions(op.weights),
        _regions(op.scales),
    )


def _regions(ranges: tuple[AddressRange, ...]) -> tuple[int, ...]:
    return tuple(each.region for each in ranges) if ranges else ()


_PLACED = frozenset({"ifm", "ofm", "ifm2", "weights", "scales"})
_rest = attrgetter(*(each.name for each in fields(NpuOperation) if each.name not in _PLACED))
_unplaced = attrgetter(*(each.name for each in fields(MapUse) if each.name != "bases"))
