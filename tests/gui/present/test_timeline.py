"""The timeline draws what the trace, the layout and the costs say: all of it, once."""

from __future__ import annotations

import numpy as np
import pytest

from core.base.dtype import DType
from core.ir.trace import NOTHING, Activity, Lane
from core.synth.builder import Builder
from core.target.target import Area
from core.tflite.writer import write
from gui.document.display import ByteUnit, Display, Span, TimeUnit
from gui.document.document import Document
from gui.document.selection import BufferRef, CascadeRef, Selection
from gui.present.memory.ranges import limit_bytes
from gui.present.timeline.data import timeline_data
from gui.present.timeline.memory import usage_of, used_bytes
from gui.present.timeline.picks import (
    consumer,
    main_slice,
    neighbour,
    picked,
    producer,
    selection_of,
)
from gui.present.timeline.picture import (
    INKS,
    cascade_label,
    cascade_rects,
    legend_of,
    operator_rects,
    slice_rects,
)
from gui.present.timeline.rows import Fold, rows_of, used_tracks
from gui.present.timeline.text import (
    cascade_tip,
    scale_of,
    selection_text,
    slice_tip,
    totals_text,
    usage_tip,
)
from gui.present.timeline.totals import op_shares, totals_of
from gui.theme.tones import Tone
from tests.gui.answers import answer_to, model_ref
from tests.settings import settings_with

CASCADING = ("resnet8", {"limit_bytes": 12_000})
QUESTIONS = [
    ("kws_dscnn", {}),
    CASCADING,
    ("unet_128", {"accelerator": "ethos-u65-256", "limit_bytes": 100_000}),
    ("shuffle_with_cpu", {}),
]


@pytest.fixture(params=QUESTIONS, ids=lambda question: f"{question[0]}-{question[1]}")
def answer(request, answer_of):
    name, settings = request.param
    return answer_of(name, **settings)


@pytest.fixture
def cascading(answer_of):
    name, settings = CASCADING
    found = answer_of(name, **settings)
    assert any(island.cascades for island in found.scheduled.schedule.islands)
    return found


def drawn(answer, folds=None):
    data = timeline_data(answer)
    rows = rows_of(data, folds or {})
    return data, rows, slice_rects(data, rows, folds or {})


def test_each_slice_of_the_trace_is_drawn_once_where_and_when_it_is(answer):
    data, rows, rects = drawn(answer)
    trace = answer.analysis.trace
    assert rects.count == trace.count
    assert rects.key.tolist() == list(range(trace.count))
    assert (rects.left == trace.start_cycle).all()
    assert (rects.right == trace.end_cycle).all()
    assert len(rects.labels) == rects.count
    assert set(rows.lanes) == {Lane(lane) for lane in np.unique(trace.lane)}
    for lane, row in rows.lanes.items():
        mine = trace.lane == lane
        assert (rects.bottom[mine] == row.top).all()
        assert (rects.top[mine] == row.bottom).all()
    assert data.end_cycle == max(trace.end_cycle_of_all, 1.0)


def test_rectangles_of_one_row_do_not_overlap(answer):
    _, _, rects = drawn(answer)
    for row in np.unique(rects.row):
        mine = np.flatnonzero(rects.row == row)
        mine = mine[np.argsort(rects.left[mine], kind="stable")]
        assert (rects.left[mine][1:] >= rects.right[mine][:-1] - 1e-6).all()


@pytest.mark.parametrize(
    ("activity", "tone"),
    [
        (Activity.STALL, Tone.STALL),
        (Activity.WEIGHTS, Tone.WEIGHTS),
        (Activity.PREFETCH, Tone.PREFETCH),
        (Activity.TABLE, Tone.TABLE),
        (Activity.CPU, Tone.CPU),
    ],
)
def test_what_an_engine_does_has_its_ink(answer_of, activity, tone):
    for name, settings in QUESTIONS:
        answer = answer_of(name, **settings)
        _, _, rects = drawn(answer)
        mine = rects.ink[answer.analysis.trace.activity == activity]
        assert set(mine.tolist()) <= {INKS.index(tone)}


def test_rows_stand_below_each_other(answer):
    rows = rows_of(timeline_data(answer), {})
    edges = [edge for row in rows.all for edge in (row.top, row.bottom)]
    assert edges == sorted(edges)
    assert edges[-1] == rows.height
    titles = ["Cascades", "MAC", "Element-wise", "DMA in", "DMA out", "CPU"]
    assert [row.title for row in rows.all] == [
        title
        for title in titles
        if title in {track.title for track in used_tracks(timeline_data(answer))}
    ]


def test_each_cascade_has_a_bar_over_its_operators(cascading):
    data, rows, _ = drawn(cascading)
    bars = cascade_rects(data, rows, {})
    cascades = [part for island in cascading.scheduled.schedule.islands for part in island.cascades]
    trace = cascading.analysis.trace
    assert bars.count == len(cascades)
    for position, cascade in enumerate(cascades):
        ops = list(cascade.ops)
        assert bars.left[position] == trace.op_start_cycle[ops].min()
        assert bars.right[position] == trace.op_end_cycle[ops].max()
        label = cascade_label(data, position)
        steps = len(cascading.analysis.cascades[position].steps)
        assert label == f"Cascade {position + 1} · {len(ops)} operators · {steps} stripes"


def test_stripes_of_a_cascade_interleave_in_the_order_of_its_steps(cascading):
    data, _, rects = drawn(cascading)
    trace = cascading.analysis.trace
    steps = cascading.analysis.cascades[0].steps
    ops = data.cascades[0].ops
    computes = np.isin(trace.op, ops) & (trace.activity == Activity.COMPUTE)
    mine = np.flatnonzero(computes & (trace.stripe != NOTHING))
    mine = mine[np.argsort(rects.left[mine], kind="stable")]
    assert [(trace.op[at], trace.stripe[at]) for at in mine] == [
        (step.op, step.stripe) for step in steps
    ]


def test_a_folded_cascade_is_one_bar_in_place_of_its_slices(cascading):
    data, _, _ = drawn(cascading)
    _, _, rects = drawn(cascading, {0: Fold.BAR})
    trace = cascading.analysis.trace
    hidden = np.isin(trace.op, data.cascades[0].ops) & np.isin(
        trace.lane, (Lane.MAC, Lane.ELEMENTWISE)
    )
    bars = rects.key < 0
    assert set(rects.key[bars].tolist()) == {-1}
    assert np.count_nonzero(bars) == len(np.unique(trace.lane[hidden]))
    assert sorted(rects.key[~bars].tolist()) == np.flatnonzero(~hidden).tolist()
    assert rects.left[bars].min() == trace.start_cycle[hidden].min()
    assert rects.labels[int(np.flatnonzero(bars)[0])].startswith("Cascade 1")


def test_an_unfolded_cascade_has_a_row_for_each_operator(cascading):
    folds = {0: Fold.ROWS}
    data, rows, rects = drawn(cascading, folds)
    trace = cascading.analysis.trace
    ops = data.cascades[0].ops
    again = operator_rects(data, rows, folds)
    assert rects.count == trace.count
    assert len(rows.operators) == len(ops)
    assert rows.operators[0].title == data.op_titles[ops[0]]
    for place, op in enumerate(ops):
        mine = again.key[again.row == place]
        engines = np.isin(trace.lane, (Lane.MAC, Lane.ELEMENTWISE))
        assert sorted(mine.tolist()) == np.flatnonzero((trace.op == op) & engines).tolist()


def test_the_ways_of_folding_follow_each_other():
    assert [fold.next for fold in Fold] == [Fold.ROWS, Fold.BAR, Fold.STRIPES]


def test_memory_in_use_is_the_sum_of_what_is_live(answer):
    usage = usage_of(answer)
    area = answer.scheduled.layout.fast_area
    for step, used in enumerate(usage.used_bytes):
        live = [
            place
            for place in area.placements
            if place.start_time <= step <= place.end_time and place.content is None
        ]
        constants = {
            (place.address, place.content): place.size_bytes
            for place in area.placements
            if place.start_time <= step <= place.end_time and place.content is not None
        }
        assert used == sum(place.size_bytes for place in live) + sum(constants.values())
    assert len(usage.edge_cycle) == len(usage.used_bytes) + 1
    assert usage.peak_bytes <= area.height_bytes == usage.height_bytes
    assert usage.limit_bytes == limit_bytes(answer.scheduled, area)
    assert usage.top_bytes >= usage.height_bytes
    assert usage.used_bytes[usage.peak_step] == usage.peak_bytes


def test_equal_constants_on_one_address_count_once(answer):
    place = answer.scheduled.layout.fast_area.placements[0]
    at = {"address": 0, "size_bytes": 16, "content": "same"}
    twins = [
        type(place)(
            name="", purpose=place.purpose, region=place.region, start_time=s, end_time=e, **at
        )
        for s, e in ((0, 2), (1, 4), (6, 6))
    ]
    assert used_bytes(twins, 8).tolist() == [16, 16, 16, 16, 16, 0, 16, 0]


def test_a_slice_is_picked_and_found_again(answer):
    data = timeline_data(answer)
    trace = data.trace
    for position in range(trace.count):
        selection = selection_of(answer.scheduled, trace, position)
        found = picked(answer.scheduled, data, selection)
        assert position in found.slices
        same = {selection_of(answer.scheduled, trace, int(at)) for at in found.slices}
        if selection.buffer is not None:
            assert same == {selection}
        assert (trace.op[found.slices] == trace.op[position]).all()


def test_a_feature_map_stands_for_its_makers_and_readers(answer):
    data = timeline_data(answer)
    graph = answer.scheduled.run.graph
    for fm in graph.feature_maps[:40]:
        slices = picked(answer.scheduled, data, Selection(fm=fm.id)).slices
        ops = {int(op) for op in data.trace.op[slices]} - {NOTHING}
        storage = fm.storage
        assert ops == {
            int(op.id)
            for op in graph.ops
            if any(graph.feature_maps[view.fm].storage == storage for view in op.views)
        }


def test_a_cascade_stands_for_its_bar_and_its_operators(cascading):
    data = timeline_data(cascading)
    ref = data.cascades[0].ref
    found = picked(cascading.scheduled, data, Selection(cascade=ref))
    assert found.cascades == {0}
    assert set(data.trace.op[found.slices].tolist()) == set(data.cascades[0].ops)
    nowhere = picked(cascading.scheduled, data, Selection(cascade=CascadeRef(ref.island, 99)))
    assert not nowhere.cascades
    assert not len(nowhere.slices)


def test_a_weight_buffer_stands_for_the_slices_that_go_through_it(answer_of):
    answer = answer_of("kws_dscnn")
    data = timeline_data(answer)
    for plan in answer.scheduled.schedule.ops:
        count = 0 if plan.weights is None else len(plan.weights.buffer_bytes)
        for buffer in range(count):
            chosen = Selection(buffer=BufferRef(plan.op, buffer))
            slices = picked(answer.scheduled, data, chosen).slices
            assert (data.trace.op[slices] == plan.op).all()
            assert (data.trace.depth_slice[slices] % count == buffer).all()


def test_neighbours_are_on_the_lane_and_lead_back(answer):
    trace = answer.analysis.trace
    for position in range(trace.count):
        after = neighbour(trace, position, 1)
        if after == NOTHING:
            continue
        assert after > position
        assert trace.lane[after] == trace.lane[position]
        assert trace.activity[after] != Activity.STALL
        between = np.arange(position + 1, after)
        between = between[trace.lane[between] == trace.lane[position]]
        same = (trace.op[between] == trace.op[position]) | (
            trace.activity[between] == Activity.STALL
        )
        assert same.all()
        before = neighbour(trace, after, -1)
        assert trace.op[before] != trace.op[after] or trace.cpu_op[before] != trace.cpu_op[after]


def test_producers_and_consumers_are_linked_by_bytes(answer):
    graph = answer.scheduled.run.graph

    def outputs(node):
        if node.cpu_op is not None:
            fms = graph.cpu_ops[node.cpu_op].outputs
        else:
            fms = (graph.ops[node.op].ofm.fm,)
        return {graph.feature_maps[fm].storage for fm in fms}

    def inputs(node):
        if node.cpu_op is not None:
            fms = graph.cpu_ops[node.cpu_op].inputs
        else:
            fms = [view.fm for view in graph.ops[node.op].views[:-1]]
        return {graph.feature_maps[fm].storage for fm in fms}

    nodes = [Selection(op=op.id) for op in graph.ops]
    nodes += [Selection(cpu_op=at) for at in range(len(graph.cpu_ops))]
    found = 0
    for node in nodes:
        maker = producer(graph, node)
        if not maker.is_empty:
            found += 1
            assert not outputs(maker).isdisjoint(inputs(node))
            assert maker != node
        reader = consumer(graph, node)
        if not reader.is_empty:
            assert not outputs(node).isdisjoint(inputs(reader))
    assert found >= len(nodes) // 2
    assert producer(graph, Selection()).is_empty


def test_the_main_slice_computes(answer):
    data = timeline_data(answer)
    for op in range(len(data.op_titles)):
        slices = picked(answer.scheduled, data, Selection(op=op)).slices
        main = main_slice(data.trace, slices)
        assert main == NOTHING or data.trace.activity[main] == Activity.COMPUTE


def test_the_sums_of_the_whole_run_are_those_of_the_schedule(answer):
    trace, total = answer.analysis.trace, answer.scheduled.total
    totals = totals_of(answer, Span(start_cycle=0.0, end_cycle=trace.end_cycle_of_all))
    graph = answer.scheduled.run.graph
    assert totals.ops == len(graph.ops)
    assert totals.cpu_ops == len(graph.cpu_ops)
    assert totals.share == pytest.approx(1.0)
    moved = dict(totals.moved_bytes)
    for area in Area:
        assert moved.get(area, 0.0) == pytest.approx(total.moved_bytes(area))
    lengths = trace.end_cycle - trace.start_cycle
    works = trace.activity != Activity.STALL
    for lane in Lane:
        mine = lengths[(trace.lane == lane) & works].sum()
        assert totals.lane_cycles[lane] == pytest.approx(mine)
    assert totals.stall_cycles == pytest.approx(lengths[~works].sum())


def test_two_halves_add_up(answer):
    end = answer.analysis.trace.end_cycle_of_all
    whole = totals_of(answer, Span(start_cycle=0.0, end_cycle=end))
    halves = [
        totals_of(answer, Span(start_cycle=start, end_cycle=stop))
        for start, stop in ((0.0, end / 3), (end / 3, end))
    ]
    for lane in Lane:
        assert sum(half.lane_cycles[lane] for half in halves) == pytest.approx(
            whole.lane_cycles[lane]
        )
    for area, moved in whole.moved_bytes:
        parts = sum(dict(half.moved_bytes).get(area, 0.0) for half in halves)
        assert parts == pytest.approx(moved)


def test_an_operator_that_is_cut_counts_in_part(answer):
    trace = answer.analysis.trace
    op = int(np.argmax(trace.op_end_cycle - trace.op_start_cycle))
    start, end = trace.op_start_cycle[op], trace.op_end_cycle[op]
    shares = op_shares(trace, Span(start_cycle=start, end_cycle=start + (end - start) / 4))
    assert shares[op] == pytest.approx(0.25)


def test_tips_tell_names_cycles_and_what_bounds(answer):
    data = timeline_data(answer)
    scale = scale_of(answer, Display())
    for position in range(0, data.trace.count, 7):
        text = slice_tip(answer, data, position, scale)
        op = data.trace.op[position]
        if op == NOTHING:
            assert text.startswith(data.cpu_titles[data.trace.cpu_op[position]])
            continue
        cost = answer.scheduled.costs[op]
        assert text.startswith(data.op_titles[op])
        assert f"{round(cost.total_cycles):,} cycles; what decides: {cost.decides.value}" in text


def test_who_touches_a_state_has_a_sign_and_says_how(tmp_path):
    file, builder = tmp_path / "lstm.tflite", Builder(1, DType.INT8)
    steps = builder.lstm(builder.input((1, 3, 8)), 8)
    file.write_bytes(write(builder.build([steps], "lstm")))
    answer = answer_to(Document(model=model_ref(file), settings=settings_with()))
    data, graph = timeline_data(answer), answer.scheduled.graph
    kept = {fm.id for fm in graph.feature_maps if graph.lives_on([fm.id])}
    touching = {op.id for op in graph.ops if kept & {view.fm for view in op.views}}
    assert data.states.keys() == touching != set()
    scale, labels = scale_of(answer, Display()), slice_rects(data, rows_of(data, {}), {}).labels
    for position in range(data.trace.count):
        op = data.trace.op[position]
        text = slice_tip(answer, data, position, scale)
        assert ("kept from one inference to the next" in text) == (op in touching)
        if labels[position]:
            assert labels[position].startswith("↻") == (op in touching)
    does = " ".join(data.states.values())
    assert "takes " in does
    assert "leaves " in does


def test_words_follow_the_units(cascading):
    data = timeline_data(cascading)
    display = Display(time_unit=TimeUnit.MICROSECONDS, byte_unit=ByteUnit.BYTES)
    scale = scale_of(cascading, display)
    assert "µs" in cascade_tip(data, 0, scale)
    usage = usage_of(cascading)
    text = usage_tip(usage, usage.peak_cycle, scale)
    assert text.startswith(f"{usage.peak_bytes:,} B in use")
    over = usage.peak_bytes - usage.limit_bytes
    assert f"{over:,} B above the limit" in text
    totals = totals_of(cascading, Span(start_cycle=0.0, end_cycle=data.end_cycle))
    told = totals_text(totals, scale)
    assert told[0].endswith("(100 % of the run)")
    assert f"{len(data.op_titles)} operators" in told
    assert selection_text(cascading, data, Selection(), scale) == "Nothing is selected"


def test_the_legend_explains_what_happens_and_nothing_else(answer):
    data = timeline_data(answer)
    explained = {tone for tone, _ in legend_of(data)}
    assert (Tone.STALL in explained) == (Activity.STALL in data.trace.activity)
    assert (Tone.PREFETCH in explained) == (Activity.PREFETCH in data.trace.activity)
    assert (Tone.COPY in explained) == (Activity.COPY in data.trace.activity)
    assert Tone.COMPUTE not in explained
