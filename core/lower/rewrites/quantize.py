"""Requantisation: a copy that rescales.

a -> QUANTIZE -> b      becomes   a -> average pool of one element -> b
"""

from __future__ import annotations

from core.ir.npugraph import OpKind
from core.lower.scope import Scope


def lower(scope: Scope) -> None:
    """Lower QUANTIZE from one integer type to another."""
    scope.emit(OpKind.AVERAGE_POOL, scope.ifm, scope.ofm)
