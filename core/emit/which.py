"""Which accelerator a stream was made for."""

from __future__ import annotations

from core.ir.program import (
    AcceleratorWord,
    Command,
    DmaTransfer,
    MapUse,
    NpuOperation,
    Program,
    ProgramPart,
    RegionRole,
)
from core.target.accelerator import Accelerator
from core.target.registry import ACCELERATORS

_KIB = 1024


def word_of(accelerator: Accelerator) -> AcceleratorWord:
    """What a driver compares the hardware with."""
    return AcceleratorWord(
        macs=accelerator.macs_per_cycle,
        shram_kib=accelerator.shared_buffer.size_bytes * accelerator.cores // _KIB,
        product=accelerator.family.product.number,
    )


def accelerator_of(word: AcceleratorWord) -> Accelerator | None:
    """The accelerator of that product and size, if there is one."""
    return _BY_WORD.get((word.product, word.macs))


def uses_fast_scratch(program: Program) -> bool:
    """Whether any command touches the region that only dedicated fast storage has."""
    return any(_touches_fast_scratch(part) for part in program.parts)


def _touches_fast_scratch(part: ProgramPart) -> bool:
    fast = {
        number
        for number, region in enumerate(part.regions)
        if region.role is RegionRole.SCRATCH_FAST
    }
    return any(not fast.isdisjoint(_regions(command)) for command in part.stream.commands)


def _regions(command: Command) -> tuple[int, ...]:
    if isinstance(command, NpuOperation):
        second = command.ifm2
        uses = (command.ifm, command.ofm, *((second,) if isinstance(second, MapUse) else ()))
        streams = (*command.weights, *command.scales)
        return tuple([each.region for each in (*uses, *streams)])
    if isinstance(command, DmaTransfer):
        ends = (command.source, command.destination)
        return tuple(end.region for end in ends if not end.is_internal)
    return ()


_BY_WORD = {
    (word.product, word.macs): accelerator
    for accelerator in ACCELERATORS.values()
    for word in (word_of(accelerator),)
}
