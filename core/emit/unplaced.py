"""Operations without their addresses, called forms: long streams repeat a few at ever other places.

Stripes, slices and unrolled loops launch an operation again and again with few registers changed,
most of them addresses. What does not depend on those is worked out once for each form: when a
stream is read (`FormReader`), and when it is looked at (`forms_of`).
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from operator import attrgetter
from typing import Any

from core.base.frozen import Frozen, NamedTuple, field_names
from core.emit import decode, maps
from core.emit.state import Registers
from core.ir.program import AddressRange, CommandStream, Job, MapUse, NpuOperation, ScalarUse

NO_FORM = -1
"""Stands for the form of what is no operation."""


def _names(kind: type[NpuOperation | MapUse], *placed: str) -> tuple[str, ...]:
    return tuple(name for name in field_names(kind) if name not in placed)


_OF_OPERATION = _names(NpuOperation, "ifm", "ofm", "ifm2", "weights", "scales")
_OF_MAP = _names(MapUse, "bases")
_rest = attrgetter(*_OF_OPERATION)
_unplaced = attrgetter(*_OF_MAP)


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
        number = numbers.setdefault(_key(command), len(numbers))
        if number == len(examples):
            examples.append(command)
        found.append(number)
    return Forms(tuple(found), tuple(examples))


def _key(op: NpuOperation) -> Hashable:
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


class FormReader:
    """Reads the operations of one stream; each form is decoded when it is first met."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[tuple[Job, tuple[int, ...]], _Form] = {}

    def operation(self, registers: Registers, job: Job) -> NpuOperation:
        """The operation that the registers describe."""
        key = job, registers.unplaced
        form = self._known.get(key)
        if form is not None:
            return form.placed(registers)
        op = decode.operation(registers, job)
        self._known[key] = _Form.of(op)
        return op


class _Form(Frozen, kw_only=False):
    """What makes an operation of addresses."""

    rest: partial[NpuOperation]
    ifm: partial[MapUse]
    ofm: partial[MapUse]
    ifm2: partial[MapUse] | ScalarUse | None
    weighted_cores: int
    scaled_cores: int
    """Cores that read weights and scales; none where the operation has none."""

    @classmethod
    def of(cls, op: NpuOperation) -> _Form:
        return cls(
            rest=partial(NpuOperation, **_values(op, _OF_OPERATION)),
            ifm=partial(MapUse, **_values(op.ifm, _OF_MAP)),
            ofm=partial(MapUse, **_values(op.ofm, _OF_MAP)),
            ifm2=partial(MapUse, **_values(op.ifm2, _OF_MAP))
            if isinstance(op.ifm2, MapUse)
            else op.ifm2,
            weighted_cores=len(op.weights),
            scaled_cores=len(op.scales),
        )

    def placed(self, registers: Registers) -> NpuOperation:
        """The operation at the addresses that registers name; of wrong ones, `decode`'s first."""
        known, ifm2 = registers.instructions, self.ifm2
        second = ifm2(bases=maps.read_bases(registers, known.ifm2)) if callable(ifm2) else ifm2
        weighted, scaled = self.weighted_cores, self.scaled_cores
        return self.rest(
            ifm=self.ifm(bases=maps.read_bases(registers, known.ifm)),
            ofm=self.ofm(bases=maps.read_bases(registers, known.ofm)),
            ifm2=second,
            weights=decode.weights(registers, weighted) if weighted else (),
            scales=decode.scales(registers, scaled) if scaled else (),
        )


def _values(value: MapUse | NpuOperation, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names}
