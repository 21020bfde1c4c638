"""What operations have in common is worked out once for all that differ in addresses alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.errors import InputError
from core.base.frozen import replace
from core.base.geometry import Shape4
from core.emit import decode, study, words
from core.emit.instructions.first_architecture import FIRST_ARCHITECTURE
from core.emit.instructions.instruction_set import Reg
from core.emit.state import Registers
from core.emit.unplaced import NO_FORM, FormReader, forms_of
from core.ir.program import (
    AddressRange,
    CommandStream,
    Engine,
    Job,
    MapUse,
    NpuOperation,
    ScalarUse,
    Wait,
)
from core.target.resolve import resolve
from tests.core.emit.programs import part_of
from tests.core.emit.streams import (
    U55,
    assemble,
    disassemble,
    flat,
    operations,
    pool,
    repeating,
    rows,
    stream,
    writes,
)

SHAPE = Shape4(1, 64, 4, 8)
TARGET = resolve("ethos-u55-128", None, "Shared_Sram")


def unplaced(use: MapUse | ScalarUse | None) -> MapUse | ScalarUse | None:
    return replace(use, bases=(0, 0, 0, 0)) if isinstance(use, MapUse) else use


def without_places(op: NpuOperation) -> NpuOperation:
    return replace(
        op,
        ifm=unplaced(op.ifm),
        ofm=unplaced(op.ofm),
        ifm2=unplaced(op.ifm2),
        weights=tuple(AddressRange(each.region, 0, 0) for each in op.weights),
        scales=tuple(AddressRange(each.region, 0, 0) for each in op.scales),
    )


@given(repeating())
def test_operations_are_read_at_their_own_addresses(found: CommandStream):
    assert disassemble(assemble(found, U55)) == found


def told(read: Callable[[Registers, Job], NpuOperation], registers: Registers, job: Job) -> object:
    """What is read, or why it cannot be."""
    try:
        return read(registers, job)
    except InputError as error:
        return error.message


@given(operations(), st.integers(0, 15))
def test_each_register_has_its_effect_on_what_has_been_read_before(op: NpuOperation, bit: int):
    registers, reader = Registers(FIRST_ARCHITECTURE), FormReader()
    for write in writes(assemble(stream(op), U55)):
        if isinstance(write.name, Reg):
            registers.write(write.name, write.value)
    assert reader.operation(registers, op.job) == op
    for reg in Reg:
        held = registers.get(reg)
        if words.unknown_in(reg, held ^ 1 << bit, FIRST_ARCHITECTURE) is not None:
            continue
        registers.write(reg, held ^ 1 << bit)
        expected = told(decode.operation, registers, op.job)
        assert told(reader.operation, registers, op.job) == expected
        registers.write(reg, held)


@given(repeating())
def test_forms_are_equal_where_all_but_places_are(found: CommandStream):
    forms = forms_of(found)
    for at, one in enumerate(found.commands):
        if not isinstance(one, NpuOperation):
            assert forms.of[at] == NO_FORM
            continue
        assert without_places(forms.examples[forms.of[at]]) == without_places(one)
    alike = {without_places(example) for example in forms.examples}
    assert len(alike) == len(forms.examples)


@pytest.fixture
def calls(monkeypatch) -> list[str]:
    """What has been worked out so far, each time by name."""
    found: list[str] = []

    def count(module, name: str) -> None:
        original: Callable = getattr(module, name)

        def counted(*args):
            found.append(name)
            return original(*args)

        monkeypatch.setattr(module, name, counted)

    count(decode, "operation")
    count(study, "work_of")
    return found


def test_many_stripes_cost_no_more_work_than_few(calls: list[str]):
    one, other = flat(SHAPE, 0), flat(SHAPE, 4096)
    stripes = [pool(rows(one, row, 1), rows(other, row, 1)) for row in range(SHAPE.h)]
    found = stream(*stripes, Wait(engine=Engine.KERNEL, outstanding=0))
    study.study(part_of(disassemble(assemble(found, U55))), TARGET)
    assert calls == ["operation", "work_of"]
