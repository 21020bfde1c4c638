"""Work is handed over from the window: what is written is what the commands write."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QComboBox, QSpinBox, QWidget

from core.api import compiler
from core.api.reports import Quantity
from core.base.forms import Form
from core.base.frozen import replace
from core.ir.options import Search
from core.ir.settings import Settings
from gui.commands.panels import pictured
from gui.document.examples import EXAMPLES
from gui.document.wares import FORMS, Ware
from gui.items.ranges import Range
from gui.present.runs.best import is_growing
from gui.settings.preferences import Forgetful
from gui.shell.request import Request
from gui.shell.running import RunningApp
from gui.views.timeline.view import TimelineView
from tests.gui.running import PATIENCE_MS, Oracle, all_closed, wait_for_answer
from tests.journeys import exporters

ROOT = Path(__file__).parents[2]
EPOCH = 1_795_257_000
MODEL = EXAMPLES / "kws_dscnn.tflite"
SETTINGS = {"accelerator": "ethos-u65-256", "limit_bytes": 12 << 10}
"""With these there are cascades, and maps leave."""
TARGET = ("--accelerator-config", "ethos-u65-256", "--arena-cache-size", "12288")
COMMANDS = {
    Ware.MODEL: "file.export_model",
    Ware.REPORT: "file.report",
    Ware.PAGE: "file.export_page",
    Ware.PICTURE: "file.export_picture",
    Ware.SUMMARY: "file.export_summary",
    Ware.LAYERS: "file.export_layers",
    Ware.SCHEDULE: "file.export_schedule",
    Ware.TRACE: "file.export_trace",
    Ware.NODES: "file.export_nodes",
}


def headless(*arguments: str) -> None:
    """The same from the command line, at a moment that is always the same."""
    env = {name: value for name, value in os.environ.items() if "DISPLAY" not in name}
    subprocess.run(
        [sys.executable, "main.py", *arguments],
        cwd=ROOT,
        env=env | {"SOURCE_DATE_EPOCH": str(EPOCH)},
        check=True,
        capture_output=True,
        timeout=120,
    )


def ask(app, ware: Ware, path: Path | None = None, form=None):
    """The dialog after the menu was used, with a file."""
    assert app.actions.run(COMMANDS[ware])
    dialog = app.exports.dialog
    if form is not None:
        dialog.form.form.setCurrentIndex(FORMS[ware].index(form))
    if path is not None:
        dialog.form.file.setText(str(path))
    return dialog


def finish(qtbot, app) -> None:
    """Wait until what is on its way has come to an end."""
    exports = app.exports
    qtbot.waitUntil(lambda: not exports.exporter.is_busy, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: exports.dialog is None or not exports.dialog.is_running)


def export(qtbot, app, ware: Ware, path: Path, form=None):
    """Export something, and wait for it."""
    dialog = ask(app, ware, path, form)
    qtbot.mouseClick(dialog.go, Qt.MouseButton.LeftButton)
    finish(qtbot, app)


@pytest.fixture(scope="module")
def one_app(qapp):
    """A window with its process for exports, for all tests that leave both as they were."""
    with all_closed(qapp) as opened:
        request = Request(model=str(MODEL), settings=Settings(**SETTINGS))
        app = frozen(RunningApp(qapp, request, Forgetful(), make_runner=Oracle))
        opened.append(app)
        app.start()
        while not app.store.is_current:
            QCoreApplication.processEvents()
        yield app


@pytest.fixture
def app(one_app):
    assert one_app.exports.dialog is None
    one_app.problems.put_all_away()
    return one_app


@pytest.fixture
def other_app(open_app):
    """A window whose process for exports is another than usual."""
    return frozen(open_app(MODEL, make_runner=Oracle, **SETTINGS))


@pytest.fixture
def whole_app(open_app):
    """A window with all of its processes."""
    return frozen(open_app(MODEL, **SETTINGS))


def frozen(app):
    app.exports.clock = lambda: datetime.fromtimestamp(EPOCH, UTC)
    return app


@pytest.mark.long
def test_a_verified_model_is_the_one_that_compile_writes(open_app, qtbot, tmp_path):
    model = EXAMPLES / "kws_dscnn.tflite"
    app = open_app(model)
    export(qtbot, app, Ware.MODEL, tmp_path / "app.tflite")
    assert app.exports.dialog is None
    assert "Written" in app.banner.text
    assert "equal" in app.banner.text
    headless("compile", str(model), "-o", str(tmp_path / "cli.tflite"))
    assert (tmp_path / "app.tflite").read_bytes() == (tmp_path / "cli.tflite").read_bytes()


@pytest.mark.long
def test_a_search_that_was_stopped_is_exported_as_it_is_shown(open_app, qtbot, tmp_path):
    app = open_app(EXAMPLES / "kws_dscnn.tflite", search=Search.BEST, effort=200)
    qtbot.waitUntil(lambda: app.store.is_current, timeout=PATIENCE_MS)
    app.store.growth.switch()
    shown = app.store.answer
    assert is_growing(shown)
    export(qtbot, app, Ware.MODEL, tmp_path / "app.tflite")
    assert app.store.answer.scheduled is shown.scheduled
    compiled = compiler.compile_model(shown.scheduled)
    assert (tmp_path / "app.tflite").read_bytes() == compiled.data


@pytest.mark.long
def test_everything_that_the_window_exports_is_what_report_writes(whole_app, qtbot, tmp_path):
    app = whole_app
    target = ("report", str(MODEL), *TARGET, "-o", str(tmp_path / "cli"))
    headless(*target, "--format", "html,pdf,csv,json,trace,nodes")
    for ware, form in (
        (Ware.REPORT, Form.HTML),
        (Ware.REPORT, Form.PDF),
        *((ware, None) for ware in (Ware.SUMMARY, Ware.LAYERS, Ware.SCHEDULE, Ware.TRACE)),
    ):
        dialog = ask(app, ware, form=form)
        name = Path(dialog.form.path).name
        dialog.form.file.setText(str(tmp_path / name))
        dialog.go.click()
        finish(qtbot, app)
        assert (tmp_path / name).read_bytes() == (tmp_path / "cli" / name).read_bytes(), name
    flat = {path.name for path in (tmp_path / "cli").iterdir() if path.is_file()}
    assert flat == {path.name for path in tmp_path.iterdir() if path.is_file()}
    check_node_data(app, qtbot, tmp_path)


def check_node_data(app, qtbot, folder: Path) -> None:
    """Those of each quantity, with which `report` has filled the folder `cli`."""
    written = folder / "cli" / "model-explorer"
    assert len([*written.iterdir()]) == len(Quantity) == 4
    for number, quantity in enumerate(Quantity):
        dialog = ask(app, Ware.NODES)
        assert dialog.form.quantity.isVisible()
        dialog.form.quantity.setCurrentIndex(number)
        name = Path(dialog.form.path).name
        assert name == f"kws_dscnn_{quantity.value}.json"
        dialog.form.file.setText(str(folder / name))
        dialog.go.click()
        finish(qtbot, app)
        assert (folder / name).read_bytes() == (written / name).read_bytes()


@pytest.mark.long
def test_a_picture_has_the_size_that_was_asked_for_and_shows_what_is_seen(app, qtbot, tmp_path):
    lanes = app.view(TimelineView).stage.lanes
    app.panels.show_panel("timeline")
    for name, shown in (("all", None), ("part", Range(50_000.0, 70_000.0))):
        if shown is not None:
            lanes.box.show(shown)
        dialog = ask(app, Ware.PICTURE, tmp_path / f"{name}.png", Form.PNG)
        assert dialog.form.picture.view == "timeline"
        dialog.form.width_box.setValue(640)
        dialog.form.height_box.setValue(480)
        dialog.form.scale.setCurrentIndex(1)
        dialog.go.click()
        finish(qtbot, app)
    pictures = [QImage(str(tmp_path / f"{name}.png")) for name in ("all", "part")]
    assert [(image.width(), image.height()) for image in pictures] == [(1280, 960)] * 2
    assert pictures[0] != pictures[1]


@pytest.mark.long
def test_each_view_can_be_exported_as_svg(app, qtbot, tmp_path):
    for view in pictured(app.store.document.settings):
        dialog = ask(app, Ware.PICTURE, form=Form.SVG)
        dialog.form.view.setCurrentIndex(dialog.form.view.findData(view))
        dialog.form.file.setText(str(tmp_path / f"{view}.svg"))
        dialog.go.click()
        finish(qtbot, app)
        assert "<text" in (tmp_path / f"{view}.svg").read_text("utf-8")


def test_a_file_that_is_there_is_replaced_only_if_the_user_says_so(app, qtbot, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("mine")
    dialog = ask(app, Ware.SUMMARY, path)
    dialog.go.click()
    assert not dialog.is_running
    assert "a.csv already, and it is no CSV file" in dialog.message.text()
    assert dialog.go.text() == "Replace"
    # Another name is another question.
    dialog.form.file.setText(str(tmp_path / "b.csv"))
    assert dialog.go.text() == "Export"
    dialog.form.file.setText(str(path))
    dialog.go.click()
    assert path.read_text("utf-8") == "mine"
    dialog.go.click()
    finish(qtbot, app)
    assert path.read_text("utf-8") != "mine"


def test_enter_in_the_line_of_the_file_exports_whatever_had_the_focus_before(app, qtbot, tmp_path):
    dialog = ask(app, Ware.SUMMARY, tmp_path / "a.csv")
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    for _ in range(2 * len(dialog.findChildren(QWidget))):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        if QApplication.focusWidget() is dialog.form.file:
            break
    qtbot.keyClick(dialog.form.file, Qt.Key.Key_Return)
    finish(qtbot, app)
    assert (tmp_path / "a.csv").exists()
    assert "Written" in app.banner.text
    # It says so of this model, and not of the next.
    app.files.open(str(EXAMPLES / "resnet8.tflite"))
    assert "Written" not in app.banner.text
    app.files.open(str(MODEL))


def test_what_was_written_can_be_opened_and_shown_in_its_folder(app, qtbot, tmp_path):
    opened = []
    app.exports.open_path = opened.append
    path = tmp_path / "summary.csv"
    export(qtbot, app, Ware.SUMMARY, path)
    app.store.turns.finish()
    row = app.banner.rows[0]
    assert [button.text() for button in row.buttons] == ["Open", "Show in folder"]
    for button in row.buttons:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert opened == [path, tmp_path]
    app.problems.put_all_away()


@pytest.mark.long
def test_the_model_itself_is_never_replaced(open_app, tmp_path):
    model = tmp_path / "net.tflite"
    model.write_bytes((EXAMPLES / "kws_dscnn.tflite").read_bytes())
    before = model.read_bytes()
    app = open_app(model)
    dialog = ask(app, Ware.MODEL, model)
    dialog.go.click()
    dialog.go.click()
    assert "is read and would be lost" in dialog.message.text()
    assert dialog.go.text() == "Export"
    assert not app.exports.exporter.is_busy
    assert model.read_bytes() == before


@pytest.mark.long
def test_that_a_model_does_not_fit_is_said_before_and_after(open_app, qtbot, tmp_path):
    app = open_app(EXAMPLES / "kws_dscnn.tflite", limit_bytes=1 << 10)
    dialog = ask(app, Ware.MODEL, tmp_path / "a.tflite")
    told = dialog.form.misfit.text()
    assert re.fullmatch(r"Does not fit: [\d.,]+ KiB of SRAM too much", told)
    assert dialog.form.misfit.isVisible()
    dialog.form.ware.setCurrentText(Ware.SUMMARY.value)
    assert not dialog.form.misfit.isVisible()
    dialog.form.ware.setCurrentText(Ware.MODEL.value)
    dialog.go.click()
    finish(qtbot, app)
    assert f"{told}. Output" in app.banner.text
    assert not app.banner.problems[-1].is_note
    # What is asked for meanwhile is what will be exported.
    dialog = ask(app, Ware.MODEL, tmp_path / "b.tflite")
    document = app.store.document
    free = replace(document, settings=replace(document.settings, limit_bytes=None))
    app.store.edit(free, "Without a limit")
    wait_for_answer(qtbot, app)
    assert not dialog.form.misfit.isVisible()
    dialog.close()
    qtbot.waitUntil(lambda: app.exports.dialog is None)


@pytest.mark.long
def test_files_that_are_read_are_replaced_by_no_export_and_no_session(open_app, tmp_path):
    model, link = tmp_path / "net.tflite", tmp_path / "link.csv"
    model.write_bytes((EXAMPLES / "kws_dscnn.tflite").read_bytes())
    link.symlink_to(model)
    app = open_app(model)
    dialog = ask(app, Ware.SUMMARY, link)
    dialog.go.click()
    dialog.go.click()
    assert "is read and would be lost" in dialog.message.text()
    app.sessions.save_file(model)
    assert "The session was not saved" in app.banner.text
    app.sessions.save_file(link)
    other = tmp_path / "other.tflite"
    other.write_bytes(model.read_bytes())
    app.sessions.save_file(other)
    assert "is no session file" in app.banner.text
    for file in (model, other):
        assert file.read_bytes() == (EXAMPLES / "kws_dscnn.tflite").read_bytes()


def test_what_goes_wrong_is_told_and_can_be_put_right(app, qtbot, tmp_path):
    dialog = ask(app, Ware.SUMMARY, tmp_path / "missing" / "a.csv")
    dialog.go.click()
    finish(qtbot, app)
    assert app.exports.dialog is dialog
    assert "missing" in dialog.message.text()
    assert "was not exported" in app.banner.text
    dialog.form.file.setText(str(tmp_path / "a.csv"))
    dialog.go.click()
    finish(qtbot, app)
    assert app.exports.dialog is None
    assert "was not exported" not in app.banner.text
    assert (tmp_path / "a.csv").exists()


@pytest.mark.long
def test_a_model_whose_verification_fails_is_not_written(other_app, qtbot, tmp_path):
    app = other_app
    app.exports.exporter._entry = exporters.disproving
    export(qtbot, app, Ware.MODEL, tmp_path / "a.tflite")
    assert "operator 'up3/conv_2d'" in app.exports.dialog.message.text()
    assert "operator 'up3/conv_2d'" in app.banner.text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_an_export_can_be_cancelled_and_leaves_nothing(whole_app, qtbot, tmp_path):
    app = whole_app
    app.exports.exporter._entry = partial(exporters.stopping_to_think, tmp_path)
    folder = tmp_path / "out"
    folder.mkdir()
    dialog = ask(app, Ware.MODEL, folder / "a.tflite")
    dialog.go.click()
    qtbot.waitUntil((tmp_path / "thinking").exists, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: "thinking" in dialog.stage.text().lower())
    # The window goes on meanwhile.
    app.actions.run("schedule.strategy")
    wait_for_answer(qtbot, app)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    finish(qtbot, app)
    assert "cancelled" in dialog.message.text()
    assert list(folder.iterdir()) == []
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: app.exports.dialog is None)


@pytest.mark.long
def test_an_export_goes_on_in_the_background_and_can_be_shown_again(whole_app, qtbot, tmp_path):
    app = whole_app
    app.exports.exporter._entry = partial(exporters.stopping_to_think, tmp_path)
    folder = tmp_path / "out"
    folder.mkdir()
    dialog, aside = ask(app, Ware.MODEL, folder / "a.tflite"), app.export_aside
    assert not dialog.aside.isVisible()
    dialog.go.click()
    qtbot.waitUntil(lambda: "thinking" in dialog.stage.text().lower(), timeout=PATIENCE_MS)
    qtbot.mouseClick(dialog.aside, Qt.MouseButton.LeftButton)
    assert not dialog.isVisible()
    assert aside.isVisible()
    assert "thinking" in aside.text().lower()
    assert app.exports.exporter.is_busy
    qtbot.mouseClick(aside, Qt.MouseButton.LeftButton)
    assert dialog.isVisible()
    assert not aside.isVisible()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    finish(qtbot, app)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: app.exports.dialog is None)


@pytest.mark.long
def test_an_export_in_the_background_says_when_it_is_done(app, qtbot, tmp_path):
    path = tmp_path / "a.tflite"
    dialog = ask(app, Ware.MODEL, path)
    dialog.go.click()
    dialog.aside.click()
    finish(qtbot, app)
    assert path.is_file()
    assert app.exports.dialog is None
    assert not app.export_aside.isVisible()
    assert f"Written: {path}" in app.banner.text


@pytest.mark.long
def test_a_process_that_is_killed_leaves_nothing(other_app, qtbot, tmp_path):
    app = other_app
    app.exports.exporter._entry = exporters.dying
    folder = tmp_path / "out"
    folder.mkdir()
    export(qtbot, app, Ware.MODEL, folder / "a.tflite")
    assert "has ended" in app.exports.dialog.message.text()
    assert list(folder.iterdir()) == []


def test_the_dialog_asks_what_matters_and_names_the_file(app, qtbot):
    dialog = ask(app, Ware.MODEL)
    form = dialog.form
    assert form.verifies.isChecked()
    names = {}
    # Nothing is offered of a sweep where none is shown.
    wares = [ware for ware in Ware if ware is not Ware.SWEEP]
    for place, ware in enumerate(wares):
        form.ware.setCurrentIndex(place)
        names[ware] = Path(form.path).name
        assert form.verifies.isVisible() is (ware is Ware.MODEL)
        assert form.view.isVisible() is (ware is Ware.PICTURE)
        assert form.quantity.isVisible() is (ware is Ware.NODES)
        assert form.width_box.isVisible() is (ware is Ware.PICTURE)
        assert form.theme.isVisible() is (ware is Ware.PICTURE)
        assert form.form.isVisible() is (len(FORMS[ware]) > 1)
    assert names[Ware.MODEL] == "kws_dscnn_compiled.tflite"
    assert names[Ware.REPORT] == "kws_dscnn_report.html"
    assert len(set(names.values())) == len(wares) == form.ware.count()
    # Of a name that somebody typed only the ending follows.
    form.ware.setCurrentIndex(wares.index(Ware.REPORT))
    form.file.setText("/somewhere/mine.html")
    form.form.setCurrentIndex(1)
    assert form.path == "/somewhere/mine.pdf"
    for part in dialog.findChildren(QWidget):
        if part.isVisible() and part.focusPolicy() & Qt.FocusPolicy.TabFocus:
            named = part.accessibleName() or getattr(part, "text", str)()
            is_inside = isinstance(part.parentWidget(), QComboBox | QSpinBox)
            assert named or is_inside, (part, part.parentWidget())
    dialog.close()
    qtbot.waitUntil(lambda: app.exports.dialog is None)


@pytest.mark.long
def test_nothing_can_be_exported_before_there_is_a_schedule(open_app, tmp_path):
    broken = tmp_path / "broken.tflite"
    broken.write_bytes(b"\x1c\0\0\0TFL3")
    app = open_app(broken)
    for name in COMMANDS.values():
        assert not app.actions[name].isEnabled()
        assert re.search("no schedule", app.actions[name].statusTip())
