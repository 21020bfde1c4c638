"""From commands to the words of a stream; what a register already holds is not written again."""

from __future__ import annotations

from core.base.errors import InternalError
from core.emit import encode, words
from core.emit.instructions.instruction_set import InstructionSet, Launch
from core.emit.maps import Settings
from core.emit.state import Registers
from core.ir.program import (
    AcceleratorWord,
    Command,
    CommandStream,
    CountEvents,
    DmaTransfer,
    Engine,
    Interrupt,
    NpuOperation,
    Stop,
    Wait,
)


def assemble(
    stream: CommandStream, accelerator: AcceleratorWord, known: InstructionSet
) -> tuple[int, ...]:
    """The words of a stream in an instruction set."""
    if stream.problem is not None:
        raise InternalError("only part of this stream is known")
    registers, out, waits = Registers(known), list[int](), list[int]()
    sets_cores = accelerator.product in known.products_with_cores
    for command in stream.commands:
        if isinstance(command, Wait):
            # What comes next is told its registers while others are still at work.
            waits += words.encode(*_launch(command, known), known)
            continue
        for reg, value in _settings(command, known, sets_cores=sets_cores).items():
            held = words.stored(known.codes[reg], value)
            if not registers.holds(reg, held):
                registers.write(reg, held)
                out += words.encode(reg, value, known)
        out += (*waits, *words.encode(*_launch(command, known), known))
        waits.clear()
    return (*out, *waits)


def _settings(command: Command, known: InstructionSet, *, sets_cores: bool) -> Settings:
    if isinstance(command, NpuOperation):
        return encode.operation(command, known, sets_cores=sets_cores)
    return encode.transfer(command, known) if isinstance(command, DmaTransfer) else {}


def _launch(command: Command, known: InstructionSet) -> tuple[Launch, int]:
    """Name and parameter of the word that starts a command."""
    match command:
        case NpuOperation():
            return known.job_codes[command.job]
        case DmaTransfer():
            return Launch.DMA_START, 0
        case Wait():
            launch = Launch.KERNEL_WAIT if command.engine is Engine.KERNEL else Launch.DMA_WAIT
            return launch, command.outstanding
        case Interrupt():
            return Launch.IRQ, command.mask
        case CountEvents():
            return Launch.PMU_MASK, command.enabled
        case Stop():
            return Launch.STOP, command.mask
