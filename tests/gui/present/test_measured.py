"""Measured cycles beside estimates: the lane, the column, and what an import tells."""

from __future__ import annotations

import pytest

from core.base.errors import InputError
from gui.document.measurement import Measurement, with_measured
from gui.present.operators.table import operator_table
from gui.present.runs.measured import imported, measured_lane, ratio_text
from gui.present.timeline.data import timeline_data
from gui.present.timeline.picture import measured_rects
from gui.present.timeline.rows import rows_of
from tests.gui.answers import answer_of


def measured(text: str, example: str = "kws_dscnn"):
    return with_measured(
        answer_of(example), Measurement(path="/somewhere/board.csv", data=text.encode())
    )


def all_of(example: str, factor: float) -> str:
    costs = answer_of(example).scheduled.costs
    lines = [f"{op},{cost.total_cycles * factor}" for op, cost in enumerate(costs)]
    return "\n".join(["index,cycles", *lines])


@pytest.mark.parametrize("factor", [0.5, 1.0, 3.0])
def test_the_lane_is_as_long_as_what_was_measured(factor):
    answer = measured(all_of("kws_dscnn", factor))
    lane = measured_lane(answer)
    assert lane.end_cycle[-1] == pytest.approx(factor * answer.scheduled.total.total_cycles)
    assert (lane.start_cycle[1:] == lane.end_cycle[:-1]).all()
    data = timeline_data(answer)
    rects = measured_rects(data, rows_of(data, {}))
    assert rects.key.tolist() == list(range(len(answer.scheduled.costs)))
    assert len(set(rects.bottom.tolist())) == 1
    assert data.end_cycle == pytest.approx(max(factor, 1.0) * answer.scheduled.total.total_cycles)


def test_what_was_not_measured_leaves_its_estimate_free():
    answer = measured("index,cycles\n0,10\n2,30\n")
    lane = measured_lane(answer)
    between = answer.scheduled.costs[1].total_cycles
    assert lane.op.tolist() == [0, 2]
    assert lane.start_cycle.tolist() == pytest.approx([0, 10 + between])
    assert lane.end_cycle.tolist() == pytest.approx([10, 40 + between])


def test_nothing_measured_is_no_lane_and_no_column():
    answer = answer_of("kws_dscnn")
    assert measured_lane(answer) is None
    assert rows_of(timeline_data(answer), {}).measured is None
    table = operator_table(answer)
    assert not table.is_used("measured")
    assert not table.is_used("deviation")
    assert with_measured(answer, None) is answer


def test_bars_of_both_columns_have_one_scale():
    table = operator_table(measured(all_of("kws_dscnn", 2.0)))
    assert table.full["measured"] == table.full["cycles"] == max(table.numbers["measured"])


def test_an_import_tells_what_it_found():
    answer = measured("name,cycles\n0,10\nnobody,5\n")
    problem = imported("board.csv", answer)
    assert "cycles of 1 operator of 42" in problem.message
    assert "1 row could not be matched: line 3, 'nobody'" in problem.message
    assert imported("board.csv", measured(all_of("kws_dscnn", 1.0))).is_note


def test_many_rows_that_match_nothing_are_counted():
    rows = "".join(f"nobody {at},5\n" for at in range(30))
    told = imported("board.csv", measured(f"name,cycles\n0,1\n{rows}")).message
    assert "30 rows could not be matched" in told
    assert "and 18 more" in told


def test_ratios_are_told():
    answer = measured(all_of("kws_dscnn", 2.0))
    assert "200 % of the estimate" in ratio_text(answer, 0)
    assert ratio_text(answer_of("kws_dscnn"), 0) == ""


def test_a_file_of_something_else_is_an_error():
    with pytest.raises(InputError):
        measured("nothing of that kind")
