"""The line at the foot of the window says what goes on; the title, what is shown."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication

from core.base.frozen import replace
from gui.document.job import JobPhase, JobState
from gui.present.status import stage_of, title_of
from gui.shell.statusbar import StatusBar
from tests.gui.answers import answer_of, store_with


@pytest.fixture
def store():
    return store_with(answer_of("kws_dscnn"))


@pytest.fixture
def bar(qtbot, store, qapp):
    bar = StatusBar(store, QAction("Cancel", qapp))
    qtbot.addWidget(bar)
    bar.show()
    return bar


def test_progress_appears_only_when_it_takes_a_while(qtbot, store, bar):
    store.set_job(JobState(phase=JobPhase.RUNNING, stage="lowering", done=1, total=4))
    assert not bar.progress.isVisible()
    qtbot.waitUntil(bar.progress.isVisible)
    assert bar.stage.text() == "lowering"
    assert (bar.progress.value(), bar.progress.maximum()) == (1, 4)
    assert bar.cancel.isVisible()
    store.set_job(JobState(phase=JobPhase.RUNNING, stage="searching", done=3, total=4))
    assert bar.stage.text() == "searching"
    store.set_job(JobState())
    assert not bar.progress.isVisible()
    assert not bar.cancel.isVisible()


def test_what_goes_on_out_of_sight_has_a_place_each(bar):
    export, advice = bar.add_aside("Export", "tip"), bar.add_aside("Advice", "tip")
    assert not export.isVisible()
    export.tell("writing")
    advice.tell("trying 3 of 9")
    assert [each.text() for each in (export, advice)] == [
        "Export: writing",
        "Advice: trying 3 of 9",
    ]
    export.tell("")
    assert not export.isVisible()
    assert advice.isVisible()


class Painted(QObject):
    """Who was painted, in which order."""

    def __init__(self):
        super().__init__()
        self.widgets = []

    def eventFilter(self, watched, event):  # noqa: N802 - Qt's name
        if event.type() is QEvent.Type.Paint:
            self.widgets.append(watched)
        return False


def test_progress_is_painted_in_its_turn_and_makes_nothing_else_be_painted_before(
    qtbot, store, bar
):
    store.set_job(JobState(phase=JobPhase.RUNNING, stage="lowering", done=1, total=4))
    qtbot.waitUntil(bar.progress.isVisible)
    QApplication.processEvents()
    painted = Painted()
    for widget in (bar.progress, bar.stage):
        widget.installEventFilter(painted)
    bar.stage.update()
    store.set_job(JobState(phase=JobPhase.RUNNING, stage="lowering", done=3, total=4))
    assert painted.widgets == []
    QApplication.processEvents()
    assert set(painted.widgets) == {bar.progress, bar.stage}


def test_the_title_names_the_model_and_says_what_is_not_current(store):
    title = title_of(store.document, JobState(), is_current=True)
    assert title == "kws_dscnn.tflite - ethos-u55-256 - Reefpoint"
    assert "(computing...)" in title_of(store.document, JobState(), is_current=False)
    failed = JobState(phase=JobPhase.FAILED)
    assert "(no schedule)" in title_of(store.document, failed, is_current=False)
    assert title_of(replace(store.document, model=None), failed, is_current=False) == "Reefpoint"


def test_stages_have_names():
    assert stage_of(JobState(phase=JobPhase.WAITING)) == "waiting"
    assert stage_of(JobState(phase=JobPhase.RUNNING)) == "starting"
    assert stage_of(JobState(phase=JobPhase.RUNNING, stage="laying out")) == "laying out"
    assert stage_of(JobState()) == ""
