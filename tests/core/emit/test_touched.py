"""Address ranges against the address of every single element."""

from __future__ import annotations

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.geometry import Shape4
from core.emit.touched import accesses, map_ranges
from core.ir.program import DmaPlace, DmaRepeat, DmaTransfer, Engine, MapUse, Strides, Tiles, Wait
from core.target.format import Format
from tests.core.emit.streams import flat, pool


def address(use: MapUse, y: int, x: int, c: int) -> tuple[int, int]:
    """Tile and address of an element, as the hardware's documents define them."""
    height0, height1, width0 = use.tiles
    right = x >= width0
    height = height1 if right else height0
    below = y >= height
    tile = int(right) + 2 * int(below)
    y, x = y - height * below, x - width0 * right
    size = use.dtype.size_bytes
    if use.format is Format.BRICKS:
        inside = (c // 16) * use.strides.c + x * 16 * size + (c % 16) * size
    else:
        inside = x * use.strides.x + c * size
    return tile, use.bases[tile] + y * use.strides.y + inside


@st.composite
def uses(draw) -> MapUse:
    shape = Shape4(*[1, *[draw(st.integers(1, 6)) for _ in range(2)], draw(st.integers(1, 40))])
    dtype = draw(st.sampled_from((DType.INT8, DType.INT16, DType.INT32)))
    is_bricks = draw(st.booleans())
    row = 16 * dtype.size_bytes * shape.w if is_bricks else dtype.size_bytes * shape.c * shape.w
    sign = draw(st.sampled_from((1, -1)))
    return MapUse(
        region=1,
        bases=(10_000, 60_000, 110_000, 160_000),
        tiles=Tiles(*(draw(st.integers(1, 6)) for _ in range(3))),
        strides=Strides(sign * row * draw(st.integers(1, 4)), dtype.size_bytes * shape.c, row),
        shape=shape,
        dtype=dtype,
        zero_point=0,
        format=Format.BRICKS if is_bricks else Format.LINEAR,
    )


@given(uses())
def test_ranges_reach_from_the_first_to_the_last_byte_of_each_tile(use: MapUse):
    touched: dict[int, set[int]] = defaultdict(set)
    for y in range(use.shape.h):
        for x in range(use.shape.w):
            for c in range(use.shape.c):
                tile, first = address(use, y, x, c)
                touched[tile] |= {first, first + use.dtype.size_bytes}
    found = sorted((part.address, part.end) for part in map_ranges(use))
    exact = sorted((min(each), max(each)) for each in touched.values())
    assert found == exact


def test_a_map_in_one_piece_has_one_range():
    (part,) = map_ranges(flat(Shape4(1, 4, 5, 6), 100, dtype=DType.INT16))
    assert part == (1, 100, 240)


def test_commands_touch_their_operands():
    first, second = flat(Shape4(1, 4, 4, 8), 0), flat(Shape4(1, 4, 4, 8), 128)
    reads, writes = accesses(pool(first, second))
    assert (reads.ranges, reads.is_write) == (((1, 0, 128),), False)
    assert (writes.ranges, writes.is_write) == (((1, 128, 128),), True)
    assert list(accesses(Wait(engine=Engine.DMA, outstanding=0))) == []


def test_a_table_goes_to_the_shared_buffer_and_not_to_memory():
    item = DmaTransfer(
        source=DmaPlace(0, 64), destination=DmaPlace(3, 0, is_internal=True), size_bytes=256
    )
    (read,) = accesses(item)
    assert read.ranges == ((0, 64, 256),)


def test_a_transfer_in_pieces_reads_what_lies_between_them():
    item = DmaTransfer(
        source=DmaPlace(0, 0),
        destination=DmaPlace(1, 0),
        size_bytes=16,
        repeats=(DmaRepeat(4, 8), DmaRepeat(2, 100)),
    )
    read, written = accesses(item)
    assert written.ranges == ((1, 0, 128),)
    assert read.ranges == ((0, 0, 128 + 8 * 8 + 2 * 100),)


def test_a_brick_belongs_to_whoever_writes_any_of_it():
    thin = replace(
        flat(Shape4(1, 2, 2, 8), 64),
        format=Format.BRICKS,
        strides=Strides(32, 16, 32),
    )
    reads, writes = accesses(pool(thin, thin))
    assert reads.ranges == ((1, 64, 3 * 16 + 8),)
    assert writes.ranges == ((1, 64, 4 * 16),)
