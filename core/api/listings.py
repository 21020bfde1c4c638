"""The door to listings: schedules as text, JSON and CSV."""

from __future__ import annotations

from collections.abc import Collection

from core.base.checked import door
from core.base.frozen import replace
from core.ir.scheduled import Scheduled
from core.report import (
    ranged_json,
    schedule_csv,
    schedule_text,
)
from core.report.inspect_json import Json
from core.report.review import Review
from core.report.reviews import of_schedule
from core.report.schedule_details import Detail

__all__ = [
    "Detail",
    "describe_schedule",
    "outline_schedule",
    "render_layer_csv",
    "render_schedule",
    "render_summary_csv",
    "review_schedule",
]


@door
def describe_schedule(name: str, scheduled: Scheduled) -> Json:
    """A schedule as JSON, with the keys of the ecosystem's schedule reports."""
    return ranged_json.describe(replace(scheduled, name=name))


@door
def outline_schedule(name: str, scheduled: Scheduled) -> str:
    """The figures of a schedule that matter most, in three or four lines."""
    return schedule_text.outline(replace(scheduled, name=name))


@door
def render_schedule(name: str, scheduled: Scheduled, details: Collection[Detail] = ()) -> str:
    """A schedule as text for a terminal."""
    return schedule_text.render(replace(scheduled, name=name), details)


@door
def render_summary_csv(name: str, scheduled: Scheduled) -> str:
    """The figures of a schedule as CSV, with the columns of the ecosystem's summaries."""
    return schedule_csv.render_summary(replace(scheduled, name=name))


@door
def render_layer_csv(name: str, scheduled: Scheduled) -> str:
    """The operators of a schedule as CSV, with the columns of the ecosystem's reports."""
    return schedule_csv.render_operators(replace(scheduled, name=name))


@door
def review_schedule(name: str, scheduled: Scheduled) -> Review:
    """A schedule for those who look at changes: whether it fits, and where its time goes."""
    return of_schedule(name, scheduled)
