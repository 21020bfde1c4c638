"""A report as PDF: pages laid out by Qt, with a line at the foot of each."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRectF, QSizeF, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QImage,
    QPageLayout,
    QPageSize,
    QPainter,
    QPdfWriter,
    QTextDocument,
)

from core.api.reports import document as report
from core.api.reports import render_html
from gui.export.paper_facts import describe, moment_of, with_moment
from gui.export.paper_markup import markup_of, pictures_of
from gui.theme import fonts
from gui.theme.tones import LIGHT

_DOTS_AN_INCH, _SCREEN_DOTS_AN_INCH = 300, 96
_MARGIN_MM = 12.0
_FOOT_MM = 8.0
_TEXT_PT = 8.0
_MM_AN_INCH = 25.4
_PICTURE_SHARE = 0.86
"""Of a page's height, for a picture at most; its title is above it."""

_STYLE = f"""
h1 {{ font-size: 20pt; margin-top: 0px; margin-bottom: 4px; }}
h2 {{ font-size: 13pt; margin-top: 22px; margin-bottom: 6px; }}
h2.new-page {{ page-break-before: always; margin-top: 0px; }}
h3 {{ font-size: 9.5pt; margin-top: 14px; margin-bottom: 3px; }}
p {{ margin-top: 2px; margin-bottom: 4px; }}
.kicker, .faint, .term, .note {{ color: {LIGHT.faint_text}; }}
.number {{ font-size: 13pt; font-weight: 600; }}
.verdict td, .over td, .figures td {{ background-color: {LIGHT.alternate}; }}
.verdict strong {{ color: {LIGHT.good}; font-size: 11pt; }}
.over strong {{ color: {LIGHT.danger}; font-size: 11pt; }}
.rows th, .rows td {{ font-size: 7pt; padding-right: 5px; }}
.rows th {{ font-weight: 600; border-bottom: 1px solid {LIGHT.text}; }}
td.whole, th.whole {{ white-space: nowrap; }}
.rows td {{ border-bottom: 1px solid {LIGHT.grid}; }}
pre, code {{ font-family: '{fonts.MONO}'; font-size: 7.5pt; }}
"""


def paper_of(told: report.Document, moment_text: str = "") -> bytes:
    """A report as PDF; the same report makes the same bytes."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(_DOTS_AN_INCH)
    writer.setPageLayout(_layout())
    # Pages are cut at whole dots.
    page = QSizeF(writer.width(), writer.height() - int(_dots(_FOOT_MM)))
    document = _document(told, writer, page)
    moment = moment_of(moment_text)
    describe(writer, told.title, moment, render_html(told).encode())
    painter = QPainter(writer)
    count = document.pageCount()
    for number in range(count):
        if number:
            writer.newPage()
        _paint(painter, document, page, number)
        _foot(painter, page, f"{number + 1} / {count}")
    painter.end()
    return with_moment(bytes(buffer.data().data()), moment)


def _layout() -> QPageLayout:
    """Landscape, because tables and pictures are wide."""
    margins = QMarginsF(_MARGIN_MM, _MARGIN_MM, _MARGIN_MM, _MARGIN_MM)
    return QPageLayout(
        QPageSize(QPageSize.PageSizeId.A4),
        QPageLayout.Orientation.Landscape,
        margins,
        QPageLayout.Unit.Millimeter,
    )


def _dots(millimetres: float) -> float:
    return millimetres / _MM_AN_INCH * _DOTS_AN_INCH


def _document(told: report.Document, writer: QPdfWriter, page: QSizeF) -> QTextDocument:
    document = QTextDocument()
    document.documentLayout().setPaintDevice(writer)
    document.setDocumentMargin(0)
    font = fonts.sans()
    font.setPointSizeF(_TEXT_PT)
    document.setDefaultFont(font)
    document.setDefaultStyleSheet(_STYLE)
    document.setUseDesignMetrics(True)
    shown = [
        _picture(document, f"picture-{number}", picture, page)
        for number, picture in enumerate(pictures_of(told))
    ]
    document.setHtml(markup_of(told, shown))
    document.setPageSize(page)
    return document


def _picture(document: QTextDocument, name: str, picture: report.Picture, page: QSizeF) -> str:
    """Give a document a picture; the element that shows it, as large as a page allows."""
    image = QImage.fromData(picture.content)
    document.addResource(QTextDocument.ResourceType.ImageResource, QUrl(name), image)
    if image.isNull():
        return ""
    scale = min(page.width() / image.width(), page.height() * _PICTURE_SHARE / image.height())
    # Sizes of pictures are told in dots of a screen.
    on_screen = scale * image.width() / _DOTS_AN_INCH * _SCREEN_DOTS_AN_INCH
    return f'<img src="{name}" width="{on_screen:.0f}">'


def _paint(painter: QPainter, document: QTextDocument, page: QSizeF, number: int) -> None:
    painter.save()
    painter.translate(0, -number * page.height())
    document.drawContents(painter, QRectF(0, number * page.height(), page.width(), page.height()))
    painter.restore()


def _foot(painter: QPainter, page: QSizeF, text: str) -> None:
    font = fonts.sans()
    font.setPointSizeF(_TEXT_PT)
    painter.setFont(font)
    painter.setPen(QColor(LIGHT.faint_text))
    foot = QRectF(0, page.height(), page.width(), _dots(_FOOT_MM))
    painter.drawText(foot, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom), text)
