"""The door to reports that one looks at: the page, and the trace."""

from __future__ import annotations

from core.api.material import material_of
from core.ir.trace import Analysis
from core.pipeline.scheduled import Scheduled
from core.report.measured.match import Measured
from core.report.page import document as page
from core.report.page.document import Contents as ReportContents
from core.report.page.style import ReportTheme
from core.report.perfetto import document as perfetto

__all__ = ["ReportContents", "ReportTheme", "render_report", "render_trace"]


def render_trace(
    name: str, scheduled: Scheduled, analysis: Analysis, measured: Measured | None = None
) -> str:
    """A schedule as a trace that Perfetto opens; measured cycles have lanes of their own."""
    return perfetto.render(material_of(name, scheduled), analysis, measured)


def render_report(
    name: str, scheduled: Scheduled, analysis: Analysis, contents: ReportContents
) -> str:
    """A schedule as one HTML file that needs nothing else."""
    return page.render(material_of(name, scheduled), analysis, contents)
