"""Compiled models in the terms of a schedule: our own beside the schedules that they were."""

from __future__ import annotations

import json
from itertools import count, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.api import programs, reasons, targets
from core.base.errors import CoreError, InputError
from core.check.layout import Placed
from core.check.layout import verify as verify_layout
from core.emit.payload import write_payload
from core.ir.npugraph import OpKind
from core.ir.program import AcceleratorWord
from core.ir.scheduled import Scheduled
from core.ir.trace import NOTHING, Lane
from core.ir.untold import Matter
from core.tflite.writer import write
from tests.core.emit.programs import ARCHITECTURE, compiled_file
from tests.core.emit.programs import compiled as network_around
from tests.core.pipeline.read_backs import CASES, Case, back_from, compiled, read_back, with_words
from tests.effort import some_of
from tests.shared import need

OLD = "peer/compiled/person_detect_vela.tflite"
IDS = ["-".join(map(str, case[:2])) for case in CASES]
ROUNDED = 0.5
"""Operators are told in whole cycles; transfers that share a memory end between two."""
every_case = pytest.mark.parametrize("case", CASES, ids=IDS)
STOP = 0xFFFF0000


def places(scheduled: Scheduled) -> dict[int, int]:
    """By operator: its place in the order in which they run, which is all that a file shows."""
    order = (plan.op for island in scheduled.schedule.islands for plan in island.ops)
    return {op: place for place, op in enumerate(order)}


@pytest.mark.long
@every_case
def test_operators_are_those_of_the_schedule(case: Case):
    scheduled, _ = compiled(case)
    found = read_back(case).scheduled
    before, after = scheduled.run.graph, found.run.graph
    assert sum(op.kind.is_elementwise for op in after.ops) == sum(
        op.kind.is_elementwise for op in before.ops
    )
    assert len(after.ops) == len(before.ops)
    assert [len(steps) for steps in after.steps] == [len(steps) for steps in before.steps]
    assert [op.kind for op in after.cpu_ops] == [op.kind for op in before.cpu_ops]
    ordered = [before.ops[op] for op in places(scheduled)]
    for one, other in zip(ordered, after.ops, strict=True):
        read = other.ofm.touched.elements
        # What DMA brings is seen in steps of 16 bytes.
        is_copy = one.kind is OpKind.COPY
        assert read == one.ofm.touched.elements or (is_copy and read > one.ofm.touched.elements)


@every_case
def test_cascades_are_those_of_the_schedule(case: Case):
    scheduled, _ = compiled(case)
    found = read_back(case).scheduled
    for before, after in zip(scheduled.schedule.islands, found.schedule.islands, strict=True):
        assert [cascade.ops for cascade in after.cascades] == [
            tuple(map(places(scheduled).__getitem__, cascade.ops)) for cascade in before.cascades
        ]
        for one, other in zip(before.cascades, after.cascades, strict=True):
            assert [buffer.shape.h for buffer in other.buffers] == [
                buffer.shape.h for buffer in one.buffers
            ]
        for plan, other_plan in zip(before.ops, after.ops, strict=True):
            assert other_plan.stripe.ofm.h == plan.stripe.ofm.h


@pytest.mark.long
def test_a_ring_that_several_operators_fill_has_their_channels_and_its_rows():
    case = Case("residual_tower", "ethos-u65-256", "Dedicated_Sram_384KB", 52 << 10)
    before, after = compiled(case)[0].schedule, read_back(case).scheduled.schedule
    shapes = [buffer.shape for each in before.islands[0].cascades for buffer in each.buffers]
    # Three operators fill one of them: 20, 20 and 12 channels, in as many rows as suit.
    assert (40, 52) in {(shape.w, shape.c) for shape in shapes}
    for one, other in zip(before.islands[0].cascades, after.islands[0].cascades, strict=True):
        assert [buffer.shape for buffer in other.buffers] == [
            buffer.shape for buffer in one.buffers
        ]


@every_case
def test_weights_are_those_of_the_schedule(case: Case):
    scheduled, _ = compiled(case)
    found = read_back(case).scheduled
    ordered = [scheduled.schedule.ops[op] for op in places(scheduled)]
    for before, after in zip(ordered, found.schedule.ops, strict=True):
        assert (before.weights is None) == (after.weights is None)
        if before.weights is not None and after.weights is not None:
            assert after.weights.slice_bytes == before.weights.slice_bytes
            assert after.weights.depth_slices == before.weights.depth_slices
            assert len(after.weights.buffer_bytes) == len(before.weights.buffer_bytes)


@every_case
def test_memories_are_as_high_and_ranges_where_they_were(case: Case):
    scheduled, _ = compiled(case)
    found = read_back(case).scheduled
    assert [(area.regions, area.height_bytes) for area in found.layout.areas] == [
        (area.regions, area.height_bytes) for area in scheduled.layout.areas
    ]
    for before, after in zip(scheduled.layout.areas, found.layout.areas, strict=True):
        if before.regions[0].is_permanent:
            continue
        known = [(place.address, place.address + place.size_bytes) for place in before.placements]
        for place in after.placements:
            end = place.address + place.size_bytes
            assert any(low <= place.address and end <= high for low, high in known), place


def laid_over(case: Case) -> dict[str, str]:
    """By what cascades make: the map that it lies over while they run, as they are called in what
    is read back."""
    scheduled, graph = compiled(case)[0], read_back(case).scheduled.graph
    place = places(scheduled)
    name_of = {op.ofm.fm: graph.fm(graph.ops[place[op.id]].ofm).name for op in scheduled.graph.ops}
    return {
        name_of[each.made]: name_of[each.given]
        for island in scheduled.schedule.islands
        for cascade in island.cascades
        for each in cascade.overlays
    }


@every_case
def test_no_two_ranges_have_a_byte_at_one_time(case: Case):
    """But for what a cascade makes over rows of its input that nobody reads any more."""
    over = laid_over(case)
    for area in read_back(case).scheduled.layout.areas:
        if area.regions[0].is_permanent:
            continue
        ends = {place.name: place.end_time for place in area.placements}
        placed = [
            Placed(
                name=place.name,
                address=place.address,
                size_bytes=place.size_bytes,
                start_time=max(place.start_time, ends.get(over.get(place.name, ""), -1) + 1),
                end_time=place.end_time,
            )
            for place in area.placements
        ]
        top = max(each.address + each.size_bytes for each in placed)
        assert verify_layout(placed, top) == ()
        assert area.lower_bound_bytes <= area.height_bytes or over


@every_case
def test_cycles_are_near_those_of_the_schedule(case: Case):
    """Streams are priced operation by operation: what stripes and slices repeat is counted."""
    scheduled, _ = compiled(case)
    found = read_back(case).scheduled
    assert found.total.macs == scheduled.total.macs
    assert 0.98 < found.total.total_cycles / scheduled.total.total_cycles < 1.2


@every_case
def test_the_trace_adds_up(case: Case):
    found, analysis = read_back(case)
    trace = analysis.trace
    told = found.total.total_cycles
    assert trace.end_cycle_of_all == pytest.approx(told, abs=ROUNDED * len(found.costs))
    for lane in Lane:
        of_lane = trace.lane == lane
        starts, ends = trace.start_cycle[of_lane], trace.end_cycle[of_lane]
        assert (starts[1:] >= ends[:-1] - 1e-6).all()
    engines = np.isin(trace.lane, (Lane.MAC, Lane.ELEMENTWISE))
    for op, cost in enumerate(found.costs):
        mine = engines & (trace.op == op)
        if mine.any():
            lasts = float((trace.end_cycle[mine] - trace.start_cycle[mine]).sum())
            assert lasts == pytest.approx(cost.total_cycles, abs=ROUNDED)
    assert (np.diff(trace.time_cycle) >= 0).all()
    assert len(trace.time_cycle) == found.layout.end_time + 2
    assert (trace.stripe != NOTHING).any() == any(
        island.cascades for island in found.schedule.islands
    )


@every_case
def test_cascades_are_told_stripe_by_stripe(case: Case):
    found, analysis = read_back(case)
    for told in analysis.cascades:
        cascade = found.schedule.islands[told.island].cascades[told.cascade]
        for op in cascade.ops:
            mine = [step for step in told.steps if step.op == op]
            assert [step.stripe for step in mine] == list(range(len(mine)))
            assert mine[0].first_row == 0
            assert mine[-1].end_row == found.run.graph.ops[op].ofm.touched.h
            assert all(one.end_row == other.first_row for one, other in pairwise(mine))
        for step, fills in zip(told.steps, told.fills, strict=True):
            place = cascade.ops.index(step.op)
            if place:
                held = fills[place - 1]
                assert held.first_row <= step.reads_first_row
                assert step.reads_end_row <= held.end_row


@every_case
def test_inputs_and_outputs_keep_their_names(case: Case):
    scheduled, _ = compiled(case)
    before, after = scheduled.run.graph, read_back(case).scheduled.run.graph
    for sides in ((before.inputs, after.inputs), (before.outputs, after.outputs)):
        names = [
            [graph.feature_maps[fm].name for fm in side[0]]
            for graph, side in zip((before, after), sides, strict=True)
        ]
        assert names[0] == names[1]
    for fm in (*after.inputs[0], *after.outputs[0]):
        placed = [
            place
            for area in read_back(case).scheduled.layout.areas
            for place in area.placements
            if fm in place.fms
        ]
        assert placed, after.feature_maps[fm].name


def test_what_is_untold_is_the_same_wherever_it_is_told():
    opened = programs.open_compiled(
        need(OLD).read_bytes(), lambda found: targets.resolve_target(found.name)
    )
    assert opened is not None
    found, analysis = programs.read_back(opened)
    assert {each.matter for each in found.untold} == set(Matter) - {Matter.CPU}
    told = [sentence.text for sentence in reasons.explain(found, analysis, reasons.AboutNetwork())]
    printed = programs.render_program("old", opened)
    described = json.loads(programs.render_program_json("old", opened))["untold"]
    for each in found.untold:
        assert each.text in told
        assert each.text in printed
        assert {"matter": each.matter.value, "text": each.text} in described
    assert "Vela 3.11.0" in (found.compiled_by or "")


def test_an_old_file_takes_what_it_says():
    found, _ = back_from(need(OLD).read_bytes())
    scratch = found.layout.fast_area
    assert scratch.height_bytes == 74_464
    assert found.total.macs == 7_215_492
    assert len(found.run.graph.ops) == 60
    (given_map,) = found.run.graph.inputs[0]
    (place,) = [each for each in scratch.placements if given_map in each.fms]
    assert (place.name, place.address, place.size_bytes) == ("input", 0, 9_216)


def test_a_model_that_is_not_compiled_is_left_alone():
    assert programs.read_program((need("models/ad01_int8.tflite")).read_bytes()) is None


def test_a_stream_that_is_read_in_part_shows_no_schedule():
    case = CASES[0]
    _, data = compiled(case)

    def told(at: int) -> str:
        def spoil(words: list[int]) -> None:
            words[at] = 0x0FFF

        try:
            back_from(with_words(data, spoil), case.target())
        except InputError as error:
            return str(error)
        return ""

    # Some words are numbers that belong to the command before.
    at, said = next((at, text) for at in count(200) if (text := told(at)))
    assert said.startswith("command stream 0, command ")
    assert said.endswith(f"word {at}: there is no command 0x0fff")


def test_a_stream_without_operations_is_empty():
    found, analysis = back_from(compiled_file((STOP,)))
    assert found.run.graph.ops == ()
    assert found.total.total_cycles == 0
    assert analysis.trace.count == 0


def test_an_unknown_accelerator_is_named():
    word = AcceleratorWord(macs=2048, shram_kib=48, product=2)
    data = write(network_around(write_payload(word, ARCHITECTURE, (STOP,))))
    with pytest.raises(InputError, match="command stream 0: was made for product 2"):
        back_from(data)


@settings(max_examples=some_of(60))
@given(st.lists(st.tuples(st.integers(0, 700), st.integers(0, 31)), min_size=1, max_size=3))
def test_damaged_streams_are_read_back_or_refused(flips: list[tuple[int, int]]):
    case = CASES[1]
    _, data = compiled(case)

    def flip(words: list[int]) -> None:
        for at, bit in flips:
            words[at % len(words)] ^= 1 << bit

    try:
        found, analysis = back_from(with_words(data, flip), case.target())
    except CoreError:
        return
    assert len(found.costs) == len(found.run.graph.ops) == len(found.layout.op_times)
    assert len(analysis.trace.time_cycle) == found.layout.end_time + 2
