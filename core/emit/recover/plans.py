"""The schedule that a program shows: blocks, stripes, cascades, and how weights arrive."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from core.base.digest import digest
from core.base.geometry import Block
from core.base.ids import IslandId, TensorRef
from core.emit.lives import NOBODY
from core.emit.recover.found import Found, FoundOp, FoundPart
from core.emit.recover.maps import Atlas, MapKey
from core.emit.recover.streamops import operands_of
from core.emit.work import work_of
from core.ir.decisions import Candidate
from core.ir.program import NpuOperation
from core.ir.schedule import (
    Cascade,
    IslandSchedule,
    OpPlan,
    RollingBuffer,
    Schedule,
    Stripe,
    WeightPlan,
)
from core.target.block import BlockConfig
from core.target.shram import Accumulator

_MOST_BUFFERS = 2
_NO_BLOCK = BlockConfig(
    ofm_block=Block(0, 0, 0),
    ifm_block=Block(0, 0, 0),
    ofm_ublock=Block(0, 0, 0),
    accumulator=Accumulator.ACC32,
    is_part_kernel=False,
)


def schedule_of(
    found: Found, maps: Atlas, network: str, snapshots: Sequence[tuple[int, ...]]
) -> Schedule:
    """The schedule of a program; what is live in fast storage is given, part by part."""
    return Schedule(
        network=network,
        maps=maps.plans,
        islands=tuple(
            IslandSchedule(
                island=IslandId(part.number),
                candidate=Candidate.AS_COMPILED,
                ops=tuple(_plan(found, maps, part, op) for op in part.ops),
                cascades=tuple(_cascades(found, maps, part)),
                limit_bytes=found.target.accelerator.max_address,
                snapshot=snapshot,
                evicted=(),
            )
            for part, snapshot in zip(found.parts, snapshots, strict=True)
        ),
        decisions=(),
    )


def cascade_ops(part: FoundPart) -> list[list[FoundOp]]:
    """The operators of each cascade of a stream."""
    groups: list[list[FoundOp]] = [[] for _ in part.study.structure.cascades]
    for op in part.ops:
        if op.steps.cascade is not None:
            groups[op.steps.cascade].append(op)
    return groups


def _cascades(found: Found, maps: Atlas, part: FoundPart) -> Iterator[Cascade]:
    for ops in cascade_ops(part):
        buffers = tuple(_buffer(maps, part, op) for op in _makers(found, maps, ops))
        yield Cascade(
            ops=tuple(op.id for op in ops),
            buffers=buffers,
            size_bytes=sum(buffer.size_bytes for buffer in buffers),
        )


def _makers(found: Found, maps: Atlas, ops: Sequence[FoundOp]) -> Iterator[FoundOp]:
    """Of each map that is made and last read in a cascade, the operator that first makes it."""
    own = {op.id for op in ops}
    elsewhere, read = set[MapKey](), set[MapKey]()
    for op in found.ops:
        used = maps.of_op[op.id]
        inputs = {used.ifm} | ({used.ifm2} if used.ifm2 is not None else set())
        if op.id in own:
            read |= inputs
        else:
            elsewhere |= {*inputs, used.ofm}
    seen = set[MapKey]()
    for op in ops:
        made = maps.of_op[op.id].ofm
        if made in read - elsewhere - seen and not isinstance(made, TensorRef):
            seen.add(made)
            yield op


def _buffer(maps: Atlas, part: FoundPart, op: FoundOp) -> RollingBuffer:
    assert op.whole is not None
    fm = maps.ids[maps.of_op[op.id].ofm]
    life = operands_of(part.study, op.position).ofm
    return RollingBuffer(
        fm=fm,
        shape=maps.plans[fm].rolling or op.whole.ofm,
        size_bytes=part.study.lives[life].size_bytes if life != NOBODY else 0,
    )


def _plan(found: Found, maps: Atlas, part: FoundPart, op: FoundOp) -> OpPlan:
    spent = [part.spent[at] for at in op.steps.commands]
    shape = maps.shapes[maps.of_op[op.id].ofm]
    return OpPlan(
        op=op.id,
        stripe=op.whole.stripe if op.whole else Stripe(shape, shape, None),
        block=_block(found, part, op),
        cascade=op.steps.cascade,
        weights=_weights(part, op),
        macs=sum(each.macs for each in spent),
        cycles=sum(each.own_cycles for each in spent),
        slack_cycles=0,
        slack_bytes=0,
        time=part.times[op.position] - part.start_time,
    )


def _block(found: Found, part: FoundPart, op: FoundOp) -> BlockConfig:
    if op.first is None:
        return _NO_BLOCK
    work = work_of(found.target, part.study.part.regions, op.first)
    if work is not None:
        return work.block
    return BlockConfig(
        ofm_block=op.first.block,
        ifm_block=_NO_BLOCK.ifm_block,
        ofm_ublock=found.target.accelerator.ofm_ublock,
        accumulator=op.first.accumulator,
        is_part_kernel=op.first.is_part_kernel,
    )


def _weights(part: FoundPart, op: FoundOp) -> WeightPlan | None:
    if op.first is None or op.whole is None or not (op.first.weights or op.first.scales):
        return None
    commands, clock = part.study.part.stream.commands, part.clock
    slices = op.steps.commands if op.steps.slices > 1 else op.steps.commands[:1]
    ops = [item for at in slices if isinstance(item := commands[at], NpuOperation)]
    first = min((clock.start[at] for at in op.steps.loads), default=None)
    return WeightPlan(
        encoding=digest(tuple((item.weights, item.scales) for item in ops)),
        depth_slices=op.whole.channels,
        slice_bytes=tuple(
            sum(each.size_bytes for each in (*item.weights, *item.scales)) for item in ops
        ),
        buffer_bytes=_buffers(part, slices),
        lead_steps=int(first is not None and first < clock.free[op.position]),
        transfer_cycles=sum(part.spent[at].own_cycles for at in op.steps.loads),
    )


def _buffers(part: FoundPart, slices: Sequence[int]) -> tuple[int, ...]:
    """Sizes of the buffers that slices go through in turn; more than two count as two."""
    sizes = [0] * _MOST_BUFFERS
    places = set[int]()
    turns = itertools.cycle(range(_MOST_BUFFERS))
    for at, turn in zip(slices, turns, strict=False):
        lives = [part.study.lives[life] for life in set(operands_of(part.study, at).streams)]
        if lives:
            places.add(min(life.address for life in lives))
            sizes[turn] = max(sizes[turn], sum(life.size_bytes for life in lives))
    if len(places) > 1:
        return tuple(sizes)
    return (max(sizes),) if places else ()


def buffer_turns(part: FoundPart, op: FoundOp) -> Iterator[int]:
    """Which of its weight buffers each operation of an operator reads."""
    weights = _weights(part, op) if op.steps.slices > 1 else None
    count = len(weights.buffer_bytes) if weights is not None else 0
    turns = itertools.cycle(range(max(count, 1)))
    return itertools.islice(turns, len(op.steps.commands))
