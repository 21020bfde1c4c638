"""What a PDF says of itself: title, maker, and the moment that somebody names, never a clock's.

Qt takes all of it from the caller but the dates of the information dictionary, which come of its
own clock (6.10). These alone are changed in the file that it has written.
"""

from __future__ import annotations

import html
from datetime import UTC, datetime

from PySide6.QtCore import QByteArray, QUuid
from PySide6.QtGui import QPdfWriter

MAKER = "Reefpoint"
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_SPACES = {
    "x": "adobe:ns:meta/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "dc": "http://purl.org/dc/elements/1.1/",
    "xmp": "http://ns.adobe.com/xap/1.0/",
    "xmpMM": "http://ns.adobe.com/xap/1.0/mm/",
}


def moment_of(text: str) -> datetime:
    """The moment that a report names, to the minute; long ago where it names none."""
    return datetime.fromisoformat(text.removesuffix(" UTC") + "+00:00") if text else _LONG_AGO


def describe(writer: QPdfWriter, title: str, moment: datetime, content: bytes) -> None:
    """Let a file say what it is; the same content has the same number everywhere."""
    number = QUuid.createUuidV5(QUuid(), QByteArray(content))
    writer.setTitle(title)
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
        f'<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{html.escape(title)}</rdf:li></rdf:Alt>'
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
