"""A reshape that could not be done by renaming: the bytes are copied.

a -> RESHAPE -> b      becomes   a -> COPY -> b
"""

from __future__ import annotations

from core.ir.npugraph import OpKind
from core.lower.scope import Scope


def lower(scope: Scope) -> None:
    """Lower RESHAPE, SQUEEZE, EXPAND_DIMS, and a SPLIT into one part."""
    scope.emit(OpKind.COPY, scope.ifm, scope.ofm)
