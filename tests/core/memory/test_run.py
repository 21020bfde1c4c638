"""What options ask of addresses."""

from __future__ import annotations

from itertools import chain

import pytest

from core.ir.options import Allocator, Options
from core.ir.scheduled import Scheduled
from core.memory import run
from core.target.target import Target
from tests.gui.answers import answer_of

EXAMPLES = ("kws_dscnn", "shuffle_with_cpu", "unet_128")


def scheduled(name: str) -> Scheduled:
    return answer_of(name, accelerator="ethos-u65-256").scheduled


def placed(done: Scheduled, options: Options):
    target: Target = done.target
    return run.run(done.graph, done.schedule, target, options)


@pytest.mark.parametrize("allocator", Allocator, ids=lambda each: each.value)
@pytest.mark.parametrize("name", EXAMPLES)
def test_what_the_cpu_touches_is_aligned_as_asked_and_nothing_else_is(name, allocator):
    done = scheduled(name)
    layout = placed(done, Options(allocator=allocator, cpu_alignment=256))
    graph = done.graph
    touched = {
        *chain(*graph.inputs, *graph.outputs),
        *chain(*((*island.inputs, *island.outputs) for island in graph.islands)),
        *chain(*((*op.inputs, *op.outputs) for op in graph.cpu_ops)),
    }
    moving = [
        each
        for area in layout.areas
        for each in area.placements
        if each.fms and each.content is None and not graph.feature_maps[each.fms[0]].data
    ]
    for each in moving:
        is_touched = not touched.isdisjoint(each.fms)
        assert each.alignment == (256 if is_touched else 16)
        assert each.address % each.alignment == 0
    assert any(not touched.isdisjoint(each.fms) for each in moving)


def test_orders_for_hill_climb_are_counted():
    done = scheduled("unet_128")
    few = placed(done, Options(hill_climb_orders=1))
    many = placed(done, Options())
    heights = [[area.height_bytes for area in layout.areas] for layout in (few, many)]
    assert all(more <= less for less, more in zip(*heights, strict=True))
