"""The door to measured cycles, beside those that we estimate."""

from __future__ import annotations

from core.ir.scheduled import Scheduled
from core.report.measured.match import Measured
from core.report.measured.match import read as read_measured_rows

__all__ = ["Measured", "read_measured"]


def read_measured(data: bytes, scheduled: Scheduled) -> Measured:
    """Measured cycles of a file, matched to the operators of a schedule."""
    return read_measured_rows(data, scheduled)
