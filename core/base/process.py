"""Processes that only compute: how they use their memory."""

from __future__ import annotations

import atexit
import gc

import numpy as np

_FIRST_LOOK = 200_000
"""Values that are made before garbage is looked for among them; most are kept."""
_KEPT_BYTES = 31 << 20
"""Just below the largest block that C libraries may take from the memory that they keep."""


def keep_memory() -> None:
    """Look for garbage seldom and take new arrays from old ones, as results are mostly kept.

    The usual C library keeps blocks as large as the largest that was given back so far. Without
    that, each array of 128 KiB or more has pages that the system has to clear first.
    """
    gc.set_threshold(_FIRST_LOOK, 20, 20)
    atexit.register(_leave_garbage)
    np.empty(_KEPT_BYTES, dtype=np.uint8)


def _leave_garbage() -> None:
    """Leave what the process still holds to the system, which takes it back without looking."""
    gc.freeze()
    gc.disable()
