"""No bit of a stream is passed over: it is kept, or the stream is refused where it stands."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.dtype import DType
from core.base.errors import InputError
from core.base.fixedpoint import Multiplier
from core.base.frozen import replace
from core.base.geometry import Shape4
from core.emit import words
from core.emit.instructions.first_architecture import FIRST_ARCHITECTURE
from core.emit.instructions.instruction_set import CODE_MASK, WIDE, Launch, Reg
from core.ir.npugraph import Rounding
from core.ir.program import (
    AddressRange,
    CommandStream,
    CountEvents,
    DmaPlace,
    DmaRepeat,
    DmaTransfer,
    Engine,
    Interrupt,
    Job,
    NpuOperation,
    OperandScaling,
    ScalarUse,
    Wait,
)
from tests.core.emit.streams import (
    U65,
    assemble,
    disassemble,
    flat,
    operations,
    pool,
    raw,
    stream,
    transfers,
    writes,
)

CODES = FIRST_ARCHITECTURE.codes
SHAPE = Shape4(1, 4, 4, 8)
PLAIN = pool(flat(SHAPE, 0), flat(SHAPE, 128))
RANGES = (AddressRange(0, 0, 64), AddressRange(0, 64, 64))
SUM = replace(
    PLAIN,
    job=Job.ADD,
    ifm2=flat(SHAPE, 256),
    ifm_scales=(Multiplier(1 << 30, 31), Multiplier(0, 0)),
    operand_scaling=OperandScaling.FIRST,
    operand_rounding=Rounding.NATURAL,
    buffer=PLAIN.buffer and PLAIN.buffer._replace(ifm2_start=6),
)
COMMANDS = (
    PLAIN,
    replace(PLAIN, job=Job.CONVOLUTION, weights=RANGES, cores=2),
    replace(
        PLAIN,
        job=Job.DEPTHWISE,
        weights=RANGES,
        scales=RANGES,
        cores=2,
        has_global_scale=False,
        ofm_scale=None,
    ),
    SUM,
    replace(PLAIN, job=Job.MUL, ifm2=ScalarUse(value=3, dtype=DType.INT8, zero_point=0)),
    DmaTransfer(
        source=DmaPlace(0, 64),
        destination=DmaPlace(3, 64, is_internal=True),
        size_bytes=16,
        repeats=(DmaRepeat(2, -16), DmaRepeat(3, 16)),
    ),
    Wait(engine=Engine.KERNEL, outstanding=1),
    Wait(engine=Engine.DMA, outstanding=1),
    Interrupt(mask=1),
    CountEvents(enabled=1),
)
EXAMPLES = tuple(stream(command) for command in COMMANDS)
"""Together they have all registers and launches."""


def bits_of(name: Reg | Launch) -> range:
    """All bits that a command has room for beside its code."""
    return range(48 if CODES[name] & WIDE else 16)


def names_bit(reason: str, bit: int) -> bool:
    """Whether a sentence has a bit by its number."""
    _, _, part = reason.partition("the meaning of ")
    numbers = part.replace(",", " ").split()
    return (
        "bit" in part and str(bit) in numbers[numbers.index("bits" if "bits" in part else "bit") :]
    )


def is_kept_or_refused(name: Reg | Launch, value: int, bit: int) -> bool:
    found = raw(name, value)
    try:
        (write,) = words.decode(found, FIRST_ARCHITECTURE)
    except InputError as error:
        return name.name in error.message and names_bit(error.message, bit)
    return words.encode(write.name, write.value, FIRST_ARCHITECTURE) == found


@pytest.mark.parametrize("name", CODES)
def test_each_bit_of_a_command_is_the_same_again_or_is_refused_by_name(name: Reg | Launch):
    assert all(is_kept_or_refused(name, 1 << bit, bit) for bit in bits_of(name))


@pytest.mark.parametrize("name", CODES)
@settings(max_examples=25)
@given(data=st.data())
def test_so_is_each_bit_beside_others(name: Reg | Launch, data: st.DataObject):
    """Several values for each example: to begin one takes longer than to try them."""
    allowed = FIRST_ARCHITECTURE.named[name]
    for drawn in data.draw(st.tuples(*[st.integers(0, allowed)] * 4)):
        value = drawn & allowed
        if words.unknown_in(name, value, FIRST_ARCHITECTURE) is None:
            assert all(is_kept_or_refused(name, value ^ 1 << bit, bit) for bit in bits_of(name))


@pytest.mark.parametrize("name", CODES)
def test_bits_beside_a_code_are_refused_by_name(name: Reg | Launch):
    for bit in range(16):
        if not CODE_MASK >> bit & 1:
            with pytest.raises(InputError) as caught:
                list(words.decode(raw(name, 0, CODES[name] | 1 << bit), FIRST_ARCHITECTURE))
            assert name.name in caught.value.message
            assert names_bit(caught.value.message, bit)


@pytest.mark.parametrize("reg", sorted(FIRST_ARCHITECTURE.steps))
def test_a_negative_step_may_have_as_many_bits_as_there_is_room(reg: Reg):
    for step in (-1, -16, -(1 << 39)):
        (write,) = words.decode(raw(reg, step & (1 << 48) - 1), FIRST_ARCHITECTURE)
        assert words.encode(reg, write.value, FIRST_ARCHITECTURE) == words.encode(
            reg, step, FIRST_ARCHITECTURE
        )


def test_the_examples_have_all_commands():
    found = {write.name for example in EXAMPLES for write in writes(assemble(example, U65))}
    assert found == CODES.keys()


def check_with_flipped(whole: tuple[int, ...], write: words.Write, bit: int) -> None:
    """What is read has the bit, or the stream is refused in a sentence about registers."""
    value, after = write.value ^ 1 << bit, write.word + len(raw(write.name, 0))
    changed = raw(write.name, value)
    read = disassemble((*whole[: write.word], *changed, *whole[after:]))
    if read.problem is None:
        again = [(each.name, each.value) for each in writes(assemble(read, U65))]
        assert (write.name, value) in again, (write, bit)
    elif words.unknown_in(write.name, value, FIRST_ARCHITECTURE) is not None:
        assert read.problem.word == write.word
        assert names_bit(read.problem.reason, bit)
    else:
        # It contradicts another register, or needs one that has not been set.
        assert any(reg.name in read.problem.reason for reg in Reg), read.problem


@pytest.mark.parametrize("example", EXAMPLES)
def test_no_bit_of_a_stream_is_lost(example: CommandStream):
    whole = assemble(example, U65)
    for write in writes(whole):
        for bit in bits_of(write.name):
            check_with_flipped(whole, write, bit)


@given(st.one_of(operations(cores=2), transfers), st.data())
def test_no_bit_of_any_command_is_lost(command: NpuOperation | DmaTransfer, data: st.DataObject):
    whole = assemble(stream(command), U65)
    write = data.draw(st.sampled_from(writes(whole)))
    check_with_flipped(whole, write, data.draw(st.sampled_from(bits_of(write.name))))


def test_what_scales_16_bits_has_no_more_of_them():
    plain = replace(SUM, operand_scaling=OperandScaling.BOTH)
    problem = disassemble(assemble(stream(plain), U65)).problem
    assert problem is not None
    assert problem.reason == "OPA_SCALE is 0x1f40000000, of which only bits 0 to 15 scale 16 bits"
