"""A report as PDF: pages laid out by Qt, with a line at the foot of each."""

from __future__ import annotations

import hashlib
import html
import re

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

from gui.export.paper_markup import markup_of
from gui.theme import fonts
from gui.theme.tones import LIGHT

_DOTS_AN_INCH = 300
_MARGIN_MM = 12.0
_FOOT_MM = 8.0
_TEXT_PT = 8.0
_MM_AN_INCH = 25.4
_PICTURE_SHARE = 0.86
"""Of a page's height, for a picture at most; its title is above it."""
_DATES = re.compile(rb"(?<=Date \(D:)\d{14}")
_XMP_DATES = re.compile(rb'(?<=Date=")\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d')
_IDS = re.compile(rb"(?<=uuid:)[0-9a-f-]{36}|(?<=<)[0-9a-f]{32,}(?=>)")
_LONG_AGO = "19700101000000"
_TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)

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


def paper_of(report: str, moment: str = "") -> bytes:
    """A report's HTML as PDF; the same report makes the same bytes."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(_DOTS_AN_INCH)
    writer.setPageLayout(_layout())
    writer.setCreator("Reefpoint")
    # Pages are cut at whole dots.
    page = QSizeF(writer.width(), writer.height() - int(_dots(_FOOT_MM)))
    document = _document(report, writer, page)
    title = _TITLE.search(report)
    writer.setTitle(html.unescape(title.group(1)) if title else "")
    painter = QPainter(writer)
    count = document.pageCount()
    for number in range(count):
        if number:
            writer.newPage()
        _paint(painter, document, page, number)
        _foot(painter, page, f"{number + 1} / {count}")
    painter.end()
    return _without_chance(bytes(buffer.data().data()), report, moment)


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


def _document(report: str, writer: QPdfWriter, page: QSizeF) -> QTextDocument:
    markup = markup_of(report)
    document = QTextDocument()
    document.documentLayout().setPaintDevice(writer)
    document.setDocumentMargin(0)
    font = fonts.sans()
    font.setPointSizeF(_TEXT_PT)
    document.setDefaultFont(font)
    document.setDefaultStyleSheet(_STYLE)
    document.setUseDesignMetrics(True)
    text = markup.text
    for name, content in markup.pictures.items():
        image = QImage.fromData(content)
        document.addResource(QTextDocument.ResourceType.ImageResource, QUrl(name), image)
        if image.isNull():
            continue
        scale = min(page.width() / image.width(), page.height() * _PICTURE_SHARE / image.height())
        # Sizes of pictures are told in dots of a screen.
        on_screen = scale * image.width() / _DOTS_AN_INCH * 96
        sized = f'<img src="{name}" width="{on_screen:.0f}">'
        text = text.replace(f'<img src="{name}">', sized)
    document.setHtml(text)
    document.setPageSize(page)
    return document


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


def _without_chance(pdf: bytes, report: str, moment: str) -> bytes:
    """The same file with the time that is told, and with numbers that come of what is in it.

    Nothing may move, as the file has the places of its parts.
    """
    digits = "".join(filter(str.isdigit, moment))[:14].ljust(14, "0") if moment else _LONG_AGO
    year, *rest = digits[:4], *(digits[at : at + 2] for at in range(4, 14, 2))
    month, day, hour, minute, second = rest
    date = f"{year}-{month}-{day}T{hour}:{minute}:{second}"
    mark = hashlib.sha256(report.encode()).hexdigest().encode()
    pdf = _DATES.sub(digits.encode(), pdf)
    pdf = _XMP_DATES.sub(date.encode(), pdf)
    return _IDS.sub(lambda found: (mark * 2)[: len(found.group())], pdf)
