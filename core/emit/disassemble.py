"""From the words of a command stream to its commands, as far as they can be read."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.errors import InputError
from core.emit import codes, decode, words
from core.emit.registers import Launch
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

_COUNT_MASK = 0xF
_CHANNEL_SHIFT = 4


def disassemble(stream: Sequence[int]) -> CommandStream:
    """The commands of a stream; where it cannot be read further, the problem says where and why."""
    registers, forms = Registers(), FormReader()
    commands, positions = list[Command](), list[int]()
    at, reason, is_over = 0, "", False
    try:
        for at, code, value in words.decode(stream):
            if is_over:
                reason = "there is more after the end of the stream"
                break
            if code not in words.LAUNCHES:
                registers.write(code, value)
                continue
            commands.append(_launch(registers, forms, Launch(code), value))
            positions.append(at)
            is_over = code == Launch.STOP
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


def _launch(registers: Registers, forms: FormReader, code: Launch, parameter: int) -> Command:
    match code:
        case Launch.STOP:
            return Stop(mask=parameter)
        case Launch.IRQ:
            return Interrupt(mask=parameter)
        case Launch.PMU_MASK:
            return CountEvents(enabled=parameter)
        case Launch.KERNEL_WAIT | Launch.DMA_WAIT:
            return _wait(code, parameter)
        case Launch.DMA_START:
            return decode.transfer(registers, parameter)
        case _:
            return _operation(registers, forms, code, parameter)


def _wait(code: Launch, parameter: int) -> Wait:
    engine = Engine.KERNEL if code is Launch.KERNEL_WAIT else Engine.DMA
    return Wait(
        engine=engine,
        outstanding=parameter & _COUNT_MASK,
        channel=parameter >> _CHANNEL_SHIFT,
    )


def _operation(
    registers: Registers, forms: FormReader, code: Launch, parameter: int
) -> NpuOperation:
    job = codes.JOBS.get((code, parameter))
    if job is None:
        raise InputError(f"there is no {code.name.lower()} of the kind {parameter}")
    return forms.operation(registers, job)
