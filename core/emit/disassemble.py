"""From the words of a command stream to its commands, as far as they can be read."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.errors import InputError
from core.emit import decode, words
from core.emit.instructions.instruction_set import InstructionSet, Launch, Reg
from core.emit.state import Registers
from core.emit.unplaced import FormReader
from core.ir.program import (
    Command,
    CommandStream,
    CountEvents,
    Engine,
    Interrupt,
    NpuOperation,
    Stop,
    StreamProblem,
    Wait,
)


def disassemble(stream: Sequence[int], known: InstructionSet) -> CommandStream:
    """The commands of a stream; where it cannot be read further, the problem says where and why."""
    registers, forms = Registers(known), FormReader()
    commands, positions = list[Command](), list[int]()
    at, reason, is_over = 0, "", False
    try:
        for at, name, value in words.decode(stream, known):
            if is_over:
                reason = "there is more after the end of the stream"
                break
            if isinstance(name, Reg):
                registers.write(name, value)
                continue
            commands.append(_launch(registers, forms, name, value))
            positions.append(at)
            is_over = name is Launch.STOP
        else:
            at, reason = len(stream), "" if is_over else "the stream ends without STOP"
    except InputError as error:
        reason = error.message
        at = _word_of(error, at)
    return CommandStream(
        commands=tuple(commands),
        problem=StreamProblem(at, reason) if reason else None,
        positions=tuple(positions),
        size_words=len(stream),
    )


def _word_of(error: InputError, at: int) -> int:
    """The place of an error: its own, or that of the command that was being read."""
    return int(error.where.removeprefix("word ")) if error.where else at


def _launch(registers: Registers, forms: FormReader, launch: Launch, parameter: int) -> Command:
    match launch:
        case Launch.STOP:
            return Stop(mask=parameter)
        case Launch.IRQ:
            return Interrupt(mask=parameter)
        case Launch.PMU_MASK:
            return CountEvents(enabled=parameter)
        case Launch.KERNEL_WAIT | Launch.DMA_WAIT:
            return _wait(launch, parameter)
        case Launch.DMA_START:
            return decode.transfer(registers)
        case _:
            return _operation(registers, forms, launch, parameter)


def _wait(launch: Launch, parameter: int) -> Wait:
    engine = Engine.KERNEL if launch is Launch.KERNEL_WAIT else Engine.DMA
    return Wait(engine=engine, outstanding=parameter)


def _operation(
    registers: Registers, forms: FormReader, launch: Launch, parameter: int
) -> NpuOperation:
    return forms.operation(registers, registers.instructions.jobs[launch, parameter])
