"""Cascades across branches: found, judged, executed, frozen; and faults in them are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.api import compiler, proof, schedules, targets
from core.base.frozen import replace
from core.check.schedule import verify
from core.ir.options import Options, Strategy
from core.ir.schedule import Cascade, IslandSchedule, Schedule
from core.ir.scheduled import Scheduled
from core.liveness.stripes import order_of, players_of, ring_peaks, ring_rows
from core.tflite import writer
from tests.networks.branching_networks import branching_network
from tests.remembered import remembered

TARGETS = {
    "shared": ("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram"),
    "dedicated": ("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram"),
}
SEEDS = (1, 5, 7, 9)
EXAMPLES = Path(__file__).parents[4] / "resources" / "examples"


def model(seed: int) -> bytes:
    return writer.write(branching_network(seed))


@remembered
def smallest(seed: int, target: str = "shared") -> Scheduled:
    resolved = targets.resolve_target(*TARGETS[target])
    return schedules.schedule(model(seed), resolved, Options(strategy=Strategy.SIZE))


def across(scheduled: Scheduled, cascade: Cascade) -> bool:
    """Whether a cascade is no chain."""
    ops = [scheduled.run.graph.ops[number] for number in cascade.ops]
    made = {op.ofm.fm for op in ops}
    read = [view.fm for op in ops for view in op.views[:-1] if view.fm in made]
    return len(read) > len(set(read)) or any(
        sum(view.fm in made for view in op.views[:-1]) > 1 for op in ops
    )


def with_rows(scheduled: Scheduled, fm: int, rows: int) -> Schedule:
    """The schedule with another number of rows in a ring."""
    schedule = scheduled.schedule
    maps = list(schedule.maps)
    before = maps[fm].rolling
    assert before is not None
    shape = before._replace(h=rows)
    maps[fm] = replace(maps[fm], rolling=shape)

    def changed(island: IslandSchedule) -> IslandSchedule:
        cascades = tuple(
            replace(
                cascade,
                buffers=tuple(
                    replace(ring, shape=shape, size_bytes=ring.size_bytes // before.h * rows)
                    if ring.fm == fm
                    else ring
                    for ring in cascade.buffers
                ),
            )
            for cascade in island.cascades
        )
        return replace(island, cascades=cascades)

    return replace(schedule, maps=tuple(maps), islands=tuple(map(changed, schedule.islands)))


def test_some_cascades_go_across_branches() -> None:
    found = [
        cascade
        for seed in SEEDS
        for island in smallest(seed).schedule.islands
        for cascade in island.cascades
        if across(smallest(seed), cascade)
    ]
    assert len(found) > 2


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_found_executes_equal(seed: int, target: str) -> None:
    made = compiler.compile_model(smallest(seed, target)).data
    found = proof.verify(made, model(seed), inputs=2)
    assert found.holds, found.sentences()
    assert all(output.is_equal for output in found.outputs)


def test_a_ring_that_is_one_row_short_is_found_by_the_judge() -> None:
    tried = 0
    for seed in SEEDS:
        scheduled = smallest(seed)
        graph, target = scheduled.run.graph, scheduled.target
        assert not verify(graph, target, scheduled.schedule)
        for island in scheduled.schedule.islands:
            heights = {plan.op: plan.stripe.ofm.h for plan in island.ops}
            for cascade in island.cascades:
                ops = [graph.ops[number] for number in cascade.ops]
                rolling = {ring.fm for ring in cascade.buffers}
                rows = ring_rows(players_of(ops, [heights[op.id] for op in ops], rolling))
                for ring in cascade.buffers:
                    spoilt = with_rows(scheduled, ring.fm, rows[ring.fm] - 1)
                    found = verify(graph, target, spoilt)
                    assert any("in its rolling buffer" in each.message for each in found)
                    tried += 1
    assert tried > 10


@pytest.mark.parametrize("seed", SEEDS)
def test_who_waits_for_whom_where_a_ring_is_fullest(seed: int) -> None:
    scheduled, held = smallest(seed), 0
    for island in scheduled.schedule.islands:
        heights = {plan.op: plan.stripe.ofm.h for plan in island.ops}
        for cascade in island.cascades:
            ops = [scheduled.run.graph.ops[number] for number in cascade.ops]
            rolling = {ring.fm for ring in cascade.buffers}
            players = players_of(ops, [heights[op.id] for op in ops], rolling)
            for fm, peak in ring_peaks(players).items():
                done = [0] * len(players)
                for at, stripe in order_of(players):
                    is_last = players[at].made[stripe].end == peak.rows.end
                    if at == peak.maker and players[at].makes == fm and is_last:
                        break
                    done[at] += 1
                if peak.reader is None:
                    assert players[peak.maker].made[stripe] == peak.rows
                    continue
                still = [
                    rows[done[peak.reader]].first
                    for read, rows in players[peak.reader].reads
                    if read == fm
                ]
                assert peak.rows.first in still
                held += 1
    assert held


def test_a_reader_that_comes_too_late_is_found_by_the_judge() -> None:
    scheduled = smallest(1)
    graph, target = scheduled.run.graph, scheduled.target
    (island, *_), tried = scheduled.schedule.islands, 0
    plans = list(island.ops)
    for cascade in island.cascades:
        for number in cascade.ops[1:]:
            at = next(place for place, plan in enumerate(plans) if plan.op == number)
            stripe = plans[at].stripe
            high = stripe._replace(ofm=stripe.ofm._replace(h=graph.ops[number].made.h - 1))
            late = [*plans[:at], replace(plans[at], stripe=high), *plans[at + 1 :]]
            islands = (replace(island, ops=tuple(late)), *scheduled.schedule.islands[1:])
            assert verify(graph, target, replace(scheduled.schedule, islands=islands))
            tried += 1
    assert tried


def computes_otherwise(scheduled: Scheduled, schedule: Schedule, seed: int) -> bool:
    """Whether a schedule that is not judged comes to other numbers, or to a fault, when it runs."""
    made = compiler.compile_model(replace(scheduled, schedule=schedule)).data
    found = proof.verify(made, model(seed), inputs=1)
    return not found.holds or not all(output.is_equal for output in found.outputs)


@pytest.mark.long
def test_a_ring_that_is_one_row_short_computes_otherwise() -> None:
    scheduled = smallest(1)
    (island, *_) = scheduled.schedule.islands
    heights = {plan.op: plan.stripe.ofm.h for plan in island.ops}
    tried = 0
    for cascade in island.cascades:
        ops = [scheduled.run.graph.ops[number] for number in cascade.ops]
        rolling = {ring.fm for ring in cascade.buffers}
        rows = ring_rows(players_of(ops, [heights[op.id] for op in ops], rolling))
        for ring in cascade.buffers[:4]:
            if rows[ring.fm] > 1:
                assert computes_otherwise(
                    scheduled, with_rows(scheduled, ring.fm, rows[ring.fm] - 1), 1
                )
                tried += 1
    assert tried > 2


@pytest.mark.long
def test_a_reader_that_comes_too_late_computes_otherwise() -> None:
    scheduled = smallest(1)
    (island, *others) = scheduled.schedule.islands
    cascade = max(island.cascades, key=lambda each: len(each.ops))
    tried = 0
    for number in cascade.ops[1:]:
        plans = {plan.op: plan for plan in island.ops}
        stripe = plans[number].stripe
        # Rows come in pairs where each is repeated.
        rows = (scheduled.run.graph.ops[number].made.h - 1) // 2 * 2
        high = stripe.ofm._replace(h=rows)
        plans[number] = replace(plans[number], stripe=stripe._replace(ofm=high))
        late = replace(island, ops=tuple(plans.values()))
        spoilt = replace(scheduled.schedule, islands=(late, *others))
        assert verify(scheduled.run.graph, scheduled.target, spoilt)
        tried += computes_otherwise(scheduled, spoilt, 1)
    assert tried


@pytest.mark.long
def test_a_wrong_order_in_a_cascade_is_found_by_the_judge_and_computes_otherwise() -> None:
    scheduled = smallest(1)
    (island, *others) = scheduled.schedule.islands
    cascade = max(island.cascades, key=lambda each: len(each.ops))
    graph, tried = scheduled.run.graph, 0
    for at in range(len(cascade.ops) - 1):
        one, other = cascade.ops[at : at + 2]
        if graph.ops[one].ofm.fm not in {view.fm for view in graph.ops[other].views[:-1]}:
            continue
        order = [*cascade.ops[:at], other, one, *cascade.ops[at + 2 :]]
        changed = replace(cascade, ops=tuple(order))
        plans = {plan.op: plan for plan in island.ops}
        swapped = iter(order)
        ops = tuple(plans[next(swapped)] if plan.op in cascade.ops else plan for plan in island.ops)
        cascades = tuple(changed if each is cascade else each for each in island.cascades)
        wrong = replace(island, ops=ops, cascades=cascades)
        spoilt = replace(scheduled.schedule, islands=(wrong, *others))
        messages = [each.message for each in verify(graph, scheduled.target, spoilt)]
        assert any("runs before" in message for message in messages)
        tried += computes_otherwise(scheduled, spoilt, 1)
    assert tried


def test_a_little_more_room_makes_some_operators_higher() -> None:
    target = targets.resolve_target("ethos-u55-32", "Ethos_U55_Deep_Embedded", "Shared_Sram")
    data = (EXAMPLES / "kws_dscnn.tflite").read_bytes()
    cycles = [
        schedules.schedule(data, target.with_limit(limit), Options()).total.total_cycles
        for limit in (9_600, 11_000, 14_000)
    ]
    assert cycles[2] < cycles[1] < cycles[0]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40_000, 40_060))
def test_many_with_branches_of_every_kind_execute_equal(seed: int) -> None:
    for target in TARGETS:
        test_what_is_found_executes_equal(seed, target)
