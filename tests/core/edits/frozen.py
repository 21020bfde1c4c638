"""Schedules whose decisions are all written down, and searched again."""

from __future__ import annotations

from core.base.frozen import replace
from core.edits.freeze import freeze
from core.ir.network import Network
from core.ir.options import Engine, Options
from core.ir.scheduled import Run, Scheduled
from core.lower import run as lower
from core.pipeline.compile import compile_model
from core.pipeline.scheduled import Workbench
from core.target.target import Target


def what_runs(done: Scheduled) -> tuple[object, ...]:
    """All of a schedule that a compiled model depends on."""
    ops = tuple(
        (plan.op, plan.stripe, plan.block, plan.cascade, _weights(plan))
        for plan in done.schedule.ops
    )
    cascades = tuple(
        (c.ops, c.buffers) for island in done.schedule.islands for c in island.cascades
    )
    order = tuple(plan.op for plan in done.plans())
    return ops, order, cascades, done.schedule.maps


def _weights(plan):
    if plan.weights is None:
        return None
    return (
        plan.weights.encoding,
        plan.weights.depth_slices,
        plan.weights.buffer_bytes,
        plan.weights.lead_steps,
    )


def bench_of(network: Network, target: Target, options: Options) -> Workbench:
    """The network, lowered."""
    graph = lower.run(network, target.accelerator, options.lowering)
    return Workbench(Run(network=network, accelerator=target.accelerator, graph=graph))


def twice(
    bench: Workbench, target: Target, options: Options, engine: Engine | None = None
) -> tuple[Scheduled, Scheduled]:
    """A schedule, and what is found when all that it decides is asked for, by either engine."""
    first = bench.schedule(target, options)
    edits = freeze(first.graph, first.schedule, target)
    again = replace(options, edits=edits, engine=engine or options.engine)
    return first, bench.schedule(target, again)


def compiled(bench: Workbench, done: Scheduled) -> bytes:
    """The compiled model, without the edits that it would carry."""
    plain = replace(done, options=replace(done.options, edits=()))
    return compile_model(plain, encodings=bench.encodings).data
