"""Of operators that are picked together, each picture shows what it shows of each of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection

import pytest

from gui.document.answer import Answer
from gui.document.selection import Selection
from gui.present.memory.map import TimeScale, area_map, edges_of
from gui.present.memory.picks import selected_ranges
from gui.present.network.picks import selected_nodes
from gui.present.network.picture import drawing_of
from gui.present.operators.order import selected_rows
from gui.present.operators.table import operator_table
from gui.present.timeline.data import timeline_data
from gui.present.timeline.picks import picked
from tests.gui.answers import answer_of

Shown = Callable[[Selection], Collection[int]]


def timeline(answer: Answer) -> Shown:
    data = timeline_data(answer)
    return lambda selection: picked(answer.scheduled, data, selection).slices.tolist()


def memory(answer: Answer) -> Shown:
    scheduled = answer.scheduled
    area = max(scheduled.layout.areas, key=lambda area: len(area.placements))
    drawn = area_map(scheduled, area, edges_of(answer, TimeScale.STEPS))
    return lambda selection: selected_ranges(scheduled, drawn, selection)


def network(answer: Answer) -> Shown:
    drawing = drawing_of(answer.scheduled.run.graph)
    return lambda selection: selected_nodes(drawing, answer, selection)


def operators(answer: Answer) -> Shown:
    table = operator_table(answer)
    return lambda selection: selected_rows(answer, table, selection)


@pytest.mark.parametrize("picture", [timeline, memory, network, operators])
def test_several_are_shown_as_each_of_them_is(picture):
    answer = answer_of("kws_dscnn", limit_bytes=20_000)
    shown = picture(answer)
    alone = [set(shown(Selection(op=op.id))) for op in answer.scheduled.graph.ops]
    assert all(alone)
    for one, other in itertools.pairwise(range(len(alone))):
        together = shown(Selection(op=one, more_ops=(other,)))
        assert set(together) == alone[one] | alone[other]
