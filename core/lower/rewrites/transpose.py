"""A transposition: a copy that steps through its output by columns, or some of them in a row.

a of WxC -> TRANSPOSE -> b of CxW      becomes   a seen as 1xWxCx1, written with height and
                                                 width exchanged
a of HxWxC -> TRANSPOSE -> b of CxWxH  becomes   a seen as 1xHxWxC, written so -> t of WxHxC,
                                                 t seen as 1xWHxCx1, written so -> b
"""

from __future__ import annotations

from core.base.frozen import replace
from core.ir.npugraph import LinearReason, OpKind
from core.lower.scope import Scope
from core.lower.slicing import integers
from core.lower.turns import turns


def lower(scope: Scope) -> None:
    """Lower TRANSPOSE, as many turns as its order needs."""
    given, made, tensor = scope.ifm, scope.ofm, scope.op.ifm
    pictures = turns(() if tensor is None else tensor.shape, integers(scope.op.ifm2) or ())
    if not pictures:
        scope.emit(OpKind.AVERAGE_POOL, replace(given, shape=made.shape), made)
    for step, picture in enumerate(pictures, 1):
        turned = made
        if step < len(pictures):
            shape = picture.with_hw(picture.w, picture.h)
            turned = scope.temporary(f"turned{step}", shape, scope.dtype(made), made.quant)
        scope.draft.must_be_linear(turned.fm, LinearReason.WRITTEN_BY_COLUMNS)
        scope.emit(
            OpKind.AVERAGE_POOL,
            replace(given, shape=picture),
            replace(turned, shape=picture, is_transposed=True),
            f"turn{step}" if len(pictures) > 1 else "",
        )
        given = turned
