"""Qt without a display, for pictures that look alike on every machine."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from PySide6.QtCore import QHashSeed, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from core.api.reports import document
from core.base.harmless import terminal_text
from core.ir.settings import Settings
from gui.commands.panels import pictured
from gui.document.answer import Answer
from gui.document.wares import Pictured
from gui.export.orders import PictureRequest, Scene
from gui.export.paper import paper_of
from gui.export.pictures import picture_of
from gui.theme import fonts

_TEXT_PT = 9.75
"""Thirteen pixels, as a platform without a screen has 96 to an inch."""


class QtStudio:
    """Draws with Qt, without a display."""

    def __init__(self) -> None:
        self._qt = open_studio()

    def views(self, settings: Settings, answer: Answer | None) -> Mapping[str, Pictured]:
        """What there is to draw of an answer, by the names of views; None for what there may be."""
        return pictured(settings, answer)

    def picture(self, scene: Scene, request: PictureRequest) -> bytes:
        """A picture of a view as a file's content."""
        with _without_collection():
            return picture_of(scene, request)

    def paper(self, report: document.Document, made_at: str) -> bytes:
        """A report as PDF."""
        with _without_collection():
            return paper_of(report, made_at)


@contextmanager
def _without_collection() -> Iterator[None]:
    """Let Python collect nothing meanwhile.

    In the midst of Qt's work it would end Qt's objects; once in a while that never came to an end.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def open_studio() -> QApplication:
    """Qt's application of this process, in the style and font of pictures."""
    qt = QApplication.instance()
    if not isinstance(qt, QApplication):
        qInstallMessageHandler(_tell_what_matters)
        # Else fonts stand in PDF files in another order each time.
        QHashSeed.setDeterministicGlobalSeed()
        qt = QApplication(["reefpoint", "-platform", "offscreen"])
    qt.setStyle("Fusion")
    font = fonts.sans()
    font.setPointSizeF(_TEXT_PT)
    qt.setFont(font)
    return qt


def _tell_what_matters(kind: QtMsgType, context: object, message: str) -> None:
    """Say nothing of what a platform without a screen lacks; the rest is worth a look."""
    del context
    if kind is not QtMsgType.QtDebugMsg and not message.startswith("This plugin does not support"):
        sys.stderr.write(f"{terminal_text(message)}\n")
