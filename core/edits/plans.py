"""What plans decide, kind by kind: decisions about one map, and about how one operator works."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from core.base.ids import NpuOpId
from core.edits.kind import EditKind, Here, Written
from core.edits.names import Names, map_of, ops_of
from core.edits.plain import (
    BLOCKS,
    FORMATS,
    MAP,
    OPERATOR,
    ROWS,
    SIZES,
    WEIGHT_WAYS,
    Json,
    Takes,
    operators,
    words,
)
from core.ir.edits import Edit, Living, Processor, Traversal, Value, WeightsAsked, What
from core.ir.fixed import Decided
from core.ir.npugraph import NpuOp, OpKind
from core.ir.schedule import MapPlan, OpPlan
from core.ir.shown import Aspect
from core.target.region import Region

Decision = tuple[What, Value]
_OfMapPlan = Callable[[MapPlan], Value | None]


class OfMap(EditKind):
    """A decision about a map."""

    of_plan: _OfMapPlan
    """What the plan of a map has, as far as somebody could ask for it."""


def _of_a_map(edit: Edit, names: Names) -> tuple[Decided, ...]:
    return ((edit.kind, (map_of(edit.subject, names),)),)


def _map_aspects(edit: Edit, names: Names) -> Iterator[Aspect]:
    yield edit.what, names.maps[map_of(edit.subject, names)]


def _living(here: Here, edit: Edit) -> Living:
    """The word for a region; where fast storage is the arena, all maps are in it."""
    region = here.schedule.maps[map_of(edit.subject, here.names)].region
    both = {Region.SCRATCH, Region.SCRATCH_FAST}
    is_one = any(both <= {*area.regions} for area in here.layout.areas)
    return Living.FAST if is_one and not region.is_permanent else Living.of(region)


def _address(here: Here, edit: Edit) -> int | None:
    fm = map_of(edit.subject, here.names)
    region = here.schedule.maps[fm].region
    return next(
        (
            placement.address
            for area in here.layout.areas
            if region in area.regions
            for placement in area.placements
            if fm in placement.fms
        ),
        None,
    )


def _map_row(
    what: What,
    takes: Takes,
    of_plan: _OfMapPlan,
    *,
    meaning: str,
    example: str,
    applied: Callable[[Here, Edit], Value | None] | None = None,
) -> OfMap:
    def planned(here: Here, edit: Edit) -> Value | None:
        return of_plan(here.schedule.maps[map_of(edit.subject, here.names)])

    written = Written(
        subjects=(MAP,), about="a map", value=takes.schema, meaning=meaning, example=example
    )
    return OfMap(
        what=what,
        takes=takes,
        written=(written,),
        decided=_of_a_map,
        aspects=_map_aspects,
        applied=applied or planned,
        has_one=True,
        of_plan=of_plan,
    )


REGION = _map_row(
    What.REGION,
    words(Living),
    lambda plan: None if plan.rolling else Living.of(plan.region),
    meaning="in which memory it lies, where maps have two",
    example='"fast"',
    applied=_living,
)
FORMAT = _map_row(
    What.FORMAT,
    FORMATS,
    lambda plan: plan.format,
    meaning="in bricks of 16 channels, or row by row",
    example='"rows"',
)
ADDRESS = _map_row(
    What.ADDRESS,
    SIZES,
    lambda _: None,
    meaning="where in its memory it begins",
    example='"0x1000"',
    applied=_address,
)
ROLLING = _map_row(
    What.ROLLING,
    ROWS,
    lambda plan: plan.rolling.h if plan.rolling else None,
    meaning="rows that its rolling buffer holds",
    example="6",
)

_OfOpPlan = Callable[[OpPlan], Value | None]


class OfOp(EditKind):
    """A decision about an operator; of several that are named, about the last."""

    of_plan: _OfOpPlan
    """What the plan of an operator has."""
    is_open: Callable[[NpuOp, OpPlan], bool] = lambda *_: True
    """Whether somebody could ask for it."""


def _last(edit: Edit, names: Names) -> NpuOpId:
    return ops_of(edit.subject, names)[-1]


def _of_an_op(edit: Edit, names: Names) -> tuple[Decided, ...]:
    return ((edit.kind, (_last(edit, names),)),)


def _op_aspects(edit: Edit, names: Names) -> Iterator[Aspect]:
    yield edit.what, names.ops[_last(edit, names)]


def _weights(plan: OpPlan) -> WeightsAsked | None:
    if plan.weights is None:
        return None
    return WeightsAsked(
        buffers=len(plan.weights.buffer_bytes),
        depths=plan.weights.depth_slices,
        prefetch=plan.weights.is_prefetched,
        lead_steps=plan.weights.lead_steps or None,
    )


def _parts(weights: WeightsAsked) -> tuple[object, ...]:
    return weights.buffers, weights.depths, weights.prefetch, weights.lead_steps


def _has_parts(asked: WeightsAsked, there: WeightsAsked | None) -> bool:
    """Parts may be asked for one by one."""
    if there is None:
        return False
    parts = zip(_parts(asked), _parts(there), strict=True)
    return all(mine is None or other in (None, mine) for mine, other in parts)


def _all_parts(asked: Sequence[WeightsAsked]) -> Sequence[WeightsAsked]:
    first, *others = asked
    for other in others:
        first = WeightsAsked(
            buffers=other.buffers if first.buffers is None else first.buffers,
            depths=other.depths if first.depths is None else first.depths,
            prefetch=other.prefetch if first.prefetch is None else first.prefetch,
            lead_steps=other.lead_steps if first.lead_steps is None else first.lead_steps,
        )
    return (first,)


def _op_row(
    what: What,
    takes: Takes,
    of_plan: _OfOpPlan,
    *,
    subjects: tuple[Json, ...] = (OPERATOR,),
    about: str = "an operator",
    meaning: str,
    example: str,
    **more: Any,
) -> OfOp:
    def applied(here: Here, edit: Edit) -> Value | None:
        return of_plan(here.plans[_last(edit, here.names)])

    written = Written(
        subjects=subjects, about=about, value=takes.schema, meaning=meaning, example=example
    )
    return OfOp(
        what=what,
        takes=takes,
        written=(written,),
        decided=_of_an_op,
        aspects=_op_aspects,
        applied=applied,
        has_one=True,
        of_plan=of_plan,
        **more,
    )


STRIPE = _op_row(
    What.STRIPE,
    ROWS,
    lambda plan: plan.stripe.ofm.h,
    subjects=(OPERATOR, operators(1)),
    about="an operator, or operators",
    meaning="rows that it makes at once",
    example="4",
    is_open=lambda _, plan: plan.cascade is not None,
)
BLOCK = _op_row(
    What.BLOCK,
    BLOCKS,
    lambda plan: plan.block.ofm_block,
    meaning="rows, columns and channels that the MAC array makes at once",
    example='"16x2x32"',
    is_open=lambda op, _: op.kind is not OpKind.COPY,
)
TRAVERSAL = _op_row(
    What.TRAVERSAL,
    words(Traversal),
    lambda plan: Traversal.of(plan.block.is_part_kernel),
    meaning="the order in which a convolution takes its weights",
    example='"depth first"',
    is_open=lambda _, plan: plan.weights is not None,
)
WEIGHTS = _op_row(
    What.WEIGHTS,
    WEIGHT_WAYS,
    _weights,
    meaning="buffers in fast storage (0 to 2), where slices begin and end, and whether the first is"
    " fetched early, and by how many operators or cascades; what is left out is open",
    example='{"buffers": 2, "depths": [0, 32, 64], "prefetch": true, "lead_steps": 3}',
    holds=_has_parts,
    merged=_all_parts,
)
PROCESSOR = _op_row(
    What.PROCESSOR,
    words(Processor),
    lambda _: None,
    meaning="what runs it: the operator of the file, whatever it becomes on the NPU",
    example='"cpu"',
)

OPS = (STRIPE, BLOCK, TRAVERSAL, WEIGHTS)
"""What schedules decide, in the order in which it is taken from them."""


def of_op(op: NpuOp, plan: OpPlan) -> Iterator[Decision]:
    """What is decided of an operator, as far as somebody could ask for it."""
    for kind in OPS:
        value = kind.of_plan(plan)
        if value is not None and kind.is_open(op, plan):
            yield kind.what, value


def of_map(plan: MapPlan, *, has_two: bool) -> Iterator[Decision]:
    """What is decided of a map; where there are two memories for maps, also which it is in."""
    for kind in (FORMAT, ROLLING, *((REGION,) if has_two else ())):
        value = kind.of_plan(plan)
        if value is not None:
            yield kind.what, value
