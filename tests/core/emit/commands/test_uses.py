"""Addresses of elements through tiles and steps, held against where each element lies."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.base.dtype import DType
from core.base.geometry import Box, Padding, Shape4, ceil_div
from core.base.ids import FmId
from core.emit.commands.addresses import Address
from core.emit.commands.uses import map_use, with_edges
from core.ir.npugraph import View
from core.ir.program import MapUse
from core.ir.schedule import MapPlan
from core.target.format import Format
from core.target.region import Region

BASE = 4096


def address_of(use: MapUse, row: int, column: int, channel: int) -> int:
    """As the hardware finds an element: its tile first, then steps within it."""
    right = column >= use.tiles.width0
    height = use.tiles.height1 if right else use.tiles.height0
    below = row >= height
    base = use.bases[right + 2 * below]
    row -= height if below else 0
    column -= use.tiles.width0 if right else 0
    size = use.dtype.size_bytes
    if use.format is Format.LINEAR:
        return base + row * use.strides.y + column * use.strides.x + channel * size
    brick, within = divmod(channel, 16)
    return base + row * use.strides.y + brick * use.strides.c + column * 16 * size + within * size


def lies_at(shape: Shape4, order: Format, size: int, row: int, column: int, channel: int) -> int:
    """Where an element of a whole map lies."""
    if order is Format.LINEAR:
        return BASE + ((row * shape.w + column) * shape.c + channel) * size
    bricks = ceil_div(shape.c, 16)
    brick, within = divmod(channel, 16)
    return BASE + (((row * bricks + brick) * shape.w + column) * 16 + within) * size


sizes = st.integers(1, 12)


@given(st.data())
def test_each_element_of_a_box_is_found_where_it_lies(data: st.DataObject):
    shape = Shape4(1, data.draw(sizes), data.draw(sizes), data.draw(st.integers(1, 40)))
    dtype = data.draw(st.sampled_from((DType.INT8, DType.INT16)))
    order = data.draw(st.sampled_from(Format))
    rows = data.draw(st.integers(0, shape.h - 1))
    height = data.draw(st.integers(1, shape.h - rows))
    rolls = order is Format.BRICKS and data.draw(st.booleans())
    rolling = shape.with_hw(data.draw(st.integers(height, shape.h)), shape.w) if rolls else None
    step = 16 if order is Format.BRICKS else 1
    first = data.draw(st.integers(0, (shape.c - 1) // step)) * step
    box = Box(range(rows, rows + height), range(shape.w), range(first, shape.c))
    view = View(fm=FmId(0), shape=shape)
    plan = MapPlan(format=order, region=Region.SCRATCH, rolling=rolling)
    use = map_use(view, box, dtype, plan, Address(1, BASE), 0)
    for row in box.rows:
        for column in (0, shape.w - 1):
            for channel in {first, shape.c - 1}:
                stored = row if rolling is None else row % rolling.h
                assert address_of(use, row - rows, column, channel - first) == lies_at(
                    shape, order, dtype.size_bytes, stored, column, channel
                )


def test_steps_and_mirrors_begin_where_the_view_says():
    view = View(
        fm=FmId(0),
        shape=Shape4(1, 8, 8, 4),
        extent=Shape4(1, 3, 8, 4),
        step_h=-1,
        base_offset_bytes=7 * 8 * 4,
    )
    plan = MapPlan(format=Format.LINEAR, region=Region.SCRATCH)
    use = map_use(view, Box(range(3), range(8), range(4)), DType.INT8, plan, Address(1, BASE), 0)
    for row in range(3):
        assert address_of(use, row, 2, 1) == lies_at(view.shape, Format.LINEAR, 1, 7 - row, 2, 1)


@given(
    st.sampled_from(Format),
    st.sampled_from((0, 1)),
    st.sampled_from((0, 1)),
)
def test_edges_are_repeated_by_tiles(order: Format, bottom: int, right: int):
    shape = Shape4(1, 5, 6, 20)
    plan = MapPlan(format=order, region=Region.SCRATCH)
    box = Box(range(5), range(6), range(20))
    whole = map_use(View(fm=FmId(0), shape=shape), box, DType.INT8, plan, Address(1, BASE), 0)
    use = with_edges(whole, Padding(top=1 - bottom, bottom=bottom, left=1 - right, right=right))
    assert use.shape == Shape4(1, 6, 7, 20)
    for row in range(6):
        for column in range(7):
            inner_row = min(max(row - (1 - bottom), 0), 4)
            inner_column = min(max(column - (1 - right), 0), 5)
            assert address_of(use, row, column, 3) == lies_at(
                shape, order, 1, inner_row, inner_column, 3
            )
