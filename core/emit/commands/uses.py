"""Feature maps as registers describe them: first addresses, tiles, and steps in bytes."""

from __future__ import annotations

from core.base.dtype import DType
from core.base.errors import InternalError
from core.base.geometry import Box, Padding, ceil_div
from core.emit.commands.addresses import Address
from core.ir.npugraph import View
from core.ir.program import MapUse, Strides, Tiles
from core.ir.schedule import MapPlan
from core.target.format import BRICK_DEPTH, Format


def map_use(
    view: View, box: Box, dtype: DType, plan: MapPlan, place: Address, zero_point: int
) -> MapUse:
    """A box of a view, counted from where the view starts."""
    steps, touched = _strides(view, dtype, plan.format), box.shape
    row = view.start.h + box.rows.start * view.step_h
    column = view.start.w + box.columns.start * view.step_w
    first = place.address + view.base_offset_bytes + view.start.n * view.shape.h * steps.y
    first += column * steps.x + _channel_bytes(
        view.start.c + box.channels.start, dtype, plan, steps
    )
    height = touched.h
    bases = (first + row * steps.y, 0, 0, 0)
    if plan.rolling is not None:
        at = row % plan.rolling.h
        # What does not fit in before the end of the buffer goes on at its start.
        height = min(touched.h, plan.rolling.h - at)
        bases = (first + at * steps.y, 0, first if height < touched.h else 0, 0)
    return MapUse(
        region=place.region,
        bases=bases,
        tiles=Tiles(height, height, touched.w),
        strides=Strides(steps.y * view.step_h, steps.x * view.step_w, steps.c),
        shape=touched,
        dtype=dtype,
        zero_point=zero_point,
        format=plan.format,
    )


def with_edges(use: MapUse, padding: Padding) -> MapUse:
    """A map with its first or last rows and columns repeated once around it, by tiles alone.

    Each tile begins at an address of its own, so the outermost row can be a tile of itself.
    """
    if max(padding.top, padding.bottom, padding.left, padding.right) > 1:
        raise InternalError("tiles can repeat an edge only once")
    if (padding.top and padding.bottom) or (padding.left and padding.right):
        raise InternalError("tiles can repeat the edge on one side only")
    last_row = 0 if padding.top else use.strides.y * (use.shape.h - 1)
    last_column = 0 if padding.left else _column_step(use) * (use.shape.w - 1)
    base = use.bases[0]
    height, width = (1 if padding.top else use.shape.h), (1 if padding.left else use.shape.w)
    shape = use.shape.with_hw(
        use.shape.h + padding.top + padding.bottom, use.shape.w + padding.left + padding.right
    )
    return MapUse(
        region=use.region,
        bases=(base, base + last_column, base + last_row, base + last_row + last_column),
        tiles=Tiles(height, height, width),
        strides=use.strides,
        shape=shape,
        dtype=use.dtype,
        zero_point=use.zero_point,
        format=use.format,
    )


def _strides(view: View, dtype: DType, order: Format) -> Strides:
    """Bytes between neighbours, without the view's own steps."""
    _, h, w, c = view.shape
    if order is Format.BRICKS:
        x = BRICK_DEPTH * dtype.size_bytes
        return Strides(y=x * w * ceil_div(c, BRICK_DEPTH), x=x, c=x * w)
    pixel = c * dtype.size_bytes
    if view.is_transposed:
        return Strides(y=pixel, x=pixel * h, c=dtype.size_bytes)
    return Strides(y=pixel * w, x=pixel, c=dtype.size_bytes)


def _channel_bytes(channel: int, dtype: DType, plan: MapPlan, steps: Strides) -> int:
    if plan.format is Format.LINEAR:
        return channel * dtype.size_bytes
    if channel % BRICK_DEPTH:
        raise InternalError(f"channel {channel} is in the middle of a brick")
    return channel // BRICK_DEPTH * steps.c


def _column_step(use: MapUse) -> int:
    is_bricks = use.format is Format.BRICKS
    return BRICK_DEPTH * use.dtype.size_bytes if is_bricks else use.strides.x
