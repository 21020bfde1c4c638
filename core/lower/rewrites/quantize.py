"""Requantisation: a copy that rescales.

a -> QUANTIZE -> b      becomes   a -> average pool of one element -> b

One that stands for a way through real numbers (`real_detours.py`) is a table.
"""

from __future__ import annotations

from core.ir.constdata import ConstData
from core.ir.npugraph import OpKind
from core.lower.real_detours import entries_of
from core.lower.rewrites.lookup import emit_table
from core.lower.scope import Scope


def lower(scope: Scope) -> None:
    """Lower QUANTIZE from one integer type to another."""
    entries = entries_of(scope.op)
    if entries is None:
        scope.emit(OpKind.AVERAGE_POOL, scope.ifm, scope.ofm)
    else:
        emit_table(scope, ConstData.of(entries))
