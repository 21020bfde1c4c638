"""Which strides along the width the hardware can be brought to."""

from __future__ import annotations


def columns_to_fold(width: int, stride: int) -> int:
    """How many neighbouring columns to read as one, so that a stride becomes one or short."""
    if stride <= 1:
        return 1
    if width % stride == 0:
        return stride
    for short in (2, 3):
        if stride % short == 0 and width % (stride // short) == 0:
            return stride // short
    return 1
