"""Cascades in slow motion, held against the judge that runs them row by row."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings

from core.api import schedules, targets
from core.base.frozen import replace
from core.base.geometry import Shape4
from core.base.ids import FmId
from core.check.rings import Rows, rows_needed
from core.ir.npugraph import NpuGraph, NpuOp
from core.ir.options import Options
from core.ir.scheduled import Scheduled
from core.liveness.stripes import cascade_steps
from tests.core.schedule.random_cases import CASES, SHORT_CASES, Case, scheduled
from tests.remembered import remembered

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
DEDICATED = ("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram")
SHARED = ("ethos-u55-128", "Ethos_U55_High_End_Embedded", "Shared_Sram")


@remembered
def example(name: str, target: tuple[str, str, str] = DEDICATED, limit_kib: int = 96) -> Scheduled:
    resolved = targets.resolve_target(*target, arena_cache_size=limit_kib << 10)
    return schedules.schedule((EXAMPLES / f"{name}.tflite").read_bytes(), resolved, Options())


def check(done: Scheduled) -> int:
    """All that holds for the steps of any cascade; the number of cascades."""
    graph, count = done.run.graph, 0
    for island in done.schedule.islands:
        found = cascade_steps(graph, island)
        assert [(each.island, each.cascade) for each in found] == [
            (island.island, number) for number in range(len(island.cascades))
        ]
        plans = {plan.op: plan for plan in island.ops}
        for cascade, each in zip(island.cascades, found, strict=True):
            count += 1
            made = dict.fromkeys(cascade.ops, 0)
            stripes: Counter[int] = Counter()
            slots: dict[tuple[int, int], int] = {}
            rings = {buffer.fm: buffer.shape.h for buffer in cascade.buffers}
            assert len(each.fills) == len(each.steps)
            for step, fills in zip(each.steps, each.fills, strict=True):
                op = graph.ops[step.op]
                assert (step.first_row, step.stripe) == (made[step.op], stripes[step.op])
                height = plans[step.op].stripe.ofm.h
                assert step.end_row == min(step.first_row + height, op.ofm.touched.h)
                rows = Rows(step.first_row, step.end_row)
                if op.ifm.step_h > 0:
                    assert (step.reads_first_row, step.reads_end_row) == rows_needed(op, rows)
                for view in op.views[:-1]:
                    check_read(graph, op, rows_needed(op, rows, view), view.fm, made, slots, rings)
                made[step.op], stripes[step.op] = step.end_row, stripes[step.op] + 1
                for row in range(*rows):
                    at = op.ofm.start.h + row
                    slots[step.op, at % rings.get(op.ofm.fm, 1 << 30)] = at
                assert [fill.fm for fill in fills] == [buffer.fm for buffer in cascade.buffers]
                for fill in fills:
                    tops = [
                        graph.ops[maker].ofm.start.h + made[maker]
                        for maker in cascade.ops
                        if graph.ops[maker].ofm.fm == fill.fm and made[maker]
                    ]
                    end = max(tops, default=0)
                    assert (fill.first_row, fill.end_row) == (max(end - rings[fill.fm], 0), end)
            read = {view.fm for op in cascade.ops for view in graph.ops[op].views[:-1]}
            for op in cascade.ops:
                if graph.ops[op].ofm.fm not in rings or graph.ops[op].ofm.fm not in read:
                    assert made[op] == graph.ops[op].ofm.touched.h
            assert set(stripes) == set(cascade.ops)
    return count


def check_read(
    graph: NpuGraph,
    op: NpuOp,
    needed: Rows,
    fm: FmId,
    made: dict[int, int],
    slots: dict[tuple[int, int], int],
    rings: dict[FmId, int],
) -> None:
    """Rows of an input that operators of the cascade make are there, and not written over."""
    for maker, rows_made in made.items():
        view = graph.ops[maker].ofm
        if view.fm != fm or maker >= op.id:
            continue
        for row in range(*needed):
            if view.start.h <= row < view.start.h + view.touched.h:
                assert row < view.start.h + rows_made
                assert slots[maker, row % rings.get(fm, 1 << 30)] == row


@pytest.mark.long
@pytest.mark.parametrize("target", [DEDICATED, SHARED])
@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.tflite")), ids=lambda file: file.stem)
def test_examples_run_row_by_row(file, target):
    check(example(file.stem, target))


def test_the_examples_have_cascades():
    assert check(example("mobilenet_v2_035_96", limit_kib=24)) > 3
    assert check(example("residual_tower", SHARED)) > 0


@pytest.mark.long
@settings(max_examples=10)
@given(SHORT_CASES)
def test_random_cascades_run_row_by_row(case: Case) -> None:
    check(scheduled(case))


@pytest.mark.slow
@settings(max_examples=500)
@given(CASES)
def test_many_random_cascades_run_row_by_row(case: Case) -> None:
    check(scheduled(case))


def test_nothing_is_made_before_it_is_needed():
    done = example("unet_128")
    for island in done.schedule.islands:
        heights = {plan.op: plan.stripe.ofm.h for plan in island.ops}
        for each in cascade_steps(done.run.graph, island):
            ops = island.cascades[each.cascade].ops
            made = dict.fromkeys(ops, 0)
            for step in each.steps:
                if step.op != ops[0]:
                    before = ops[ops.index(step.op) - 1]
                    assert made[before] - heights[before] < step.reads_end_row
                made[step.op] = step.end_row
            assert each.steps[-1].op == ops[-1]


def test_an_operator_without_rows_has_no_steps():
    done = example("unet_128")
    island = next(island for island in done.schedule.islands if island.cascades)
    last = done.run.graph.ops[island.cascades[0].ops[-1]]
    empty = replace(last, ofm=replace(last.ofm, shape=Shape4(1, 0, 4, 4), extent=None))
    ops = list(done.run.graph.ops)
    ops[last.id] = empty
    steps = cascade_steps(replace(done.run.graph, ops=tuple(ops)), island)[0]
    assert steps.steps == steps.fills == ()
