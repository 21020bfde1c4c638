"""The headless report: what the app exports, in one folder, with pictures where that can be."""

from __future__ import annotations

import base64
import re
from dataclasses import replace

import pytest
from PySide6.QtGui import QImage

from core.api import compiler
from core.base.errors import InputError, OptionError
from core.base.progress import SILENT
from core.ir.options import Engine
from gui.document.document import Document
from gui.document.measurement import Measurement
from gui.document.wares import HTML, PDF, Ware
from gui.export.folder import FolderRequest, write_folder
from gui.export.make import REPORT_VIEWS
from gui.export.orders import views_of
from tests.gui.answers import answer_of, document_of, model_ref
from tests.gui.export.orders import MOMENT, export, order


def request(output, **more) -> FolderRequest:
    return FolderRequest(document=document_of("kws_dscnn"), output=output, made_at=MOMENT, **more)


def names(folder) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


VIEWS = views_of(document_of("kws_dscnn").settings)

TABLES = {
    "kws_dscnn_report.html",
    "kws_dscnn_summary.csv",
    "kws_dscnn_per-layer.csv",
    "kws_dscnn_schedule.json",
    "kws_dscnn_trace.json",
}


def test_a_folder_has_a_report_tables_a_trace_and_pictures(studio, tmp_path):
    paths = write_folder(request(tmp_path / "new" / "folder"), studio, SILENT)
    folder = tmp_path / "new" / "folder"
    assert names(folder) == TABLES | {f"pictures/{view}.png" for view in VIEWS}
    assert set(paths) == {path for path in folder.rglob("*") if path.is_file()}


def test_a_front_is_drawn_where_the_engine_finds_one(studio, tmp_path):
    document = document_of("kws_dscnn", engine=Engine.PARETO)
    write_folder(replace(request(tmp_path, formats=("png",)), document=document), studio, SILENT)
    assert "front" not in VIEWS
    assert names(tmp_path) == {f"pictures/{view}.png" for view in (*VIEWS, "front")}


def test_without_a_studio_everything_but_pictures_is_there(tmp_path):
    write_folder(
        request(tmp_path, formats=("html", "pdf", "csv", "json", "trace", "png")), None, SILENT
    )
    assert names(tmp_path) == TABLES
    assert "<img" not in (tmp_path / "kws_dscnn_report.html").read_text("utf-8")


def test_formats_and_sizes_can_be_chosen(studio, tmp_path):
    wanted = request(
        tmp_path, formats=("png", "svg", "pdf"), width=640, height=360, scale=2, theme="dark"
    )
    write_folder(wanted, studio, SILENT)
    pictures = {f"pictures/{view}.{form}" for view in VIEWS for form in ("png", "svg")}
    assert names(tmp_path) == pictures | {"kws_dscnn_report.pdf"}
    image = QImage(str(tmp_path / "pictures" / "memory.png"))
    assert (image.width(), image.height()) == (1280, 720)
    svg = (tmp_path / "pictures" / "memory.svg").read_text("utf-8")
    assert 'width="640" height="360"' in svg


@pytest.mark.parametrize("form", [HTML, PDF])
def test_the_report_is_the_one_that_the_app_exports(studio, tmp_path, form):
    alone = tmp_path / f"alone{form.suffix}"
    write_folder(request(alone), studio, SILENT)
    write_folder(request(tmp_path, formats=(form.suffix[1:],)), studio, SILENT)
    exported = tmp_path / f"exported{form.suffix}"
    export(studio, order(Ware.REPORT, exported, form))
    assert alone.read_bytes() == exported.read_bytes()
    assert alone.read_bytes() == (tmp_path / f"kws_dscnn_report{form.suffix}").read_bytes()


def test_a_report_says_when_it_was_made_and_nothing_else_changes(studio, tmp_path):
    for place, moment in enumerate(("2026-11-21 10:30 UTC", "2031-01-02 03:04 UTC")):
        wanted = replace(request(tmp_path / f"{place}.html"), made_at=moment)
        write_folder(wanted, studio, SILENT)
    first, second = ((tmp_path / f"{place}.html").read_text("utf-8") for place in range(2))
    assert "2026-11-21 10:30 UTC" in first
    assert first.replace("2026-11-21 10:30", "2031-01-02 03:04") == second


def test_a_report_needs_nothing_from_outside(studio, tmp_path):
    write_folder(request(tmp_path / "a.html"), studio, SILENT)
    text = (tmp_path / "a.html").read_text("utf-8")
    assert re.findall(r"(?i)https?:|ftp:|file:|//[a-z]", re.sub(r"base64,[\w+/=]*", "", text)) == []
    assert set(re.findall(r'(?:src|href)="(data:[^,]*|#)', text)) == {"data:image/png;base64", "#"}
    assert "<script" not in text
    assert len(re.findall("<img", text)) == len(REPORT_VIEWS)


def test_figures_in_a_report_are_those_of_the_schedule(studio, tmp_path):
    write_folder(request(tmp_path / "a.html"), studio, SILENT)
    text = (tmp_path / "a.html").read_text("utf-8")
    scheduled = answer_of("kws_dscnn").scheduled
    assert f'id="total-cycles">{round(scheduled.total.total_cycles):,}<' in text
    assert f'id="npu-ops">{len(scheduled.run.graph.ops)}<' in text


def test_pictures_in_a_report_are_fine_and_in_the_theme(studio, tmp_path):
    darkness = {}
    for theme in ("light", "dark"):
        write_folder(request(tmp_path / f"{theme}.html", theme=theme), studio, SILENT)
        text = (tmp_path / f"{theme}.html").read_text("utf-8")
        found = re.findall(r'src="data:image/png;base64,([^"]*)"', text)
        image = QImage.fromData(base64.b64decode(found[0]))
        assert image.width() == 2360
        darkness[theme] = image.pixelColor(image.width() - 8, image.height() // 3).lightness()
    assert darkness["dark"] < 64 < 192 < darkness["light"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"formats": ("htm",)}, "did you mean 'html'"),
        ({"theme": "mauve"}, "unknown theme"),
        ({"scale": 9}, "has to be 1 to 4"),
        ({"width": 20}, "20 is no side"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_is(tmp_path, more, said):
    with pytest.raises(OptionError, match=said):
        write_folder(request(tmp_path / "new", **more), None, SILENT)
    assert names(tmp_path) == set()


def test_a_pdf_without_a_studio_is_refused(tmp_path):
    with pytest.raises(OptionError, match="PDF cannot be made"):
        write_folder(request(tmp_path / "a.pdf"), None, SILENT)


def test_a_file_that_is_no_folder_is_refused(tmp_path):
    (tmp_path / "notes").write_text("mine")
    with pytest.raises(OptionError, match="is no folder"):
        write_folder(request(tmp_path / "notes"), None, SILENT)
    with pytest.raises(OptionError, match="--format is for folders"):
        write_folder(request(tmp_path / "a.html", formats=("csv",)), None, SILENT)
    assert (tmp_path / "notes").read_text("utf-8") == "mine"


def test_a_compiled_model_is_reported_without_the_schedule_that_it_does_not_tell(tmp_path):
    compiled = tmp_path / "compiled.tflite"
    scheduled = answer_of("kws_dscnn").scheduled
    compiled.write_bytes(compiler.compile_model(scheduled).data)
    document = Document(model=model_ref(compiled))
    wanted = FolderRequest(document=document, output=tmp_path / "report", made_at=MOMENT)
    write_folder(wanted, None, SILENT)
    assert names(tmp_path / "report") == {
        f"compiled_{ending}"
        for ending in ("report.html", "summary.csv", "per-layer.csv", "trace.json")
    }
    with pytest.raises(InputError, match="does not tell the schedule"):
        write_folder(replace(wanted, formats=("json",)), None, SILENT)


def test_measured_cycles_are_in_the_report_and_in_the_trace(studio, tmp_path):
    scheduled = answer_of("kws_dscnn").scheduled
    rows = "".join(f"{op.name},{1000 + op.id}\n" for op in scheduled.run.graph.ops)
    measurement = Measurement(path="board.csv", data=f"name,cycles\n{rows}".encode())
    for ware in (Ware.REPORT, Ware.TRACE):
        plain, measured = tmp_path / f"{ware.name}-plain", tmp_path / f"{ware.name}-measured"
        export(studio, order(ware, plain))
        export(studio, order(ware, measured, measurement=measurement))
        assert "Measured" not in plain.read_text("utf-8")
        assert "Measured" in measured.read_text("utf-8")
