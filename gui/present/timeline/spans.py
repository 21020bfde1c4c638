"""What runs in a marked stretch of time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from core.ir.trace import NOTHING, Trace
from gui.document.display import Span
from gui.present.operators.table import OperatorTable
from gui.present.rects import Ints
from gui.present.timeline.totals import op_shares


def ops_in(trace: Trace, span: Span) -> Ints:
    """NPU operators that run in it, wholly or in part."""
    return np.flatnonzero(op_shares(trace, span)).astype(np.int32)


def cpu_ops_in(trace: Trace, span: Span) -> Ints:
    """CPU operators that run in it."""
    meets = (trace.start_cycle <= span.end_cycle) & (trace.end_cycle >= span.start_cycle)
    found: Ints = np.unique(trace.cpu_op[meets & (trace.cpu_op != NOTHING)]).astype(np.int32)
    return found


def rows_in(table: OperatorTable, trace: Trace, span: Span) -> npt.NDArray[np.bool_]:
    """By row of the table of operators, whether it runs in the stretch."""
    on_npu = (table.op >= 0) & np.isin(table.op, ops_in(trace, span))
    found: npt.NDArray[np.bool_] = on_npu | (
        (table.cpu_op >= 0) & np.isin(table.cpu_op, cpu_ops_in(trace, span))
    )
    return found
