"""Instruction sets: complete, without contradictions, and missed in one clear sentence."""

from __future__ import annotations

from itertools import combinations

import pytest

from core.base.errors import InputError, OptionError
from core.base.frozen import replace
from core.emit.instructions.instruction_set import (
    ADDRESS_BITS,
    WIDE,
    Bits,
    Coded,
    InstructionSet,
    Reg,
)
from core.emit.instructions.known import INSTRUCTION_SETS, instructions_for, instructions_of
from core.emit.open import open_program
from core.emit.payload import write_payload
from core.ir.options import Options
from core.ir.program import Architecture
from core.pipeline import run
from core.target.registry import ACCELERATORS
from core.target.resolve import resolve
from core.tflite.writer import write
from tests.core.emit.programs import compiled
from tests.core.emit.streams import U55, assemble, stream

LATER = Architecture(2, 0, 0)
REFUSED = "architecture 2.0.0, whose instruction set is not known here"
every_set = pytest.mark.parametrize("known", INSTRUCTION_SETS.values())


def parts(known: InstructionSet) -> list[Bits]:
    return [part.bits if isinstance(part, Coded) else part for part in known.parts]


def values(known: InstructionSet) -> list[object]:
    """What an instruction set and the groups in it have."""
    own = [getattr(known, name) for name in InstructionSet.__slots__]
    groups = (known.ifm, known.ifm2, known.ofm, known.stride, known.broadcast)
    return [*own, *(value for group in groups for value in group)]


@every_set
def test_each_command_has_a_code_of_its_own(known: InstructionSet):
    assert len(known.names) == len(known.codes)
    assert len(known.job_codes) == len(known.jobs)
    assert {launch for launch, _ in known.jobs} <= known.codes.keys()


@every_set
def test_parts_of_a_register_do_not_overlap(known: InstructionSet):
    for one, other in combinations(parts(known), 2):
        assert one.reg is not other.reg or not one.mask & other.mask


@every_set
def test_numbers_have_room_in_their_parts(known: InstructionSet):
    for value in known.parts:
        if isinstance(value, Coded):
            assert max(value.values) < 1 << value.bits.width
            assert len(value.placed) == len(value.values)


@every_set
def test_each_command_holds_one_number_or_has_parts(known: InstructionSet):
    in_parts = {part.reg for part in parts(known)}
    assert not in_parts & known.widths.keys()
    assert in_parts | known.widths.keys() == known.codes.keys()


@every_set
def test_what_is_named_has_room_in_its_command(known: InstructionSet):
    for name, mask in known.named.items():
        assert mask < 1 << (ADDRESS_BITS if known.codes[name] & WIDE else 16)


@every_set
def test_what_is_named_is_there(known: InstructionSet):
    named = [value for value in values(known) if isinstance(value, Reg)]
    assert all(known.has(reg) for reg in (*named, *(part.reg for part in parts(known))))


@pytest.mark.parametrize("name", sorted(ACCELERATORS))
def test_every_accelerator_can_be_written_for(name: str):
    family = ACCELERATORS[name].family
    assert instructions_for(family).architecture == family.product.architecture[0]


def test_nobody_writes_for_an_architecture_that_is_not_known():
    family = ACCELERATORS["ethos-u55-128"].family
    product = replace(family.product, title="Ethos-X9", architecture=(9, 0, 0))
    with pytest.raises(OptionError) as caught:
        instructions_for(replace(family, product=product))
    assert str(caught.value) == (
        "cannot write commands for Ethos-X9: its instruction set is not known here"
    )


def test_a_stream_for_an_architecture_that_is_not_known_is_not_read_as_another():
    network = compiled(write_payload(U55, LATER, assemble(stream(), U55)))
    with pytest.raises(InputError, match=REFUSED):
        open_program(network)
    with pytest.raises(InputError, match=REFUSED):
        run.run(write(network), resolve("ethos-u55-128"), Options())
    with pytest.raises(InputError, match=REFUSED):
        instructions_of(LATER)
