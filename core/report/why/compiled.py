"""A compiled model in sentences: what its streams show, and what nobody can tell of them."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.ids import FmId, IslandId, NpuOpId
from core.ir.schedule import OpPlan
from core.ir.untold import Matter
from core.report.why import feature_map, npu_op, weights
from core.report.why.cascade import cost_sentence
from core.report.why.cost import cost_sentences
from core.report.why.cpu_op import between_text, maps_text
from core.report.why.facts import Facts, Sentence, area_title, in_bytes, in_cycles
from core.report.why.formats import ORDERS
from core.report.why.network import area_text, speed_sentences
from core.report.words import counted, ranges_text, shape_text

UNTOLD_TOPIC = "what it cannot tell"


def network_sentences(facts: Facts) -> Iterator[Sentence]:
    """Everything that can be said of a compiled model as a whole."""
    material = facts.material
    streams = counted(len(material.graph.islands), "command stream")
    cpu_ops = len(material.graph.cpu_ops)
    beside = f", and {counted(cpu_ops, 'operator')} beside on the CPU" if cpu_ops else ""
    yield Sentence(
        "what it is",
        f"This is a compiled model, made by {material.compiled_by}: {streams} for"
        f" {material.target.accelerator.name}, with {counted(len(material.graph.ops), 'operator')}"
        f"{beside}.",
    )
    yield from speed_sentences(facts)
    for area in material.layout.areas:
        if area.height_bytes:
            yield Sentence("memory", area_text(facts, area))
    for island in material.schedule.islands:
        ops = sum(len(cascade.ops) for cascade in island.cascades)
        if ops:
            yield Sentence(
                "cascade",
                f"In command stream {island.island}, {counted(ops, 'operator')} of"
                f" {len(island.ops):,} run in {counted(len(island.cascades), 'cascade')}.",
            )
    yield from _untold(facts, *Matter)


def operator_sentences(facts: Facts, number: NpuOpId) -> Iterator[Sentence]:
    """Everything that commands show of an operator."""
    island, plan = facts.place(number)
    yield Sentence("what it is", npu_op.what_text(facts, number))
    where = f"It is one of {counted(len(island.ops), 'operator')} in command stream {island.island}"
    yield Sentence("what it is", f"{where}.")
    yield from cost_sentences(facts, number)
    yield from _stripes(facts, plan, island.island)
    if min(plan.block.ofm_block):
        yield Sentence("block", npu_op.block_text(facts, number))
    yield from _weights(facts, plan)
    op = facts.op(number)
    for role, view in (("reads", op.ifm), ("also reads", op.ifm2), ("writes", op.ofm)):
        if view is not None:
            yield Sentence("memory", f"It {role} {_home(facts, view.fm)}.")
    live = in_bytes(island.snapshot[plan.time])
    yield Sentence("memory", f"When it begins, {live} of {facts.fast} are live.")
    yield from _untold(facts, Matter.NAMES, Matter.REASONS)


def map_sentences(facts: Facts, number: FmId) -> Iterator[Sentence]:
    """Everything that commands show of a map."""
    yield Sentence("what it is", feature_map.what_text(facts, number, facts.touch(number)))
    plan = facts.map_plan(number)
    yield Sentence("format", f"It is stored {ORDERS[plan.format]}.")
    if plan.rolling is not None:
        rows = counted(plan.rolling.h, "row")
        yield Sentence("memory", f"Only {rows} of it exist at once, in a rolling buffer.")
    yield from feature_map.place_sentences(facts, number)
    yield from _untold(facts, Matter.LIVES, Matter.REASONS)


def cascade_sentences(facts: Facts, number: IslandId, position: int) -> Iterator[Sentence]:
    """Everything that commands show of a cascade."""
    island = facts.material.schedule.islands[number]
    cascade = island.cascades[position]
    steps = sum(
        len(each.steps)
        for each in facts.analysis.cascades
        if (each.island, each.cascade) == (number, position)
    )
    yield Sentence(
        "what it is",
        f"Operators {ranges_text(cascade.ops)} take turns in command stream {number}: they run in"
        f" {counted(steps, 'stripe')}.",
    )
    for buffer in cascade.buffers:
        yield Sentence(
            "memory",
            f"{_home(facts, buffer.fm)} has {in_bytes(buffer.size_bytes)} for"
            f" {shape_text(buffer.shape)}.",
        )
    yield cost_sentence(facts, cascade)
    yield from _untold(facts, Matter.CASCADES, Matter.REASONS)


def buffer_sentences(facts: Facts, number: NpuOpId, buffer: int) -> Iterator[Sentence]:
    """Everything that commands show of a weight buffer."""
    _, plan = facts.place(number)
    yield from weights.buffer_sentences(facts, number, buffer)
    yield from _weights(facts, plan)
    yield from _untold(facts, Matter.WEIGHTS, Matter.REASONS)


def cpu_sentences(facts: Facts, position: int) -> Iterator[Sentence]:
    """What the file says of an operator on the CPU."""
    op = facts.material.graph.cpu_ops[position]
    given, made = maps_text(facts, op.inputs), maps_text(facts, op.outputs)
    yield Sentence(
        "what it is",
        f"{op.kind} is operator {op.source.op} of the file and runs on the CPU: it makes"
        f" {made or 'nothing'} of {given or 'nothing'}.",
    )
    between = between_text(facts, op)
    if between:
        yield Sentence("memory", between)
    yield from _untold(facts, Matter.CPU, Matter.REASONS)


def _stripes(facts: Facts, plan: OpPlan, island: IslandId) -> Iterator[Sentence]:
    rows, height = facts.op(plan.op).ofm.touched.h, plan.stripe.ofm.h
    if height < rows:
        yield Sentence("stripe", f"It makes {height:,} of its {counted(rows, 'row')} at once.")
    if plan.cascade is not None:
        ops = facts.material.schedule.islands[island].cascades[plan.cascade].ops
        yield Sentence("cascade", f"It takes turns with operators {ranges_text(ops)}.")


def _weights(facts: Facts, plan: OpPlan) -> Iterator[Sentence]:
    read = plan.weights
    if read is None:
        return
    yield Sentence("weights", weights.how_text(facts, read, None))
    if len(read.slice_bytes) > 1:
        yield Sentence("weights", weights.slices_text(read))
    if read.transfer_cycles:
        early = "begin before it could" if read.is_prefetched else "begin when it could"
        cycles = in_cycles(read.transfer_cycles)
        yield Sentence("weights", f"Transfers of them take {cycles}; they {early}.")


def _home(facts: Facts, fm: FmId) -> str:
    return f"{facts.map_name(fm)} in {area_title(facts.map_area(fm))}"


def _untold(facts: Facts, *matters: Matter) -> Iterator[Sentence]:
    for each in facts.material.untold:
        if each.matter in matters:
            yield Sentence(UNTOLD_TOPIC, each.text)
