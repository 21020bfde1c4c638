"""How this process uses its memory."""

from __future__ import annotations

import gc

import numpy as np

_FIRST_LOOK = 50_000
"""Values that are made before garbage is looked for among them; most are kept."""
_KEPT_BYTES = 31 << 20
"""Just below the largest block that C libraries may take from the memory that they keep."""


def work_alone() -> None:
    """Look for garbage seldom, in a process whose values are mostly kept."""
    gc.set_threshold(_FIRST_LOOK, 20, 20)


def reuse_memory() -> None:
    """Take the memory of arrays from what was used before, which results do not depend on.

    The usual C library keeps blocks as large as the largest that was given back so far. Without
    that, each array of 128 KiB or more has pages that the system has to clear first.
    """
    np.empty(_KEPT_BYTES, dtype=np.uint8)
