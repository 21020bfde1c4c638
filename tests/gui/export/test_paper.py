"""A report as PDF: pages of one size, everything that it says, and no chance in its bytes."""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QImage, QImageWriter

from core.api import reports
from gui.export.paper import paper_of
from gui.export.paper_markup import markup_of
from tests.gui.answers import answer_of


def pixel() -> bytes:
    image = QImage(4, 3, QImage.Format.Format_RGB32)
    image.fill(0)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    return bytes(buffer.data().data())


PIXEL = pixel()


def report(name: str = "unet_128", **contents) -> str:
    answer = answer_of(name, accelerator="ethos-u65-256", limit_bytes=128 << 10)
    more = reports.ReportContents(**contents)
    return reports.render_report(f"{name}.tflite", answer.scheduled, answer.analysis, more)


def plain(markup: str) -> list[str]:
    return re.sub(r"<[^>]*>", " ", markup).split()


def test_a_pdf_has_pages_of_one_size_landscape(studio):
    pdf = studio.paper(report(), "")
    assert pdf.startswith(b"%PDF-")
    boxes = set(re.findall(rb"/MediaBox \[([^\]]*)\]", pdf))
    assert len(boxes) == 1
    _, _, width, height = map(float, boxes.pop().split())
    assert (round(width), round(height)) == (842, 595)
    assert len(re.findall(rb"/Type /Page\b", pdf)) > 3


def test_the_same_report_is_the_same_pdf(studio):
    assert studio.paper(report(), "2026-11-21 10:30 UTC") == paper_of(
        report(), "2026-11-21 10:30 UTC"
    )


def test_a_pdf_says_when_it_was_made_and_only_that(studio):
    first, second = (studio.paper(report(), moment) for moment in ("2026-11-21 10:30 UTC", ""))
    assert first.count(b"(D:20261121103000Z)") == 2
    changed = first.replace(b"20261121103000", b"19700101000000")
    assert changed.replace(b"2026-11-21T10:30:00", b"1970-01-01T00:00:00") == second


def test_a_pdf_has_the_title_of_the_report(studio):
    title = "unet_128.tflite on ethos-u65-256"
    assert title.encode("utf-16-be") in studio.paper(report(), "")


def test_no_word_of_a_report_is_lost():
    text = report()
    body = text[text.index("<header>") :]
    for part in (r"(?s)<nav>.*?</nav>", r"<figcaption>.*?</figcaption>"):
        body = re.sub(part, "", body)
    markup = markup_of(text).text
    assert plain(markup) == plain(body)


def test_grids_become_tables():
    markup = markup_of(report()).text
    figures = re.search(r'(?s)<table class="figures".*?</table>', markup).group()
    assert figures.count("<td>") == 8
    assert figures.count("<tr>") == 2
    assert markup.count("<table") == markup.count("</table>")
    assert markup.count("<tr>") == markup.count("</tr>")


def test_pictures_are_taken_out_and_begin_pages(studio):
    markup = markup_of(report(pictures={"One": PIXEL, "Two & three": PIXEL}))
    assert list(markup.pictures.values()) == [PIXEL, PIXEL]
    assert '<h2 class="new-page">Two &amp; three</h2>' in markup.text
    assert "base64" not in markup.text
    with_pictures = studio.paper(report(pictures={"One": PIXEL, "Two": PIXEL}), "")
    count = len(re.findall(rb"/Type /Page\b", with_pictures))
    assert count >= len(re.findall(rb"/Type /Page\b", studio.paper(report(), ""))) + 1


@pytest.mark.parametrize("text", ["<p>a & b < c</p>", "<b></b>", "", "<table></table>"])
def test_strange_markup_does_no_harm(studio, text):
    assert studio.paper(text, "").startswith(b"%PDF-")
