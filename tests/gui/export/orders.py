"""Orders for tests, and what answers them in the test's own process."""

from __future__ import annotations

from pathlib import Path

from core.base.forms import Form
from core.base.progress import SILENT
from gui.document.document import Document
from gui.document.swept import SweptCells
from gui.document.wares import FORMS, Ware
from gui.export.orders import Order, PictureRequest
from gui.export.worker import answer
from gui.jobs.desk import Desk
from gui.jobs.messages import Export
from tests.gui.answers import document_of

MOMENT = "2026-11-21 10:30 UTC"
_DESK = Desk()


def order(ware: Ware, path: Path, form: Form | None = None, **more) -> Order:
    """An order at a moment that is always the same."""
    given = {"ware": ware, "path": str(path), "form": form or FORMS[ware][0], "made_at": MOMENT}
    if ware is Ware.PICTURE:
        given["picture"] = PictureRequest(
            view="timeline", width=800, height=400, form=given["form"]
        )
    if ware is Ware.SWEEP:
        given["swept"] = SweptCells(title="a", cells=())
    return Order(**given | more)


def export(studio, wanted: Order, model: str = "kws_dscnn", progress=SILENT, **settings):
    """What the process that exports says in the end."""
    return export_of(studio, wanted, document_of(model, **settings), progress)


def export_of(studio, wanted: Order, document: Document, progress=SILENT):
    """The same, of any document."""
    message = Export(number=7, document=document, order=wanted)
    return answer(_DESK, message, studio, progress)
