"""SOFTMAX, in the reference's fixed-point arithmetic; there is a chain for either width.

x -> SOFTMAX -> y      becomes   the greatest x of each row; the exponentials of the differences
                                 to it; their sum; its reciprocal; the product -> y
"""

from __future__ import annotations

from core.base.dtype import DType
from core.lower.rewrites.softmax8 import emit_softmax8
from core.lower.rewrites.softmax16 import emit_softmax16
from core.lower.rewrites.softmax_chain import Chain
from core.lower.scope import Scope


def lower(scope: Scope) -> None:
    """Lower SOFTMAX."""
    chain = Chain.of(scope)
    if scope.dtype(scope.ifm) is DType.INT16:
        emit_softmax16(chain)
    else:
        emit_softmax8(chain)
