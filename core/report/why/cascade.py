"""A cascade in sentences: what it is made of, what it saves, and why it ends where it does."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.geometry import ceil_div
from core.base.ids import IslandId
from core.ir.schedule import Cascade, IslandSchedule
from core.liveness.sizes import map_bytes
from core.report.why.facts import Facts, Sentence, in_bytes, in_cycles, share_text
from core.report.why.overlays import overlay_sentences
from core.report.why.rings import ring_text
from core.report.why.stripes import growth_sentences, height_sentences
from core.report.words import counted, ranges_text, shape_text


def cascade_sentences(facts: Facts, number: IslandId, position: int) -> Iterator[Sentence]:
    """Everything that explains a cascade."""
    island = facts.material.schedule.islands[number]
    cascade = island.cascades[position]
    yield Sentence("what it is", _what(facts, island, cascade))
    yield from growth_sentences(facts, cascade.ops)
    yield from height_sentences(facts, island, cascade.ops)
    rolling, whole = 0, 0
    for buffer in cascade.buffers:
        fm = facts.material.graph.feature_maps[buffer.fm]
        instead = map_bytes(fm, facts.map_plan(buffer.fm).format)
        rolling, whole = rolling + buffer.size_bytes, whole + instead
        yield Sentence(
            "memory",
            f"Of map {facts.map_name(buffer.fm)} only {counted(buffer.shape.h, 'row')} exist at"
            f" once, in a rolling buffer of {shape_text(buffer.shape)}:"
            f" {in_bytes(buffer.size_bytes)} instead of {in_bytes(instead)}."
            f"{ring_text(facts, buffer.fm)}",
        )
    if len(cascade.buffers) > 1:
        yield Sentence(
            "memory",
            f"Its rolling buffers together take {in_bytes(rolling)}, where whole maps would take"
            f" {in_bytes(whole)}.",
        )
    yield from overlay_sentences(facts, cascade)
    yield from _weights(facts, island, cascade)
    yield Sentence("memory", _counted(facts, island, cascade))
    yield cost_sentence(facts, cascade)


def cost_sentence(facts: Facts, cascade: Cascade) -> Sentence:
    """How long the operators of a cascade take."""
    cycles = sum(facts.material.costs[op].total_cycles for op in cascade.ops)
    share = share_text(cycles, facts.material.total.total_cycles)
    return Sentence("cost", f"Its operators take {in_cycles(cycles)}, {share} of an inference.")


def _what(facts: Facts, island: IslandSchedule, cascade: Cascade) -> str:
    plans = {plan.op: plan for plan in island.ops}
    last = cascade.ops[-1]
    rows, height = facts.op(last).ofm.touched.h, plans[last].stripe.ofm.h
    stripes = ceil_div(rows, max(height, 1))
    return (
        f"Operators {ranges_text(cascade.ops)} run stripe by stripe: the last one makes its"
        f" {counted(rows, 'row')} in {counted(stripes, 'stripe')} of {height:,}, and before each,"
        " the others make what it needs of them."
    )


def _weights(facts: Facts, island: IslandSchedule, cascade: Cascade) -> Iterator[Sentence]:
    """Weights that stay in fast storage while the cascade runs, and those that do not."""
    plans = [plan for plan in island.ops if plan.op in set(cascade.ops) and plan.weights]
    kept = [sum(plan.weights.buffer_bytes) for plan in plans if plan.weights]
    far = [plan.op for plan, size in zip(plans, kept, strict=True) if not size]
    if any(kept):
        text = f"Weights of {counted(len(plans) - len(far), 'operator')} stay in {facts.fast}"
        yield Sentence("weights", f"{text} meanwhile, in {in_bytes(sum(kept))}.")
    if far:
        noun = "operator" if len(far) == 1 else "operators"
        text = f"The weights of {noun} {ranges_text(far)} are read from {facts.permanent}"
        yield Sentence("weights", f"{text} again for every stripe.")


def _counted(facts: Facts, island: IslandSchedule, cascade: Cascade) -> str:
    """What the search counted, beside what is there in the end."""
    time = next(plan.time for plan in island.ops if plan.op == cascade.ops[0])
    return (
        f"The search counted {in_bytes(cascade.size_bytes)} for it; while it runs,"
        f" {in_bytes(island.snapshot[time])} of {facts.fast} are live"
        f"{_of_limit(facts, island.limit_bytes)}."
    )


def _of_limit(facts: Facts, limit_bytes: int) -> str:
    return f", of {in_bytes(limit_bytes)}" if facts.is_limit(limit_bytes) else ""
