"""A sweep is opened in the window, looked at in both themes, and one of its cells adopted."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

import main
from core.api import sweeps
from core.base.forms import Form
from gui.document.wares import Ware
from gui.views.tradeoff.view import TradeOffView
from tests.gui.answers import model_path
from tests.gui.running import wait_for_answer


@pytest.fixture(scope="module")
def sweep(tmp_path_factory):
    out = tmp_path_factory.mktemp("sweep") / "s.sqlite"
    words = ["--sram", "8K:32K:8K", "--accelerator-config", "ethos-u55-128,ethos-u55-256"]
    line = ["sweep", str(model_path("kws_dscnn")), *words, "--jobs", "1", "-o", str(out)]
    assert main.main(line) == 0
    return out


@pytest.mark.long
def test_a_cell_is_adopted_and_undone(open_app, qtbot, sweep, monkeypatch):
    app = open_app(model_path("kws_dscnn"))
    before = app.store.document
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(sweep), ""))
    assert app.actions.run("schedule.sweep")
    view = app.view(TradeOffView)
    qtbot.waitUntil(lambda: view.isVisible() and len(view.panels.places()) == 8)
    place = next(
        place
        for place in view.panels.places()
        if place.cell.settings.accelerator == "ethos-u55-128"
        and place.cell.settings.limit_bytes == 24 << 10
    )
    QTest.mouseClick(view.panels, Qt.MouseButton.LeftButton, pos=place.at.toPoint())
    wait_for_answer(qtbot, app)
    # What the window has found is what the sweep has.
    totals, scheduled = place.cell.outcome.totals, app.store.answer.scheduled
    assert scheduled.total.total_cycles == totals.cycles
    assert scheduled.fast_bytes == totals.fast_bytes
    app.actions.run("edit.undo")
    assert app.store.document == before


@pytest.mark.long
def test_pictures_and_a_table_of_it_are_exported(open_app, qtbot, sweep, tmp_path):
    app = open_app(model_path("kws_dscnn"))
    assert not app.actions.run("file.export_sweep")
    app.files.open_sweep(str(sweep))
    app.panels.show_panel("tradeoff")
    app.view(TradeOffView).figure.setCurrentText("Traffic")
    for ware, form in ((Ware.SWEEP, None), (Ware.PICTURE, Form.PNG), (Ware.PICTURE, Form.SVG)):
        app.actions.run("file.export_sweep" if form is None else "file.export_picture")
        chosen = app.exports.dialog.form
        if form is not None:
            chosen.form.setCurrentText(form.title)
            assert chosen.picture.view == "tradeoff"
        path = tmp_path / Path(chosen.path).name
        chosen.file.setText(str(path))
        app.exports.dialog.go.click()
        qtbot.waitUntil(lambda: app.exports.dialog is None, timeout=60_000)
        assert chosen_is(path, ware, form, sweep)


def chosen_is(path, ware, form, sweep):
    """Whether a file has what was asked for."""
    content = path.read_bytes()
    if ware is Ware.SWEEP:
        with sweeps.SweepFile.read(sweep) as file:
            return content.decode() == sweeps.render_csv(file.cells())
    if form is Form.PNG:
        image = QImage.fromData(content).convertToFormat(QImage.Format.Format_RGB32)
        middle = image.height() // 3
        return len({image.pixelColor(x, middle).name() for x in range(image.width())}) > 3
    # One panel for each accelerator, and what is drawn.
    return all(text in content.decode() for text in ("ethos-u55-128", "ethos-u55-256", "Traffic"))


def test_what_is_no_sweep_is_told_in_the_strip(open_app, monkeypatch):
    app = open_app(model_path("kws_dscnn"))
    model = str(model_path("kws_dscnn"))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (model, ""))
    app.actions.run("schedule.sweep")
    assert app.store.swept.shown is None
    assert not app.files.open_sweep(model)
