"""The judge of schedules is silent about sound ones, also the peer's, and finds what is planted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.base.frozen import replace
from core.base.geometry import Block, Kernel, Padding, Resampling, Shape4
from core.base.ids import FmId, IslandId
from core.check.rings import Rows, Runs, rows_needed
from core.check.schedule import verify
from core.check.snapshot import weight_spans
from core.ir.npugraph import LinearReason, NpuGraph
from core.ir.schedule import Evicted, IslandSchedule, WeightPlan
from core.target.format import Format
from core.target.region import Region
from core.target.resolve import resolve
from tests.core.check.peer_schedules import case_of
from tests.core.check.schedules import (
    DEDICATED,
    Case,
    chain,
    chain_cascaded,
    chain_whole,
    doubled_cascaded,
    fork,
    fork_whole,
)
from tests.peer import FINISHED, SAMPLE, name_of

Change = Callable[[Case], Case]

SOUND: dict[str, Callable[[], Case]] = {
    "whole": chain_whole,
    "dedicated": lambda: chain_whole(DEDICATED),
    "cascade": chain_cascaded,
    "fork": fork_whole,
    "resize": doubled_cascaded,
}


@pytest.mark.parametrize("case", SOUND.values(), ids=SOUND)
def test_a_sound_schedule_has_no_fault(case: Callable[[], Case]) -> None:
    assert verify(*case()) == ()


def _changed(case: Case, **parts: Any) -> Case:
    return case._replace(schedule=replace(case.schedule, **parts))


def with_island(**parts: Any) -> Change:
    def change(case: Case) -> Case:
        (island,) = case.schedule.islands
        return _changed(case, islands=(replace(island, **parts),))

    return change


def edited(change: Callable[[IslandSchedule], IslandSchedule]) -> Change:
    return lambda case: _changed(case, islands=(change(case.schedule.islands[0]),))


def with_op(number: int, **parts: Any) -> Change:
    def change(island: IslandSchedule) -> IslandSchedule:
        ops = list(island.ops)
        ops[number] = replace(ops[number], **parts)
        return replace(island, ops=tuple(ops))

    return edited(change)


def with_rows(number: int, ofm: int | None = None, ifm: int | None = None) -> Change:
    def change(case: Case) -> Case:
        stripe = case.schedule.ops[number].stripe
        made = stripe.ofm if ofm is None else stripe.ofm._replace(h=ofm)
        read = stripe.ifm if ifm is None else stripe.ifm._replace(h=ifm)
        return with_op(number, stripe=stripe._replace(ofm=made, ifm=read))(case)

    return change


def with_block(**sides: int) -> Change:
    def change(case: Case) -> Case:
        block = case.schedule.ops[1].block
        return with_op(1, block=replace(block, ofm_block=block.ofm_block._replace(**sides)))(case)

    return change


def with_weights(number: int = 1, **parts: Any) -> Change:
    def change(case: Case) -> Case:
        weights = case.schedule.ops[number].weights
        assert weights is not None
        return with_op(number, weights=replace(weights, **parts))(case)

    return change


def with_map(fm: int, **parts: Any) -> Change:
    def change(case: Case) -> Case:
        maps = list(case.schedule.maps)
        maps[fm] = replace(maps[fm], **parts)
        return _changed(case, maps=tuple(maps))

    return change


def with_buffer(number: int, height: int | None = None, **parts: Any) -> Change:
    """Another rolling buffer; a height changes the shape, the size, and the plan of the map."""

    def change(case: Case) -> Case:
        (cascade,) = case.schedule.islands[0].cascades
        old = cascade.buffers[number]
        values = parts
        if height is not None:
            shape = old.shape._replace(h=height)
            values = {"shape": shape, "size_bytes": shape.elements}
            case = with_map(old.fm, rolling=shape)(case)
        fresh = [*cascade.buffers]
        fresh[number] = replace(old, **values)
        return with_island(cascades=(replace(cascade, buffers=tuple(fresh)),))(case)

    return change


def less(time: int) -> Change:
    def change(island: IslandSchedule) -> IslandSchedule:
        snapshot = [*island.snapshot]
        snapshot[time] -= 1
        return replace(island, snapshot=tuple(snapshot))

    return edited(change)


EVICTED = Evicted(fms=(FmId(1),), start_time=0, end_time=3, size_bytes=4096)

FAULTS: dict[str, tuple[str, Change, str]] = {
    "another network": ("whole", lambda c: _changed(c, network="x"), "x is scheduled instead"),
    "a map too few": (
        "whole",
        lambda c: _changed(c, maps=c.schedule.maps[1:]),
        "3 plans for 4 feature maps",
    ),
    "another island": ("whole", with_island(island=IslandId(1)), "[1] are scheduled"),
    "an operator too few": (
        "whole",
        edited(lambda i: replace(i, ops=i.ops[1:])),
        "runs operators [1, 2] instead of [0, 1, 2]",
    ),
    "another order": (
        "whole",
        edited(lambda i: replace(i, ops=i.ops[::-1])),
        "runs before operator",
    ),
    "a map in flash": ("whole", with_map(1, region=Region.PERMANENT_NPU), "is no constant, but"),
    "an input in bricks": ("whole", with_map(0, format=Format.BRICKS), "outside its island"),
    "an output in bricks": ("whole", with_map(3, format=Format.BRICKS), "outside its island"),
    "an input in fast storage": (
        "dedicated",
        with_map(0, region=Region.SCRATCH_FAST),
        "is used outside its island, but lies in fast storage",
    ),
    "a stripe without a cascade": ("whole", with_rows(1, ofm=8), "is in no cascade, but"),
    "an input stripe without a cascade": ("whole", with_rows(1, ifm=8), "is in no cascade, but"),
    "a stripe that is whole": ("cascade", with_rows(1, ofm=16), "its stripe has 16 rows of 16"),
    "a stripe of no row": ("cascade", with_rows(2, ofm=0), "its stripe has 0 rows of 16"),
    "half a block": ("whole", with_block(h=0), "is not made of (2, 2, 8)"),
    "a block too wide": ("whole", with_block(w=66), "up to (32, 64, 128)"),
    "a block of odd depth": ("whole", with_block(c=12), "is not made of (2, 2, 8)"),
    "an empty input block": (
        "whole",
        lambda c: with_op(1, block=replace(c.schedule.ops[1].block, ifm_block=Block(0, 1, 1)))(c),
        "its input block (0, 1, 1) is empty",
    ),
    "a time too late": ("whole", with_op(2, time=6), "runs at time 6 instead of 4"),
    "two at one time": ("whole", with_op(1, time=0), "runs at time 0 instead of 2"),
    "a cascade at two times": ("cascade", with_op(1, time=2), "runs at time 2 instead of 0"),
    "evicted, but fast": (
        "dedicated",
        with_island(evicted=(EVICTED,)),
        "is evicted, but lies in fast storage",
    ),
}

WEIGHT_FAULTS: dict[str, tuple[Change, str]] = {
    "no plan": (with_op(1, weights=None), "a weight plan belongs to"),
    "slices that end early": (with_weights(depth_slices=(0, 8)), "do not go from 0 to 16"),
    "slices that begin late": (with_weights(depth_slices=(8, 16)), "do not go from 0 to 16"),
    "slices in no order": (
        with_weights(depth_slices=(0, 16, 16), slice_bytes=(500, 500)),
        "do not go from 0 to 16",
    ),
    "a cut within a brick": (
        with_weights(depth_slices=(0, 8, 16), slice_bytes=(500, 500)),
        "do not end at multiples of 16",
    ),
    "a size too few": (with_weights(slice_bytes=()), "have the sizes ()"),
    "a slice of nothing": (with_weights(slice_bytes=(0,)), "have the sizes (0,)"),
    "a buffer too small": (with_weights(buffer_bytes=(999,)), "buffer 0 has 999 bytes for 1000"),
    "three buffers": (with_weights(buffer_bytes=(1000,) * 3), "has 3 weight buffers"),
    "no buffer to fetch to": (with_weights(lead_steps=1), "fetched early, but to no buffer"),
}

CASCADE_FAULTS: dict[str, tuple[Change, str]] = {
    "a first buffer one row lower": (
        with_buffer(0, height=8),
        "for rows 4 to 8 needs row 3 of its input, but 4 is",
    ),
    "a second buffer one row lower": (with_buffer(1, height=8), "left of 12 in its rolling buffer"),
    "a producer in higher stripes": (with_rows(1, ofm=6, ifm=8), "is the first that is left of"),
    "a consumer in higher stripes": (
        with_rows(2, ofm=8, ifm=10),
        "is the first that is left of",
    ),
    "too few rows to read": (with_rows(2, ifm=5), "reads rows 3 to 9, more than 5"),
    "a buffer that is too narrow": (
        with_buffer(0, shape=Shape4(1, 9, 15, 16)),
        "but rows are Shape4(n=1, h=16, w=16, c=16)",
    ),
    "a buffer that is no brick deep": (
        with_buffer(0, shape=Shape4(1, 9, 16, 8)),
        "but rows are Shape4(n=1, h=16, w=16, c=16)",
    ),
    "a buffer of another size": (with_buffer(0, size_bytes=2303), "takes 2304 bytes, but 2303"),
    "a buffer of another map": (with_buffer(0, fm=FmId(3)), "has buffers for [3, 2]"),
    "a buffer too few": (
        edited(
            lambda i: replace(
                i, cascades=(replace(i.cascades[0], buffers=i.cascades[0].buffers[:1]),)
            )
        ),
        "hands on maps [1, 2], but has buffers for [1]",
    ),
    "a plan with another buffer": (with_map(1, rolling=Shape4(1, 8, 16, 16)), "its plan says"),
    "a plan without a buffer": (with_map(1, rolling=None), "its plan says None"),
    "a rolling map without a cascade": (
        with_map(3, rolling=Shape4(1, 8, 16, 16)),
        "but no cascade hands it on",
    ),
    "a cascade that misses one": (
        edited(lambda i: replace(i, cascades=(replace(i.cascades[0], ops=i.cascades[0].ops[:2]),))),
        "lists operators [0, 1], but [0, 1, 2] are in it",
    ),
    "an operator that is elsewhere": (with_op(2, cascade=None), "but [0, 1] are in it"),
    "a cascade that does not exist": (with_op(2, cascade=1), "but it does not exist"),
    "a cut in a cascade": (
        with_weights(depth_slices=(0, 16, 32), slice_bytes=(500, 500)),
        "its weights are cut at (0, 16, 32)",
    ),
}

ALL_FAULTS = (
    FAULTS
    | {f"weights: {name}": ("whole", *fault) for name, fault in WEIGHT_FAULTS.items()}
    | {f"cascade: {name}": ("cascade", *fault) for name, fault in CASCADE_FAULTS.items()}
    | {
        "resize: a buffer of no row": ("resize", with_buffer(0, height=0), "needs row 0"),
        "resize: a buffer one row lower": ("resize", with_buffer(1, height=4), "needs row 1"),
        "resize: too few rows to read": ("resize", with_rows(1, ifm=0), "more than 0"),
    }
)


@pytest.mark.parametrize(("case", "change", "message"), ALL_FAULTS.values(), ids=ALL_FAULTS)
def test_a_fault_is_found(case: str, change: Change, message: str) -> None:
    findings = verify(*change(SOUND[case]()))
    assert any(message in str(finding) for finding in findings), findings
    runs: Runs = {}
    assert verify(*SOUND[case](), runs) == ()
    assert verify(*change(SOUND[case]()), runs) == findings


def test_a_cascade_that_was_played_is_known_from_then_on() -> None:
    runs: Runs = {}
    for case in (chain_cascaded(), chain_cascaded()):
        assert verify(*case, runs) == ()
        assert [cascade for cascade, _ in runs] == list(case.schedule.islands[0].cascades)


@pytest.mark.parametrize("name", SOUND)
def test_a_snapshot_that_is_one_byte_too_low_is_found(name: str) -> None:
    case = SOUND[name]()
    for time, size in enumerate(case.schedule.islands[0].snapshot):
        if size:
            (finding,) = verify(*less(time)(case))
            assert f"says {size - 1} bytes at time {time}, but {size} are live" in str(finding)


def test_a_snapshot_that_ends_early_is_found() -> None:
    cut = edited(lambda island: replace(island, snapshot=island.snapshot[:-1]))
    (finding,) = verify(*cut(chain_whole()))
    assert "says 0 bytes at time 7, but 4096 are live" in str(finding)


@pytest.mark.parametrize(
    ("parts", "times"),
    [
        ({"buffer_bytes": (1000,)}, (2, 3)),
        ({"buffer_bytes": (1000,), "lead_steps": 1}, (1, 2, 3)),
    ],
)
def test_weight_buffers_count(parts: dict[str, Any], times: tuple[int, ...]) -> None:
    findings = verify(*with_weights(**parts)(chain_whole()))
    found = [finding for finding in findings if "are live" in finding.message]
    assert [int(finding.message.split("time ")[1].split(",")[0]) for finding in found] == [*times]


@pytest.mark.parametrize(
    ("slices", "times_of_each"),
    [(1, ((1, 2, 3), (2,))), (2, ((1, 2), (2, 3))), (3, ((1, 2, 3), (2,)))],
)
def test_the_buffer_that_is_not_used_last_is_free_earlier(
    slices: int, times_of_each: tuple[tuple[int, ...], ...]
) -> None:

    plan = chain_whole().schedule.ops[1]
    weights = WeightPlan(
        encoding="",
        depth_slices=tuple(16 * at for at in range(slices + 1)),
        slice_bytes=(100,) * slices,
        buffer_bytes=(100, 100),
        lead_steps=1,
    )
    spans = [span for _, span in weight_spans(replace(plan, weights=weights), 2)]
    assert tuple(tuple(range(span.start, span.end + 1)) for span in spans) == times_of_each


def test_slices_take_turns_in_two_buffers() -> None:
    graph = chain()
    weights = graph.ops[1].weights
    assert weights is not None
    parts = {"depth_slices": (0, 16, 32, 40), "slice_bytes": (10, 30, 20)}
    sizes = {(20, 30): [], (19, 30): ["0 has 19 bytes for 20"], (30, 20): ["1 has 20 bytes for 30"]}
    for buffers, expected in sizes.items():
        case = with_weights(**parts, buffer_bytes=buffers)(chain_whole())
        found = [f.message for f in verify(*case) if "weight buffer" in f.message]
        assert found == [f"weight buffer {text}" for text in expected]


def test_weights_in_fast_flash_need_no_buffer() -> None:
    target = resolve("ethos-u55-256", "Ethos_U55_Deep_Embedded", "Sram_Only")
    case = with_weights(buffer_bytes=(1000,))(chain_whole(target))
    assert any("buffers weights that are in OnChipFlash" in f.message for f in verify(*case))


def _with_graph(case: Case, change: Callable[[NpuGraph], NpuGraph]) -> Case:
    return case._replace(graph=change(case.graph))


def _output_too(graph: NpuGraph, fm: int) -> NpuGraph:
    (island,) = graph.islands
    shown = replace(island, outputs=(*island.outputs, FmId(fm)))
    return replace(graph, islands=(shown,), outputs=((*graph.outputs[0], FmId(fm)),))


def test_what_is_handed_on_by_a_cascade_is_nobody_elses() -> None:
    case = _with_graph(chain_cascaded(), lambda graph: _output_too(graph, 1))
    assert any("has to exist outside its cascade" in f.message for f in verify(*case))


def test_an_operator_that_needs_a_linear_map_is_heard() -> None:
    def change(graph: NpuGraph) -> NpuGraph:
        maps = list(graph.feature_maps)
        maps[1] = replace(maps[1], linear_reason=LinearReason.READ_IN_STEPS)
        return replace(graph, feature_maps=tuple(maps))

    found = verify(*_with_graph(chain_whole(), change))
    assert any("has to be linear: read in steps" in f.message for f in found)


def test_a_map_that_two_operators_read_is_not_rolled() -> None:
    """A cascade of the first two operators of the fork: the sum reads what is between them."""
    graph, target, schedule = fork_whole()
    (island,) = schedule.islands
    chained = chain_cascaded().schedule.islands[0]
    ops = (*chained.ops[:2], *(replace(p, time=p.time - 2) for p in island.ops[2:]))
    first = chained.cascades[0]
    cascade = replace(first, ops=first.ops[:2], buffers=first.buffers[:1])
    fresh = replace(island, ops=ops, cascades=(cascade,))
    case = Case(graph, target, replace(schedule, islands=(fresh,)))
    assert any("is rolling, but is read 2 times" in f.message for f in verify(*case))


def test_the_sum_may_not_write_over_a_map_that_is_read_later() -> None:
    """Where the last operator reads an input of the sum too, that input has to stay."""

    def change(graph: NpuGraph) -> NpuGraph:
        _, _, total, last = graph.ops
        ops = list(graph.ops)
        ops[3] = replace(last, ifm=replace(last.ifm, fm=total.ifm.fm))
        return replace(graph, ops=tuple(ops))

    case = fork_whole()
    assert case.graph.ops[2].ifm2 is not None
    read_again = _with_graph(case, change)
    # The other input can still be written over, so that only the last operator needs more.
    assert not any("at time 4" in f.message for f in verify(*read_again))
    other = fork().ops[2].ifm2
    assert other is not None
    kept = _with_graph(read_again, lambda graph: _output_too(graph, other.fm))
    kept = with_map(other.fm, format=Format.LINEAR)(kept)
    assert any("at time 4, but 12288 are live" in f.message for f in verify(*kept))


@pytest.mark.parametrize(
    ("kernel", "top", "resampling", "made", "needed"),
    [
        (Kernel(h=3, w=3), 1, Resampling.NONE, (0, 4), (0, 5)),
        (Kernel(h=3, w=3), 1, Resampling.NONE, (4, 8), (3, 9)),
        (Kernel(h=3, w=3), 1, Resampling.NONE, (12, 16), (11, 16)),
        (Kernel(h=3, w=3, stride_h=2, stride_w=2), 0, Resampling.NONE, (2, 4), (4, 9)),
        (Kernel(h=3, w=3, dilation_h=3), 3, Resampling.NONE, (4, 5), (1, 8)),
        (Kernel(), 0, Resampling.NEAREST, (2, 5), (1, 3)),
        (Kernel(h=2, w=2), 0, Resampling.NEAREST, (1, 2), (0, 2)),
        (Kernel(h=3, w=3), 1, Resampling.TRANSPOSE, (0, 2), (0, 2)),
    ],
)
def test_rows_needed(
    kernel: Kernel,
    top: int,
    resampling: Resampling,
    made: tuple[int, int],
    needed: tuple[int, int],
) -> None:
    op = replace(chain().ops[1], kernel=kernel, padding=Padding(top=top), resampling=resampling)
    assert rows_needed(op, Rows(*made)) == needed


def test_one_row_stands_for_all_rows_of_an_element_wise_operator() -> None:
    (add,) = (op for op in fork().ops if op.kind.is_elementwise)
    row = replace(add.ifm, shape=add.ifm.shape.with_hw(1, 16))
    assert rows_needed(replace(add, ifm=row), Rows(4, 6)) == (0, 1)
    assert rows_needed(add, Rows(4, 6)) == (4, 6)


def check_peer(path: Path) -> None:
    assert verify(*case_of(path)) == ()


CASCADED = ("u55-32-shared-64k/vww_96_int8", "u65-512-dedicated-128k/omv_blazeface_front_128")


@pytest.mark.parametrize(
    "path", [path for path in FINISHED if name_of(path) in (*SAMPLE, *CASCADED)], ids=name_of
)
def test_the_peers_schedules_have_no_fault(path: Path) -> None:
    check_peer(path)


@pytest.mark.slow
@pytest.mark.parametrize("path", FINISHED, ids=name_of)
def test_all_of_the_peers_schedules_have_no_fault(path: Path) -> None:
    check_peer(path)
