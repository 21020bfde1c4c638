"""Forms of operators with windows that move over pictures: one after the other, or all as one."""

from __future__ import annotations

from core.lower.forms.form import Forms, formed, shaped
from core.lower.source import SourceOp

_HEIGHT = 1


def by_pictures(op: SourceOp) -> Forms:
    """Pictures of a batch below each other where no window sees two of them, else one by one."""
    ifm, place = op.ifm, op.roles.ifm
    if ifm is None or place is None or len(ifm.shape) != 4 or len(op.ofm.shape) != 4:
        return
    batch = ifm.shape[0]
    if batch < 2 or op.ofm.shape[0] != batch:
        return
    if _sees_one(op):
        shapes = [(1, batch * shape[_HEIGHT], *shape[2:]) for shape in (ifm.shape, op.ofm.shape)]
        yield formed(op, {place: shaped(ifm, shapes[0])}, shapes[1:])
    shapes = [(1, *shape[1:]) for shape in (ifm.shape, op.ofm.shape)]
    yield formed(op, {place: shaped(ifm, shapes[0])}, shapes[1:], pieces=batch)


def _sees_one(op: SourceOp) -> bool:
    """Whether windows touch each other from the first row of a picture to its last."""
    if op.kind not in {"CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D", "MAX_POOL_2D"}:
        return False
    kernel, rows = op.window.kernel, 0 if op.ifm is None else op.ifm.shape[_HEIGHT]
    touches = kernel.dilated_h == kernel.stride_h > 0
    return touches and rows % kernel.stride_h == 0
