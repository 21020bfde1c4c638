"""What notebooks show: the pages that reports have, with the timeline and the memory map."""

from __future__ import annotations

from collections.abc import Iterator

from core.api import comparisons, reports, schedules
from core.base.frozen import replace
from core.base.harmless import xml_text
from core.report.page.document import Document as Page
from core.report.page.style import ReportTheme
from core.report.words import kib_text
from gui.document.answer import Answer
from gui.document.document import Document
from gui.present.interactive.around import page
from gui.present.memory.map import TimeScale, area_map, edges_of
from gui.present.memory.ranges import is_permanent
from gui.present.memory.text import tab_title
from gui.present.timeline.data import timeline_data
from gui.present.timeline.picture import cascade_rects, slice_rects
from gui.present.timeline.rows import rows_of
from gui.theme.tones import DARK, LIGHT, Theme
from reefpoint.drawing import Plot, drawn

_ROW_PX, _MAP_PX = 30, 260
_FRAME_PX = 760
_SHOWN = ("where", "pictures")
"""Sections of a report that are shown; the rest is a click away in the app, or in a report."""


def of_schedule(scheduled: schedules.Scheduled, analysis: schedules.Analysis) -> str:
    """A page of a schedule."""
    plots = dict(_plots(scheduled, analysis))

    def pictures(theme: Theme) -> dict[str, bytes]:
        return {title: drawn(plot, theme) for title, plot in plots.items()}

    contents = reports.ReportContents(pictures=pictures(LIGHT), dark_pictures=pictures(DARK))
    page = reports.report_of(scheduled.name, scheduled, analysis, contents)
    shown = tuple(section for section in page.sections if section.name in _SHOWN)
    return _rendered(replace(page, sections=shown))


def to_explore(
    scheduled: schedules.Scheduled,
    analysis: schedules.Analysis,
    bench: schedules.Workbench | None,
) -> str:
    """A page in which everything can be selected, zoomed and searched."""
    return page(scheduled.name, _answer(scheduled, analysis), bench)


def _answer(scheduled: schedules.Scheduled, analysis: schedules.Analysis) -> Answer:
    return Answer(
        number=0, document=Document(), scheduled=scheduled, analysis=analysis, seconds=0.0
    )


def of_comparison(found: comparisons.Comparison) -> str:
    """A page of a comparison."""
    return _rendered(comparisons.document_of(found, comparisons.Pictures()))


def _rendered(page: Page) -> str:
    return reports.render_html(page, ReportTheme.AUTO)


def framed(page: str, height_px: int = _FRAME_PX) -> str:
    """A page within another one; neither changes how the other looks."""
    return (
        f'<iframe srcdoc="{xml_text(page)}" width="100%" height="{height_px}"'
        ' style="border:0" sandbox="allow-scripts"></iframe>'
    )


def _plots(
    scheduled: schedules.Scheduled, analysis: schedules.Analysis
) -> Iterator[tuple[str, Plot]]:
    answer = _answer(scheduled, analysis)
    data = timeline_data(answer)
    rows = rows_of(data, {})
    cycles = f"{data.end_cycle:,.0f} cycles"
    yield (
        "Timeline",
        Plot(
            layers=(cascade_rects(data, rows, {}), slice_rects(data, rows, {})),
            end=data.end_cycle,
            top=rows.height,
            grows_upwards=False,
            marks=tuple((row.middle, row.title) for row in rows.all),
            height_px=max(round(rows.height * _ROW_PX), _ROW_PX),
            end_text=cycles,
        ),
    )
    edges = edges_of(answer, TimeScale.CYCLES)
    for area in scheduled.layout.areas:
        if is_permanent(area) or not area.height_bytes:
            continue
        found = area_map(scheduled, area, edges)
        limit, top = found.limit_bytes, found.top_bytes
        marks = {0: "0", area.height_bytes: kib_text(area.height_bytes)}
        if limit is not None and limit <= top:
            marks[limit] = f"limit {kib_text(limit)}"
        yield (
            f"Memory map: {tab_title(area)}",
            Plot(
                layers=(found.rects, found.padding, found.over),
                end=found.end,
                top=float(top),
                grows_upwards=True,
                marks=tuple((float(at), text) for at, text in marks.items()),
                line=None if limit is None else float(limit),
                height_px=_MAP_PX,
                end_text=cycles,
            ),
        )
