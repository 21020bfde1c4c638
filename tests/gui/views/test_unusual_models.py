"""Views of models that are unusual: nothing for the NPU, one operator, very many outputs."""

from __future__ import annotations

import pytest

from core.api import schedules
from core.base.ids import NpuOpId
from gui.document.answer import Answer
from gui.document.document import Document, ModelRef
from gui.document.selection import Selection
from gui.state.store import Store
from gui.views.operators.view import OperatorsView
from gui.views.roofline.view import RooflineView
from gui.views.summary.view import SummaryView
from gui.views.why.view import WhyView
from tests.gui import models
from tests.gui.answers import arrive


@pytest.fixture(params=["cpu_only", "one_operator", "many_outputs"])
def answer(request, tmp_path):
    path = getattr(models, request.param)(tmp_path)
    document = Document(model=ModelRef(path=str(path), digest=""))
    settings = document.settings
    scheduled = schedules.schedule(path.read_bytes(), settings.target(), settings.options)
    return Answer(
        number=1,
        document=document,
        scheduled=scheduled,
        analysis=schedules.analyse(scheduled),
        seconds=0.0,
    )


def test_they_are_shown(qtbot, answer):
    store = Store(answer.document)
    views = [kind(store) for kind in (OperatorsView, SummaryView, WhyView, RooflineView)]
    for view in views:
        qtbot.addWidget(view)
        view.show()
    arrive(store, answer)
    table, summary, why, roofline = views
    graph = answer.scheduled.run.graph
    assert table.table.operators.rowCount() == len(graph.ops) + len(graph.cpu_ops)
    assert summary.headline.text()
    drawn = () if roofline.picture is None else roofline.picture.marks
    assert {mark.op for mark in drawn} == {op.id for op in graph.ops}
    assert roofline.canvas.isVisible() == bool(graph.ops)
    assert roofline.sentence.isVisible() == (not graph.ops)
    picks = [Selection(cpu_op=at) for at in range(len(graph.cpu_ops))]
    picks += [Selection(op=NpuOpId(at)) for at in (0, len(graph.ops) - 1) if graph.ops]
    for pick in picks:
        store.select(pick)
        assert len(table.table.selected_places()) == 1
        assert why.text.toPlainText()
    for view in views:
        view.grab()
