"""Which strides the hardware can be brought to, and how."""

from __future__ import annotations

MOST_APART = 256
"""Operators that a window of long strides may become."""


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


def short_steps(
    window: int, stride: int, padding: int, longest_stride: int
) -> list[tuple[int, int]]:
    """Windows and their strides, one after the other, that together cover what one window does: of
    a long stride only where windows touch each other, and their size has short factors."""
    if stride <= longest_stride or window != stride or padding:
        return [(window, stride)]
    factors, rest = [], window
    for factor in range(longest_stride, 1, -1):
        while rest % factor == 0:
            factors.append(factor)
            rest //= factor
    return [(window, stride)] if rest > 1 else [(factor, factor) for factor in factors]
