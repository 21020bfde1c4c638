"""The line at the foot of the window says what came out, and what goes on."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication

from core.api import schedules
from core.base.frozen import replace
from core.base.rough import rough_text
from gui.document.display import ByteUnit, Display
from gui.document.job import JobPhase, JobState
from gui.present.status import stage_of, status_of, title_of
from gui.present.timeline.memory import usage_of
from gui.shell.statusbar import StatusBar
from tests.gui.answers import answer_of, store_with


@pytest.fixture
def store():
    return store_with(answer_of("kws_dscnn"))


@pytest.fixture
def bar(qtbot, store, qapp):
    bar = StatusBar(store, *(QAction(name, qapp) for name in ("Cancel", "Edits", "Stop")))
    qtbot.addWidget(bar)
    bar.show()
    return bar


def test_figures_are_those_of_the_schedule(store, bar):
    scheduled = store.answer.scheduled
    assert bar.verdict.text() == "fits"
    assert bar.cycles.text() == f"{rough_text(scheduled.total.total_cycles)} cycles"
    store.set_display(replace(store.display, byte_unit=ByteUnit.BYTES))
    peak = max(island.peak_bytes for island in scheduled.schedule.islands)
    assert bar.peak.text() == f"peak {peak:,} B"
    microseconds = scheduled.total.seconds * 1e6
    assert float(bar.time.text().split()[0].replace(",", "")) == pytest.approx(
        microseconds, rel=1e-2
    )


def test_the_range_stands_beside_the_cycles_as_soon_as_it_is_known(store, bar):
    alone = bar.cycles.text()
    spread = schedules.spread_of(store.answer.scheduled)
    store.set_answer(replace(store.answer, spread=spread))
    assert bar.cycles.text() == f"{alone}, {schedules.range_text(spread)}"
    for case in spread.cases:
        assert f"{case.title} {rough_text(case.cycles)}" in bar.cycles.toolTip()


def test_what_is_taken_beside_the_peak_is_told_as_the_timeline_tells_it():
    answer = answer_of("kws_dscnn")
    layout = answer.scheduled.layout
    areas = tuple(replace(each, height_bytes=each.height_bytes + 16) for each in layout.areas)
    scheduled = replace(answer.scheduled, layout=replace(layout, areas=areas))
    answer = replace(answer, scheduled=scheduled)
    usage = usage_of(answer)
    assert usage.height_bytes > usage.peak_bytes
    told = status_of(answer, Display(byte_unit=ByteUnit.BYTES)).peak
    assert told == f"peak {usage.peak_bytes:,} B, takes {usage.height_bytes:,} B"


def test_what_is_over_a_limit_is_told_in_bytes():
    answer = answer_of("kws_dscnn", limit_bytes=4096)
    store = store_with(answer)
    excess = sum(area.excess_bytes for area in answer.scheduled.layout.areas)
    assert excess > 0
    status = status_of(answer, replace(store.display, byte_unit=ByteUnit.BYTES))
    assert not status.is_within
    assert status.verdict == f"over by {excess:,} B"


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
    for widget in (bar.progress, bar.verdict):
        widget.installEventFilter(painted)
    bar.verdict.update()
    store.set_job(JobState(phase=JobPhase.RUNNING, stage="lowering", done=3, total=4))
    assert painted.widgets == []
    QApplication.processEvents()
    assert set(painted.widgets) == {bar.progress, bar.verdict}


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
