"""Which limits are likely to be asked for next: those that a hand on the slider comes by."""

from __future__ import annotations

from collections.abc import Iterator

_PARTS = 8
_AROUND = (7, 9, 6, 10, 5, 11, 4, 12)
"""In parts of the limit, the nearest first."""
_STEP_BYTES = 16


def limits_around(limit_bytes: int, most_bytes: int) -> Iterator[int]:
    """Some limits below and above one, where anything above the most changes nothing."""
    limit = min(limit_bytes, most_bytes)
    for parts in _AROUND:
        near = limit * parts // _PARTS // _STEP_BYTES * _STEP_BYTES
        if 0 < near < most_bytes:
            yield near
