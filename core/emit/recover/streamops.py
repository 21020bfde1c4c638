"""The operators of a stream: its layers with what is brought for them, and copies of maps."""

from __future__ import annotations

from collections import defaultdict

from core.base.frozen import Changing, Frozen, NamedTuple, field
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


class StreamOp(Frozen):
    """Commands that together do the work of one operator."""

    commands: tuple[int, ...]
    """Operations in their order, or the one transfer of a copy."""
    stripes: int = 1
    slices: int = 1
    loads: tuple[int, ...] = ()
    """Transfers that bring its weights."""
    tables: tuple[int, ...] = ()
    """Transfers that bring its look-up table."""
    cascade: int | None = None
    """Position among the cascades of the stream."""
    is_copy: bool = False


class _Loads(Changing):
    """Transfers by the layer that they are for."""

    weights: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    tables: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    copies: list[int] = field(default_factory=list)


def stream_ops(study: PartStudy) -> tuple[StreamOp, ...]:
    """All operators of a stream in the order in which they begin."""
    layers = study.structure.layers
    cascade_of = {
        layer: number
        for number, cascade in enumerate(study.structure.cascades)
        for layer in cascade.layers
    }
    loads = _loads(study)
    found = [
        StreamOp(
            commands=layer.commands,
            stripes=layer.stripes,
            slices=layer.slices,
            loads=tuple(loads.weights[number]),
            tables=tuple(loads.tables[number]),
            cascade=cascade_of.get(number),
        )
        for number, layer in enumerate(layers)
    ]
    found += [StreamOp(commands=(at,), is_copy=True) for at in loads.copies]
    return tuple(sorted(found, key=lambda op: op.commands[0]))


def _loads(study: PartStudy) -> _Loads:
    """What each transfer is for: bytes that no operation takes for weights are a copied map."""
    layer_of = {
        at: number for number, layer in enumerate(study.structure.layers) for at in layer.commands
    }
    users: dict[int, int] = {}
    for at, number in layer_of.items():
        op = study.part.stream.commands[at]
        if isinstance(op, NpuOperation) and (op.weights or op.scales):
            for life in operands_of(study, at).streams:
                users.setdefault(life, number)
    found, waiting = _Loads(), list[int]()
    for at, command in enumerate(study.part.stream.commands):
        if isinstance(command, DmaTransfer):
            if command.destination.is_internal:
                waiting.append(at)
                continue
            user = users.get(ends_of(study, at).destination)
            if user is None:
                found.copies.append(at)
            else:
                found.weights[user].append(at)
        elif isinstance(command, NpuOperation) and command.activation.table is not None:
            # A table stays for the operations that follow, so most of them wait for none.
            found.tables[layer_of[at]] += waiting
            waiting.clear()
    return found
