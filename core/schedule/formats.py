"""How maps are stored: the order of elements of each, and where operators read constants from."""

from __future__ import annotations

from collections import defaultdict

from core.base.dtype import DType
from core.base.geometry import Shape4
from core.base.ids import FmId
from core.cost.from_graph import uses_table
from core.ir.decisions import ConstantPlaced, FormatChosen
from core.ir.npugraph import NpuGraph, NpuOp, OpKind, View
from core.target.accelerator import Accelerator
from core.target.format import BRICK_DEPTH, Format

_BRICKS = "nothing speaks against bricks"


def choose_formats(graph: NpuGraph, accelerator: Accelerator) -> tuple[FormatChosen, ...]:
    """For each feature map its format; bricks wherever every operator that touches it can."""
    made_inside = {graph.ops[number].ofm.fm for island in graph.islands for number in island.ops}
    reasons = _reasons_of_operators(graph, accelerator)
    for island in graph.islands:
        for fm in (*island.inputs, *island.outputs):
            reasons.setdefault(fm, "it is read or written outside its NPU subgraph")
    chosen: dict[FmId, Format] = {}
    for each in graph.feature_maps:
        own = each.linear_reason or ("it is a constant" if each.data is not None else "")
        if each.is_variable or each.storage != each.id:
            own = own or "it keeps its elements from one inference to the next"
        if each.id not in made_inside:
            own = own or "no NPU operator makes it"
        if own:
            reasons.setdefault(each.id, own)
        chosen[each.id] = Format.LINEAR if each.id in reasons else Format.BRICKS
    _spare_rewrites(graph, chosen, reasons)
    return tuple(
        FormatChosen(fm=fm, format=order, reason=reasons.get(fm, _BRICKS))
        for fm, order in chosen.items()
    )


def _reasons_of_operators(graph: NpuGraph, accelerator: Accelerator) -> dict[FmId, str]:
    """Maps that some operator cannot read or write in bricks."""
    reasons: dict[FmId, str] = {}
    for op in graph.ops:
        for view in op.views:
            why = _against_bricks(graph, accelerator, op, view)
            if why:
                reasons.setdefault(view.fm, why)
    return reasons


def _against_bricks(graph: NpuGraph, accelerator: Accelerator, op: NpuOp, view: View) -> str:
    fm = graph.fm(view)
    if view.start.c % BRICK_DEPTH:
        return f"an operator touches it from channel {view.start.c} on"
    if len(fm.shape) > 4 or Shape4.of(fm.shape) != view.shape:
        return "an operator sees it in another shape"
    if op.kind is OpKind.COPY:
        return "DMA moves rows"
    # The ecosystem's compiler never reads bricks there with 32 bits or with two cores.
    is_sum = op.kind is OpKind.REDUCE_SUM and view is op.ifm
    has_two_cores = accelerator.cores > 1
    if is_sum and (fm.dtype is DType.INT32 or has_two_cores):
        return "the sum over channels reads rows"
    return ""


def _spare_rewrites(graph: NpuGraph, chosen: dict[FmId, Format], reasons: dict[FmId, str]) -> None:
    """Rows for the output of an element-wise operator that can then lie on its input.

    An input of rows whose depth fills no bricks is smaller than its bricks, and the output may
    only replace it in the same order of elements.
    """
    makers: defaultdict[FmId, int] = defaultdict(int)
    for op in graph.ops:
        makers[op.ofm.fm] += 1
        if chosen[op.ofm.fm] is Format.LINEAR or not op.kind.is_elementwise:
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
                and chosen[view.fm] is Format.LINEAR
            ):
                chosen[op.ofm.fm] = Format.LINEAR
                reasons[op.ofm.fm] = "it can lie on an input that is stored in rows"
                break


def place_constants(graph: NpuGraph) -> tuple[ConstantPlaced, ...]:
    """Tables go to the shared buffer, since only there can they be looked up; maps stay."""
    found = []
    for op in graph.ops:
        if uses_table(op):
            reason = "the output unit looks values up in the shared buffer"
            found.append(ConstantPlaced(op=op.id, fm=None, is_moved=True, reason=reason))
        for view in op.views[:-1]:
            fm = graph.fm(view)
            if fm.data is None:
                continue
            reason = (
                "a scalar is part of the command" if fm.is_scalar else "read where it is stored"
            )
            found.append(ConstantPlaced(op=op.id, fm=fm.id, is_moved=False, reason=reason))
    return tuple(found)
