"""A board is calibrated in the window: logs pasted and loaded, a fit, a config that is used."""

from __future__ import annotations

import shutil

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from core.target.config import load
from gui.present.calibration.asked import Entry
from tests.gui.answers import model_path
from tests.gui.running import wait_for_answer
from tests.shared import need

PATIENCE_MS = 120_000
KWS = "kws_micronet_m__ethos-u55-128"
"""Measured by Arm's FVP with memory timing: 405,050 cycles."""


@pytest.fixture(name="dialog_of")
def _dialog_of(open_app, tmp_path):
    """`dialog_of(log)`: a window with the dialog, in which so much was pasted for one program."""

    def opened(log):
        program = tmp_path / "kws.tflite"
        shutil.copy(need(f"measured/programs/{KWS}.tflite"), program)
        app = open_app(model_path("kws_dscnn"), accelerator="ethos-u55-128")
        assert app.actions.run("file.calibrate")
        dialog = app.calibrations.dialog
        # The model that is open is there already.
        assert [entry.log for entry in dialog.entries.entries] == [""]
        QTest.mouseClick(dialog.entries.less, Qt.MouseButton.LeftButton)
        assert not dialog.go.isEnabled()
        dialog.entries.add([Entry(str(program))])
        assert not dialog.go.isEnabled()
        dialog.entries.log.setPlainText(log)
        return app, dialog

    return opened


def fitted(qtbot, dialog):
    QTest.mouseClick(dialog.go, Qt.MouseButton.LeftButton)
    assert dialog.is_running
    qtbot.waitUntil(lambda: not dialog.is_running, timeout=PATIENCE_MS)


def test_a_board_is_fitted_saved_and_used(dialog_of, qtbot, tmp_path):
    app, dialog = dialog_of("INFO - NPU TOTAL cycles: 405050\n")
    fitted(qtbot, dialog)
    report = dialog.report
    assert report.isVisible()
    assert report.heading.text() == "The measurements fit one board."
    assert "Mean error: " in report.errors.text()
    assert [str(cell) for cell in report.table.listing.rows[0][:2]] == [
        "kws.tflite=pasted",
        "405,050",
    ]
    after = report.plot.spots[-1]
    assert "measured 405,050 cycles" in report.plot.tip_at(report.plot.place_of(after))
    path = tmp_path / "my board.ini"
    assert app.calibrations.save(path)
    assert "my_board" in dialog.message.text()
    assert load([path]).system_config("my_board").axi0.clock_scale == 1.0
    QTest.mouseClick(dialog.use, Qt.MouseButton.LeftButton)
    wait_for_answer(qtbot, app)
    settings = app.store.document.settings
    assert (settings.configs, settings.system_config) == ((str(path),), "my_board")
    assert app.store.answer.scheduled.target.system.name == "my_board"
    # One step of undo.
    app.actions.run("edit.undo")
    assert app.store.document.settings.configs == ()


def test_what_cannot_be_read_is_said_with_its_file_and_can_be_mended(dialog_of, qtbot, tmp_path):
    _, dialog = dialog_of("nothing of a board")
    fitted(qtbot, dialog)
    assert "Pasted: has no cycles" in dialog.message.text()
    assert not dialog.use.isEnabled()
    log = tmp_path / "board.log"
    log.write_text("NPU TOTAL: 405050 cycles\n", encoding="utf-8")
    dialog.entries.take_log(str(log))
    assert "NPU TOTAL" in dialog.entries.log.toPlainText()
    assert dialog.go.isEnabled()
    fitted(qtbot, dialog)
    assert dialog.use.isEnabled()
    assert dialog.report.table.listing.rows[0][0] == "kws.tflite=board.log"


def test_a_program_that_was_not_measured_is_refused(dialog_of, qtbot):
    beats = "NPU AXI0_RD_DATA_BEAT_RECEIVED beats: 9132130\nNPU TOTAL cycles: 405050\n"
    _, dialog = dialog_of(beats)
    fitted(qtbot, dialog)
    assert dialog.report.heading.text() == "No board fits these."
    assert "was another program measured?" in dialog.report.errors.text()
    assert not dialog.save.isEnabled()


def test_a_fit_can_be_stopped(dialog_of, qtbot):
    app, dialog = dialog_of("900000")
    QTest.mouseClick(dialog.go, Qt.MouseButton.LeftButton)
    assert dialog.no.text() == "Stop"
    QTest.mouseClick(dialog.no, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not dialog.is_running, timeout=PATIENCE_MS)
    assert dialog.message.text() == "The fit was stopped."
    assert not app.calibrations.errands.is_busy
    QTest.mouseClick(dialog.no, Qt.MouseButton.LeftButton)
    assert app.calibrations.dialog is None
