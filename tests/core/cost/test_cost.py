"""What must hold for every price, whoever computes it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.frozen import replace
from core.base.geometry import Block, Kernel, Shape4
from core.cost.accesses import accesses
from core.cost.block_parts import MicroBlocks, _stall_cycles, refined_arithmetic
from core.cost.bursts import BURSTS
from core.cost.cycles import macs
from core.cost.ecosystem.estimate import ECOSYSTEM
from core.cost.formulas import operator_cycles
from core.cost.model import CostModel
from core.cost.operators import network_cost, operator_cost
from core.cost.price import OURS
from core.cost.rates import Rate, Rates, transfer_cycles
from core.cost.work import Step, Table, WeightBuffer, WeightUse
from core.ir.cost import Bound, Direction, Limit, Purpose
from core.target.format import Format
from core.target.registry import accelerator_named
from core.target.shram import Accumulator
from core.target.target import Area
from core.target.throughput import Arithmetic, Finish
from core.target.unit import Unit
from tests.core.cost.works import U55, U65, addition, convolution, fm, work

RATES = Rates.of(U55)
SIZES = st.integers(1, 100_000)


@given(SIZES, st.sampled_from((0.5, 1.0, 3.75, 16.0)), st.sampled_from((1.0, 8.0, 16.0)))
def test_a_transfer_takes_as_long_as_its_slower_side(size, source, destination):
    ends = Rate(bytes_per_cycle=source), Rate(bytes_per_cycle=destination)
    assert transfer_cycles(*ends, size) == math.floor(size / min(source, destination))


def test_only_the_source_of_a_transfer_is_waited_for():
    slow = Rate(bytes_per_cycle=8.0, read_latency_cycles=500, write_latency_cycles=250)
    fast = Rate(bytes_per_cycle=8.0)
    assert transfer_cycles(slow, fast, 800) == 600
    assert transfer_cycles(fast, slow, 800) == 100


@given(
    st.sampled_from(Format),
    st.sampled_from((8, 16, 32)),
    st.tuples(st.integers(1, 32), st.integers(1, 64), st.integers(1, 128)),
    SIZES,
)
def test_bursts_never_move_less_than_is_asked_for(order, bits, block, size):
    rate = RATES.areas[Area.OFF_CHIP_FLASH]
    use = fm(Shape4(1, 40, 40, 40), bits, Area.OFF_CHIP_FLASH, order)
    for run in (BURSTS.read(use, Block(*block)), BURSTS.write(use, Block(*block), 1)):
        assert size <= rate.busy_bytes(size, run) <= size * rate.burst_bytes


def test_a_deep_linear_block_is_read_in_whole_bursts():
    rate, use = RATES.areas[Area.SRAM], fm(Shape4(1, 8, 8, 64), order=Format.LINEAR)
    assert rate.busy_bytes(1000, BURSTS.read(use, Block(4, 4, 32))) == 1000
    assert rate.busy_bytes(1000, BURSTS.read(use, Block(4, 4, 8))) == 4000


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 9), st.integers(1, 9))
def test_macs_are_those_of_the_sum_that_a_convolution_is(rows, columns, depth, channels):
    shape, made = Shape4(1, rows, columns, depth), Shape4(1, rows, columns, channels)
    done = work(U55, Unit.CONVOLUTION, fm(shape), fm(made), kernel=Kernel(h=2, w=3))
    terms = sum(1 for _ in range(rows * columns * channels) for _ in range(2 * 3 * depth))
    assert macs(done) == terms


def test_no_operator_is_faster_than_its_macs():
    for target in (U55, U65):
        done = convolution(target, 64)
        cost = operator_cycles(Rates.of(target), done)
        per_cycle = target.accelerator.macs * target.accelerator.cores
        assert cost.cycles * per_cycle >= cost.macs


def test_what_limits_a_convolution():
    def limit(done, rates=RATES):
        return operator_cycles(rates, done).limit

    deep = convolution(depth=128)
    assert limit(deep) is Limit.MACS
    assert limit(work(U55, Unit.CONVOLUTION, *[fm(Shape4(1, 32, 32, 32))] * 2)) is Limit.OUTPUT
    one = fm(Shape4(1, 1, 1, 256))
    dense = work(U55, Unit.VECTOR_PRODUCT, one, one)
    assert limit(dense) is Limit.WEIGHTS
    far = replace(RATES.areas[Area.SRAM], read_latency_cycles=1_000_000)
    slow = replace(RATES, areas={**RATES.areas, Area.SRAM: far})
    assert limit(replace(deep, constants=None), slow) is Limit.START
    assert limit(deep, slow) is Limit.SCALES


def test_wide_accumulators_slow_down_what_sums_but_no_element_wise_operator():
    def arithmetic(done):
        assert done.block.accumulator is Accumulator.ACC40
        return refined_arithmetic(done)

    use = fm(Shape4(1, 16, 16, 24), bits=16)
    assert arithmetic(work(U55, Unit.CONVOLUTION, use, use)) is Arithmetic.MULTIPLY
    added = work(U55, Unit.ELEMENTWISE, use, use, ifm2=use, arithmetic=Arithmetic.ADD)
    assert arithmetic(added) is Arithmetic.ADD


@pytest.mark.parametrize(("depths", "lost"), [(1, 0), (2, 2 * 7), (3, 3 * 7)])
def test_32_macs_stall_in_each_of_several_depths_of_a_thin_block(depths, lost):
    narrow = accelerator_named("ethos-u55-32")
    use = fm(Shape4(1, 16, 16, 24), bits=16)
    done = work(U55, Unit.CONVOLUTION, use, use)
    micro = MicroBlocks(
        rows=1,
        columns=2,
        depths=depths,
        unit=done.block.ofm_ublock,
        block=done.block.ofm_block,
        weight_cycles=1,
    )
    assert _stall_cycles(narrow, done, micro, steps=9) == lost
    assert _stall_cycles(narrow, done, replace(micro, rows=2), steps=9) == 0
    assert _stall_cycles(U55.accelerator, done, micro, steps=9) == 0


@pytest.mark.parametrize(("depths", "lost"), [(1, 9 * 2), (3, 8 * 3 * 2)])
def test_a_single_micro_block_stalls_in_each_step(depths, lost):
    use = fm(Shape4(1, 16, 16, 24), bits=16)
    done = work(U55, Unit.CONVOLUTION, use, use)
    one = MicroBlocks(
        rows=1,
        columns=1,
        depths=depths,
        unit=done.block.ofm_ublock,
        block=done.block.ofm_block,
        weight_cycles=1,
    )
    assert _stall_cycles(U55.accelerator, done, one, steps=9) == lost


def test_a_table_or_a_clamp_never_makes_an_operator_faster():
    for done in (convolution(), addition(), addition(arithmetic=Arithmetic.OTHER)):
        plain, *finished = (
            operator_cycles(RATES, replace(done, finish=finish)).cycles for finish in Finish
        )
        assert all(cycles >= plain for cycles in finished)


def test_a_copy_costs_nothing_inside_a_memory():
    use = fm(Shape4(1, 8, 8, 8))
    done = work(U65, Unit.DMA, use, use)
    assert operator_cost(OURS, Rates.of(U65), Step(work=done, copied_bytes=512)).total_cycles == 0
    far = replace(done, ifm=replace(use, area=Area.DRAM))
    rates = Rates.of(U65)
    cost = operator_cost(OURS, rates, Step(work=far, copied_bytes=512))
    assert cost.npu_cycles == rates.copy_cycles(Area.DRAM, Area.SRAM, 512) > 500
    assert {(part.area, part.direction, part.size_bytes) for part in cost.traffic} == {
        (Area.DRAM, Direction.READ, 512),
        (Area.SRAM, Direction.WRITE, 512),
    }


def test_an_element_wise_operator_reads_and_writes_each_element_once():
    stored = 16 * 16 * 32  # 24 channels take two bricks
    moved = accesses(U55.accelerator, addition())
    assert (moved.ifm, moved.ifm2, moved.ofm) == (stored, stored, stored)


@pytest.mark.parametrize(("bits", "read"), [(8, 0), (16, 16)])
def test_a_scalar_of_one_byte_is_part_of_the_command(bits, read):
    scalar = fm(Shape4(), bits)
    moved = accesses(U55.accelerator, replace(addition(), ifm2=scalar))
    assert moved.ifm2 == read
    first = accesses(U55.accelerator, replace(addition(), ifm=scalar))
    assert (first.ifm, first.ifm2) == (read, moved.ifm)


def weights(**changes):
    use = WeightUse(
        area=Area.OFF_CHIP_FLASH, stream_bytes=9536, elements=9216, scale_bytes=10, buffer=None
    )
    return replace(use, **changes)


def buffer(**changes):
    held = WeightBuffer(
        area=Area.SRAM, is_double=False, first_bytes=9536, whole_cycles=9600, last_slice_cycles=0
    )
    return replace(held, **changes)


def npu_cycles(step):
    return operator_cost(OURS, RATES, step).npu_cycles


def test_a_single_buffer_is_filled_before_the_operator_runs():
    own = operator_cycles(RATES, convolution()).cycles
    step = Step(work=convolution(), weights=weights(buffer=buffer()))
    assert npu_cycles(step) == own + 9600
    assert npu_cycles(replace(step, slack_cycles=1000)) == own + 8600
    first = RATES.copy_cycles(Area.OFF_CHIP_FLASH, Area.SRAM, 9536)
    assert npu_cycles(replace(step, slack_cycles=10**6)) == own + 9600 - first


def test_a_double_buffer_is_filled_while_the_operator_runs():
    own = operator_cycles(RATES, convolution()).cycles
    held = buffer(is_double=True, first_bytes=16, whole_cycles=100, last_slice_cycles=0)
    step = Step(work=convolution(), weights=weights(buffer=held))
    assert npu_cycles(step) == own + RATES.copy_cycles(Area.OFF_CHIP_FLASH, Area.SRAM, 16)
    assert npu_cycles(replace(step, slack_cycles=10**6)) == own
    long = weights(buffer=replace(held, whole_cycles=10**6, last_slice_cycles=7))
    assert npu_cycles(replace(step, weights=long)) == 10**6 + 7


def test_a_table_is_loaded_under_the_operator_before():
    step = Step(work=addition(), table=Table(area=Area.OFF_CHIP_FLASH, size_bytes=256))
    own = operator_cycles(RATES, addition()).cycles
    loading = RATES.table_cycles(Area.OFF_CHIP_FLASH, 256)
    assert npu_cycles(step) == own + loading
    assert npu_cycles(replace(step, slack_cycles=loading)) == own


@pytest.mark.parametrize("price", [OURS, ECOSYSTEM])
def test_buffered_weights_are_read_twice_and_only_the_ecosystem_finds_the_second_time_free(price):
    def of(step, purpose):
        found = [p for p in operator_cost(price, RATES, step).traffic if p.purpose is purpose]
        return sum(p.size_bytes for p in found), sum(p.busy_bytes for p in found)

    direct = Step(work=convolution(), weights=weights())
    buffered = replace(direct, weights=weights(buffer=buffer()))
    size, busy = of(direct, Purpose.WEIGHTS)
    assert size == busy > 0
    # What DMA brings is counted with its cycles, by either.
    assert of(buffered, Purpose.WEIGHTS) == (size + 2 * 9536, 0 if price is ECOSYSTEM else size)


def test_the_slowest_part_bounds_an_operator():
    near = operator_cost(OURS, RATES, Step(work=convolution()))
    assert near.bound is Bound.NPU
    assert near.total_cycles == near.npu_cycles
    constant = fm(Shape4(1, 16, 16, 24), area=Area.OFF_CHIP_FLASH)
    far = operator_cost(OURS, RATES, Step(work=replace(addition(), ifm2=constant)))
    assert far.bound is Bound.OFF_CHIP_FLASH
    assert far.total_cycles == far.off_chip_flash_cycles == max(far.parts)


def test_a_network_costs_what_its_operators_cost():
    costs = [operator_cost(OURS, RATES, Step(work=done)) for done in (convolution(), addition())]
    total = network_cost(RATES, costs)
    assert total.macs == costs[0].macs
    assert total.total_cycles == sum(cost.total_cycles for cost in costs)
    assert total.moved_bytes(Area.SRAM) == sum(p.size_bytes for c in costs for p in c.traffic)
    assert total.moved_bytes(Area.DRAM) == 0
    assert sum(count for _, count in total.bounds) == 2
    assert total.seconds == total.total_cycles / 500e6
    assert 0 < total.utilisation < 1


def test_a_network_that_does_nothing_costs_nothing():
    total = network_cost(RATES, [])
    assert (total.total_cycles, total.utilisation, total.traffic) == (0, 0, ())
    assert math.isinf(total.inferences_per_second)


def test_a_model_says_what_the_functions_say_and_remembers_it():
    model, done = CostModel(U55), convolution()
    assert model.cycles(done) == operator_cycles(RATES, done)
    assert model.accesses(done) == accesses(U55.accelerator, done)
    assert model.cycles(convolution()) is model.cycles(done)
