"""When a step of a cascade runs."""

from __future__ import annotations

import numpy as np

from core.ir.trace import Activity, StripeStep, Trace
from gui.document.display import Span


def moment_of(trace: Trace, step: StripeStep) -> Span | None:
    """The cycles in which its stripe is worked out; None where the trace has no such slice."""
    is_step = (trace.op == step.op) & (trace.stripe == step.stripe)
    found = np.flatnonzero(is_step & (trace.activity == Activity.COMPUTE))
    if not len(found):
        return None
    return Span(
        start_cycle=float(trace.start_cycle[found[0]]), end_cycle=float(trace.end_cycle[found[-1]])
    )
