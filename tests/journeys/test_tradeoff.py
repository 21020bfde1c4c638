"""A sweep is opened in the window, looked at in both themes, and one of its cells adopted."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

import main
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


def test_what_is_no_sweep_is_told_in_the_strip(open_app, monkeypatch):
    app = open_app(model_path("kws_dscnn"))
    model = str(model_path("kws_dscnn"))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (model, ""))
    app.actions.run("schedule.sweep")
    assert app.store.swept.shown is None
    assert not app.files.open_sweep(model)
