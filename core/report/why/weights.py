"""How weights reach the accelerator, and why that way, in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from core.base.ids import NpuOpId
from core.ir.decisions import Buffering, BuffersReduced, WeightsBuffered, WeightsReason
from core.ir.schedule import OpPlan, WeightPlan
from core.report.why.facts import Facts, Sentence, in_bytes, in_cycles, listed
from core.report.why.reasons import because
from core.report.words import counted

_MOST_SLICES_TOLD = 4
_WAYS = {
    Buffering.DIRECT: "with weights as they are stored",
    Buffering.SINGLE: "with one buffer",
    Buffering.DOUBLE: "with two buffers",
}
_ABOUT_ROOM = {
    WeightsReason.NO_ROOM_BESIDE_CASCADE,
    WeightsReason.FITS_WHOLE,
    WeightsReason.NO_ROOM,
    WeightsReason.NO_ROOM_FOR_BUFFER,
    WeightsReason.NO_ROOM_FOR_SLICE,
    WeightsReason.LARGER_THAN_PRICED,
}


def weight_sentences(facts: Facts, number: NpuOpId) -> Iterator[Sentence]:
    """Whether weights are buffered, in which slices, and what of it is hidden."""
    island, plan = facts.place(number)
    weights = plan.weights
    if weights is None:
        return
    position = island.ops.index(plan)
    before = island.ops[position - 1] if position else None
    decision = next((d for d in facts.decisions(WeightsBuffered) if d.op == number), None)
    yield Sentence("weights", how_text(facts, weights, decision))
    if decision is not None and decision.tried:
        yield Sentence("weights", _ways_text(decision))
    if len(weights.slice_bytes) > 1:
        yield Sentence("weights", slices_text(weights))
    if weights.buffer_bytes:
        yield Sentence("weights", _arrival(facts, plan, weights, before))
    yield from reduction_sentences(facts, number)


def buffer_sentences(facts: Facts, number: NpuOpId, buffer: int) -> Iterator[Sentence]:
    """One of an operator's weight buffers: its size, its slices, and when it is there."""
    _, plan = facts.place(number)
    weights = plan.weights
    assert weights is not None
    count = len(weights.buffer_bytes)
    which = "the only weight buffer" if count == 1 else f"weight buffer {buffer + 1} of {count}"
    size = weights.buffer_bytes[buffer]
    slices = weights.slice_bytes[buffer::count]
    passing = f"{counted(len(slices), 'slice')} of weights pass through it one after the other"
    if len(slices) == 1:
        passing = f"one slice of {in_bytes(slices[0])} goes into it"
    yield Sentence(
        "what it is",
        f"This is {which} of {facts.op_name(number)}: {in_bytes(size)} of {facts.fast}; {passing}.",
    )
    for area in facts.material.layout.areas:
        for place in area.placements:
            if place.op == number and place.buffer == buffer and not place.region.is_permanent:
                yield Sentence(
                    "memory",
                    f"It lies at address {place.address:,} in steps {place.start_time} to"
                    f" {place.end_time}; its operator runs in step"
                    f" {facts.material.layout.op_times[number]}.",
                )


def reduction_sentences(facts: Facts, number: NpuOpId) -> Iterator[Sentence]:
    """What became of buffers that were reduced for the sake of evicted maps."""
    for decision in facts.decisions(BuffersReduced):
        if number in decision.ops:
            yield Sentence("weights", reduction_text(decision))


def reduction_text(decision: BuffersReduced) -> str:
    """The trial of smaller weight buffers, and its outcome."""
    gain = decision.dram_cycles_before - decision.dram_cycles
    if decision.cycles < decision.cycles_before:
        busy = f"though DRAM is not busy for much less time ({in_cycles(gain)} fewer)"
        outcome = "was kept, being faster" if decision.is_kept else f"was dropped, {busy}"
    else:
        busy = f"as DRAM is busy for {in_cycles(gain)} fewer"
        outcome = f"was kept, {busy}" if decision.is_kept else "was dropped, being no faster"
    return (
        f"Weight buffers of {counted(len(decision.ops), 'operator')} were tried smaller, by what"
        f" was evicted beside them: {in_cycles(decision.cycles)} and"
        f" {in_bytes(decision.evicted_bytes)} evicted, against"
        f" {in_cycles(decision.cycles_before)} and {in_bytes(decision.evicted_bytes_before)}"
        f" before; this {outcome}."
    )


def how_text(facts: Facts, weights: WeightPlan, decision: WeightsBuffered | None) -> str:
    """How weights come from where they are stored, and what decided that, if it is known."""
    stream = f"Its weights and scales take {in_bytes(weights.stream_bytes)} as they are encoded"
    why = f": {because(decision.reason)}" if decision is not None else ""
    room = ""
    if decision is not None and (weights.buffer_bytes or decision.reason in _ABOUT_ROOM):
        room = f" (buffers {_allowed(facts, decision.limit_bytes)})"
    if not weights.buffer_bytes:
        return f"{stream}, and are read from {facts.permanent} as they are used{why}{room}."
    sizes = listed([in_bytes(size) for size in weights.buffer_bytes])
    count = "one buffer" if len(weights.buffer_bytes) == 1 else "two buffers in turn"
    through = f"go through {count} in {facts.fast} ({sizes})"
    return f"{stream}, and {through}{why}{room}."


def _ways_text(decision: WeightsBuffered) -> str:
    """What an operator would cost in each of the ways in which its weights could come."""
    told = [
        f"{in_cycles(cycles)} {_WAYS[way]}"
        for way, cycles in sorted(
            zip(decision.tried, decision.cycles, strict=True), key=lambda pair: pair[1]
        )
    ]
    return f"By the estimate it takes {listed(told)}."


def _allowed(facts: Facts, limit_bytes: int) -> str:
    if not facts.is_limit(limit_bytes):
        return "may take any amount"
    return f"may take {in_bytes(max(limit_bytes, 0))}"


def slices_text(weights: WeightPlan) -> str:
    """The slices that weights are cut into."""
    count = len(weights.slice_bytes)
    edges = [f"{first}-{end - 1}" for first, end in pairwise(weights.depth_slices)]
    told = edges[:_MOST_SLICES_TOLD]
    if count > _MOST_SLICES_TOLD:
        told = [*told[:-2], f"... {edges[-1]}"]
    return (
        f"They are cut into {count} slices, of output channels {', '.join(told)}; the first is"
        f" {in_bytes(weights.slice_bytes[0])}, the largest"
        f" {in_bytes(max(weights.slice_bytes))}."
    )


def _arrival(facts: Facts, plan: OpPlan, weights: WeightPlan, before: OpPlan | None) -> str:
    """The first transfer, and how much of it is under the operator before."""
    cost = facts.material.costs[plan.op]
    late = max(min(cost.npu_cycles, cost.total_cycles) - cost.own_cycles, 0)
    shown = f"{in_cycles(late)} of that are waited for" if round(late) else "nobody waits for it"
    if weights.transfer_cycles:
        shown = f"fetching all takes {in_cycles(weights.transfer_cycles)}, and {shown}"
    return f"{_when(facts, plan, weights, before)}; {shown}."


def _when(facts: Facts, plan: OpPlan, weights: WeightPlan, before: OpPlan | None) -> str:
    if weights.lead_steps > 1:
        return f"The first slice arrives while the {weights.lead_steps} operators before run"
    if weights.is_prefetched and before is not None:
        return (
            f"The first slice arrives while {facts.op_name(before.op)} runs, which leaves"
            f" {in_cycles(before.slack_cycles)} for DMA"
        )
    if before is None:
        return "No operator runs before it, under which its weights could arrive"
    if plan.cascade is not None:
        return "They are fetched once, before its first stripe, and stay until its last"
    return (
        f"The first slice is fetched when the operator begins, as {facts.op_name(before.op)}"
        f" leaves only {in_bytes(max(before.slack_bytes, 0))} free while it runs"
    )
