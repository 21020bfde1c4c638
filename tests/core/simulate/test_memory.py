"""Maps in memory, and what is found when a program reaches where it should not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.geometry import Box
from core.ir.program import (
    AddressRange,
    CommandStream,
    DmaPlace,
    DmaRepeat,
    DmaTransfer,
    Engine,
    Job,
    Tiles,
    Wait,
)
from core.simulate.faults import SHARED_BUFFER, FaultKind
from core.simulate.hazards import hazards
from core.simulate.maps import pieces_of, read_map, write_map
from core.simulate.memory import Memory, Region
from core.target.registry import accelerator_named
from core.target.tables import TableMemory
from tests.core.simulate.streams import OUTPUT, SCRATCH, map_at, operation, result_of, run

U55 = accelerator_named("ethos-u55-256")


@st.composite
def tiled(draw):
    shape = (draw(st.integers(1, 6)), draw(st.integers(1, 6)), draw(st.integers(1, 40)))
    dtype = draw(st.sampled_from([DType.INT8, DType.INT16, DType.INT32]))
    use = map_at(100, shape, dtype, bricks=draw(st.booleans()))
    heights = draw(st.integers(1, shape[0])), draw(st.integers(1, shape[0]))
    room = use.strides.y * shape[0]
    return replace(
        use,
        region=0,
        tiles=Tiles(*heights, draw(st.integers(1, shape[1]))),
        bases=tuple(100 + room * tile for tile in range(4)),
    )


def place(use, y, x, c):
    """The address of one element, by the rules of tiles and bricks."""
    (height0, height1, width0), size = use.tiles, use.dtype.size_bytes
    tile, column = (1, x - width0) if x >= width0 else (0, x)
    height = height1 if tile else height0
    tile, row = (tile + 2, y - height) if y >= height else (tile, y)
    if use.format.value == "NHWC":
        return use.bases[tile] + row * use.strides.y + column * use.strides.x + c * size
    step = row * use.strides.y + column * 16 * size + c // 16 * use.strides.c + c % 16 * size
    return use.bases[tile] + step


@given(tiled(), st.data())
def test_every_element_is_where_tiles_and_bricks_put_it(use, data):
    tables = TableMemory(start=0, size_bytes=16, unit_bytes=16, is_apart=True)
    memory = Memory(regions=[Region.empty(1 << 16)], shared_buffer=Region.empty(16), tables=tables)
    shape = (use.shape.h, use.shape.w, use.shape.c)
    values = np.arange(np.prod(shape)).reshape(shape).astype(use.dtype.numpy)
    write_map(memory, use, values, "")
    size = use.dtype.size_bytes
    for index in np.ndindex(shape):
        start = place(use, *index)
        raw = memory.regions[0].data[start : start + size].tobytes()
        assert raw == values[index].tobytes()
        assert memory.regions[0].written[start : start + size].all()
    assert memory.regions[0].written.sum() == values.nbytes
    assert np.array_equal(read_map(memory, use, ""), values)
    assert not memory.faults
    box = Box(
        *(
            range(start, data.draw(st.integers(start + 1, most)))
            for start, most in ((data.draw(st.integers(0, most - 1)), most) for most in shape)
        )
    )
    touched = {
        piece.address + sum(i * s for i, s in zip(index, piece.strides, strict=True))
        for piece in pieces_of(use, box)
        for index in np.ndindex(piece.shape)
    }
    assert touched == {
        place(use, y, x, c) for y in box.rows for x in box.columns for c in box.channels
    }


def copy_op(start=0, size=8, to=64):
    ifm, ofm = map_at(start, (size, 1, 1)), map_at(to, (size, 1, 1))
    return operation(Job.ABS, ifm, ofm)


def test_reading_what_nothing_has_written_is_found_with_its_place():
    op = copy_op()
    outcome = run([op], b"12345", op.ofm)
    (fault,) = outcome.faults
    assert fault.kind is FaultKind.NEVER_WRITTEN
    assert (fault.command, fault.region, fault.address, fault.size_bytes) == (0, SCRATCH, 5, 3)
    assert "3 bytes from region 1, address 5" in str(fault)
    assert OUTPUT in outcome.outputs


def test_an_output_that_nothing_has_written_is_found():
    outcome = run([], b"1", map_at(64, (4, 1, 1)))
    assert [fault.kind for fault in outcome.faults] == [FaultKind.NEVER_WRITTEN]


def test_reaching_outside_ends_the_simulation():
    for op in (copy_op(to=(1 << 16) - 7), copy_op(start=-1), replace_region(copy_op(), 9)):
        outcome = run([op], bytes(16), map_at(64, (8, 1, 1)))
        assert not outcome.outputs
        assert outcome.faults[-1].kind is FaultKind.OUTSIDE


def replace_region(op, region):
    return replace(op, ofm=replace(op.ofm, region=region))


def test_constants_cannot_be_written():
    outcome = run(
        [replace_region(copy_op(), 0)], bytes(16), map_at(64, (8, 1, 1)), constants=b"x" * 99
    )
    assert outcome.faults[-1].kind is FaultKind.READ_ONLY


def test_a_broken_weight_stream_is_found():
    op = copy_op(size=1)
    op = replace(op, job=Job.CONVOLUTION, weights=(AddressRange(0, 0, 16),))
    outcome = run([op], bytes(16), op.ofm, constants=b"\x05" * 16)
    assert outcome.faults[-1].kind is FaultKind.CONTENT


def test_transfers_repeat_with_gaps_at_the_source():
    ofm = map_at(64, (8, 1, 1), DType.UINT8)
    item = DmaTransfer(
        source=DmaPlace(0, 1),
        destination=DmaPlace(SCRATCH, 64),
        size_bytes=2,
        repeats=(DmaRepeat(times=2, skip_bytes=1), DmaRepeat(times=2, skip_bytes=3)),
    )
    got = result_of(run([item], b"", ofm, constants=bytes(range(20))))
    assert got.ravel().tolist() == [1, 2, 4, 5, 10, 11, 13, 14]


def test_what_was_never_written_can_be_copied_but_not_used():
    item = DmaTransfer(source=DmaPlace(SCRATCH, 0), destination=DmaPlace(SCRATCH, 32), size_bytes=8)
    assert run([item, copy_op(32, 5)], b"12345", map_at(64, (5, 1, 1))).faults == ()
    (fault, _) = run([item, copy_op(32, 6)], b"12345", map_at(64, (8, 1, 1))).faults
    assert (fault.kind, fault.address) == (FaultKind.NEVER_WRITTEN, 37)


LOAD = DmaTransfer(source=DmaPlace(0, 0), destination=DmaPlace(SCRATCH, 0), size_bytes=8)


def found(*commands):
    return [(fault.command, fault.what) for fault in hazards(CommandStream(commands=commands), U55)]


def test_an_operation_has_to_wait_for_what_a_transfer_brings():
    why = "no wait before it leaves fewer than 1 of the transfers under way"
    assert found(LOAD, copy_op()) == [(1, f"this abs reads what command 0 writes; {why}")]
    assert found(LOAD, Wait(engine=Engine.KERNEL, outstanding=0), copy_op()) != []
    assert found(LOAD, Wait(engine=Engine.DMA, outstanding=0), copy_op()) == []
    assert found(LOAD, copy_op(start=8)) == []


def test_a_transfer_has_to_wait_for_operations_that_read_its_destination():
    why = "no wait before it leaves fewer than {} of the operations under way"
    told = "this transfer writes what command 0 reads; " + why
    assert found(copy_op(), LOAD) == [(1, told.format(1))]
    other = copy_op(start=100, to=200)
    assert found(copy_op(), other, LOAD) == [(2, told.format(2))]
    waits = [Wait(engine=Engine.KERNEL, outstanding=most) for most in (0, 1, 2)]
    assert [len(found(copy_op(), other, wait, LOAD)) for wait in waits] == [0, 0, 1]


def test_block_dependency_has_to_leave_what_is_read_finished():
    before = copy_op(size=16)
    after = replace(copy_op(start=64, size=16, to=128), block=before.block)
    allowed = [not found(before, replace(after, block_dependency=most)) for most in range(4)]
    # Eight blocks of two rows each: the first reads what the first made, seven blocks ago.
    assert allowed == [True] * 4
    short = copy_op(size=4)
    next_one = copy_op(start=64, size=4, to=128)
    allowed = [not found(short, replace(next_one, block_dependency=most)) for most in range(4)]
    assert allowed == [True, True, False, False]


@pytest.mark.parametrize("is_apart", [True, False])
def test_tables_without_banks_of_their_own_are_gone_after_an_operation_without_one(is_apart):
    tables = TableMemory(start=16, size_bytes=16, unit_bytes=16, is_apart=is_apart)
    memory = Memory(regions=[], shared_buffer=Region.empty(32), tables=tables)
    memory.shared_buffer.fill(np.arange(32, dtype=np.uint8))
    memory.forget_tables()
    memory.take(SHARED_BUFFER, 0, 16, "what lies below")
    assert not memory.faults
    memory.take(SHARED_BUFFER, 16, 16, "table")
    assert [fault.kind for fault in memory.faults] == [FaultKind.NEVER_WRITTEN] * (not is_apart)
