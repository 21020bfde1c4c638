"""What a schedule holds beside its outline: whole stripes and blocks, and every range of bytes."""

from __future__ import annotations

import enum
from itertools import product

from core.ir.cost import Direction, Purpose
from core.ir.schedule import FrontPoint, OpPlan, WeightPlan
from core.ir.scheduled import Scheduled
from core.report.ecosystem_names import AREA_TITLES
from core.report.roofline import roofline_listing
from core.report.schedule_tables import BOUND_TITLES
from core.report.tables import Listing, Row
from core.report.where import terms_listing
from core.report.words import Count, shape_text
from core.target.target import Area

_STRIPE_HEADERS = (
    "#",
    "name",
    "kernel",
    "strides",
    "dilation",
    "input stripe",
    "2nd input stripe",
    "output stripe",
    "input block",
    "output block",
    "slices begin at",
    "bytes of slices",
    "weight buffers",
    "MACs",
)
_RANGE_HEADERS = ("memory", "region", "address", "bytes", "from", "to", "what", "name", "maps")


_FRONT_HEADERS = ("fast storage", "cascades", "in them", "MACs", "cycles")

_Moved = tuple[Area, Purpose, Direction]
_MOVED = tuple(product(Area, Purpose, Direction))
_DEEDS = {Direction.READ: "read", Direction.WRITE: "written"}


class Detail(enum.Enum):
    """What can be told beside the outline, by its name for users."""

    SCHEDULE = "schedule"
    ALLOCATION = "allocation"
    FRONT = "front"
    TERMS = "terms"
    ROOFLINE = "roofline"


def stripes(material: Scheduled) -> Listing:
    """One row for each operator on the NPU: what it makes and reads at once, and from what."""
    return Listing(_STRIPE_HEADERS, [_stripe(material, plan) for plan in material.schedule.ops])


def _stripe(material: Scheduled, plan: OpPlan) -> Row:
    op, stripe = material.op(plan), plan.stripe
    return (
        int(plan.op),
        material.graph.titles.op(plan.op),
        _area(op.kernel.h, op.kernel.w),
        _area(op.kernel.stride_h, op.kernel.stride_w),
        _area(op.kernel.dilation_h, op.kernel.dilation_w),
        shape_text(stripe.ifm),
        None if stripe.ifm2 is None else shape_text(stripe.ifm2),
        shape_text(stripe.ofm),
        shape_text(plan.block.ifm_block),
        shape_text(plan.block.ofm_block),
        *_weights(plan.weights),
        Count(plan.macs),
    )


def _area(height: int, width: int) -> str | None:
    """Height and width; nothing where they change nothing."""
    return None if height == width == 1 else f"{height}x{width}"


def _weights(weights: WeightPlan | None) -> tuple[str | None, ...]:
    if weights is None:
        return (None, None, None)
    return (
        _numbers(weights.depth_slices[:-1]) if len(weights.slice_bytes) > 1 else None,
        _numbers(weights.slice_bytes),
        _numbers(weights.buffer_bytes) or None,
    )


def _numbers(numbers: tuple[int, ...]) -> str:
    return " ".join(map(str, numbers))


def live_ranges(material: Scheduled) -> Listing:
    """One row for each range of bytes, in the order of memories, times and addresses."""
    rows: list[Row] = []
    for area in material.layout.areas:
        rows += [
            (
                AREA_TITLES[area.area],
                placed.region.value,
                f"{placed.address:#x}",
                Count(placed.size_bytes),
                placed.start_time,
                placed.end_time,
                placed.purpose.value,
                material.graph.titles.place(placed),
                len(placed.fms) or None,
            )
            for placed in sorted(
                area.placements, key=lambda each: (each.start_time, each.address, each.name)
            )
        ]
    return Listing(_RANGE_HEADERS, rows)


def front_costs(material: Scheduled) -> Listing:
    """One row for each schedule of the front: cycles by what they are for, bytes by memory."""
    front = material.schedule.front
    moved = [what for what in _MOVED if any(_bytes(point, what) for point in front)]
    headers = (*_FRONT_HEADERS, *BOUND_TITLES.values(), *map(_bytes_title, moved))
    rows = [
        (
            Count(point.peak_bytes),
            point.cascades,
            point.cascaded_ops,
            Count(point.cost.macs),
            Count(round(point.cycles)),
            *(Count(round(part)) or None for part in point.cost.parts),
            *(Count(round(_bytes(point, what))) for what in moved),
        )
        for point in front
    ]
    return Listing(headers, rows)


def _bytes_title(moved: _Moved) -> str:
    area, purpose, direction = moved
    return f"{AREA_TITLES[area]}: {purpose.value} {_DEEDS[direction]}"


def _bytes(point: FrontPoint, moved: _Moved) -> float:
    """Bytes of one kind that one memory moves one way."""
    area, purpose, direction = moved
    return point.cost.moved_bytes(area, purpose, direction)


DETAILS = {
    Detail.SCHEDULE: ("Stripes, blocks and slices", stripes),
    Detail.ALLOCATION: ("Addresses", live_ranges),
    Detail.FRONT: ("What schedules that were found cost", front_costs),
    Detail.TERMS: ("What decides operators, and how near the next is", terms_listing),
    Detail.ROOFLINE: ("What operators compute with what they move", roofline_listing),
}
"""By what is asked for, the title and the table."""
