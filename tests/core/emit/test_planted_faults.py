"""Faults that an emitter could have, planted on purpose: execution finds each of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from core.base.frozen import replace
from core.emit.commands import run as commands
from core.emit.commands.constants import constants
from core.emit.container.run import contain
from core.emit.ordering.run import ordered
from core.ir.layout import MemoryLayout
from core.ir.options import LoweringOptions, Options
from core.ir.program import Command, CommandStream, NpuOperation, Wait
from core.ir.schedule import OpPlan, Schedule
from core.ir.scheduled import Run, Scheduled
from core.ir.weightstream import EncodedWeights
from core.lower import run as lower
from core.pipeline.proof.random_inputs import random_inputs
from core.pipeline.proof.simulate import CompiledModel
from core.pipeline.scheduled import Workbench, weight_layout
from core.simulate.faults import FaultKind
from core.synth.builder import Builder
from core.synth.windows import window
from core.target.region import Region
from core.target.resolve import resolve
from core.weights.encode import encode

Commands = tuple[Command, ...]


@cache
def bench() -> Workbench:
    b = Builder(4)
    x = b.input((1, 32, 16, 16))
    x = b.conv(x, 32, window(3))
    x = b.depthwise(x, window(3))
    x = b.conv(x, 16, window(3))
    network = b.build((b.add(x, b.conv(x, 16, window(3), "NONE")),), "cascade")
    target = resolve("ethos-u55-128", arena_cache_size="24000")
    graph = lower.run(network, target.accelerator, LoweringOptions())
    return Workbench(Run(network=network, accelerator=target.accelerator, graph=graph))


@cache
def sound() -> Scheduled:
    scheduled = bench().schedule(resolve("ethos-u55-128", arena_cache_size="24000"), Options())
    assert scheduled.schedule.islands[0].cascades
    return scheduled


def executed(
    schedule: Schedule | None = None,
    layout: MemoryLayout | None = None,
    spoil: Callable[[Commands], Commands] = lambda stream: stream,
) -> tuple[np.ndarray, set[FaultKind]]:
    """What comes out of the network with some part of its way replaced."""
    done, graph = sound(), sound().run.graph
    plan, places = schedule or done.schedule, layout or done.layout

    def stream_of(op: OpPlan) -> EncodedWeights:
        node, slices = graph.ops[op.op], op.weights.depth_slices
        dtype, wanted = graph.fm(node.ifm).dtype, weight_layout(op.block, slices)
        return encode(node, dtype, done.target.accelerator, wanted, cache=bench().encodings)

    islands = commands.run(graph, plan, places, done.target, stream_of)
    streams = {
        island.island: CommandStream(
            commands=spoil(ordered(island.commands, done.target.accelerator))
        )
        for island in islands
    }
    image = constants(graph, plan, places, stream_of)
    network = contain(done.run.network, graph, plan, places, done.target, streams, image)
    made = CompiledModel.of(network)
    given = random_inputs(done.run.network, 1, 0)
    result = made.run(dict(zip(network.main.inputs, given.values(), strict=True)))
    outputs = [result.outputs.get(number) for number in network.main.outputs]
    return outputs[0], {fault.kind for _, fault in result.faults}


def is_found(found: tuple[np.ndarray, set[FaultKind]]) -> bool:
    values, faults = found
    expected, _ = executed()
    return bool(faults) or values is None or not np.array_equal(values, expected)


def test_without_a_fault_nothing_is_found():
    _, faults = executed()
    assert not faults


def rolling_maps() -> list[int]:
    return [n for n, plan in enumerate(sound().schedule.maps) if plan.rolling is not None]


def with_rows(number: int, height: int) -> Schedule:
    """The schedule with another number of rows in a rolling buffer."""
    maps = list(sound().schedule.maps)
    rolling = maps[number].rolling
    maps[number] = replace(maps[number], rolling=rolling.with_hw(height, rolling.w))
    return replace(sound().schedule, maps=tuple(maps))


def test_a_rolling_buffer_that_is_one_row_short_is_found():
    assert rolling_maps()
    for number in rolling_maps():
        enough = sound().schedule.maps[number].rolling.h
        assert not is_found(executed(schedule=with_rows(number, enough)))
        assert is_found(executed(schedule=with_rows(number, enough - 1)))


def waits() -> list[int]:
    stream: list[Command] = []
    executed(spoil=lambda commands: stream.extend(commands) or commands)
    return [n for n, command in enumerate(stream) if isinstance(command, Wait)]


def test_each_missing_wait_is_a_hazard():
    assert waits()
    for number in waits():
        _, faults = executed(spoil=lambda stream, n=number: stream[:n] + stream[n + 1 :])
        assert FaultKind.HAZARD in faults


def shorter(op: NpuOperation) -> NpuOperation:
    """The operation with its input cut one row too early, where it is cut at all."""
    tiles = op.ifm.tiles
    if tiles.height0 >= op.ifm.shape.h or tiles.height0 < 2:
        return op
    cut = tiles._replace(height0=tiles.height0 - 1)
    return replace(op, ifm=replace(op.ifm, tiles=cut))


def test_a_wrong_tile_height_is_found():
    def spoil(stream: Commands) -> Commands:
        return tuple(shorter(op) if isinstance(op, NpuOperation) else op for op in stream)

    assert is_found(executed(spoil=spoil))


@pytest.mark.parametrize("purpose", ["maps", "buffers"])
def test_two_live_ranges_on_one_address_are_found(purpose: str):
    layout = sound().layout
    number, area = next(
        (n, each) for n, each in enumerate(layout.areas) if Region.SCRATCH in each.regions
    )
    found, tried = 0, 0
    for one, item in enumerate(area.placements):
        for other in area.placements[one + 1 :]:
            is_buffer = item.op is not None or other.op is not None
            live_at_once = max(item.start_time, other.start_time) < min(
                item.end_time, other.end_time
            )
            if not live_at_once or is_buffer is not (purpose == "buffers"):
                continue
            placements = list(area.placements)
            placements[one] = replace(item, address=other.address)
            areas = list(layout.areas)
            areas[number] = replace(area, placements=tuple(placements))
            tried += 1
            found += is_found(executed(layout=replace(layout, areas=tuple(areas))))
    # Some are live together only because lives are counted in whole operators.
    if purpose == "buffers":
        assert found == tried > 1
    else:
        # Some are live together only because lives are counted in whole operators.
        assert found > tried / 2
