"""A cascade in slow motion shows the steps that the analysis has worked out."""

from __future__ import annotations

import pytest

from core.ir.options import Strategy
from gui.document.display import ByteUnit
from gui.document.selection import BufferRef, CascadeRef, Selection
from gui.present.cascades.picture import cascade_selected, cascades_of
from gui.present.cascades.play import Film, Rows, ring_text, rows_text, stage_text, step_text
from gui.present.cascades.why import why_none, why_not

CASCADED = [
    ("unet_128", {"accelerator": "ethos-u65-256"}),
    ("unet_128", {"accelerator": "ethos-u65-256", "limit_bytes": 100_000}),
    ("mobilenet_v2_035_96", {"strategy": Strategy.SIZE}),
    ("kws_dscnn", {"limit_bytes": 1_000}),
]


@pytest.fixture(params=CASCADED, ids=lambda question: f"{question[0]}-{question[1]}")
def answer(request, answer_of):
    name, settings = request.param
    return answer_of(name, **settings)


def test_all_cascades_are_there_in_order(answer):
    cascades = cascades_of(answer)
    found = {
        (island.island, number): cascade.ops
        for island in answer.scheduled.schedule.islands
        for number, cascade in enumerate(island.cascades)
    }
    shown = {tuple(each.ref): tuple(stage.op for stage in each.stages) for each in cascades}
    assert shown == found
    assert [each.number for each in cascades] == list(range(1, len(cascades) + 1))
    firsts = [each.stages[0].op for each in cascades]
    assert firsts == sorted(firsts)


def test_stages_have_the_schedules_stripes_and_buffers(answer):
    plans = {plan.op: plan for plan in answer.scheduled.schedule.ops}
    for each in cascades_of(answer):
        island = answer.scheduled.schedule.islands[each.ref.island]
        cascade = island.cascades[each.ref.cascade]
        buffers = [stage.buffer for stage in each.stages if stage.buffer is not None]
        assert buffers == list(cascade.buffers)
        assert each.stages[-1].buffer is None
        assert each.buffer_bytes == sum(buffer.size_bytes for buffer in cascade.buffers)
        for stage in each.stages:
            assert stage.stripe_rows == min(plans[stage.op].stripe.ofm.h, stage.rows)
            number = sum(step.op == stage.op for step in each.steps.steps)
            assert stage.stripes == number


def test_every_step_shows_its_fill(answer):
    for each in cascades_of(answer):
        film = Film(each)
        assert film.length == len(each.steps.steps)
        for position, (step, fills) in enumerate(
            zip(each.steps.steps, each.steps.fills, strict=True)
        ):
            frame = film.frame(position)
            assert frame.step == step
            assert each.stages[frame.running].op == step.op
            shown = [(each.stages[ring.stage].buffer.fm, *ring.held) for ring in frame.rings]
            assert shown == [tuple(fill) for fill in fills]
            for ring in frame.rings:
                assert ring.held.number <= ring.height
                assert 0 <= ring.held_bytes <= ring.size_bytes
                arc = ring.arc(ring.held)
                assert arc.length == ring.held.number
                assert 0 <= arc.first < ring.height


def test_rows_that_are_read_are_there(answer):
    for each in cascades_of(answer):
        film = Film(each)
        for position in range(film.length):
            frame = film.frame(position)
            if frame.running == 0:
                continue
            (ring,) = (ring for ring in frame.rings if ring.stage == frame.running - 1)
            assert ring.read == frame.reads
            assert frame.stages[frame.running - 1].made >= frame.reads.end


def test_at_the_end_all_rows_of_the_last_operator_are_made(answer):
    for each in cascades_of(answer):
        film = Film(each)
        last = film.frame(film.length - 1)
        assert last.stages[-1].made == each.stages[-1].rows
        made = [frame.made for frame in last.stages]
        assert all(done <= stage.rows for done, stage in zip(made, each.stages, strict=True))


def test_texts_have_the_numbers(answer):
    each = cascades_of(answer)[0]
    film = Film(each)
    for position in (0, film.length // 2, film.length - 1):
        frame = film.frame(position)
        text = step_text(each, frame, film.length)
        assert text.startswith(f"Step {position + 1:,} of {film.length:,}: ")
        assert rows_text(frame.reads) in text
        for ring in frame.rings:
            assert ring_text(ring, ByteUnit.BYTES) == (
                f"holds {ring.held.number} of {ring.height} row{'s' * (ring.height != 1)} · "
                f"{ring.held_bytes:,} B of {ring.size_bytes:,} B"
            )
        running = stage_text(each.stages[frame.running], frame.stages[frame.running])
        assert f"stripe {frame.step.stripe + 1} of" in running


def test_rows_are_told_with_both_ends():
    assert [rows_text(Rows(*pair)) for pair in ((0, 0), (3, 4), (3, 8))] == [
        "no row",
        "row 3",
        "rows 3 to 7",
    ]


def test_a_selection_finds_its_cascade(answer):
    cascades = cascades_of(answer)
    for position, each in enumerate(cascades):
        assert cascade_selected(cascades, Selection(cascade=each.ref)) == position
        for stage in each.stages:
            assert cascade_selected(cascades, Selection(op=stage.op)) == position
            buffer = BufferRef(stage.op, 0)
            assert cascade_selected(cascades, Selection(buffer=buffer)) == position
            if stage.buffer is not None:
                assert cascade_selected(cascades, Selection(fm=stage.buffer.fm)) == position
    assert cascade_selected(cascades, Selection()) is None
    assert cascade_selected(cascades, Selection(cascade=CascadeRef(99, 0))) is None


def test_where_whole_maps_fit_the_peak_and_the_limit_are_told(answer_of):
    (free,) = why_none(answer_of("kws_dscnn"))
    assert "20,160 bytes" in free
    assert "no limit" in free
    (limited,) = why_none(answer_of("kws_dscnn", limit_bytes=30_000))
    assert "20,160 bytes" in limited
    assert "30,000 bytes" in limited


def test_where_cascades_do_not_pay_the_log_says_why(answer_of):
    answer = answer_of("kws_dscnn", strategy=Strategy.SIZE)
    first, *rest = why_none(answer)
    assert "none was worth it" in first
    assert rest


def test_there_is_no_reason_where_there_are_cascades(answer):
    assert why_none(answer) == ()


def test_each_operator_outside_says_why(answer):
    for plan in answer.scheduled.schedule.ops:
        text = why_not(answer, plan.op)
        assert bool(text) == (plan.cascade is None)
        if text:
            assert answer.scheduled.run.graph.titles.op(plan.op) in text
