"""The price against what was measured, for ever: of whole programs, and of what ports move.

Each correction of the ecosystem's estimate has a test of its own below: without it, the programs
that showed it are told falsely.
"""

from __future__ import annotations

import math

import pytest

from core.api import schedules
from core.base.frozen import replace
from core.base.geometry import Block, Kernel, Shape4
from core.cost.bursts import BURSTS
from core.cost.clock import Told, Turn, clock
from core.cost.ecosystem.estimate import ECOSYSTEM
from core.cost.formulas import operator_cycles
from core.cost.price import OURS
from core.cost.rates import Rates
from core.cost.spent import operation_told
from core.ir.cost import Direction, Purpose
from core.ir.options import Options
from core.target.format import Format
from core.target.resolve import resolve
from core.target.target import Area
from core.target.unit import Unit
from tests.core.cost.measured import (
    Cell,
    cells,
    cost_of,
    error,
    external_area,
    groups,
    mean_error,
    priced,
)
from tests.core.cost.works import U55, U65, fm, operation_spent, work
from tests.shared import need

MOST_MEAN_ERROR = {"ethos-u55": 0.03, "ethos-u65": 0.12}
MOST_TRAFFIC_ERROR = 0.08

CELLS = cells()
COUNTED = [cell for cell in CELLS if cell.external_bytes_per_cycle is not None]
RATES = Rates.of(U55)


@pytest.fixture(autouse=True)
def _material():
    need("measured/cells.csv")


@pytest.mark.parametrize("is_timed", [True, False], ids=["timed", "ideal"])
@pytest.mark.parametrize("family", MOST_MEAN_ERROR)
def test_the_mean_error_of_the_price(family, is_timed):
    some = groups(CELLS)[family, is_timed]
    assert mean_error(some) <= MOST_MEAN_ERROR[family], [f"{c}: {error(c):+.3f}" for c in some]


MOST_ERROR_ON_TWO_CORES = 0.05


@pytest.mark.parametrize("network", ["kws_micronet_m", "rnnoise_INT8", "ad_medium_int8"])
def test_two_cores_with_ideal_memory_take_what_their_operators_do(network):
    """G: a network of depthwise operators, one of small element-wise ones, one of wide layers. The
    element-wise ones take 33 % too little without the cycles of commands, and 1.5 % without depths
    in which one core waits for the other; of the others, both are within 1 %."""
    (cell,) = (
        each
        for each in groups(CELLS)["ethos-u65", False]
        if each.program == f"{network}__ethos-u65-512"
    )
    assert abs(error(cell)) <= MOST_ERROR_ON_TWO_CORES


def test_the_error_that_is_told_is_no_less_than_the_error_that_is_there():
    for (family, _), some in groups(CELLS).items():
        told = some[0].target.accelerator.family.estimate_error
        assert mean_error(some) <= told, family


@pytest.mark.parametrize("cell", COUNTED, ids=str)
def test_bytes_that_ports_move(cell: Cell):
    cost = priced(cell)
    for area, counted in (
        (Area.SRAM, cell.sram_bytes_per_cycle),
        (external_area(cell), cell.external_bytes_per_cycle),
    ):
        assert cost.moved_bytes(area) / cell.cycles == pytest.approx(counted, MOST_TRAFFIC_ERROR)


@pytest.mark.parametrize("cell", [cell for cell in CELLS if cell.is_timed], ids=str)
def test_no_program_that_was_measured_takes_less_than_our_own_of_its_network(cell: Cell):
    """By one price, so that what a search has learnt of its faults is none of what is won."""
    network, _, accelerator = cell.program.partition("__")
    data = need(f"measured/networks/{network}.tflite").read_bytes()
    own = schedules.schedule(data, cell.target, Options()).total.total_cycles
    is_decisive = (network, accelerator) == ("ad_medium_int8", "ethos-u55-256")
    # What was searched by a price of whole blocks and free weights was 0.88 by that one, and 1.11
    # by this.
    assert own <= (0.97 if is_decisive else 1.0) * priced(cell).total_cycles


def both(done, target=U55):
    """Cycles by the ecosystem's estimate, and by the price."""
    estimated = ECOSYSTEM.cycles(ECOSYSTEM.rates_of(target), done).cycles
    return estimated, OURS.cycles(Rates.of(target), done).cycles


def test_a_block_is_paid_for_what_it_holds():
    """A: 10 rows in blocks of 8 are 10 rows, and not 16."""
    shape = Shape4(1, 10, 16, 64)
    done = work(U55, Unit.CONVOLUTION, fm(shape), fm(shape), kernel=Kernel(h=3, w=3))
    tall, low = (
        replace(done, block=replace(done.block, ofm_block=Block(rows, 16, 16))) for rows in (10, 8)
    )
    estimated, own = zip(both(tall), both(low), strict=True)
    assert estimated[1] > 1.5 * estimated[0]
    assert own[1] == pytest.approx(own[0], 0.05)


def test_two_cores_share_the_depth_of_a_block():
    """A: of 8 channels, one core makes all, and the other waits."""
    shape = Shape4(1, 16, 16, 8)
    done = work(U65, Unit.CONVOLUTION, fm(shape), fm(shape), kernel=Kernel(h=3, w=3))
    wide = replace(done, ofm=fm(Shape4(1, 16, 16, 16)))
    (_, narrow_cycles), (_, wide_cycles) = both(done, U65), both(wide, U65)
    assert narrow_cycles == pytest.approx(wide_cycles, 0.05)


def test_weights_of_a_block_that_is_not_full_are_those_of_its_channels():
    """B: 96 channels in blocks of 128 are 96."""
    one = Shape4(1, 1, 1, 96)
    done = work(U55, Unit.VECTOR_PRODUCT, fm(one), fm(one))
    done = replace(done, block=replace(done.block, ofm_block=Block(2, 2, 64)))
    assert OURS.accesses(U55.accelerator, done).weights == 96 * 96
    assert ECOSYSTEM.accesses(U55.accelerator, done).weights == 96 * 128


def test_rows_that_two_blocks_share_are_read_twice_and_no_others():
    """B: 10 rows under a window of 3, in blocks of 8: 8 + 2 rows, and 2 of them again."""
    shape = Shape4(1, 10, 10, 16)
    done = work(U55, Unit.DEPTHWISE, fm(shape), fm(shape), kernel=Kernel(h=3, w=3))
    block = replace(done.block, ofm_block=Block(8, 10, 16), ifm_block=Block(10, 12, 16))
    assert OURS.accesses(U55.accelerator, replace(done, block=block)).ifm == 12 * 10 * 16


def test_rows_that_lie_together_are_no_bursts_of_their_own():
    """C: a map of 4 channels in rows is read as it lies in flash, not in bursts of 4 bytes."""
    use = fm(Shape4(1, 48, 48, 4), area=Area.OFF_CHIP_FLASH, order=Format.LINEAR)
    rate, block = RATES.areas[Area.OFF_CHIP_FLASH], Block(8, 48, 16)
    assert rate.busy_bytes(1000, BURSTS.read(use, block)) == 1000
    apart = ECOSYSTEM.bursts.read(use, replace_depth(block, 4))
    assert rate.busy_bytes(1000, apart) == 32_000


def replace_depth(block: Block, depth: int) -> Block:
    return block._replace(c=depth)


def test_half_the_bandwidth_of_sram_is_felt_by_buffered_weights():
    """D: ad_medium was measured to take 1.64 of its cycles then; 1.14 where they are free."""
    (cell,) = [c for c in CELLS if str(c) == "ad_medium_int8__ethos-u55-256 timed"]
    system = cell.target.system
    narrow = replace(system, axi0=replace(system.axi0, clock_scale=0.5))
    slow = cost_of(cell.program, replace(cell.target, system=narrow)).total_cycles
    assert slow == pytest.approx(1.64 * cell.cycles, 0.1)


@pytest.mark.parametrize(("before_cycles", "waits"), [(100, 400), (499, 1), (500, 0), (9000, 0)])
def test_who_reads_a_memory_far_away_waits_for_it_once(before_cycles, waits):
    """E: it asks when the one before it begins, and what that takes is all that hides the way."""
    shape = Shape4(1, 1, 1, 16)
    done = work(U65, Unit.POOLING, fm(shape, area=Area.DRAM), fm(shape))
    rates = Rates.of(U65)
    spent = operation_spent(rates, done, operator_cycles(rates, done), 0)
    before = Told(Turn.OPERATION, float(before_cycles))
    ticks = clock(U65.accelerator.family.concurrency, [before, operation_told([spent])])
    assert ticks.start[1] - ticks.free[1] == waits


def test_nothing_is_seen_of_the_way_to_a_memory_that_is_near():
    """E: a flash 64 cycles away, or SRAM."""
    shape = Shape4(1, 1, 1, 16)
    for area in (Area.OFF_CHIP_FLASH, Area.SRAM):
        done = work(U55, Unit.POOLING, fm(shape, area=area), fm(shape))
        assert operation_spent(RATES, done, operator_cycles(RATES, done), 0).latency_cycles == 0


@pytest.mark.parametrize("command_cycles", [64, 100])
@pytest.mark.parametrize("family", MOST_MEAN_ERROR)
def test_programs_took_80_cycles_a_command_where_no_memory_made_them_wait(family, command_cycles):
    some = groups(CELLS)[family, False]
    errors = []
    for cell in some:
        target = cell.target
        system = replace(target.system, command_cycles=command_cycles)
        cycles = cost_of(cell.program, replace(target, system=system)).total_cycles
        errors.append(abs(cycles / cell.cycles - 1))
    assert math.fsum(errors) / len(errors) > 1.25 * mean_error(some)


def test_reads_under_way_bound_what_a_memory_far_away_brings():
    """F: 2 reads of 64 bytes wait 64 cycles each, whatever the flash could bring."""
    slow = RATES.areas[Area.OFF_CHIP_FLASH]
    assert slow.read_bytes_per_cycle == 2 * 64 / (64 + 8)
    fast = replace(slow, bytes_per_cycle=8.0)
    assert fast.cycles(7200, 0) == pytest.approx(7200 / slow.read_bytes_per_cycle)
    assert ECOSYSTEM.rates_of(U55).areas[Area.OFF_CHIP_FLASH].cycles(7200, 0) == 7200


def test_a_target_that_does_not_say_how_many_reads_there_can_be_has_no_such_bound(tmp_path):
    ini = tmp_path / "one.ini"
    ini.write_text(
        "[System_Config.One]\ncore_clock=500e6\naxi0_port=Sram\naxi1_port=OffChipFlash\n"
        "Sram_clock_scale=1.0\nSram_burst_length=32\nSram_read_latency=32\nSram_write_latency=32\n"
        "OffChipFlash_clock_scale=0.125\nOffChipFlash_burst_length=128\n"
        "OffChipFlash_read_latency=64\nOffChipFlash_write_latency=64\n",
        encoding="utf-8",
    )
    target = resolve("ethos-u55-256", "One", "Shared_Sram", config_files=(ini,))
    rate = Rates.of(target).areas[Area.OFF_CHIP_FLASH]
    assert rate.cycles(800, 0) == rate.cycles(0, 800) == 800


def test_commands_are_read_where_constants_are():
    (cell,) = [c for c in CELLS if str(c) == "rnnoise_INT8__ethos-u55-128 timed"]
    (read,) = [part for part in priced(cell).traffic if part.purpose is Purpose.COMMANDS]
    assert (read.area, read.direction) == (Area.OFF_CHIP_FLASH, Direction.READ)
