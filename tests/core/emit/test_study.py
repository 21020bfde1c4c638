"""What is estimated for the commands of a stream."""

from __future__ import annotations

import pytest

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.geometry import Block, Kernel, Shape4
from core.cost.cycles import OpCycles
from core.cost.formulas import operator_cycles
from core.cost.rates import Rates
from core.emit.study import study
from core.emit.work import work_of
from core.ir.program import ActivationUse, DmaPlace, DmaTransfer, Job
from core.target.resolve import resolve
from core.target.shram import Accumulator
from core.target.target import Area
from core.target.throughput import Arithmetic, Finish
from core.target.unit import Unit
from tests.core.emit.programs import part_of
from tests.core.emit.streams import U65, flat, pool, stream

TARGET = resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram_384KB")
SHAPE = Shape4(1, 8, 8, 16)
COPY = pool(flat(SHAPE, 0), flat(SHAPE, 2048, region=2))


def test_an_operation_is_costed_where_its_maps_are():
    part = part_of(stream(COPY), U65)
    work = work_of(TARGET, part.regions, COPY)
    assert work is not None
    assert (work.ifm.area, work.ofm.area) == (Area.DRAM, Area.SRAM)
    assert (work.unit, work.arithmetic, work.finish) == (
        Unit.POOLING,
        Arithmetic.OTHER,
        Finish.NONE,
    )
    found = study(part, TARGET)
    assert found.cycles[0] == operator_cycles(Rates.of(TARGET), work)
    assert found.npu_cycles == found.cycles[0].cycles


@pytest.mark.parametrize(
    ("job", "unit", "arithmetic"),
    [
        (Job.MAX_POOL, Unit.POOLING, Arithmetic.MAXIMUM),
        (Job.REDUCE_SUM, Unit.REDUCE_SUM, Arithmetic.OTHER),
        (Job.ABS, Unit.ELEMENTWISE, Arithmetic.OTHER),
        (Job.CONVOLUTION, Unit.CONVOLUTION, Arithmetic.OTHER),
        (Job.DEPTHWISE, Unit.DEPTHWISE, Arithmetic.OTHER),
    ],
)
def test_each_kind_of_operation_keeps_its_part_busy(job: Job, unit: Unit, arithmetic: Arithmetic):
    work = work_of(TARGET, part_of(stream()).regions, replace(COPY, job=job))
    assert work is not None
    assert (work.unit, work.arithmetic) == (unit, arithmetic)


def test_bounds_inside_of_the_type_clamp():
    clamping = replace(COPY, activation=ActivationUse(minimum=0, maximum=127))
    work = work_of(TARGET, part_of(stream()).regions, clamping)
    assert work is not None
    assert work.finish is Finish.CLAMP


def test_sums_of_32_bits_are_costed_in_a_buffer_that_was_divided_for_40():
    given = flat(Shape4(1, 29, 31, 7), 0, dtype=DType.INT16)
    sums = replace(
        pool(given, flat(Shape4(1, 15, 16, 16), 1 << 14, dtype=DType.INT16)),
        job=Job.CONVOLUTION,
        kernel=Kernel(h=3, w=3, stride_h=2, stride_w=2),
        is_part_kernel=True,
        block=Block(3, 16, 24),
        accumulator=Accumulator.ACC32,
    )
    work = work_of(resolve("ethos-u55-128"), part_of(stream()).regions, sums)
    assert work is not None
    assert work.block.accumulator is Accumulator.ACC32


def test_a_block_that_the_hardware_does_not_have_is_not_costed():
    odd = replace(COPY, block=Block(3, 5, 7))
    found = study(part_of(stream(odd)), TARGET)
    assert found.cycles == (None, None)
    assert found.npu_cycles == 0


def test_transfers_are_costed_by_the_slower_end():
    load = DmaTransfer(source=DmaPlace(1, 0), destination=DmaPlace(2, 0), size_bytes=4096)
    table = replace(load, destination=DmaPlace(1, 0, is_internal=True))
    found = study(part_of(stream(load, table)), TARGET)
    rates = Rates.of(TARGET)
    assert found.cycles[:2] == (
        rates.copy_cycles(Area.DRAM, Area.SRAM, 4096),
        rates.table_cycles(Area.DRAM, 4096),
    )
    assert found.dma_cycles == sum(found.cycles[:2])


def test_an_unknown_accelerator_has_no_estimates():
    found = study(part_of(stream(COPY)), None)
    assert found.cycles == (None, None)
    assert not any(isinstance(item, OpCycles) for item in found.cycles)


def test_regions_are_counted_by_what_commands_touch():
    found = dict(study(part_of(stream(COPY, COPY)), TARGET).traffic)
    assert (found[1].reads, found[1].writes, found[1].reach_bytes) == (2, 0, 1024)
    assert (found[2].reads, found[2].writes, found[2].reach_bytes) == (0, 2, 3072)
