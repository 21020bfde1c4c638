"""Models that come by drag and drop, and models that change on disk."""

from __future__ import annotations

import shutil

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication

from core.base.digest import digest_bytes
from core.ir.options import Search, Strategy
from gui.document.examples import EXAMPLES
from gui.views.memory.view import MemoryView
from tests.gui.running import wait_for_answer
from tests.journeys import models
from tests.journeys.agreement import check_all


@pytest.mark.long
def test_a_model_that_is_dropped_anywhere_is_opened(open_app, qtbot, tmp_path):
    app = open_app(EXAMPLES / "kws_dscnn.tflite")
    path = models.one_operator(tmp_path)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    copy = Qt.DropAction.CopyAction
    # Qt offers it to the part under the pointer first, and then to what that part is in.
    part = app.view(MemoryView).pane.canvas.viewport()
    entering = QDragEnterEvent(QPointF(9, 9).toPoint(), copy, data, left, none)
    while part is not None:
        entering.ignore()
        QApplication.sendEvent(part, entering)
        if entering.isAccepted():
            break
        part = part.parentWidget()
    assert part is not None
    QApplication.sendEvent(part, QDropEvent(QPointF(9, 9), copy, data, left, none))
    wait_for_answer(qtbot, app)
    assert app.store.document.model.path == str(path)
    check_all(app)


@pytest.mark.long
def test_a_model_that_changes_on_disk_is_read_again(open_app, qtbot, tmp_path):
    path = tmp_path / "net.tflite"
    shutil.copy(EXAMPLES / "kws_dscnn.tflite", path)
    app = open_app(path)
    app.actions.run("schedule.strategy")
    wait_for_answer(qtbot, app)
    for name in ("resnet8", "denoise_int16"):
        fresh = tmp_path / "fresh"
        shutil.copy(EXAMPLES / f"{name}.tflite", fresh)
        before = app.store.document.model.digest
        fresh.replace(path)
        qtbot.waitUntil(lambda before=before: app.store.document.model.digest != before)
        wait_for_answer(qtbot, app)
        check_all(app)
        assert app.store.answer.document.model.digest == app.store.document.model.digest
    # What was asked of it can still be undone, and is asked of what the file is now.
    app.actions.run("edit.undo")
    wait_for_answer(qtbot, app)
    check_all(app)


@pytest.mark.long
def test_undo_leads_back_to_the_model_before_as_it_is_on_disk_now(open_app, qtbot, tmp_path):
    path = tmp_path / "net.tflite"
    shutil.copy(EXAMPLES / "kws_dscnn.tflite", path)
    app = open_app(path)
    app.actions.run("schedule.strategy")
    wait_for_answer(qtbot, app)
    app.files.open(str(EXAMPLES / "resnet8.tflite"))
    wait_for_answer(qtbot, app)
    shutil.copy(EXAMPLES / "denoise_int16.tflite", path)
    assert app.actions["edit.undo"].text() == "Undo Open resnet8.tflite"
    app.actions.run("edit.undo")
    wait_for_answer(qtbot, app)
    assert app.store.document.model.path == str(path)
    assert app.store.document.model.digest == digest_bytes(path.read_bytes())
    assert app.store.document.settings.options.strategy is Strategy.SIZE
    check_all(app)
    app.actions.run("edit.redo")
    wait_for_answer(qtbot, app)
    assert app.store.document.model.name == "resnet8.tflite"
    check_all(app)


@pytest.mark.long
def test_a_model_that_breaks_on_disk_is_told_and_recovers(open_app, qtbot, tmp_path):
    path = tmp_path / "net.tflite"
    shutil.copy(EXAMPLES / "kws_dscnn.tflite", path)
    app = open_app(path)
    path.write_bytes(b"half a file")
    qtbot.waitUntil(lambda: not app.banner.isHidden())
    assert "net.tflite" in app.banner.text
    shutil.copy(EXAMPLES / "kws_dscnn.tflite", path)
    qtbot.waitUntil(app.banner.isHidden)
    wait_for_answer(qtbot, app)
    check_all(app)


@pytest.mark.long
def test_other_models_of_the_device_come_and_go(open_app, qtbot, tmp_path):
    app = open_app(EXAMPLES / "kws_dscnn.tflite", limit_bytes=60 << 10, search=Search.DIRECT)
    alone = app.store.answer
    assert app.actions["file.alone"].isEnabled() is False
    assert app.files.beside.add([str(EXAMPLES / "shuffle_with_cpu.tflite")])
    wait_for_answer(qtbot, app)
    assert app.store.answer.scheduled.layout == alone.scheduled.layout
    app.actions.run("file.calls.nested")
    wait_for_answer(qtbot, app)
    (memory,) = app.store.answer.together.memories
    assert memory.peak_bytes <= memory.limit_bytes == 60 << 10
    own, other = memory.arenas
    assert own.end <= other.base
    check_all(app)
    others = app.view(MemoryView).pane.others.rects
    assert others.bottom.tolist() == [other.base]
    assert others.top.tolist() == [other.end]
    broken = tmp_path / "broken.tflite"
    broken.write_bytes(b"nothing of the kind")
    before = app.store.history
    app.files.beside.add([str(broken)])
    qtbot.waitUntil(lambda: not app.banner.isHidden())
    assert "broken.tflite" in app.banner.text
    wait_for_answer(qtbot, app)
    assert app.store.history == before
    app.actions.run("file.alone")
    wait_for_answer(qtbot, app)
    assert app.store.answer.together is None
    for _ in range(3):
        app.actions.run("edit.undo")
    wait_for_answer(qtbot, app)
    assert app.store.document == alone.document


@pytest.mark.long
def test_a_model_that_is_gone_stays_on_the_screen(open_app, qtbot, tmp_path):
    path = models.one_operator(tmp_path)
    app = open_app(path)
    content = path.read_bytes()
    path.unlink()
    with qtbot.waitSignal(app.files._watch.changed):
        pass
    check_all(app)
    app.actions.run("file.reload")
    assert "one_operator.tflite" in app.banner.text
    path.write_bytes(content)
    app.actions.run("file.reload")
    check_all(app)
