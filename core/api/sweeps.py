"""The door to sweeps: many schedules at once, into one file that can be opened again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from core.base.checked import door
from core.base.errors import OptionError
from core.ir.sweep import Cell, Outcome, SweptModel, SweptSettings, Totals, Verdict
from core.report.page.document import Document
from core.report.page.html import render as render_html
from core.report.page.style import ReportTheme
from core.report.sweep.curves import RANKS, Curve, Step, curves, parse_rank, ranked
from core.report.sweep.guides import Guide, guides
from core.report.sweep.page import document_of
from core.report.sweep.review import review_of
from core.report.sweep.tables import render_csv, render_json
from core.report.words import duration_text
from core.sweep.claims import Life
from core.sweep.crew import Certificates, Crew
from core.sweep.file import SweepFile
from core.sweep.limits import parse_limits
from core.sweep.models import Models
from core.sweep.pace import Pace
from core.sweep.plan import LeftOut, Plan, plan
from core.sweep.processes import ProcessCrew, cores
from core.sweep.run import Folders, Sweep, Tally
from core.target.boards import BOARDS, Board, boards_named

__all__ = [
    "BOARDS",
    "RANKS",
    "USUAL_RANK",
    "Board",
    "Cell",
    "Certificates",
    "Crew",
    "Curve",
    "Document",
    "Folders",
    "Guide",
    "LeftOut",
    "Life",
    "Models",
    "Outcome",
    "Pace",
    "Plan",
    "ProcessCrew",
    "Step",
    "Sweep",
    "SweepFile",
    "SweptModel",
    "SweptSettings",
    "Tally",
    "Totals",
    "Verdict",
    "boards_named",
    "cluster_crew",
    "cores",
    "curves",
    "duration_text",
    "guides",
    "parse_limits",
    "parse_rank",
    "plan",
    "ranked",
    "render",
    "render_csv",
    "render_html",
    "render_json",
    "report_of",
    "review_of",
    "theme_named",
]

USUAL_RANK = ("cycles", "sram")


@door
def report_of(
    name: str,
    cells: Iterable[Cell],
    rank: Sequence[str] = USUAL_RANK,
    boards: Iterable[Board] = (),
) -> Document:
    """What a report says of a sweep, for a page or for paper."""
    return document_of(name, cells, rank, tuple(boards))


@door
def theme_named(name: str) -> ReportTheme:
    """Colours of a page by their name."""
    for theme in ReportTheme:
        if theme.value == name:
            return theme
    raise OptionError.unknown("theme", name, (theme.value for theme in ReportTheme))


@door
def cluster_crew(
    address: str,
    count: int,
    bytes_of: Callable[[str], bytes],
    clock: Callable[[], float],
    certificates: Certificates | None = None,
) -> Crew:
    """The workers of a Dask cluster; an OptionError where `distributed` is not installed."""
    try:
        from core.sweep.cluster import ClusterCrew  # with `distributed`, which is optional
    except ModuleNotFoundError as error:
        raise OptionError(
            f"--dask asks for the package {error.name}: pip install -r requirements/cluster.txt"
        ) from error
    return ClusterCrew(address, count, bytes_of, clock, certificates)


@door
def render(name: str, cells: Iterable[Cell], form: str) -> str:
    """The cells of a sweep as `csv`, `json` or `html`."""
    match form:
        case "csv":
            return render_csv(cells)
        case "json":
            return render_json(cells)
        case _:
            return render_html(report_of(name, cells))
