"""Pictures of views, each drawn by a fresh view of the size that is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QBuffer, QByteArray, QEvent, QIODevice, QPoint, Qt
from PySide6.QtGui import QColor, QImage, QImageWriter, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from core.base.forms import Form
from gui.commands.panels import PANELS, Panel
from gui.export.orders import PictureRequest, Scene
from gui.export.svg import svg_of
from gui.present.operators.rules import rules_from
from gui.state.store import Store
from gui.theme.qpalette import palette_of, style_sheet
from gui.theme.tones import THEMES, Theme
from gui.widgets.patient_view import PatientView

SETTLING_TURNS = 5
"""Turns of the event loop after a view is shown: layouts that follow from it need some."""


def picture_of(scene: Scene, request: PictureRequest) -> bytes:
    """A picture as a file's content; a PNG is exactly `scale` times as large as the size."""
    theme = THEMES[request.theme]
    panel = next(panel for panel in PANELS if panel.name == request.view)
    with _dressed(theme):
        view = _view(panel, scene, request, theme)
        try:
            if request.form is Form.SVG:
                return svg_of(view, panel.title, theme.base)
            return _png(view, request.scale, theme)
        finally:
            view.close()
            view.deleteLater()
            # Where there is no event loop, nobody else would ever do it.
            QApplication.sendPostedEvents(view, QEvent.Type.DeferredDelete)


def _view(panel: Panel, scene: Scene, request: PictureRequest, theme: Theme) -> QWidget:
    store = Store(scene.answer.document, scene.display)
    store.set_theme(theme)
    store.notes.set(scene.notes, "notes")
    store.set_answer(scene.answer)
    store.matched.colour(rules_from(scene.rules))
    if scene.measurement is not None:
        store.set_measurement(scene.measurement)
    store.swept.show(scene.swept)
    if scene.against is not None:
        store.compared.keep(scene.against.kept)
        store.compared.tell(scene.answer, scene.against.found, before=scene.against.before)
    page = QWidget()
    page.setStyleSheet(style_sheet(theme))
    view = panel.make(store)
    # A store lives as long as what it is shown by.
    store.setParent(page)
    view.setParent(page)
    page.setFixedSize(request.width, request.height)
    view.setGeometry(0, 0, request.width, request.height)
    page.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    page.show()
    _settle()
    if isinstance(view, PatientView):
        view.show_look(request.look)
    store.select(scene.selection)
    store.mark_span(scene.span)
    _settle()
    if isinstance(view, PatientView):
        view.be_pictured()
        _settle()
    # Texts of another size may have asked for more room than there is: it stays as it is.
    view.setGeometry(0, 0, request.width, request.height)
    return page


def _settle() -> None:
    for _ in range(SETTLING_TURNS):
        QApplication.processEvents()


def _png(view: QWidget, scale: int, theme: Theme) -> bytes:
    image = QImage(view.size() * scale, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    image.fill(QColor(theme.base))
    view.render(image, QPoint(0, 0))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"PNG")).write(image)
    return bytes(buffer.data().data())


@contextmanager
def _dressed(theme: Theme) -> Iterator[None]:
    """Let widgets that are made meanwhile have a theme's palette."""
    before = QPalette(QApplication.palette())
    QApplication.setPalette(palette_of(theme))
    try:
        yield
    finally:
        QApplication.setPalette(before)
