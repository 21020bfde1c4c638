"""Assembling and reading back gives the same program, and nothing is written twice."""

from __future__ import annotations

import pytest
from hypothesis import given

from core.base.errors import InternalError
from core.base.geometry import Shape4
from core.emit.instructions.instruction_set import Launch, Reg
from core.emit.open import open_program
from core.ir.program import CommandStream, ProgramPart, StreamProblem
from core.tflite import reader
from tests.core.emit.streams import (
    U55,
    U65,
    assemble,
    disassemble,
    flat,
    pool,
    stream,
    streams,
    writes,
)
from tests.shared import need

SHARED = "peer/compiled/person_detect_vela.tflite"


def shared_part() -> ProgramPart:
    return open_program(reader.read(need(SHARED).read_bytes())).parts[0]


@given(streams())
def test_a_stream_survives_its_words_on_u55(found: CommandStream):
    assert disassemble(assemble(found, U55)) == found


@given(streams(cores=2))
def test_a_stream_survives_its_words_on_two_cores(found: CommandStream):
    assert disassemble(assemble(found, U65)) == found


@given(streams())
def test_no_register_is_set_to_what_it_holds(found: CommandStream):
    held: dict[Reg, int] = {}
    for write in writes(assemble(found, U55)):
        if isinstance(write.name, Reg):
            assert held.get(write.name) != write.value
            held[write.name] = write.value


def test_positions_are_those_of_the_words_that_start_commands():
    found = disassemble(assemble(shared_part().stream, U55))
    starts = [
        write.word for write in writes(assemble(found, U55)) if isinstance(write.name, Launch)
    ]
    assert list(found.positions) == starts


def test_another_compilers_stream_keeps_its_register_effects():
    part = shared_part()
    ours = assemble(part.stream, part.accelerator)
    assert disassemble(ours) == part.stream
    assert len(ours) == part.stream.size_words


def test_what_could_not_be_read_is_not_written():
    with pytest.raises(InternalError, match="only part"):
        assemble(CommandStream(commands=(), problem=StreamProblem(0, "?")), U55)


def test_an_input_that_does_not_follow_from_the_output_is_refused():
    high, low = flat(Shape4(1, 4, 4, 8), 0), flat(Shape4(1, 3, 4, 8), 256)
    with pytest.raises(InternalError, match="reads"):
        assemble(stream(pool(high, low)), U55)
