"""Cascades in the timeline, folded and unfolded."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gui.document.selection import NOTHING_SELECTED, Selection
from gui.present.timeline.rows import Fold
from tests.gui.views.timeline.watched import LEFT


def test_the_sign_of_a_cascade_folds_it(cascading):
    cascade = cascading.stage.data.cascades[0]
    cascading.lanes.frame(cascade.start_cycle, cascade.end_cycle)
    for fold in (Fold.ROWS, Fold.BAR, Fold.STRIPES):
        scene = cascading.lanes.box.mapViewToScene(
            QPointF(cascade.start_cycle, cascading.lanes.rows.cascades.middle)
        )
        at = cascading.lanes.mapFromScene(scene) + QPoint(8, 0)
        QTest.mouseClick(cascading.lanes.viewport(), LEFT, pos=at)
        QApplication.processEvents()
        assert cascading.stage.folds[0] is fold
        assert cascading.stage.strip.folds.currentText().endswith(fold.value)
        rows = len(cascade.ops) if fold is Fold.ROWS else 0
        assert len(cascading.lanes.rows.operators) == rows
        assert (cascading.lanes.slices.rects.count == cascading.trace.count) == (
            fold is not Fold.BAR
        )
    assert cascading.store.selection == NOTHING_SELECTED


def test_e_folds_the_cascade_of_the_selected_operator(cascading):
    op = cascading.stage.data.cascades[0].ops[0]
    cascading.store.select(Selection(op=op), "another view")
    QTest.keyClick(cascading.lanes, Qt.Key.Key_E)
    QTest.keyClick(cascading.lanes, Qt.Key.Key_E)
    assert cascading.stage.folds[0] is Fold.BAR
    assert -1 in cascading.lanes.slices.selected


def test_all_cascades_fold_at_once(cascading):
    box = cascading.stage.strip.folds
    box.activated.emit(2)
    assert set(cascading.stage.folds.values()) == {Fold.BAR}
    assert not cascading.lanes.slices.rects.labels[-1].startswith("1 ·")


def test_where_there_is_no_cascade_there_is_nothing_to_fold(kws):
    assert not kws.stage.strip.folds.isVisible()
