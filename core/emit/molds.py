"""Operations as molds: decoded once, and then cast with ever other addresses.

Stripes, slices and unrolled loops launch an operation again and again with few registers changed,
most of them addresses. What all the others say is worked out when it is met for the first time.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import partial
from typing import Any

from core.emit import decode, maps
from core.emit.registers import IFM, IFM2, OFM
from core.emit.state import Registers
from core.ir.program import Job, MapUse, NpuOperation, ScalarUse


class Molds:
    """The molds of one stream."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[tuple[Job, tuple[int, ...]], _Mold] = {}

    def operation(self, registers: Registers, job: Job) -> NpuOperation:
        """The operation that the registers describe."""
        key = job, registers.unplaced
        mold = self._known.get(key)
        if mold is not None:
            return mold.cast(registers)
        op = decode.operation(registers, job)
        self._known[key] = _Mold.of(op)
        return op


@dataclass(frozen=True, slots=True)
class _Mold:
    """An operation without its addresses."""

    rest: partial[NpuOperation]
    ifm: partial[MapUse]
    ofm: partial[MapUse]
    ifm2: partial[MapUse] | ScalarUse | None
    weighted_cores: int
    scaled_cores: int
    """Cores that read weights and scales; none where the operation has none."""

    @classmethod
    def of(cls, op: NpuOperation) -> _Mold:
        return cls(
            rest=partial(NpuOperation, **_without(op, "ifm", "ofm", "ifm2", "weights", "scales")),
            ifm=_unplaced(op.ifm),
            ofm=_unplaced(op.ofm),
            ifm2=_unplaced(op.ifm2) if isinstance(op.ifm2, MapUse) else op.ifm2,
            weighted_cores=len(op.weights),
            scaled_cores=len(op.scales),
        )

    def cast(self, registers: Registers) -> NpuOperation:
        """The operation at the addresses that registers name; of wrong ones, `decode`'s first."""
        ifm2 = self.ifm2
        second = ifm2(bases=maps.read_bases(registers, IFM2)) if callable(ifm2) else ifm2
        weighted, scaled = self.weighted_cores, self.scaled_cores
        return self.rest(
            ifm=self.ifm(bases=maps.read_bases(registers, IFM)),
            ofm=self.ofm(bases=maps.read_bases(registers, OFM)),
            ifm2=second,
            weights=decode.weights(registers, weighted) if weighted else (),
            scales=decode.scales(registers, scaled) if scaled else (),
        )


def _unplaced(use: MapUse) -> partial[MapUse]:
    return partial(MapUse, **_without(use, "bases"))


def _without(value: MapUse | NpuOperation, *names: str) -> dict[str, Any]:
    return {
        each.name: getattr(value, each.name) for each in fields(value) if each.name not in names
    }
