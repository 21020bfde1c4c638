"""Which live range each operand of a command is."""

from __future__ import annotations

from typing import NamedTuple

from core.emit.lives import NOBODY
from core.emit.study import PartStudy
from core.ir.program import DmaTransfer, MapUse, NpuOperation

_FEWEST = 2
"""One input and the output."""


class Operands(NamedTuple):
    """Live ranges of an operation; -1 for what nobody writes, and for what it does not have."""

    ifm: int
    ofm: int
    ifm2: int = NOBODY
    weights: int = NOBODY
    scales: int = NOBODY

    @property
    def streams(self) -> tuple[int, ...]:
        """Where weights and scales are, if they were brought somewhere."""
        return tuple(life for life in (self.weights, self.scales) if life != NOBODY)


class Ends(NamedTuple):
    """Live ranges at both ends of a transfer; -1 for constants and for the shared buffer."""

    source: int
    destination: int


def operands_of(study: PartStudy, position: int) -> Operands:
    """The live ranges of an operation."""
    op = study.part.stream.commands[position]
    assert isinstance(op, NpuOperation)
    touched = study.touched[position]
    if len(touched) == _FEWEST:
        return Operands(*touched)
    # In the order in which commands name them: inputs, weights, scales, output.
    lives = iter(touched)
    ifm = next(lives)
    ifm2 = next(lives) if isinstance(op.ifm2, MapUse) else NOBODY
    weights = next(lives) if op.weights else NOBODY
    scales = next(lives) if op.scales else NOBODY
    return Operands(ifm, next(lives), ifm2, weights, scales)


def ends_of(study: PartStudy, position: int) -> Ends:
    """The live ranges of a transfer."""
    item = study.part.stream.commands[position]
    assert isinstance(item, DmaTransfer)
    lives = iter(study.touched[position])
    source = NOBODY if item.source.is_internal else next(lives)
    return Ends(source, NOBODY if item.destination.is_internal else next(lives))
