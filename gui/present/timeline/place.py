"""Where the place that one looks at is in another schedule of the same network."""

from __future__ import annotations

import numpy as np

from core.ir.trace import Trace


def place_in(before: Trace, after: Trace, cycle: float) -> float:
    """The cycle at which the same operator is as far as it was at that one before."""
    starts, ends = before.op_start_cycle, before.op_end_cycle
    running = np.flatnonzero((starts <= cycle) & (cycle < ends))
    if not len(running) or len(after.op_start_cycle) != len(starts):
        return cycle
    # Of several in a cascade, the one that takes the least time tells the place best.
    op = int(running[(ends - starts)[running].argmin()])
    share = (cycle - float(starts[op])) / float(ends[op] - starts[op])
    start, end = float(after.op_start_cycle[op]), float(after.op_end_cycle[op])
    return start + share * (end - start) if end > start else cycle
