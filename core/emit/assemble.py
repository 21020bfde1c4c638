"""From commands to the words of a stream; what a register already holds is not written again."""

from __future__ import annotations

from core.base.errors import InternalError
from core.emit import codes, encode, words
from core.emit.maps import Settings
from core.emit.registers import Launch
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

_CHANNEL_SHIFT = 4
_U65 = 1


def assemble(stream: CommandStream, accelerator: AcceleratorWord) -> tuple[int, ...]:
    """The words of a stream."""
    if stream.problem is not None:
        raise InternalError("only part of this stream is known")
    registers, out, waits = Registers(), list[int](), list[int]()
    for command in stream.commands:
        if isinstance(command, Wait):
            # What comes next is told its registers while others are still at work.
            waits += words.encode(*_launch(command))
            continue
        for code, value in _settings(command, accelerator).items():
            held = words.stored(code, value)
            if not registers.holds(code, held):
                registers.write(code, held)
                out += words.encode(code, value)
        out += (*waits, *words.encode(*_launch(command)))
        waits.clear()
    return (*out, *waits)


def _settings(command: Command, accelerator: AcceleratorWord) -> Settings:
    if isinstance(command, NpuOperation):
        return encode.operation(command, sets_cores=accelerator.product >= _U65)
    return encode.transfer(command) if isinstance(command, DmaTransfer) else {}


def _launch(command: Command) -> tuple[int, int]:
    """Code and parameter of the word that starts a command."""
    match command:
        case NpuOperation():
            code, kind = codes.JOB_CODES[command.job]
            return code, kind
        case DmaTransfer():
            return Launch.DMA_START, command.channel << _CHANNEL_SHIFT
        case Wait():
            code = Launch.KERNEL_WAIT if command.engine is Engine.KERNEL else Launch.DMA_WAIT
            return code, command.outstanding | command.channel << _CHANNEL_SHIFT
        case Interrupt():
            return Launch.IRQ, command.mask
        case CountEvents():
            return Launch.PMU_MASK, command.enabled
        case Stop():
            return Launch.STOP, command.mask
