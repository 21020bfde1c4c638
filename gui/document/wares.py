"""What can be exported, and in which formats."""

from __future__ import annotations

import enum

from core.base.forms import Form
from core.base.frozen import NamedTuple


class Ware(enum.Enum):
    """Something that can be exported."""

    MODEL = "Compiled model"
    SCHEDULE = "Schedule as JSON"
    SUMMARY = "Summary as CSV"
    LAYERS = "Operators as CSV"
    TRACE = "Trace for Perfetto"
    NODES = "Node data for Model Explorer"
    PICTURE = "Picture of a view"
    REPORT = "Report"
    PAGE = "Interactive page"
    SWEEP = "Sweep as CSV"


class Pictured(NamedTuple):
    """A view that pictures are made of."""

    title: str
    report_height: int
    """Of its picture in a report, which has none where this is 0."""
    shows_a: bool = False
    """Whether the page of a comparison has it."""
    needs_cascades: bool = False
    """Whether paper has it only where there is a cascade."""


FORMS: dict[Ware, tuple[Form, ...]] = {
    Ware.MODEL: (Form.MODEL,),
    Ware.SCHEDULE: (Form.JSON,),
    Ware.SUMMARY: (Form.CSV,),
    Ware.LAYERS: (Form.CSV,),
    Ware.TRACE: (Form.JSON,),
    Ware.NODES: (Form.JSON,),
    Ware.PICTURE: (Form.PNG, Form.SVG),
    Ware.REPORT: (Form.HTML, Form.PDF),
    Ware.PAGE: (Form.HTML,),
    Ware.SWEEP: (Form.CSV,),
}
_ENDINGS = {
    Ware.MODEL: "compiled",
    Ware.SCHEDULE: "schedule",
    Ware.SUMMARY: "summary",
    Ware.LAYERS: "per-layer",
    Ware.TRACE: "trace",
    Ware.REPORT: "report",
    Ware.PAGE: "interactive",
    Ware.SWEEP: "sweep",
}


def file_name(model: str, ware: Ware, form: Form, view: str = "") -> str:
    """What a file is called where nobody says otherwise; `model` is the model's name."""
    stem = model.removesuffix(".tflite")
    return f"{stem}_{_ENDINGS.get(ware, view)}{form.suffix}"
