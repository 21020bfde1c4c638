"""What can be exported, and in which formats."""

from __future__ import annotations

import enum
from typing import NamedTuple


class Ware(enum.Enum):
    """Something that can be exported."""

    MODEL = "Compiled model"
    SCHEDULE = "Schedule as JSON"
    SUMMARY = "Summary as CSV"
    LAYERS = "Operators as CSV"
    TRACE = "Trace for Perfetto"
    PICTURE = "Picture of a view"
    REPORT = "Report"


class Form(NamedTuple):
    """A format of a file."""

    title: str
    suffix: str


class Pictured(NamedTuple):
    """A view that pictures are made of."""

    title: str
    report_height: int
    """Of its picture in a report, which has none where this is 0."""


PNG, SVG = Form("PNG", ".png"), Form("SVG", ".svg")
HTML, PDF = Form("HTML", ".html"), Form("PDF", ".pdf")
FORMS: dict[Ware, tuple[Form, ...]] = {
    Ware.MODEL: (Form("TensorFlow Lite", ".tflite"),),
    Ware.SCHEDULE: (Form("JSON", ".json"),),
    Ware.SUMMARY: (Form("CSV", ".csv"),),
    Ware.LAYERS: (Form("CSV", ".csv"),),
    Ware.TRACE: (Form("JSON", ".json"),),
    Ware.PICTURE: (PNG, SVG),
    Ware.REPORT: (HTML, PDF),
}
_ENDINGS = {
    Ware.MODEL: "compiled",
    Ware.SCHEDULE: "schedule",
    Ware.SUMMARY: "summary",
    Ware.LAYERS: "per-layer",
    Ware.TRACE: "trace",
    Ware.REPORT: "report",
}


def file_name(model: str, ware: Ware, form: Form, view: str = "") -> str:
    """What a file is called where nobody says otherwise; `model` is the model's name."""
    stem = model.removesuffix(".tflite")
    return f"{stem}_{_ENDINGS.get(ware, view)}{form.suffix}"
