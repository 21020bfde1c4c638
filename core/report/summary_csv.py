"""The summary of a scheduled network as CSV: a line of names and a line of figures."""

from __future__ import annotations

from core.ir.scheduled import Scheduled
from core.report.csv_text import csv_text
from core.report.summary import summary_row


def render(material: Scheduled) -> str:
    """Two lines with the columns and units of the ecosystem's summary files."""
    row = summary_row(material)
    return csv_text([list(row), list(row.values())])
