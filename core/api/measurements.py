"""The door to measurements: cycles of a file, matched to the operators of a schedule."""

from __future__ import annotations

from core.base.checked import door
from core.ir.scheduled import Scheduled
from core.report.measured.match import Measured
from core.report.measured.match import read as read_rows

__all__ = ["Measured", "read_measured"]


@door
def read_measured(data: bytes, scheduled: Scheduled) -> Measured:
    """Measured cycles of a file, matched to the operators of a schedule."""
    return read_rows(data, scheduled)
