"""Which strides the hardware can be brought to, and how."""

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


def apart(places: int, stride: int, longest_stride: int) -> list[range]:
    """Places of a window that one operator can step through; of a long stride each by itself."""
    if stride <= longest_stride:
        return [range(places)]
    return [range(place, place + 1) for place in range(places)]
