"""The judge of memory layouts is silent about sound ones, and finds each planted fault."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from core.base.frozen import replace
from core.base.ids import FmId, NpuOpId
from core.check.memory import verify
from core.ir.constdata import ConstData
from core.ir.layout import AreaLayout, MemoryLayout, Placement, Purpose
from core.ir.npugraph import Activation, ActivationKind, NpuGraph
from core.target.region import Region
from core.target.target import Area
from tests.core.check.schedules import (
    DEDICATED,
    Case,
    chain_cascaded,
    chain_whole,
    doubled_cascaded,
    fork_whole,
    layout_of,
)
from tests.core.check.test_schedule import with_map, with_weights

Change = Callable[[MemoryLayout], MemoryLayout]

BUFFERED = {"buffer_bytes": (1000, 500), "depth_slices": (0, 16), "lead_steps": 1}


def buffered() -> Case:
    """The second convolution of the chain has two buffers for the one slice of its weights."""
    return with_weights(**BUFFERED)(chain_whole(DEDICATED))


SOUND: dict[str, Callable[[], Case]] = {
    "whole": chain_whole,
    "dedicated": lambda: chain_whole(DEDICATED),
    "cascade": chain_cascaded,
    "fork": fork_whole,
    "resize": doubled_cascaded,
    "buffered": buffered,
}


@pytest.mark.parametrize("case", SOUND.values(), ids=SOUND)
def test_a_sound_layout_has_no_fault(case: Callable[[], Case]) -> None:
    assert verify(*case(), layout_of(case())) == ()


def in_area(region: Region, change: Callable[[AreaLayout], AreaLayout]) -> Change:
    def changed(layout: MemoryLayout) -> MemoryLayout:
        areas = [change(area) if region in area.regions else area for area in layout.areas]
        return replace(layout, areas=tuple(areas))

    return changed


def with_place(
    is_meant: Callable[[Placement], bool], change: Callable[[Placement], Placement | None]
) -> Change:
    """Another placement instead of each that is meant, or none."""

    def changed(area: AreaLayout) -> AreaLayout:
        fresh = [change(item) if is_meant(item) else item for item in area.placements]
        kept = tuple(item for item in fresh if item is not None)
        height = max((item.address + item.size_bytes for item in kept), default=0)
        return replace(area, placements=kept, height_bytes=height)

    return lambda layout: replace(layout, areas=tuple(map(changed, layout.areas)))


def of_map(fm: int, **parts: Any) -> Change:
    return with_place(lambda item: fm in item.fms, lambda item: replace(item, **parts))


def of_weights(op: int, *, permanent: bool, **parts: Any) -> Change:
    return with_place(
        lambda item: item.op == op and item.region.is_permanent == permanent,
        lambda item: replace(item, **parts),
    )


def without(is_meant: Callable[[Placement], bool]) -> Change:
    return with_place(is_meant, lambda _: None)


def with_area(region: Region, **parts: Any) -> Change:
    return in_area(region, lambda area: replace(area, **parts))


def twice(layout: MemoryLayout) -> MemoryLayout:
    return replace(layout, areas=(*layout.areas, layout.areas[0]))


FAULTS: dict[str, tuple[str, Change, str]] = {
    "a time too few": ("whole", lambda m: replace(m, op_times=(0, 2)), "2 times for 3 operators"),
    "another time": (
        "whole",
        lambda m: replace(m, op_times=(0, 3, 4)),
        "runs at time 3 instead of 2",
    ),
    "a time before the first": (
        "whole",
        lambda m: replace(m, op_times=(-2, 0, 2)),
        "begins at time -2, but -1 is taken",
    ),
    "an end too early": ("whole", lambda m: replace(m, end_time=4), "but operators run until 5"),
    "two maps on each other": ("whole", of_map(2, address=0), "shares byte 0 with"),
    "an odd address": (
        "whole",
        of_map(2, address=1 << 15 | 8, alignment=8),
        "is no multiple of 16",
    ),
    "a height that is not true": (
        "whole",
        with_area(Region.SCRATCH, height_bytes=1),
        "but 1 is said",
    ),
    "a bound above the height": (
        "whole",
        with_area(Region.SCRATCH, lower_bound_bytes=1 << 20),
        "no layout is below 1048576, but this is",
    ),
    "another memory": ("whole", with_area(Region.SCRATCH, area=Area.DRAM), "Scratch is in Sram"),
    "a stranger in a region": (
        "whole",
        with_area(Region.SCRATCH, regions=(Region.SCRATCH_FAST,)),
        "is of region Scratch",
    ),
    "a region that is there twice": ("whole", twice, "is laid out 2 times"),
    "a map without a place": (
        "whole",
        without(lambda item: 1 in item.fms),
        "has 0 places in memory",
    ),
    "a map in another region": (
        "dedicated",
        of_map(1, region=Region.SCRATCH),
        "is in Scratch instead of Scratch_fast",
    ),
    "a map among constants": (
        "whole",
        of_map(1, region=Region.PERMANENT_NPU),
        "is in Permanent_NPU instead of Scratch",
    ),
    "a map that is too small": ("whole", of_map(1, size_bytes=4080), "has 4080 bytes for 4096"),
    "a rolling map that is too small": (
        "cascade",
        of_map(1, size_bytes=2288),
        "has 2288 bytes for 2304",
    ),
    "a map that comes late": ("whole", of_map(2, start_time=3), "is in use at (2, 5), but has"),
    "a map that leaves early": ("whole", of_map(2, end_time=4), "is in use at (2, 5), but has"),
    "an input that comes late": ("whole", of_map(0, start_time=1), "is in use at (0, 1)"),
    "an output that leaves early": ("fork", of_map(1, end_time=4), "is in use at (0, 5), but has"),
    "no weights": (
        "whole",
        without(lambda item: item.op == 1),
        "its weight stream has 0 bytes for 1000",
    ),
    "weights that are too small": (
        "whole",
        of_weights(1, permanent=True, size_bytes=992),
        "its weight stream has 992 bytes for 1000",
    ),
    "no buffer": (
        "buffered",
        without(lambda item: item.op == 1 and item.buffer == 1),
        "buffer 1: has 0 places in memory",
    ),
    "a buffer that is too small": (
        "buffered",
        of_weights(1, permanent=False, size_bytes=496),
        "buffer 0: has 496 bytes for 1000",
    ),
    "a buffer that comes late": (
        "buffered",
        of_weights(1, permanent=False, start_time=2),
        "buffer 0: is in use at (1, 3), but has its bytes from 2 to 7",
    ),
    "a buffer that leaves early": (
        "buffered",
        of_weights(1, permanent=False, end_time=2),
        "buffer 0: is in use at (1, 3), but has its bytes from 0 to 2",
    ),
    "a buffer in slow memory": (
        "buffered",
        of_weights(1, permanent=False, region=Region.SCRATCH),
        "is in Scratch, which is not fast",
    ),
}


@pytest.mark.parametrize(("case", "change", "message"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_found(case: str, change: Change, message: str) -> None:
    sound = SOUND[case]()
    findings = verify(*sound, change(layout_of(sound)))
    assert any(message in str(finding) for finding in findings), findings


def fused(one: int, other: int) -> Change:
    """Two maps in one place, which is the first's."""

    def change(layout: MemoryLayout) -> MemoryLayout:
        both = of_map(one, fms=(FmId(one), FmId(other)))
        return both(without(lambda item: item.fms == (other,))(layout))

    return change


def test_a_sum_may_write_over_its_inputs_only() -> None:
    case = fork_whole()
    total = case.graph.ops[2]
    assert total.ifm2 is not None
    layout = layout_of(case)
    for view in (total.ifm, total.ifm2):
        assert verify(*case, fused(view.fm, total.ofm.fm)(layout)) == ()
    (found,) = verify(*case, fused(total.ifm.fm, total.ifm2.fm)(layout))
    assert "while both are in use, at operator 1" in str(found)


def test_a_convolution_may_not_write_over_its_input() -> None:
    case = chain_whole()
    (found,) = verify(*case, fused(1, 2)(layout_of(case)))
    assert "while both are in use, at operator 1" in str(found)


def test_maps_that_follow_each_other_may_have_one_place() -> None:
    case = with_map(3, format=chain_whole().schedule.maps[1].format)(chain_whole())
    assert verify(*case, fused(1, 3)(layout_of(case))) == ()


def test_a_result_of_the_network_keeps_its_bytes() -> None:
    graph, target, schedule = chain_whole()
    shown = replace(graph, outputs=((FmId(1), *graph.outputs[0]),))
    case = Case(shown, target, schedule)
    (found,) = verify(*case, fused(1, 3)(layout_of(case)))
    assert "while both are in use, at operator 2" in str(found)


def test_maps_that_share_their_bytes_have_one_place() -> None:
    graph, target, schedule = chain_whole()
    maps = list(graph.feature_maps)
    maps[3] = replace(maps[3], storage=FmId(1))
    case = Case(replace(graph, feature_maps=tuple(maps)), target, schedule)
    (found,) = verify(*case, layout_of(case))
    assert "whose bytes it shares" in found.message
    assert verify(*case, fused(1, 3)(layout_of(case))) == ()


def test_a_state_keeps_its_bytes_from_run_to_run() -> None:
    graph, target, schedule = chain_whole()
    maps = list(graph.feature_maps)
    maps[1] = replace(maps[1], is_variable=True)
    case = Case(replace(graph, feature_maps=tuple(maps)), target, schedule)
    assert verify(*case, layout_of(case)) == ()
    (found,) = verify(*case, of_map(1, end_time=4)(layout_of(case)))
    assert "is in use at (0, 5)" in found.message


def with_table(graph: NpuGraph) -> NpuGraph:
    table = ConstData.of(np.arange(256, dtype=np.uint8))
    ops = list(graph.ops)
    ops[1] = replace(ops[1], activation=Activation(kind=ActivationKind.LUT, table=table))
    return replace(graph, ops=tuple(ops))


@pytest.mark.parametrize("is_by_op", [True, False])
def test_a_table_has_a_place_by_operator_or_by_content(is_by_op: bool) -> None:
    graph, target, schedule = chain_whole()
    case = Case(with_table(graph), target, schedule)
    (found,) = verify(*case, layout_of(case))
    assert "its table has 0 bytes for 256" in found.message
    activation = case.graph.ops[1].activation
    assert activation is not None
    assert activation.table is not None
    where = {"op": NpuOpId(1)} if is_by_op else {"content": activation.table.digest}

    def put(area: AreaLayout) -> AreaLayout:
        place = Placement(
            name="table",
            purpose=Purpose.TABLE,
            region=Region.PERMANENT_NPU,
            address=area.height_bytes,
            size_bytes=256,
            start_time=0,
            end_time=7,
            **where,
        )
        height = area.height_bytes + 256
        return replace(area, placements=(*area.placements, place), height_bytes=height)

    assert verify(*case, in_area(Region.PERMANENT_NPU, put)(layout_of(case))) == ()


def test_equal_weights_may_have_one_place() -> None:
    graph, target, schedule = with_weights(encoding="same")(
        with_weights(0, encoding="same")(chain_whole())
    )
    case = Case(graph, target, schedule)
    one_fewer = without(lambda item: item.op == 1)(layout_of(case))
    assert len(verify(*case, one_fewer)) == 1
    assert verify(*case, of_weights(0, permanent=True, content="same")(one_fewer)) == ()


def test_a_constant_that_the_accelerator_reads_has_a_place() -> None:
    graph, target, schedule = chain_whole()
    maps = list(graph.feature_maps)
    maps[0] = replace(maps[0], data=ConstData.of(np.zeros((1, 16, 16, 8), np.int8)))
    case = Case(replace(graph, feature_maps=tuple(maps)), target, schedule)
    found = [str(finding) for finding in verify(*case, layout_of(case))]
    assert len(found) == 1
    assert "has 0 bytes for 2048" in found[0]
