"""How maps are stored: the order of elements of each, and where operators read constants from."""

from __future__ import annotations

from collections import defaultdict

from core.base.dtype import DType
from core.base.geometry import Shape4
from core.base.ids import FmId, NpuOpId
from core.cost.from_graph import uses_table
from core.ir.decisions import ConstantPlaced, ConstantReason, FormatChosen, FormatReason
from core.ir.npugraph import FeatureMap, LinearReason, NpuGraph, NpuOp, OpKind, View
from core.target.accelerator import Accelerator
from core.target.format import BRICK_DEPTH, Format


def choose_formats(
    graph: NpuGraph, accelerator: Accelerator, *, spares_rewrites: bool = True
) -> tuple[FormatChosen, ...]:
    """For each feature map its format; bricks wherever every operator that touches it can, and
    writing an output over an input is not worth more."""
    made_inside = {graph.ops[number].ofm.fm for island in graph.islands for number in island.ops}
    against = _against_by_operators(graph, accelerator)
    for island in graph.islands:
        for fm in (*island.inputs, *island.outputs):
            against.setdefault(fm, _rows(fm, FormatReason.OUTSIDE))
    for each in graph.feature_maps:
        own = _of_its_own(each, is_made=each.id in made_inside)
        if own is not None:
            against.setdefault(each.id, _rows(each.id, own))
    if spares_rewrites:
        _spare_rewrites(graph, against)
    free = FormatReason.NOTHING_AGAINST_BRICKS
    return tuple(
        against.get(each.id) or FormatChosen(fm=each.id, format=Format.BRICKS, reason=free)
        for each in graph.feature_maps
    )


def _rows(
    fm: FmId,
    reason: FormatReason | LinearReason,
    op: NpuOpId | None = None,
    channel: int | None = None,
) -> FormatChosen:
    return FormatChosen(fm=fm, format=Format.LINEAR, reason=reason, op=op, channel=channel)


def _of_its_own(fm: FeatureMap, *, is_made: bool) -> FormatReason | LinearReason | None:
    """Why a map is in rows, whoever touches it."""
    if fm.linear_reason is not None:
        return fm.linear_reason
    if fm.data is not None:
        return FormatReason.CONSTANT
    if fm.is_variable or fm.storage != fm.id:
        return FormatReason.KEPT
    return None if is_made else FormatReason.NOT_MADE


def _against_by_operators(graph: NpuGraph, accelerator: Accelerator) -> dict[FmId, FormatChosen]:
    """Maps that some operator cannot read or write in bricks."""
    against: dict[FmId, FormatChosen] = {}
    for op in graph.ops:
        for view in op.views:
            reason = _against_bricks(graph, accelerator, op, view)
            if reason is not None:
                channel = view.start.c if reason is FormatReason.INSIDE_BRICK else None
                against.setdefault(view.fm, _rows(view.fm, reason, op.id, channel))
    return against


def _against_bricks(
    graph: NpuGraph, accelerator: Accelerator, op: NpuOp, view: View
) -> FormatReason | None:
    fm = graph.fm(view)
    if view.start.c % BRICK_DEPTH:
        return FormatReason.INSIDE_BRICK
    if len(fm.shape) > 4 or Shape4.of(fm.shape) != view.shape:
        return FormatReason.OTHER_SHAPE
    if op.kind is OpKind.COPY:
        return FormatReason.DMA
    # The ecosystem's compiler never reads bricks there with 32 bits or with two cores.
    is_sum = op.kind is OpKind.REDUCE_SUM and view is op.ifm
    has_two_cores = accelerator.cores > 1
    is_in_rows = is_sum and (fm.dtype is DType.INT32 or has_two_cores)
    return FormatReason.CHANNEL_SUM if is_in_rows else None


def _spare_rewrites(graph: NpuGraph, against: dict[FmId, FormatChosen]) -> None:
    """Rows for the output of an element-wise operator that can then lie on its input.

    An input of rows whose depth fills no bricks is smaller than its bricks, and the output may
    only replace it in the same order of elements.
    """
    makers: defaultdict[FmId, int] = defaultdict(int)
    for op in graph.ops:
        makers[op.ofm.fm] += 1
        if op.ofm.fm in against or not op.may_lie_on_input:
            continue
        # A map with several makers has its format after the first of them.
        if op.ofm.shape.c % BRICK_DEPTH == 0 or makers[op.ofm.fm] > 1:
            continue
        for view in op.views[:-1]:
            given = graph.fm(view)
            if (
                view.shape == op.ofm.shape
                and not given.is_scalar
                and given.dtype is graph.fm(op.ofm).dtype
                and view.fm in against
            ):
                against[op.ofm.fm] = _rows(op.ofm.fm, FormatReason.LIES_ON_ROWS, op.id)
                break


def place_constants(graph: NpuGraph) -> tuple[ConstantPlaced, ...]:
    """Tables go to the shared buffer, since only there can they be looked up; maps stay."""
    found = []
    for op in graph.ops:
        if uses_table(op):
            reason = ConstantReason.LOOKED_UP
            found.append(ConstantPlaced(op=op.id, fm=None, is_moved=True, reason=reason))
        for view in op.views[:-1]:
            fm = graph.fm(view)
            if fm.data is None:
                continue
            reason = ConstantReason.IN_COMMAND if fm.is_scalar else ConstantReason.READ_IN_PLACE
            found.append(ConstantPlaced(op=op.id, fm=fm.id, is_moved=False, reason=reason))
    return tuple(found)
