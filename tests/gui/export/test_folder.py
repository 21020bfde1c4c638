"""The headless report: what the app exports, in one folder, with pictures where that can be."""

from __future__ import annotations

import re
from functools import cache, partial

import pytest
from PySide6.QtGui import QImage

from core.api import advices, compiler
from core.api.reports import Quantity
from core.base.errors import InputError, OptionError
from core.base.forms import Form
from core.base.frozen import replace
from core.base.progress import SILENT
from core.base.rough import rough_text
from core.ir.options import Engine, Search
from gui.commands.panels import pictured
from gui.document.document import Document
from gui.document.measurement import Measurement
from gui.document.wares import Ware
from gui.export.folder import FolderRequest, write_folder
from gui.jobs.messages import Exported
from gui.theme.tones import DARK, LIGHT
from tests.gui.answers import answer_of, answer_to, model_ref
from tests.gui.export.orders import MOMENT, export_of, order
from tests.gui.models import cpu_only
from tests.networks.small_networks import five_operators
from tests.settings import settings_with


def names(folder) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


VIEWS = pictured(settings_with(search=Search.COMPATIBLE))


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Document:
    """A network of five operators, for what does not depend on which it is."""
    path = tmp_path_factory.mktemp("models") / "five.tflite"
    path.write_bytes(five_operators())
    return Document(model=model_ref(path), settings=settings_with(search=Search.COMPATIBLE))


@pytest.fixture(scope="module")
def small_front(small) -> Document:
    """The same with a front."""
    return replace(small, settings=settings_with(small.settings, engine=Engine.PARETO))


@pytest.fixture(scope="module")
def request_for(small):
    """`request_for(output, **more)`: what is asked for of the small network."""
    return partial(FolderRequest, document=small, made_at=MOMENT)


@pytest.fixture(scope="module")
def alone(studio, request_for, tmp_path_factory):
    """`alone(form)`: a report that is all that is asked for, made once."""
    folder = tmp_path_factory.mktemp("report")

    @cache
    def made(form):
        path = folder / f"a{form.suffix}"
        write_folder(request_for(output=path), studio, SILENT)
        return path.read_bytes()

    return made


@pytest.fixture(scope="module")
def report(alone):
    """The text of a report."""
    return alone(Form.HTML).decode("utf-8")


TABLES = {
    "five_report.html",
    "five_summary.csv",
    "five_per-layer.csv",
    "five_schedule.json",
    "five_trace.json",
    *(f"model-explorer/five_{quantity.value}.json" for quantity in Quantity),
}


def test_a_folder_has_a_report_tables_a_trace_and_pictures(studio, tmp_path, request_for):
    paths = write_folder(request_for(output=tmp_path / "new" / "folder"), studio, SILENT)
    folder = tmp_path / "new" / "folder"
    assert names(folder) == TABLES | {f"pictures/{view}.png" for view in VIEWS}
    assert set(paths) == {path for path in folder.rglob("*") if path.is_file()}


def test_a_front_is_drawn_where_the_engine_finds_one(studio, tmp_path, request_for, small_front):
    wanted = request_for(output=tmp_path, document=small_front, formats=("png",))
    write_folder(wanted, studio, SILENT)
    assert "front" not in VIEWS
    assert names(tmp_path) == {f"pictures/{view}.png" for view in (*VIEWS, "front")}


def captions(text) -> list[str]:
    return re.findall(r"<figcaption>([^<]*)<", text)


@pytest.mark.long
def test_a_report_has_the_front_where_there_is_one_and_only_there(
    studio, tmp_path, small_front, request_for, report
):
    """Beside it stands its picture, as PNG and as SVG."""
    wanted = request_for(output=tmp_path, formats=("html", "png", "svg"), document=small_front)
    write_folder(wanted, studio, SILENT)
    assert {"Front", "Roofline"} <= {*captions((tmp_path / "five_report.html").read_text("utf-8"))}
    drawn = {path.name for path in (tmp_path / "pictures").iterdir()}
    assert {"front.png", "front.svg", "roofline.svg"} <= drawn
    assert "Front" not in captions(report)


@pytest.mark.long
def test_the_app_exports_the_same_report_with_the_front(studio, tmp_path, small_front, request_for):
    headless = request_for(output=tmp_path / "headless.html", theme="dark", document=small_front)
    write_folder(headless, studio, SILENT)
    wanted = order(Ware.REPORT, tmp_path / "app.html", theme="dark")
    assert isinstance(export_of(studio, wanted, small_front), Exported)
    assert "Front" in captions((tmp_path / "app.html").read_text("utf-8"))
    assert (tmp_path / "app.html").read_bytes() == (tmp_path / "headless.html").read_bytes()


def test_a_network_without_a_front_has_no_picture_of_it(studio, tmp_path, request_for):
    """Whatever engine is asked for: nothing of this one runs on the accelerator."""
    path = cpu_only(tmp_path)
    document = Document(model=model_ref(path), settings=settings_with(engine=Engine.PARETO))
    wanted = request_for(output=tmp_path / "out", formats=("html", "png"), document=document)
    write_folder(wanted, studio, SILENT)
    assert "pictures/front.png" not in names(tmp_path / "out")
    assert "Front" not in captions(
        (tmp_path / "out" / f"{path.stem}_report.html").read_text("utf-8")
    )


def test_what_would_help_is_tried_once_for_reports_of_all_forms(
    studio, tmp_path, request_for, monkeypatch
):
    asked, advice = [], advices.advice
    monkeypatch.setattr(advices, "advice", lambda *given: asked.append(given) or advice(*given))
    write_folder(request_for(output=tmp_path, formats=("html", "pdf")), studio, SILENT)
    assert names(tmp_path) == {"five_report.html", "five_report.pdf"}
    assert len(asked) == 1


def test_without_a_studio_everything_but_pictures_is_there(tmp_path, request_for):
    write_folder(
        request_for(
            output=tmp_path, formats=("html", "pdf", "csv", "json", "trace", "nodes", "png")
        ),
        None,
        SILENT,
    )
    assert names(tmp_path) == TABLES
    assert "<img" not in (tmp_path / "five_report.html").read_text("utf-8")


@pytest.mark.long
def test_formats_and_sizes_can_be_chosen(studio, tmp_path, request_for):
    wanted = request_for(
        output=tmp_path, formats=("png", "svg", "pdf"), width=640, height=360, scale=2, theme="dark"
    )
    write_folder(wanted, studio, SILENT)
    pictures = {f"pictures/{view}.{form}" for view in VIEWS for form in ("png", "svg")}
    assert names(tmp_path) == pictures | {"five_report.pdf"}
    image = QImage(str(tmp_path / "pictures" / "memory.png"))
    assert (image.width(), image.height()) == (1280, 720)
    svg = (tmp_path / "pictures" / "memory.svg").read_text("utf-8")
    assert 'width="640" height="360"' in svg


@pytest.mark.long
@pytest.mark.parametrize("form", [Form.HTML, Form.PDF])
def test_the_report_is_the_one_that_the_app_exports(
    studio, tmp_path, form, small, request_for, alone
):
    in_folder = tmp_path / f"five_report{form.suffix}"
    wanted = request_for(output=tmp_path, formats=(form.suffix[1:],))
    write_folder(wanted, studio, SILENT)
    exported = tmp_path / f"exported{form.suffix}"
    export_of(studio, order(Ware.REPORT, exported, form), small)
    assert alone(form) == exported.read_bytes() == in_folder.read_bytes()


def test_a_report_says_when_it_was_made_and_nothing_else_changes(
    report, studio, tmp_path, request_for
):
    wanted = replace(request_for(output=tmp_path / "a.html"), made_at="2031-01-02 03:04 UTC")
    write_folder(wanted, studio, SILENT)
    assert "2026-11-21 10:30 UTC" in report
    later = (tmp_path / "a.html").read_text("utf-8")
    assert report.replace("2026-11-21 10:30", "2031-01-02 03:04") == later


def test_a_report_needs_nothing_from_outside(report):
    bare = re.sub(r"base64,[\w+/=]*", "", report)
    assert re.findall(r"(?i)https?:|ftp:|file:|//[a-z]", bare) == []
    sources = set(re.findall(r'(?:src|href)="(data:[^,]*|#)', report))
    assert sources == {"data:image/png;base64", "#"}
    assert report.count("<script") == 1
    # The front is not among them, because there is none. Each is there in light and in dark.
    assert len(re.findall("<svg", report)) == 2 * sum(
        view.report_height > 0 for view in VIEWS.values()
    )


def test_figures_in_a_report_are_those_of_the_schedule(report, small):
    scheduled = answer_to(small).scheduled
    assert f'id="total-cycles">{rough_text(scheduled.total.total_cycles)}<' in report
    assert f'id="npu-ops">{len(scheduled.run.graph.ops)}<' in report


def test_pictures_in_a_report_are_drawings_in_the_theme_that_is_asked_for(
    report, studio, tmp_path, request_for
):
    write_folder(request_for(output=tmp_path / "dark.html", theme="dark"), studio, SILENT)
    dark = grounds((tmp_path / "dark.html").read_text("utf-8"))
    assert set(dark) == {DARK.base}
    both = grounds(report)
    assert both == [colour for _ in dark for colour in (LIGHT.base, DARK.base)]


def grounds(report):
    """The colour that each drawing stands on."""
    return re.findall(
        r"<svg[^>]*>\s*<defs>.*?</defs><rect[^>]*fill=\"([^\"]*)\"", report, re.DOTALL
    )


def test_texts_of_pictures_are_texts_of_the_page(report):
    drawn = "".join(re.findall(r"<svg.*?</svg>", report, re.DOTALL))
    assert "SRAM in use" in drawn


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"formats": ("htm",)}, "did you mean 'html'"),
        ({"theme": "mauve"}, "unknown theme"),
        ({"scale": 9}, "has to be 1 to 4"),
        ({"width": 20}, "20 is no side"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_is(tmp_path, more, said, request_for):
    with pytest.raises(OptionError, match=said):
        write_folder(request_for(output=tmp_path / "new", **more), None, SILENT)
    assert names(tmp_path) == set()


def test_a_pdf_without_a_studio_is_refused(tmp_path, request_for):
    with pytest.raises(OptionError, match="PDF cannot be made"):
        write_folder(request_for(output=tmp_path / "a.pdf"), None, SILENT)


def test_a_file_that_is_no_folder_is_refused(tmp_path, request_for):
    (tmp_path / "notes").write_text("mine")
    with pytest.raises(OptionError, match="is no folder"):
        write_folder(request_for(output=tmp_path / "notes"), None, SILENT)
    with pytest.raises(OptionError, match="--format is for folders"):
        write_folder(request_for(output=tmp_path / "a.html", formats=("csv",)), None, SILENT)
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
    with pytest.raises(InputError, match="no source operators"):
        write_folder(replace(wanted, formats=("nodes",)), None, SILENT)


def test_measured_cycles_are_in_the_report_and_in_the_trace(studio, tmp_path, small):
    scheduled = answer_to(small).scheduled
    rows = "".join(f"{op.name},{1000 + op.id}\n" for op in scheduled.run.graph.ops)
    measurement = Measurement(path="board.csv", data=f"name,cycles\n{rows}".encode())
    for ware in (Ware.REPORT, Ware.TRACE):
        plain, measured = tmp_path / f"{ware.name}-plain", tmp_path / f"{ware.name}-measured"
        export_of(studio, order(ware, plain), small)
        export_of(studio, order(ware, measured, measurement=measurement), small)
        assert "Measured" not in plain.read_text("utf-8")
        assert "Measured" in measured.read_text("utf-8")
