"""Has files made by a process of its own, so that nothing else waits for them."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from gui.document.answer import Answer
from gui.document.document import Document
from gui.jobs.desk import bench_key
from gui.jobs.errands import Errands
from gui.jobs.messages import Export
from gui.jobs.spawn import Entry
from gui.jobs.wire import pack

_ENDED = "the process that exports has ended; nothing was written"


def pack_answer(answer: Answer) -> bytes:
    """An answer without its network, which whoever exports works out as well."""
    scheduled, model = answer.scheduled, answer.document.model
    assert model is not None
    key = bench_key(model, scheduled.target, answer.document.settings)
    return pack(answer, {key: scheduled.run})


class Exporter(Errands):
    """Makes one export after the other."""

    def __init__(self, entry: Entry, parent: QObject | None = None) -> None:
        super().__init__(entry, _ENDED, parent)

    def start(self, document: Document, order: object, shown: Answer | None = None) -> None:
        """Have something made of a document, or of the very answer to it that is shown; nothing
        else may be on its way."""
        packed = b"" if shown is None else pack_answer(shown)
        self.send(partial(_export, document, order, packed))


def _export(document: Document, order: object, shown: bytes, number: int) -> Export:
    return Export(number=number, document=document, order=order, shown=shown)
