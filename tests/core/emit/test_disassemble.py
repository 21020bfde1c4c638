"""Streams that cannot be read: the place, the reason, and what was read up to there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.geometry import Shape4
from core.emit import words
from core.emit.instructions.first_architecture import FIRST_ARCHITECTURE
from core.emit.instructions.instruction_set import WIDE, Launch, Reg
from core.emit.study import study
from core.ir.program import CommandStream, Stop
from core.target.resolve import resolve
from tests.core.emit.programs import part_of
from tests.core.emit.streams import (
    U55,
    assemble,
    disassemble,
    flat,
    pool,
    raw,
    stream,
    streams,
    writes,
)

ONE = stream(pool(flat(Shape4(1, 4, 4, 8), 0), flat(Shape4(1, 4, 4, 8), 128)))
WORDS = assemble(ONE, U55)
TARGET = resolve("ethos-u55-128")
CODES = FIRST_ARCHITECTURE.codes


def changed(values: dict[Reg, int]) -> tuple[int, ...]:
    """The stream with other values in registers."""
    out: list[int] = []
    for write in writes(WORDS):
        out += raw(write.name, values.get(write.name, write.value))
    return tuple(out)


def without(reg: Reg) -> tuple[int, ...]:
    """The stream without a register."""
    return tuple(
        word
        for write in writes(WORDS)
        if write.name is not reg
        for word in words.encode(write.name, write.value, FIRST_ARCHITECTURE)
    )


def test_an_unknown_command_is_named_with_its_place():
    found = disassemble((*WORDS[:-1], 0x0001_0155, WORDS[-1]))
    assert found.problem == (len(WORDS) - 1, "there is no command 0x0155")
    assert found.commands == ONE.commands[:-1]


def test_a_stream_that_ends_inside_a_command():
    last = max(write.word for write in writes(WORDS) if CODES[write.name] & WIDE)
    found = disassemble(WORDS[: last + 1])
    assert found.problem is not None
    assert found.problem.word == last
    assert "ends between the two words of" in found.problem.reason


def test_a_stream_without_an_end():
    found = disassemble(WORDS[:-1])
    assert found.problem == (len(WORDS) - 1, "the stream ends without STOP")
    assert found.commands == ONE.commands[:-1]


def test_words_after_the_end():
    found = disassemble((*WORDS, 0))
    assert found.problem == (len(WORDS), "there is more after the end of the stream")
    assert found.commands == ONE.commands


@pytest.mark.parametrize(
    ("reg", "value", "held", "part"),
    [
        (Reg.IFM_PRECISION, 0x2, "IFM_PRECISION is 0x0002", "2 in its bits 0, 1, 2 and 3"),
        (Reg.IFM_PRECISION, 0x301, "IFM_PRECISION is 0x0301", "3 in its bits 8 and 9"),
        (Reg.IFM_PRECISION, 0x4001, "IFM_PRECISION is 0x4001", "1 in its bits 14 and 15"),
        (Reg.IFM_PRECISION, 0x91, "IFM_PRECISION is 0x0091", "bits 4 and 7 in it"),
        (Reg.OFM_PRECISION, 0x4, "OFM_PRECISION is 0x0004", "4 in its bits 0, 1 and 2"),
        (Reg.OFM_PRECISION, 0xC001, "OFM_PRECISION is 0xc001", "3 in its bits 14 and 15"),
        (Reg.OFM_REGION, 8, "OFM_REGION is 0x0008", "bit 3 in it"),
        (Reg.KERNEL_STRIDE, 0x20, "KERNEL_STRIDE is 0x0020", "bit 5 in it"),
        (Reg.ACTIVATION, 5, "ACTIVATION is 0x0005", "5 in its bits 0, 1, 2, 3 and 4"),
        (Reg.ACTIVATION, 0x1000, "ACTIVATION is 0x1000", "1 in its bits 12, 13 and 14"),
        (Reg.ACC_FORMAT, 3, "ACC_FORMAT is 0x0003", "3 in its bits 0 and 1"),
        (Reg.IFM_UPSCALE, 3, "IFM_UPSCALE is 0x0003", "3 in its bits 0 and 1"),
        (Reg.BLOCKDEP, 4, "BLOCKDEP is 0x0004", "bit 2 in it"),
        (Reg.OFM_SCALE, 64 << 32, "OFM_SCALE is 0x4000000000", "bit 38 in it"),
    ],
)
def test_values_of_no_known_meaning(reg: Reg, value: int, held: str, part: str):
    found = disassemble(changed({reg: value}))
    place = next(write.word for write in writes(WORDS) if write.name is reg)
    assert found.problem == (place, f"{held}, and the meaning of {part} is not known")
    assert found.commands == ()


def test_padding_that_leaves_nothing_to_read():
    found = disassemble(changed({Reg.IFM_PAD_TOP: 4}))
    assert found.problem is not None
    assert "IFM_PAD_TOP to IFM_PAD_BOTTOM leave 0 rows" in found.problem.reason
    assert found.commands == ()


@pytest.mark.parametrize(
    "reg",
    [Reg.IFM_BASE0, Reg.OFM_REGION, Reg.OFM_HEIGHT_M1, Reg.KERNEL_STRIDE, Reg.IFM_PRECISION],
)
def test_registers_that_were_never_set(reg: Reg):
    found = disassemble(without(reg))
    assert found.problem == (len(without(reg)) - 2, f"{reg.name} has not been set")


def test_a_kernel_that_no_dilation_spans():
    found = disassemble(changed({Reg.KERNEL_STRIDE: 0x10, Reg.KERNEL_HEIGHT_M1: 3}))
    assert found.problem is not None
    assert "which no kernel with dilation 2 spans" in found.problem.reason


@pytest.mark.parametrize("upper", [0x00FF, 0xFFFF])
def test_negative_steps_have_eight_or_sixteen_upper_bits(upper: int):
    (reg, step), at = (Reg.OFM_STRIDE_Y, 512), list(WORDS)
    place = next(write.word for write in writes(WORDS) if write.name is reg)
    at[place : place + 2] = [CODES[reg] | upper << 16, (1 << 32) - step]
    (op,) = disassemble(at).operations
    assert op.ofm.strides.y == -step


def test_a_step_of_more_than_40_bits():
    found = disassemble(WORDS)
    assert found.problem is None
    place = next(write.word for write in writes(WORDS) if write.name is Reg.OFM_STRIDE_Y)
    broken = list(WORDS)
    broken[place] |= 0x0100 << 16
    problem = disassemble(broken).problem
    assert problem is not None
    assert "OFM_STRIDE_Y is 0x100" in problem.reason


def test_kinds_of_operations_that_do_not_exist():
    out = list(WORDS)
    out[-2] = CODES[Launch.POOL] | 3 << 16
    found = disassemble(out)
    reason = "POOL is 0x0003, and the meaning of 3 in its bits 0, 1 and 2 is not known"
    assert found.problem == (len(WORDS) - 2, reason)


@given(st.lists(st.integers(0, (1 << 32) - 1), max_size=40))
def test_any_words_give_a_stream(found: list[int]):
    assert disassemble(found).size_words == len(found)


@given(streams(), st.data())
def test_cut_off_anywhere_it_gives_what_was_there(found: CommandStream, data: st.DataObject):
    whole = assemble(found, U55)
    at = data.draw(st.integers(0, len(whole) - 1))
    part = disassemble(whole[:at])
    assert part.problem is not None
    assert part.problem.word <= at
    assert part.commands == found.commands[: len(part.commands)]


@given(streams(), st.data())
def test_with_bits_turned_over_it_can_still_be_studied(found: CommandStream, data: st.DataObject):
    whole = list(assemble(found, U55))
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(whole) - 1))
        whole[at] ^= 1 << data.draw(st.integers(0, 31))
    read = disassemble(whole)
    study(part_of(read), TARGET)
    if read.problem is None:
        assert disassemble(assemble(read, U55)).commands == read.commands


def test_an_empty_stream_ends_at_once():
    assert disassemble(assemble(stream(), U55)).commands == (Stop(),)
