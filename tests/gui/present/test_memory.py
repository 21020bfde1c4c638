"""The memory map holds what the layout and the schedule say: no more, no less, byte for byte."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from core.base.geometry import round_up
from core.ir.layout import Purpose
from core.ir.options import Search
from core.target.region import Region
from gui.document.display import ByteUnit, Display, TimeUnit
from gui.document.selection import BufferRef, CascadeRef, Selection
from gui.present.memory.cut import cut_at, middle_of, peak_time, time_at, usage
from gui.present.memory.ghosts import ghost_rects, ghosts_of, row_count
from gui.present.memory.map import INKS, TimeScale, area_map, edges_of
from gui.present.memory.picks import (
    selected_ghosts,
    selected_ranges,
    selected_times,
    selection_of,
)
from gui.present.memory.ranges import waiting_maps
from gui.present.memory.text import (
    ghost_label,
    ghost_text,
    legend,
    range_text,
    verdict,
    verdict_in_full,
)
from gui.present.memory.users import users_of
from gui.theme.tones import Tone

QUESTIONS = [
    ("kws_dscnn", {}),
    ("kws_dscnn", {"limit_bytes": 10_000}),
    ("mobilenet_v2_035_96", {"limit_bytes": 60_000}),
    ("shuffle_with_cpu", {}),
    ("unet_128", {"accelerator": "ethos-u65-256"}),
    ("unet_128", {"accelerator": "ethos-u65-256", "limit_bytes": 100_000}),
    ("unet_128", {"accelerator": "ethos-u65-256", "limit_bytes": 10_000}),
]
UNET = ("unet_128", {"accelerator": "ethos-u65-256", "limit_bytes": 100_000})


@pytest.fixture(params=QUESTIONS, ids=lambda question: f"{question[0]}-{question[1]}")
def answer(request, answer_of):
    name, settings = request.param
    return answer_of(name, **settings)


@pytest.fixture(params=list(TimeScale))
def maps(request, answer):
    edges = edges_of(answer, request.param)
    return [area_map(answer.scheduled, area, edges) for area in answer.scheduled.layout.areas]


def scratch_maps(maps):
    return [drawn for drawn in maps if not drawn.area.regions[0].is_permanent]


def fast_map(answer, scale=TimeScale.STEPS):
    area = answer.scheduled.layout.areas[0]
    assert Region.SCRATCH_FAST in area.regions
    return area_map(answer.scheduled, area, edges_of(answer, scale))


def test_each_placement_is_drawn_where_it_lies(maps):
    for drawn in scratch_maps(maps):
        placements = drawn.area.placements
        assert drawn.rects.count == len(placements)
        assert [part.placement for part in drawn.ranges] == list(placements)
        assert drawn.rects.bottom.tolist() == [part.address for part in placements]
        assert drawn.rects.top.tolist() == [part.address + part.size_bytes for part in placements]
        edges = drawn.edges
        assert drawn.rects.left.tolist() == [edges[part.start_time] for part in placements]
        assert drawn.rects.right.tolist() == [edges[part.end_time + 1] for part in placements]


def test_equal_constants_are_drawn_once(maps):
    for drawn in maps:
        if drawn.area.regions[0].is_permanent:
            shown = [
                placement for part in drawn.ranges for placement in (part.placement, *part.twins)
            ]
            assert len(shown) == len(drawn.area.placements)
            assert len({part.placement.address for part in drawn.ranges}) == drawn.rects.count
            assert (
                sum(part.placement.size_bytes for part in drawn.ranges) == drawn.area.height_bytes
            )


def test_nothing_overlaps_in_both_directions(maps):
    for drawn in maps:
        rects = drawn.rects
        order = np.argsort(rects.bottom, kind="stable")
        for one, other in itertools.combinations(order, 2):
            if rects.bottom[other] >= rects.top[one]:
                continue
            assert min(rects.right[one], rects.right[other]) <= max(
                rects.left[one], rects.left[other]
            )


def test_rows_do_not_overlap_along_x(maps):
    for drawn in maps:
        for rects in (drawn.rects, drawn.padding, drawn.over):
            order = np.lexsort((rects.left, rects.row))
            same = rects.row[order][1:] == rects.row[order][:-1]
            assert (rects.right[order][:-1][same] <= rects.left[order][1:][same]).all()


def test_tones_say_what_a_range_is_for(answer, maps):
    scheduled = answer.scheduled
    for drawn in maps:
        waiting = waiting_in(scheduled)
        for part, ink in zip(drawn.ranges, drawn.rects.ink, strict=True):
            placement = part.placement
            assert drawn.rects.inks[ink] == part.tone.value
            if placement.purpose is Purpose.TABLE:
                expected = Tone.TABLE
            elif placement.purpose is Purpose.RESERVED:
                expected = Tone.RESERVED
            elif placement.region.is_permanent:
                expected = Tone.CONSTANT
            elif placement.purpose is Purpose.WEIGHTS:
                count = len(scheduled.schedule.ops[placement.op].weights.buffer_bytes)
                expected = Tone.DOUBLE if count == 2 else Tone.WEIGHTS
            else:
                rolling = scheduled.schedule.maps[placement.fms[0]].rolling
                plain = Tone.FEATURE_MAP if waiting.isdisjoint(placement.fms) else Tone.WAITING
                expected = plain if rolling is None else Tone.ROLLING
            assert part.tone is expected


def waiting_in(scheduled) -> set[int]:
    """Maps of which some operator runs between their users, and is none of them."""
    times, found = scheduled.layout.op_times, set()
    for fm in scheduled.graph.feature_maps:
        uses = {
            times[op.id] for op in scheduled.graph.ops if fm.id in [view.fm for view in op.views]
        }
        if any(min(uses) < time < max(uses) and time not in uses for time in times if uses):
            found.add(fm.id)
    return found


def test_some_maps_wait_in_a_network_that_branches(answer_of):
    scheduled = answer_of("residual_tower").scheduled
    assert waiting_in(scheduled)
    assert waiting_in(scheduled) == waiting_maps(scheduled)


def test_padding_is_what_is_stored_but_not_asked_for(answer, maps):
    graph = answer.scheduled.run.graph
    for drawn in scratch_maps(maps):
        for part in drawn.ranges:
            assert 0 < part.real_bytes <= part.placement.size_bytes
            if part.tone is Tone.FEATURE_MAP and len(part.placement.fms) == 1:
                fm = graph.feature_maps[part.placement.fms[0]]
                asked = int(np.prod(fm.shape)) * fm.dtype.size_bytes
                assert part.real_bytes == asked
        padded = [key for key, part in enumerate(drawn.ranges) if part.padding_bytes]
        assert drawn.padding.key.tolist() == padded
        heights = (drawn.padding.top - drawn.padding.bottom).tolist()
        assert heights == [drawn.ranges[key].padding_bytes for key in padded]


def test_a_brick_is_filled_up_with_padding(answer_of):
    drawn = fast_map(answer_of("kws_dscnn"))
    part = drawn.ranges[0]
    assert part.placement.name == "input"
    assert (part.real_bytes, part.padding_bytes) == (490, 6)
    fms = [part for part in drawn.ranges if part.tone is Tone.FEATURE_MAP]
    last = fms[-1]
    assert last.placement.size_bytes == round_up(last.real_bytes, 16)


def test_what_stands_above_the_limit_is_red(maps):
    for drawn in scratch_maps(maps):
        limit = drawn.limit_bytes
        above = [
            key
            for key, part in enumerate(drawn.ranges)
            if limit is not None and part.end_address > limit
        ]
        assert drawn.over.key.tolist() == above
        assert {INKS[ink] for ink in drawn.over.ink} <= {Tone.OVER}
        assert bool(above) == bool(drawn.area.excess_bytes)
        if above:
            assert drawn.over.bottom.min() >= limit
            assert drawn.over.top.max() == drawn.area.height_bytes


def test_bytes_of_two_maps_are_marked_and_both_tell_it(answer_of):
    answer = answer_of("mobilenet_v2_035_96", limit_bytes=32 << 10, search=Search.DIRECT)
    drawn = fast_map(answer)
    display, users = Display(), users_of(answer.scheduled.run.graph)
    assert drawn.area.common
    assert drawn.shared.key.tolist() == [both.filled for both in drawn.area.common]
    title = answer.scheduled.graph.titles.place
    for at, both in enumerate(drawn.area.common):
        filled, given_up = drawn.ranges[both.filled], drawn.ranges[both.given_up]
        for part in (filled, given_up):
            assert part.placement.address <= drawn.shared.bottom[at]
            assert drawn.shared.top[at] <= part.end_address
            assert part.placement.start_time <= drawn.shared.left[at]
            assert drawn.shared.right[at] <= part.placement.end_time + 1
        size = f"{both.size_bytes:,} B are"
        told = range_text(answer, drawn, filled, users, display)
        assert f"{size} written over rows of {title(given_up.placement)} that were read" in told
        told = range_text(answer, drawn, given_up, users, display)
        assert f"{size} given up row by row to {title(filled.placement)}" in told
    entries = dict(legend(drawn, cut_at(drawn, peak_time(drawn)), 0, ByteUnit.BYTES))
    assert entries[Tone.SHARED] == "written over rows that were read"


def test_an_address_space_is_no_limit(answer_of):
    assert fast_map(answer_of("kws_dscnn")).limit_bytes is None
    assert fast_map(answer_of("kws_dscnn", limit_bytes=20_160)).limit_bytes == 20_160


def test_usage_is_that_of_the_schedule(answer):
    scheduled = answer.scheduled
    drawn = fast_map(answer)
    live = usage(drawn)
    if scheduled.run.graph.cpu_ops:
        # What the CPU hands from one island to the next is in no island's snapshot.
        assert live.max() >= max(island.peak_bytes for island in scheduled.schedule.islands)
        return
    (island,) = scheduled.schedule.islands
    assert live.tolist()[: len(island.snapshot)] == list(island.snapshot)
    assert live[peak_time(drawn)] == island.peak_bytes


def test_contributors_add_up_to_the_peak(maps):
    for drawn in maps:
        live = usage(drawn)
        for time in {0, peak_time(drawn), len(live) - 1}:
            cut = cut_at(drawn, time)
            assert cut.live_bytes == live[time]
            assert sum(size for _, size in cut.by_tone) == live[time]
            assert dict(cut.by_tone).get(Tone.PADDING, 0) == cut.padding_bytes
            if cut.free_bytes is not None:
                total = cut.live_bytes + cut.gap_bytes + cut.free_bytes
                assert total == drawn.limit_bytes
        assert cut_at(drawn, peak_time(drawn)).live_bytes == live.max(initial=0)


def test_the_peak_is_where_it_is_drawn(answer):
    for scale in TimeScale:
        drawn = fast_map(answer, scale)
        time = peak_time(drawn)
        x = middle_of(drawn, time)
        if drawn.edges[time + 1] > drawn.edges[time]:
            assert time_at(drawn, x) == time
        assert time_at(drawn, -1.0) >= 0
        assert time_at(drawn, drawn.end * 2 + 1) == len(drawn.edges) - 2


def test_cycles_never_go_back(answer):
    for scale in TimeScale:
        edges = edges_of(answer, scale)
        assert len(edges) == answer.scheduled.layout.end_time + 2
        assert (np.diff(edges) >= 0.0).all()


def test_ghosts_are_what_was_evicted(answer):
    drawn = fast_map(answer)
    ghosts = ghosts_of(answer, drawn)
    evicted = [item for island in answer.scheduled.schedule.islands for item in island.evicted]
    key = lambda item: item.fms  # noqa: E731
    assert sorted((ghost.evicted for ghost in ghosts), key=key) == sorted(evicted, key=key)
    for one, other in itertools.combinations(ghosts, 2):
        is_apart = one.end_time < other.start_time or other.end_time < one.start_time
        assert one.row != other.row or is_apart
    rects = ghost_rects(ghosts, drawn.edges, ["" for _ in ghosts])
    assert rects.count == len(evicted)
    assert rects.inks == (Tone.GHOST.value,)
    assert rects.top.max(initial=0.0) <= row_count(ghosts)


def test_ghosts_cost_what_the_analysis_says(answer_of):
    answer = answer_of(UNET[0], **UNET[1])
    drawn = fast_map(answer)
    ghosts = ghosts_of(answer, drawn)
    assert len(ghosts) == len(answer.analysis.evictions) > 0
    assert {ghost.cost for ghost in ghosts} == set(answer.analysis.evictions)
    display = Display(byte_unit=ByteUnit.BYTES, time_unit=TimeUnit.CYCLES)
    for ghost in ghosts:
        evicted = answer.scheduled.schedule.islands[0].evicted[ghost.cost.position]
        assert evicted is ghost.evicted
        text = ghost_text(answer, ghost, display)
        assert f"{round(ghost.cost.cycles):,} cycle" in text
        assert f"{round(ghost.cost.traffic_bytes):,} B" in text
        assert f"{ghost.cost.live_with_it_bytes:,} B" in text
        assert f"{ghost.cost.live_with_it_bytes:,} B" in ghost_label(answer, ghost, display)


def test_evictions_grow_as_the_limit_falls(answer_of):
    counts = []
    for limit in (4 << 20, 1 << 20, 384 << 10, 128 << 10, 48 << 10):
        answer = answer_of("unet_128", accelerator="ethos-u65-256", limit_bytes=limit)
        counts.append(len(ghosts_of(answer, fast_map(answer))))
    assert counts[0] == 0
    assert counts == sorted(counts)
    assert counts[-1] > counts[0]


def test_only_fast_storage_has_ghosts(answer_of):
    answer = answer_of(UNET[0], **UNET[1])
    layout = answer.scheduled.layout
    for area in layout.areas[1:]:
        drawn = area_map(answer.scheduled, area, edges_of(answer, TimeScale.STEPS))
        assert ghosts_of(answer, drawn) == ()


def test_a_click_selects_what_is_drawn(answer, maps):
    for drawn in maps:
        for key, part in enumerate(drawn.ranges):
            selection = selection_of(part)
            assert key in selected_ranges(answer.scheduled, drawn, selection)


def test_an_operator_has_its_maps_and_buffers(answer_of):
    answer = answer_of(UNET[0], **UNET[1])
    scheduled, drawn = answer.scheduled, fast_map(answer)
    graph = scheduled.run.graph
    for op in graph.ops:
        chosen = selected_ranges(scheduled, drawn, Selection(op=op.id))
        for key, part in enumerate(drawn.ranges):
            touches = bool({view.fm for view in op.views}.intersection(part.placement.fms))
            assert (key in chosen) == (touches or part.placement.op == op.id)
        time = scheduled.layout.op_times[op.id]
        assert selected_times(scheduled, Selection(op=op.id)) == (time, time)


def test_a_buffer_is_selected_alone(answer_of):
    answer = answer_of("kws_dscnn", search=Search.COMPATIBLE)
    drawn = fast_map(answer)
    buffers = [part.placement for part in drawn.ranges if part.tone is Tone.DOUBLE]
    assert buffers
    for placement in buffers:
        selection = Selection(buffer=BufferRef(placement.op, placement.buffer))
        (key,) = selected_ranges(answer.scheduled, drawn, selection)
        assert drawn.ranges[key].placement is placement


def test_a_cascade_is_selected_with_its_buffers(answer_of):
    answer = answer_of(UNET[0], **UNET[1])
    scheduled, drawn = answer.scheduled, fast_map(answer)
    for number, cascade in enumerate(scheduled.schedule.islands[0].cascades):
        chosen = selected_ranges(scheduled, drawn, Selection(cascade=CascadeRef(0, number)))
        fms = {fm for key in chosen for fm in drawn.ranges[key].placement.fms}
        assert {buffer.fm for buffer in cascade.buffers} <= fms


def test_an_evicted_map_is_found_among_the_ghosts(answer_of):
    answer = answer_of(UNET[0], **UNET[1])
    ghosts = ghosts_of(answer, fast_map(answer))
    for key, ghost in enumerate(ghosts):
        chosen = selected_ghosts(answer.scheduled, ghosts, Selection(fm=ghost.evicted.fms[0]))
        assert key in chosen


def test_nothing_is_selected_by_nothing(answer_of):
    answer = answer_of("shuffle_with_cpu")
    drawn = fast_map(answer)
    assert selected_ranges(answer.scheduled, drawn, Selection()) == frozenset()
    assert (
        selected_ranges(answer.scheduled, drawn, Selection(cascade=CascadeRef(9, 9))) == frozenset()
    )
    assert selected_ranges(answer.scheduled, drawn, Selection(cpu_op=10**6)) == frozenset()
    assert selected_times(answer.scheduled, Selection(fm=0)) is None


def test_a_cpu_operator_has_its_maps(answer_of):
    answer = answer_of("shuffle_with_cpu")
    scheduled, drawn = answer.scheduled, fast_map(answer)
    cpu_ops = scheduled.run.graph.cpu_ops
    assert cpu_ops
    for position, op in enumerate(cpu_ops):
        chosen = selected_ranges(scheduled, drawn, Selection(cpu_op=position))
        fms = {fm for key in chosen for fm in drawn.ranges[key].placement.fms}
        assert set(op.outputs) <= fms


def test_texts_name_every_number(answer_of):
    answer = answer_of(UNET[0], **UNET[1])
    display, users = Display(), users_of(answer.scheduled.run.graph)
    for drawn in map_all(answer):
        for part in drawn.ranges:
            text = range_text(answer, drawn, part, users, display)
            lines = text.splitlines()
            assert lines[0] == answer.scheduled.graph.titles.place(part.placement)
            assert lines[-1].endswith(part.placement.name[-40:])
            assert f"0x{part.placement.address:x} to 0x{part.end_address - 1:x}" in lines[1]
            assert f"{part.placement.size_bytes:,} B" in lines[2]
            assert (f"padding {part.padding_bytes:,} B" in lines[2]) == bool(part.padding_bytes)
            assert "ead by" in text or "ade by" in text


def map_all(answer):
    edges = edges_of(answer, TimeScale.CYCLES)
    return [area_map(answer.scheduled, area, edges) for area in answer.scheduled.layout.areas]


def test_the_verdict_has_the_missing_bytes(answer_of):
    need = answer_of("kws_dscnn", limit_bytes=1).scheduled.layout.areas[0].height_bytes
    enough, short = (answer_of("kws_dscnn", limit_bytes=limit) for limit in (need, need - 1))
    fits = verdict(enough.scheduled, enough.scheduled.layout.areas[0], ByteUnit.KIB)
    misses = verdict(short.scheduled, short.scheduled.layout.areas[0], ByteUnit.KIB)
    assert fits == "fits, 0 B free"
    assert misses == "1 B over"
    told = verdict_in_full(short.scheduled, short.scheduled.layout.areas[0], ByteUnit.KIB)
    assert told.endswith("1 B over.")
