"""Edits of a network that somebody might try, possible or not."""

from __future__ import annotations

import random
from collections.abc import Iterator

from core.base.geometry import Block
from core.edits.freeze import freeze
from core.edits.names import Names
from core.ir.edits import (
    EdgeNamed,
    Edit,
    Grouping,
    Living,
    OpNamed,
    OpsNamed,
    SpanNamed,
    Traversal,
    Value,
    WeightsAsked,
    What,
)
from core.ir.npugraph import NpuGraph, NpuOp
from core.ir.scheduled import Scheduled
from core.target.format import Format

_LONGEST = 4

_OF_THE_SEARCH = [what for what in What if what is not What.PROCESSOR]
"""Who runs an operator is decided before: the network that is searched is another one."""


def random_edits(graph: NpuGraph, seed: int, most: int) -> tuple[Edit, ...]:
    """Some edits; most of them are possible."""
    draws, names = random.Random(seed), Names.of(graph)
    if not graph.ops:
        return ()
    count = draws.randint(1, most)
    found: list[Edit] = []
    while len(found) < count:
        found += _some(draws, graph, names)
    return tuple(found)


def some_of(done: Scheduled, seed: int, share: float) -> tuple[Edit, ...]:
    """Some of the decisions of a schedule."""
    draws = random.Random(seed)
    every = freeze(done.graph, done.schedule, done.target)
    return tuple(edit for edit in every if draws.random() < share)


def random_cascades(graph: NpuGraph, seed: int) -> tuple[Edit, ...]:
    """Runs of operators that are to be in one cascade, in stripes and buffers of any height."""
    draws, names = random.Random(seed), Names.of(graph)
    found: list[Edit] = []
    first = 0
    while first + 1 < len(graph.ops):
        ops = graph.ops[first : first + draws.randint(2, _LONGEST)]
        first += len(ops)
        found.append(
            Edit(
                subject=OpsNamed(tuple(names.ops[op.id] for op in ops)),
                what=What.CASCADE,
                value=Grouping.TOGETHER,
            )
        )
        for op in ops:
            rows, own, made = op.made.h, names.ops[op.id], names.maps[op.ofm.fm]
            if rows > 1 and draws.random() < 0.6:
                height = draws.randint(1, rows - 1)
                found.append(Edit(subject=own, what=What.STRIPE, value=height))
            if draws.random() < 0.3:
                found.append(Edit(subject=made, what=What.ROLLING, value=draws.randint(1, rows)))
    return tuple(found)


def _some(draws: random.Random, graph: NpuGraph, names: Names) -> Iterator[Edit]:
    op = draws.choice(graph.ops)
    what = draws.choice(_OF_THE_SEARCH)
    match what:
        case What.REGION | What.FORMAT | What.ROLLING:
            fm = draws.choice((names.maps[op.ofm.fm], draws.choice(names.maps)))
            value = {
                What.REGION: draws.choice(list(Living)),
                What.FORMAT: draws.choice(list(Format)),
                What.ROLLING: draws.randint(1, op.made.h),
            }[what]
            yield Edit(subject=fm, what=what, value=value)
        case What.CASCADE:
            yield _grouping(draws, names.ops[op.id : op.id + draws.randint(2, _LONGEST)])
        case What.RESERVE:
            span = SpanNamed(names.ops[op.id], draws.choice(names.ops[op.id :]))
            yield Edit(subject=span, what=what, value=draws.choice((16, 1 << 10, 1 << 13)))
        case What.BEFORE | What.AFTER:
            yield Edit(subject=names.ops[op.id], what=what, value=draws.choice(names.ops))
        case What.ADDRESS:
            return
        case _:
            value = _of_op(draws, op, what)
            if value is not None:
                yield Edit(subject=names.ops[op.id], what=what, value=value)


def _grouping(draws: random.Random, ops: tuple[OpNamed, ...]) -> Edit:
    """An operator by itself is apart from none."""
    value = draws.choice([each for each in Grouping if len(ops) > 1 or each is not Grouping.APART])
    is_cut = value is Grouping.APART
    subject = EdgeNamed(ops[0], ops[-1]) if is_cut else OpsNamed(ops)
    return Edit(subject=subject, what=What.CASCADE, value=value)


def _of_op(draws: random.Random, op: NpuOp, what: What) -> Value | None:
    if what is What.STRIPE:
        return draws.choice((1, 2, op.made.h, draws.randint(1, op.made.h + 1)))
    if what is What.BLOCK:
        height, width = (draws.choice((1, 2, 4, 8, 16, 32)) for _ in range(2))
        return Block(height, width, draws.choice((8, 16, 32, 64)))
    if what is What.TRAVERSAL:
        return draws.choice(list(Traversal))
    if op.weights is None:
        return None
    depth = op.weights.values.shape[0]
    cuts = sorted(draws.sample(range(16, max(depth, 17), 16), k=min(1, depth // 17)))
    return WeightsAsked(
        buffers=draws.choice((None, 0, 1, 2)),
        depths=draws.choice((None, (0, depth), (0, *cuts, depth))),
        prefetch=draws.choice((None, True, False)),
    )
