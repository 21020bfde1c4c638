"""The work of an operator as the ecosystem's compiler sees it when it estimates."""

from __future__ import annotations

from core.base.frozen import replace
from core.cost.from_graph import Place, work_of
from core.cost.work import FmUse, Work
from core.ir.npugraph import NpuGraph, NpuOp, View
from core.target.block import BlockConfig
from core.target.target import Area
from core.target.throughput import Finish

_BOXES = frozenset({"SLICE", "STRIDED_SLICE"})


def seen_work_of(
    graph: NpuGraph, op: NpuOp, block: BlockConfig, places: tuple[Place, ...], constants: Area
) -> Work:
    """The work of an operator, with what that compiler overlooks."""
    work = work_of(graph, op, block, places, constants)
    second = None
    if op.ifm2 is not None and work.ifm2 is not None:
        second = _seen(graph, op.ifm2, work.ifm2)
    # It estimates before it has merged activations that are operators of their own.
    is_merged_late = op.activation is not None and op.activation.stands_alone
    return replace(
        work,
        finish=Finish.NONE if is_merged_late else work.finish,
        ifm=_seen(graph, op.ifm, work.ifm),
        ifm2=second,
        ofm=_seen(graph, op.ofm, work.ofm),
    )


def _seen(graph: NpuGraph, view: View, use: FmUse) -> FmUse:
    """It fills both ends of such a box up with ones, and so takes what lies between to be empty."""
    if (
        view.offset is None
        or view.cut_by not in _BOXES
        or len(graph.fm(view).shape) >= len(use.shape)
    ):
        return use
    return replace(use, shape=use.shape._replace(n=0))
