"""How a process that works alone uses its memory."""

from __future__ import annotations

import gc

import numpy as np

_FIRST_LOOK = 50_000
"""Values that are made before garbage is looked for among them; most are kept."""
_KEPT_BYTES = 31 << 20
"""Just below the largest block that the C library may take from the memory that it keeps."""


def work_alone() -> None:
    """Look for garbage seldom, and take the memory of large arrays from what was used before."""
    gc.set_threshold(_FIRST_LOOK, 20, 20)
    # Blocks as large as the largest that was ever given back are kept for the next; until then
    # each array of 128 KiB or more is made of pages that the system has to clear first.
    np.empty(_KEPT_BYTES, dtype=np.uint8)
