"""What a move does to the range that is shown."""

from __future__ import annotations

import pytest

from gui.items.ranges import Range


def is_closer(before: Range, now: Range) -> bool:
    return now.length < before.length


def is_farther(before: Range, now: Range) -> bool:
    return now.length > before.length


def is_earlier(before: Range, now: Range) -> bool:
    return now.start < before.start and now.length == pytest.approx(before.length)


def is_later(before: Range, now: Range) -> bool:
    return now.start > before.start and now.length == pytest.approx(before.length)
