"""The feature maps of an operation, and the scalar that one of them can be."""

from __future__ import annotations

from core.base.dtype import DType
from core.base.errors import InternalError
from core.base.geometry import Box, Shape4
from core.emit.commands.addresses import Addresses
from core.emit.commands.uses import map_use
from core.ir.npugraph import FeatureMap, NpuGraph, NpuOp, OpKind, View
from core.ir.program import NO_BROADCAST, Broadcast, MapUse, ScalarUse
from core.ir.schedule import Schedule

_AVERAGES = frozenset({OpKind.AVERAGE_POOL, OpKind.RESIZE_BILINEAR, OpKind.RESIZE_NEAREST})
_OF_BITS = frozenset({OpKind.COUNT_LEADING_ZEROS, OpKind.SHIFT_LEFT})


class Operands:
    """Makes the uses of maps of a scheduled network."""

    def __init__(self, graph: NpuGraph, schedule: Schedule, addresses: Addresses) -> None:
        self._graph = graph
        self._plans = schedule.maps
        self._addresses = addresses

    def use(self, op: NpuOp, view: View, box: Box) -> MapUse:
        """A box of one of the operator's maps, counted from where its view starts."""
        fm = self._graph.fm(view)
        zero_point = _zero_point(op, view, fm)
        return map_use(
            view, box, fm.dtype, self._plans[fm.id], self._addresses.maps[fm.id], zero_point
        )

    def second(self, op: NpuOp, view: View, box: Box) -> MapUse | ScalarUse:
        """The second input; a scalar is a part of the command."""
        fm = self._graph.fm(view)
        if not fm.is_scalar:
            return self.use(op, view, box)
        if fm.data is None:
            raise InternalError(f"'{op.name}' has a scalar that is computed")
        return ScalarUse(
            value=int(fm.data.array.reshape(())),
            dtype=fm.dtype,
            zero_point=_zero_point(op, view, fm),
        )


def broadcast_of(ofm: Shape4, second: MapUse | ScalarUse) -> Broadcast:
    """Along which axes one element of the second input stands for all."""
    if isinstance(second, ScalarUse):
        return NO_BROADCAST
    _, h, w, c = second.shape
    return Broadcast(h=h != ofm.h, w=w != ofm.w, c=c != ofm.c)


def _zero_point(op: NpuOp, view: View, fm: FeatureMap) -> int:
    """What the hardware takes from elements as it reads them, or adds before it writes them."""
    if view.quant is None or view.is_raw or op.kind in _OF_BITS:
        return 0
    if view is not op.ofm and fm.dtype is DType.INT32:
        return 0
    # Averages of stored values are rounded as the reference kernels do it.
    is_kept = op.kind in _AVERAGES and op.scaling is None and op.ifm.quant == op.ofm.quant
    return 0 if is_kept else view.quant.zero_point
