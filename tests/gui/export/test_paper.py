"""A report as PDF: pages of one size, everything that it says, and no chance in its bytes."""

from __future__ import annotations

import re

from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QImage, QImageWriter

from core.api import reports
from core.base.frozen import replace
from gui.export.paper import paper_of
from gui.export.paper_markup import markup_of, pictures_of
from tests.gui.answers import answer_of


def pixel() -> bytes:
    image = QImage(4, 3, QImage.Format.Format_RGB32)
    image.fill(0)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    return bytes(buffer.data().data())


PIXEL = pixel()


def report(name: str = "unet_128", **contents) -> reports.document.Document:
    answer = answer_of(name, accelerator="ethos-u65-256", limit_bytes=128 << 10)
    more = reports.ReportContents(**contents)
    return reports.report_of(f"{name}.tflite", answer.scheduled, answer.analysis, more)


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
    moment = "2026-11-21 10:30 UTC"
    assert studio.paper(report(), moment) == paper_of(report(), moment)


def test_a_pdf_says_when_it_was_made_and_only_that(studio):
    first, second = (studio.paper(report(), moment) for moment in ("2026-11-21 10:30 UTC", ""))
    assert first.count(b"(D:20261121103000Z)") == 2
    changed = first.replace(b"20261121103000", b"19700101000000")
    assert changed.replace(b"2026-11-21T10:30:00", b"1970-01-01T00:00:00") == second


def test_a_pdf_has_the_title_of_the_report(studio):
    title = "unet_128.tflite on ethos-u65-256"
    assert title.encode("utf-16-be") in studio.paper(report(), "")


def test_the_page_and_the_paper_say_the_same():
    page = reports.render_html(report())
    body = re.sub(r"(?s)<(nav|script)>.*?</\1>", "", page[page.index("<header>") :])
    assert plain(markup_of(report(), [])) == plain(body)


def test_grids_become_tables():
    markup = markup_of(report(), [])
    figures = re.search(r'(?s)<table class="figures".*?</table>', markup).group()
    assert figures.count("<td>") == 9
    assert figures.count("<tr>") == 3
    assert markup.count("<table") == markup.count("</table>")
    assert markup.count("<tr>") == markup.count("</tr>")


def test_pictures_begin_pages_under_their_titles(studio):
    with_pictures = report(pictures={"One": PIXEL, "Two & three": PIXEL})
    assert [picture.content for picture in pictures_of(with_pictures)] == [PIXEL, PIXEL]
    markup = markup_of(with_pictures, ["<first>", "<second>"])
    assert '<h2 class="new-page">One</h2><p><first></p>' in markup
    assert '<h2 class="new-page">Two &amp; three</h2><p><second></p>' in markup
    assert ">Pictures<" not in markup
    counts = [
        len(re.findall(rb"/Type /Page\b", studio.paper(each, "")))
        for each in (report(), with_pictures)
    ]
    assert counts[1] > counts[0]


def test_rows_of_tables_are_close(studio):
    block = reports.document.table("many", ("number", "name"), [(n, "name") for n in range(150)])
    many = reports.document.Section(name="many", title="Many", blocks=(block,))
    pages = studio.paper(replace(report(), sections=(many,)), "")
    # After what stands above them on the first page, at least fifty a page.
    assert len(re.findall(rb"/Type /Page\b", pages)) <= 4


def test_names_are_text_and_nothing_else(studio):
    strange = replace(report(), model="a & b < c</table>", title="<title> & more")
    assert "<h1>a &amp; b &lt; c&lt;/table&gt;</h1>" in markup_of(strange, [])
    assert b"&lt;title&gt; &amp; more" in studio.paper(strange, "")


def test_what_is_no_picture_leaves_its_place_empty(studio):
    assert studio.paper(report(pictures={"Nothing": b"no picture"}), "").startswith(b"%PDF-")
