"""The stage itself is tried: nothing of it is remembered from test to test."""

from __future__ import annotations

import pytest

from tests.streams import sizes_are_worked_out_anew

__all__ = ["sizes_are_worked_out_anew"]


@pytest.fixture(autouse=True)
def stage(sizes_are_worked_out_anew):
    pass
