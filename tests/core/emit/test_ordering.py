"""Waits and block dependencies: the simulator's judge has nothing to say, but of any less."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.geometry import Block, Box, Shape4
from core.emit.open import open_program
from core.emit.ordering.depth import _Aligned, _link, _Scattered
from core.emit.ordering.footprint import Lattice, footprint, lattice, meet, places
from core.emit.ordering.run import ordered
from core.emit.payload import accelerator_of
from core.ir.program import (
    ActivationUse,
    AddressRange,
    Command,
    CommandStream,
    Curve,
    DmaPlace,
    DmaRepeat,
    DmaTransfer,
    Engine,
    Job,
    MapUse,
    NpuOperation,
    ProgramPart,
    Stop,
    Strides,
    Tiles,
    Wait,
)
from core.simulate.hazards import hazards
from core.simulate.transfer import pieces_of_transfer
from core.target.accelerator import Accelerator
from core.target.format import Format
from core.target.registry import ACCELERATORS, accelerator_named
from core.tflite import reader
from tests.core.emit.sequences import LEVELS, pairs, sequences
from tests.core.emit.streams import flat, pool, rows
from tests.core.emit.test_touched import address, uses
from tests.effort import some_of
from tests.shared import files, need

U55 = accelerator_named("ethos-u55-128")
U65 = accelerator_named("ethos-u65-512")
NARROW = accelerator_named("ethos-u55-32")
"""Its tables share their banks with accumulators."""
COMPILED = files("peer/compiled/*.tflite")

AFTER_ALL = Wait(engine=Engine.KERNEL, outstanding=0)
AFTER_OLDER = Wait(engine=Engine.KERNEL, outstanding=1)
AFTER_TRANSFERS = Wait(engine=Engine.DMA, outstanding=0)


def faults(commands: tuple[Command, ...], accelerator: Accelerator = U55) -> int:
    return len(hazards(CommandStream(commands=commands), accelerator))


def bare(commands: tuple[Command, ...]) -> tuple[NpuOperation | DmaTransfer, ...]:
    """Commands without what puts them in order."""
    return tuple(
        replace(command, block_dependency=0) if isinstance(command, NpuOperation) else command
        for command in commands
        if isinstance(command, NpuOperation | DmaTransfer)
    )


def waits(commands: tuple[Command, ...]) -> list[Wait]:
    return [command for command in commands if isinstance(command, Wait)]


def depths(commands: tuple[Command, ...]) -> list[int]:
    return [item.block_dependency for item in commands if isinstance(item, NpuOperation)]


def bolder(
    commands: tuple[Command, ...], accelerator: Accelerator
) -> Iterator[tuple[Command, ...]]:
    """The same with one wait less or shorter, or with one operation a block earlier."""
    for at, command in enumerate(commands):
        before, after = commands[:at], commands[at + 1 :]
        if isinstance(command, Wait):
            yield (*before, *after)
            yield (*before, replace(command, outstanding=command.outstanding + 1), *after)
        elif isinstance(command, NpuOperation):
            depth = command.block_dependency + 1
            if depth <= accelerator.family.concurrency.blocks:
                yield (*before, replace(command, block_dependency=depth), *after)


@given(st.data(), st.sampled_from([U55, U65]))
def test_all_is_safe_and_nothing_can_be_left_out(data: st.DataObject, accelerator: Accelerator):
    commands = data.draw(sequences(accelerator))
    found = ordered(commands, accelerator)
    assert bare(found) == bare(commands)
    assert isinstance(found[-1], Stop)
    assert faults(found, accelerator) == 0
    assert all(faults(less, accelerator) for less in bolder(found, accelerator))


@settings(max_examples=some_of(250))
@given(pairs())
def test_an_operation_runs_as_far_into_the_one_before_it_as_is_safe(pair):
    _, depth = depths(ordered(pair, U55))
    commands = [(pair[0], replace(pair[1], block_dependency=bound)) for bound in range(4)]
    assert [not faults(found) for found in commands] == [bound <= depth for bound in range(4)]


@given(st.data(), st.sampled_from(tuple(ACCELERATORS.values())))
def test_every_accelerator_is_safe(data: st.DataObject, accelerator: Accelerator):
    found = ordered(data.draw(sequences(accelerator)), accelerator)
    assert faults(found, accelerator) == 0


def parts(model: Path) -> tuple[ProgramPart, ...]:
    return open_program(reader.read(need(model).read_bytes())).parts


@pytest.mark.parametrize("model", COMPILED, ids=lambda path: path.stem)
def test_no_more_waits_and_no_less_overlap_than_the_peer(model: Path):
    for part in parts(model):
        theirs, accelerator = part.stream.commands, accelerator_of(part.accelerator)
        assert accelerator is not None
        ours = ordered(bare(theirs), accelerator)
        assert faults(ours, accelerator) == 0
        assert bare(ours) == bare(theirs)
        assert len(waits(ours)) <= len(waits(theirs))
        assert all(our >= their for our, their in zip(depths(ours), depths(theirs), strict=True))


SHAPE = Shape4(1, 8, 4, 8)
SIZE = SHAPE.elements


def copy(start: int, end: int, **changes: object) -> NpuOperation:
    """An operation of four blocks of two rows."""
    return replace(pool(flat(SHAPE, start), flat(SHAPE, end)), **changes)


def bring(to: int, size: int = 64) -> DmaTransfer:
    return DmaTransfer(source=DmaPlace(0, 0), destination=DmaPlace(1, to), size_bytes=size)


def bring_table(number: int) -> DmaTransfer:
    start = U55.shared_buffer.size_bytes - 2048 + 256 * number
    place = DmaPlace(0, start, is_internal=True)
    return DmaTransfer(source=DmaPlace(0, 0), destination=place, size_bytes=256)


def looking_up(number: int) -> ActivationUse:
    return ActivationUse(minimum=-128, maximum=127, curve=Curve.TABLE, table=number)


def test_weights_are_waited_for_where_they_are_used():
    weighted = copy(0, SIZE, job=Job.DEPTHWISE, weights=(AddressRange(1, 4096, 64),))
    other = copy(2 * SIZE, 3 * SIZE)
    assert ordered([bring(4096), other, weighted], U55)[2:3] == (AFTER_TRANSFERS,)
    assert waits(ordered([bring(8192), other, weighted], U55)) == []


def test_weights_are_not_overwritten_while_they_are_read():
    weighted = copy(0, SIZE, job=Job.DEPTHWISE, weights=(AddressRange(1, 4096, 64),))
    other = copy(2 * SIZE, 3 * SIZE)
    assert waits(ordered([weighted, bring(4096)], U55)) == [AFTER_ALL]
    assert waits(ordered([weighted, other, bring(4096)], U55)) == [AFTER_OLDER]
    # No more than two operations are under way.
    assert waits(ordered([weighted, other, other, bring(4096)], U55)) == []


def test_the_older_of_two_transfers_can_be_waited_for_alone():
    weighted = copy(0, SIZE, job=Job.DEPTHWISE, weights=(AddressRange(1, 4096, 64),))
    commands = [bring(4096), bring(8192), weighted]
    older = Wait(engine=Engine.DMA, outstanding=1)
    assert waits(ordered(commands, U65)) == [older]
    # Where there is room for one transfer, the second starts when the first is done.
    assert waits(ordered(commands, U55)) == []


def test_what_an_operation_makes_is_not_moved_before_it_is_there():
    item = DmaTransfer(source=DmaPlace(1, SIZE), destination=DmaPlace(1, 8192), size_bytes=64)
    assert waits(ordered([copy(0, SIZE), item], U55)) == [AFTER_ALL]


@pytest.mark.parametrize("number", range(2))
def test_tables_are_waited_for_in_both_directions(number):
    use = copy(0, SIZE, activation=looking_up(number))
    assert waits(ordered([bring_table(number), use], U55)) == [AFTER_TRANSFERS]
    assert waits(ordered([use, bring_table(number)], U55)) == [AFTER_ALL]
    assert waits(ordered([use, bring_table(number + 1)], U55)) == []


def test_wide_tables_are_numbered_in_their_own_size():
    use = copy(0, SIZE, activation=looking_up(1))
    wide = replace(use, ofm=flat(SHAPE, SIZE, dtype=DType.INT32))
    # Number 1 of tables of 1 KiB is where number 4 of those of 256 bytes is.
    assert waits(ordered([wide, bring_table(4)], U55)) == [AFTER_ALL]
    assert waits(ordered([wide, bring_table(3)], U55)) == []


def test_where_tables_share_banks_accumulators_stay_off_them():
    start = NARROW.shared_buffer.size_bytes - 2048
    table = replace(bring_table(0), destination=DmaPlace(0, start, is_internal=True))
    use, plain = copy(0, SIZE, activation=looking_up(0)), copy(2 * SIZE, 3 * SIZE)
    assert waits(ordered([plain, table, use], NARROW)) == [AFTER_ALL, AFTER_TRANSFERS]
    assert depths(ordered([use, plain], NARROW)) == [3, 0]
    assert depths(ordered([use, use], NARROW))[1:] == [3]
    assert depths(ordered([use, plain], U55)) == [3, 3]


def test_block_dependency_counts_blocks_between_write_and_read():
    first, whole = copy(0, SIZE), copy(SIZE, 2 * SIZE)
    # Four blocks: the first reads what was made three blocks before the last.
    assert depths(ordered([first, whole], U55)) == [3, 3]
    # A second block of four rows reads the last block; a first one of six the last but one.
    higher = [replace(whole, block=Block(height, 4, 8)) for height in (4, 6, 8)]
    assert [depths(ordered([first, item], U55))[1] for item in higher] == [1, 1, 0]
    apart = copy(2 * SIZE, 3 * SIZE, block=Block(8, 4, 8))
    assert depths(ordered([first, apart], U55)) == [3, 3]


def test_only_the_operation_before_counts():
    first, other = copy(0, SIZE), copy(2 * SIZE, 3 * SIZE)
    reader_of_first = copy(SIZE, 4 * SIZE, block=Block(8, 4, 8))
    assert depths(ordered([first, reader_of_first], U55)) == [3, 0]
    assert depths(ordered([first, other, reader_of_first], U55)) == [3, 3, 3]


def test_nothing_is_left_to_depend_on_after_all_operations_were_waited_for():
    whole = copy(SIZE, 2 * SIZE, block=Block(8, 4, 8))
    item = DmaTransfer(source=DmaPlace(1, SIZE), destination=DmaPlace(1, 8192), size_bytes=64)
    found = ordered([copy(0, SIZE), item, whole], U55)
    assert waits(found) == [AFTER_ALL]
    assert depths(found) == [3, 3]


def test_a_stripe_depends_on_the_rows_that_it_reads():
    buffer = flat(SHAPE, 0)
    upper = pool(flat(SHAPE.with_hw(4, 4), 4096), rows(buffer, 0, 4))
    lower = pool(flat(SHAPE.with_hw(4, 4), 8192), rows(buffer, 4, 4))
    taker = pool(rows(buffer, 0, 4), flat(SHAPE.with_hw(4, 4), 16384))
    assert depths(ordered([upper, taker], U55))[1] == 1
    assert depths(ordered([lower, taker], U55))[1] == 3


def test_rows_of_a_tile_are_where_the_tile_starts():
    made = flat(SHAPE, SIZE)
    taken = replace(made, tiles=Tiles(2, 2, 4), bases=(SIZE, 0, SIZE + 6 * made.strides.y, 0))
    taken = replace(taken, shape=SHAPE.with_hw(4, 4))
    after = pool(taken, flat(SHAPE.with_hw(4, 4), 4096))
    # Its second block reads the rows that are made last.
    assert depths(ordered([copy(0, SIZE), after], U55)) == [3, 1]


def test_rows_may_lie_in_each_other():
    made = replace(flat(SHAPE, SIZE), strides=Strides(8, 8, 1))
    before = copy(0, SIZE, ofm=made, block=Block(2, 2, 8))
    after = pool(rows(made, 6, 2), flat(SHAPE.with_hw(2, 4), 4096))
    # Row 7, column 1, is where row 6, column 2, is.
    assert depths(ordered([before, replace(after, block=Block(2, 2, 8))], U55)) == [3, 0]


def laid_out(shape: Shape4, layout: Format) -> MapUse:
    """A map of its own, of bytes."""
    use = flat(shape, 0)
    if layout is Format.LINEAR:
        return use
    brick_row = shape.w * 16
    steps = Strides(-(-shape.c // 16) * brick_row, 16, brick_row)
    return replace(use, format=layout, strides=steps)


@pytest.mark.parametrize("layout", Format)
@given(shape=LEVELS, data=st.data())
def test_parts_of_one_map_are_compared_by_rows_and_channels(shape, layout, data):
    made = laid_out(shape.with_depth(shape.c + 16), layout)
    first, bricks = data.draw(st.integers(0, shape.h - 1)), data.draw(st.integers(0, 1))
    part = rows(made, first, shape.h - first)
    start = part.bases[0] + bricks * (16 if layout is Format.LINEAR else made.strides.c)
    part = replace(part, bases=(start, 0, 0, 0), shape=part.shape.with_depth(shape.c))
    link = _link(part, made)
    # Byte by byte takes long, and is never the same for two stripes of a cascade.
    assert link == _Aligned(part.shape, first, 16 * bricks)
    boxes = [Box(*(data.draw(parts_of(size)) for size in use.shape[1:])) for use in (part, made)]
    assert link.meets(*boxes) == _Scattered(part, made).meets(*boxes)


def test_a_column_of_single_bytes_is_compared_by_rows():
    column = flat(Shape4(1, 8, 1, 1), 0)
    assert _link(rows(column, 3, 2), column) == _Aligned(Shape4(1, 2, 1, 1), 3, 0)


def test_a_part_that_begins_beside_a_brick_is_compared_byte_by_byte():
    made = laid_out(Shape4(1, 8, 4, 32), Format.BRICKS)
    for shift in (8, 16):
        part = replace(made, bases=(shift, 0, 0, 0), shape=Shape4(1, 8, 3, 8))
        assert _link(part, made) == _Scattered(part, made)


def test_convolutions_take_input_channels_in_turn():
    deep = Shape4(1, 1, 1, 64)

    def depth(dtype: DType, **changes: object) -> int:
        made = flat(deep, 0, dtype=dtype)
        before = replace(pool(flat(deep, 512), made), block=Block(1, 1, 16))
        after = replace(pool(made, flat(deep, 1024)), block=Block(1, 1, 64), **changes)
        return depths(ordered([before, after], U55))[1]

    # Four blocks of 16 channels: the second step of 32 channels reads the last two.
    assert depth(DType.INT8, job=Job.CONVOLUTION) == 1
    assert depth(DType.INT8, job=Job.CONVOLUTION, is_part_kernel=True) == 3
    assert depth(DType.INT16, job=Job.CONVOLUTION) == 3
    assert depth(DType.INT8) == 0


@settings(max_examples=some_of(200))
@given(uses(), st.data())
def test_places_have_every_byte_of_a_part(use: MapUse, data: st.DataObject):
    use = replace(use, shape=use.shape.with_depth(data.draw(st.integers(1, 90))))
    box = Box(*(data.draw(parts_of(size)) for size in use.shape[1:]))
    wanted = {
        address(use, y, x, c)[1] + byte
        for y, x, c in itertools.product(*box)
        for byte in range(use.dtype.size_bytes)
    }
    found = [place.bytes for place in places(use, box)]
    assert set().union(*map(members, found)) == wanted
    assert places(use, box._replace(rows=range(0))) == []


@st.composite
def parts_of(draw, size: int) -> range:
    """Not empty, and more often long than short."""
    start, left_out = draw(st.integers(0, size - 1)), draw(st.integers(0, size // 3))
    return range(start, max(size - left_out, start + 1))


REPEATS = st.lists(st.builds(DmaRepeat, st.integers(1, 3), st.integers(-5, 5)), max_size=2)


@given(st.integers(1, 6), REPEATS.map(tuple))
def test_transfers_read_every_piece(size: int, repeats: tuple[DmaRepeat, ...]):
    item = replace(bring(500, size), source=DmaPlace(0, 100), repeats=repeats)
    (read,), (write,) = footprint(item, U55)
    pieces = [piece.address for piece in pieces_of_transfer(item)]
    assert members(read.bytes) == {start + byte for start in pieces for byte in range(size)}
    assert members(write.bytes) == set(range(500, 500 + size * len(pieces)))


AXES = st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 4)), max_size=3)
LATTICES = st.builds(lattice, st.integers(-30, 30), AXES, st.integers(1, 4))


def members(one: Lattice) -> set[int]:
    found = {one.low}
    for step, count in (*one.axes, (1, one.run)):
        found = {byte + step * number for byte in found for number in range(count)}
    return found


@given(LATTICES, LATTICES)
def test_lattices_meet_where_they_have_a_byte_in_common(one: Lattice, other: Lattice):
    assert meet(one, other) == bool(members(one) & members(other))


@given(st.integers(-30, 30), AXES, st.integers(1, 4))
def test_lattices_have_every_byte_from_their_address_on(address, axes, run):
    found, wanted = members(lattice(address, axes, run)), {address}
    for step, count in (*axes, (1, run)):
        wanted = {byte + step * number for byte in wanted for number in range(count)}
    assert found == wanted
    assert (min(found), max(found) + 1) == lattice(address, axes, run)[:2]
