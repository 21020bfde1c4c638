"""The door to reports that one looks at: the document, its page, the trace, and node data."""

from __future__ import annotations

from typing import Any

from core.base.checked import door
from core.base.frozen import replace
from core.ir.scheduled import Scheduled
from core.ir.trace import Analysis
from core.report import node_data
from core.report.measured.match import Measured
from core.report.node_data import Quantity
from core.report.page import contents as page
from core.report.page import document
from core.report.page.contents import Contents as ReportContents
from core.report.page.html import render as render_html
from core.report.page.sorting import SORTING
from core.report.page.style import ReportTheme
from core.report.perfetto import document as perfetto

__all__ = [
    "SORTING",
    "Quantity",
    "ReportContents",
    "ReportTheme",
    "describe_nodes",
    "document",
    "render_html",
    "render_trace",
    "report_of",
]


@door
def render_trace(
    name: str, scheduled: Scheduled, analysis: Analysis, measured: Measured | None = None
) -> str:
    """A schedule as a trace that Perfetto opens; measured cycles have lanes of their own."""
    return perfetto.render(replace(scheduled, name=name), analysis, measured)


@door
def describe_nodes(scheduled: Scheduled, quantity: Quantity) -> dict[str, Any]:
    """One quantity by source operator, as node data that Model Explorer shows."""
    return node_data.node_data(scheduled, quantity)


@door
def report_of(
    name: str, scheduled: Scheduled, analysis: Analysis, contents: ReportContents
) -> document.Document:
    """What a report says of a schedule, for a page or for paper."""
    return page.document_of(replace(scheduled, name=name), analysis, contents)
