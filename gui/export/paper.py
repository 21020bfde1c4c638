"""A report as PDF: pages laid out by Qt, with a line at the foot of each.

Qt takes all that a PDF says of itself from the caller but the dates of the information dictionary,
which come of its own clock (6.10). These alone are changed in the file that it has written.
"""

from __future__ import annotations

from datetime import UTC, datetime

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QIODevice,
    QMarginsF,
    QRectF,
    QSizeF,
    Qt,
    QUrl,
    QUuid,
)
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
from core.base.harmless import visible, xml_text
from gui.export.paper_markup import markup_of, pictures_of
from gui.theme import fonts
from gui.theme.tones import LIGHT

MAKER = "Reefpoint"
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_SPACES = {
    "x": "adobe:ns:meta/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "dc": "http://purl.org/dc/elements/1.1/",
    "xmp": "http://ns.adobe.com/xap/1.0/",
    "xmpMM": "http://ns.adobe.com/xap/1.0/mm/",
}
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
.rows th, .rows td {{ font-size: 7pt; padding-right: 6px; }}
.rows th {{ font-weight: 600; border-bottom: 1px solid {LIGHT.text}; }}
td.whole, th.whole {{ white-space: nowrap; }}
.rows td {{ border-bottom: 1px solid {LIGHT.grid}; }}
pre, code {{ font-family: '{fonts.MONO}'; font-size: 6.5pt; }}
"""


def moment_of(text: str) -> datetime:
    """The moment that a report names, to the minute; long ago where it names none."""
    return datetime.fromisoformat(text.removesuffix(" UTC") + "+00:00") if text else _LONG_AGO


def describe(writer: QPdfWriter, title: str, moment: datetime, content: bytes) -> None:
    """Let a file say what it is; the same content has the same number everywhere."""
    number = QUuid.createUuidV5(QUuid(), QByteArray(content))
    writer.setTitle(visible(title))
    writer.setCreator(MAKER)
    writer.setDocumentId(number)
    writer.setDocumentXmpMetadata(QByteArray(_metadata(title, moment, number).encode()))


def _metadata(title: str, moment: datetime, number: QUuid) -> str:
    named = " ".join(f'xmlns:{name}="{space}"' for name, space in _SPACES.items())
    at = moment.isoformat()
    identity = number.toString(QUuid.StringFormat.WithoutBraces)
    return (
        f"<?xpacket begin='' id='W5M0MpCehiHzreSzNTczkc9d'?><x:xmpmeta {named}><rdf:RDF>"
        f'<rdf:Description rdf:about="" xmp:CreatorTool="{MAKER}" xmp:CreateDate="{at}"'
        f' xmp:ModifyDate="{at}" xmp:MetadataDate="{at}" xmpMM:DocumentID="uuid:{identity}">'
        f'<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{xml_text(title)}</rdf:li></rdf:Alt>'
        "</dc:title></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end='w'?>"
    )


def with_moment(pdf: bytes, moment: datetime) -> bytes:
    """The same file with another moment in its information dictionary."""
    digits = moment.strftime("%Y%m%d%H%M%S").encode()
    start = _place_of_information(pdf)
    for key in (b"/CreationDate (D:", b"/ModDate (D:"):
        # Nothing may move, as the table at the end has the places of all parts.
        at = pdf.index(key, start, pdf.index(b"endobj", start)) + len(key)
        pdf = pdf[:at] + digits + pdf[at + len(digits) :]
    return pdf


def _place_of_information(pdf: bytes) -> int:
    """Where the information dictionary begins, by the trailer and the table of cross-references."""
    table = pdf[int(pdf[pdf.rindex(b"startxref") :].split()[1]) :]
    number = int(table[table.rindex(b"/Info ") :].split()[1])
    # After its name and its numbers, the table has 20 bytes for each part.
    return int(table.split(b"\n", 2)[2][20 * number :][:10])


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
