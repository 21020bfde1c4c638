"""Why a schedule is as it is: everything has sentences, with the numbers that decided."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from core.api import reasons, schedules, targets
from core.base.frozen import replace
from core.ir.decisions import (
    Candidate,
    CandidateSized,
    CascadeEnd,
    CascadeGrown,
    Fate,
    MapPlaced,
    SpillSolved,
    StripesImpossible,
    StripeTried,
)
from core.ir.options import Options
from core.synth.builder import Builder
from core.target.region import Region
from core.tflite.writer import write
from tests.core.report.explained import (
    LARGE,
    NAMES,
    SETTINGS,
    Explained,
    check,
    explained,
)
from tests.core.schedule.random_cases import CASES, SHORT_CASES, Case, scheduled


@pytest.mark.parametrize(
    ("name", "case"),
    [
        pytest.param(
            name,
            case,
            marks=pytest.mark.slow if name in LARGE and case != "dedicated" else (),
        )
        for name in NAMES
        for case in SETTINGS
    ],
)
def test_everything_in_the_examples_has_its_sentences(name, case):
    check(explained(name, case))


@pytest.mark.long
@settings(max_examples=8)
@given(SHORT_CASES)
def test_everything_in_random_schedules_has_its_sentences(case: Case) -> None:
    done = scheduled(case)
    check(Explained(done, schedules.analyse(done)))


@pytest.mark.slow
@settings(max_examples=150)
@given(CASES)
def test_everything_in_many_random_schedules_has_its_sentences(case: Case) -> None:
    done = scheduled(case)
    check(Explained(done, schedules.analyse(done)))


@pytest.mark.parametrize("end", CascadeEnd)
def test_every_end_of_a_cascade_is_told(end):
    found = explained("unet_128")
    op = next(
        plan.op
        for plan in found.done.schedule.ops
        if plan.cascade is None and plan.op not in {each.op for each in found.of(StripesImpossible)}
    )
    decision = CascadeGrown(
        first=op,
        last=op,
        tried_until=op + 1,
        size_bytes=1111,
        uncascaded_bytes=2222,
        limit_bytes=3333,
        end=end,
    )
    texts = found.with_decisions(decision).texts(reasons.AboutOp(op))
    text = next(text for text in texts if text.startswith("No cascade begins with it"))
    assert "2,222 bytes" in text
    assert "3,333 bytes" in text
    others = {
        other: found.with_decisions(replace(decision, end=other)).text(reasons.AboutOp(op))
        for other in CascadeEnd
    }
    assert sum(text in other for other in others.values()) == 1


def test_an_operator_within_a_try_is_told_who_began():
    found = explained("unet_128")
    op = next(
        plan.op
        for plan in found.done.schedule.ops
        if plan.op > 2
        and plan.cascade is None
        and plan.op not in {each.op for each in found.of(StripesImpossible)}
    )
    grown = CascadeGrown(
        first=op - 2,
        last=op - 1,
        tried_until=op,
        size_bytes=1111,
        uncascaded_bytes=2222,
        limit_bytes=3333,
        end=CascadeEnd.TOO_LARGE,
    )
    text = found.with_decisions(grown).text(reasons.AboutOp(op))
    assert f"A cascade from operator {op - 2}" in text
    assert f"the best ends with operator {op - 1}" in text


@pytest.mark.parametrize("candidate", Candidate)
def test_every_candidate_is_told_by_its_name(candidate):
    found = explained("unet_128")
    sized = CandidateSized(
        island=0, candidate=candidate, peak_bytes=1111, limit_bytes=2222, is_taken=True
    )
    text = found.with_decisions(sized).text(reasons.AboutNetwork())
    assert f"('{candidate.value}') the peak of SRAM is 1,111 bytes" in text


@pytest.mark.long
def test_an_evicted_map_says_what_that_costs():
    count = 0
    for name in NAMES:
        found = explained(name)
        for cost in found.analysis.evictions:
            island = found.done.schedule.islands[cost.island]
            evicted = island.evicted[cost.position]
            for fm in evicted.fms:
                text = found.text(reasons.AboutMap(fm))
                assert f"costs {round(cost.cycles):,} cycle" in text
                assert f"{round(cost.traffic_bytes):,} byte" in text
                live = f"{cost.live_with_it_bytes:,} bytes"
                has_room = cost.live_with_it_bytes <= island.limit_bytes
                room = f"with {live} it would have room now"
                assert (room if has_room else f"with it {live} would be needed at once") in text
            count += 1
    assert count > 10


def test_a_hasty_policy_says_that_there_is_room_again():
    found = explained("unet_128")
    cost = found.analysis.evictions[0]
    roomy = replace(cost, live_with_it_bytes=1234, cycles=-55.0)
    asked = Explained(found.done, replace(found.analysis, evictions=(roomy,)))
    fm = found.done.schedule.islands[0].evicted[0].fms[0]
    text = asked.text(reasons.AboutMap(fm))
    assert "with 1,234 bytes it would have room now" in text
    assert "saves 55 cycles, and costs" in text


@pytest.mark.parametrize(
    ("fate", "start"),
    [
        (Fate.NEVER_FITS, "It lives in DRAM, since it does not fit"),
        (Fate.LOST, "It lost its place in SRAM below"),
        (Fate.WON, "It won its place in SRAM below"),
        (Fate.ALWAYS_FITS, "It is in SRAM, since everything fits"),
    ],
)
def test_every_fate_is_told(fate, start):
    found = explained("residual_tower", "compatible")
    placed = [each for each in found.of(MapPlaced) if each.reason is fate]
    assert placed
    for each in placed:
        for fm in each.fms:
            texts = found.texts(reasons.AboutMap(fm))
            assert sum(text.startswith(start) for text in texts) == 1


def test_what_only_the_aim_of_the_search_leaves_no_room_for_is_not_blamed_on_the_memory():
    found = explained("residual_tower", "compatible")
    placed = next(each for each in found.of(MapPlaced) if each.reason is Fate.NEVER_FITS)
    aim = replace(placed, within_bytes=placed.within_bytes - 1)
    schedule = found.done.schedule
    decisions = tuple(aim if each == placed else each for each in schedule.decisions)
    done = replace(found.done, schedule=replace(schedule, decisions=decisions))
    told = Explained(done, found.analysis).text(reasons.AboutMap(placed.fms[0]))
    assert f"the {aim.within_bytes:,} bytes that this schedule was made for" in told
    assert "does not fit SRAM" not in told


def test_who_lost_says_to_whom():
    found = explained("residual_tower", "compatible")
    lost = next(each for each in found.of(MapPlaced) if each.reason is Fate.LOST)
    text = found.text(reasons.AboutMap(lost.fms[0]))
    assert "The room that it would have needed is taken by" in text
    won = [each for each in found.of(MapPlaced) if each.reason is Fate.WON]
    names = {found.done.run.graph.titles.map(each.fms[0]) for each in won}
    assert any(f"'{name}'" in text for name in names)


def test_a_gap_is_told_where_nothing_is_proven():
    found = explained("residual_tower", "compatible")
    solved = next(found.of(SpillSolved))
    gap = replace(solved, worth_kept=1000, worth_bound=1234)
    decisions = (*found.of(MapPlaced), gap)
    text = found.with_decisions(*decisions).text(reasons.AboutMap(solved.fms[0]))
    assert "no choice keeps more than 1,234, so at most 234 could be gained" in text


def test_an_operator_on_the_cpu_says_which_rule_it_breaks():
    found = explained("shuffle_with_cpu")
    graph = found.done.run.graph
    for place, op in enumerate(graph.cpu_ops):
        texts = found.texts(reasons.AboutCpuOp(place))
        rejections = [each for each in graph.rejections if each.op == op.source]
        assert rejections
        for each in rejections:
            assert any(
                part in text
                for text in texts
                for part in (f"'{each.rule}'. Found: {each.found}. Accepted: {each.accepted}",)
            )


def test_an_operator_on_the_cpu_without_a_rule_says_so():
    found = explained("shuffle_with_cpu")
    graph = replace(found.done.run.graph, rejections=())
    silent = Explained(
        replace(found.done, run=replace(found.done.run, graph=graph)), found.analysis
    )
    assert "has no operator for GATHER" in silent.text(reasons.AboutCpuOp(0))


def test_a_cascade_says_what_its_buffers_save():
    found = explained("unet_128")
    for island in found.done.schedule.islands:
        for number, cascade in enumerate(island.cascades):
            text = found.text(reasons.AboutCascade(island.island, number))
            for buffer in cascade.buffers:
                assert f"only {buffer.shape.h} rows exist at once" in text
                assert f"{buffer.size_bytes:,} bytes instead of" in text
            assert text.count("What sets it: ") == len(cascade.buffers)
            assert f"The search counted {cascade.size_bytes:,} bytes" in text


def test_a_cascade_says_which_heights_were_tried_for_it():
    found, count = explained("denoise_int16", "compatible"), 0
    for island in found.done.schedule.islands:
        heights = {plan.op: plan.stripe.ofm.h for plan in island.ops}
        for number, cascade in enumerate(island.cascades):
            ends = cascade.ops[0], cascade.ops[-1]
            tried = [each for each in found.of(StripeTried) if (each.first, each.last) == ends]
            if not tried:
                continue
            count += 1
            text = found.text(reasons.AboutCascade(island.island, number))
            assert f"{len(tried)} heights were tried" in text
            refused = [each for each in tried if not each.fits]
            if refused:
                lowest = min(refused, key=lambda each: each.height)
                size = f"{lowest.height} rows would need {lowest.size_bytes:,} bytes"
                assert f"{size}, above the limit of {lowest.limit_bytes:,} bytes" in text
            taken, fitting = heights[ends[1]], {each.height for each in tried if each.fits}
            if taken in fitting:
                why = "take the fewest cycles" if len(fitting) > 1 else "are all that fits"
                assert f"Of these, {taken} rows {why}" in text
            else:
                assert all(taken < height for height in fitting)
                assert f"the lowest stripes, of {taken} row" in text
    assert count > 3


def test_an_operator_says_what_bounds_it():
    found = explained("unet_128")
    for plan in found.done.schedule.ops:
        cost, text = found.done.costs[plan.op], found.text(reasons.AboutOp(plan.op))
        assert f"It takes {round(cost.total_cycles):,} cycles" in text
        assert f"bounds it with {round(max(cost.parts)):,} cycles" in text
        for part in cost.parts:
            assert not round(part) or f"{round(part):,} cycle" in text


def test_a_weight_buffer_says_where_it_lies():
    found = explained("mobilenet_v2_035_96")
    count = 0
    for area in found.done.layout.areas:
        for place in area.placements:
            if place.op is not None and place.region is Region.SCRATCH_FAST:
                text = found.text(reasons.AboutBuffer(place.op, place.buffer))
                start, end = place.start_time, place.end_time
                assert f"address {place.address:,} in steps {start} to {end}" in text
                count += 1
    assert count > 20


@pytest.mark.long
def test_a_network_says_how_fast_it_is_and_what_it_takes():
    found = explained("unet_128", "shared")
    text = found.text(reasons.AboutNetwork())
    assert f"{round(found.done.total.total_cycles):,} cycles" in text
    for area in found.done.layout.areas:
        if area.height_bytes:
            assert f"{area.height_bytes:,} bytes of" in text
        if area.excess_bytes:
            assert f"{area.excess_bytes:,} bytes above the limit" in text


def test_a_schedule_without_operators_says_so():
    found = explained("shuffle_with_cpu")
    graph = replace(found.done.run.graph, ops=(), islands=(), steps=((),))
    nothing = Explained(
        replace(
            found.done,
            run=replace(found.done.run, graph=graph),
            schedule=replace(found.done.schedule, islands=(), decisions=()),
            costs=(),
            total=replace(found.done.total, total_cycles=0.0),
        ),
        found.analysis,
    )
    assert nothing.texts(reasons.AboutNetwork())[0] == "The accelerator has nothing to do."


def test_an_operator_tells_the_padding_and_the_scales_that_the_model_has():
    asked = explained("kws_dscnn")
    network, graph = asked.done.run.network, asked.done.graph
    told = 0
    for op in graph.ops:
        text = asked.text(reasons.AboutOp(op.id))
        source = graph.feature_maps[op.ofm.fm].source
        if source is None or not op.sources:
            continue
        tensor = network.subgraphs[source.subgraph].tensors[source.tensor]
        quant = tensor.quantization
        zero = f"{quant.zero_points[0]}".replace("-", "\N{MINUS SIGN}")
        assert f"scale of {quant.scales[0]:.6g} and a zero point of {zero}" in text
        assert ("is padded" in text) == any(
            (op.padding.top, op.padding.bottom, op.padding.left, op.padding.right)
        )
        told += 1
    assert told > 5


def test_a_state_lies_there_from_one_inference_to_the_next():
    b = Builder(0)
    network = b.build([b.lstm(b.input((1, 3, 8)), 4)])
    done = schedules.schedule(write(network), targets.resolve_target("ethos-u55-128"), Options())
    asked = Explained(done, schedules.analyse(done))
    lasting = {
        fm.name
        for fm in done.graph.feature_maps
        if "from one inference to the next" in asked.text(reasons.AboutMap(fm.id))
    }
    states = {tensor.name for tensor in network.main.tensors if tensor.is_variable}
    assert states <= lasting
    assert len(lasting) < len(done.graph.feature_maps)
