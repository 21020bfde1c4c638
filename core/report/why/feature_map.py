"""A feature map in sentences: who makes and reads it, how it is stored, where it lives, and why."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.ids import FmId, NpuOpId
from core.ir.decisions import ConstantPlaced, FullMapNeeded, Role, WholeReason
from core.liveness.sizes import map_bytes
from core.report.why.eviction import eviction_sentences
from core.report.why.facts import (
    Facts,
    Sentence,
    Touch,
    area_title,
    in_bytes,
    listed,
    ops_text,
)
from core.report.why.formats import format_sentences
from core.report.why.overlays import map_overlay_sentences
from core.report.why.reasons import because
from core.report.why.rings import ring_text
from core.report.words import counted, ranges_text, shape_text
from core.target.region import Region


def map_sentences(facts: Facts, number: FmId) -> Iterator[Sentence]:
    """Everything that explains a feature map."""
    touch = facts.touch(number)
    yield Sentence("what it is", what_text(facts, number, touch))
    yield from format_sentences(facts, number)
    yield from _whole(facts, number)
    yield from _home(facts, number, touch)
    yield from eviction_sentences(facts, number)
    yield from map_overlay_sentences(facts, number)
    yield from place_sentences(facts, number)


def home_text(facts: Facts, number: FmId) -> str:
    """Where a map lives, in a few words."""
    plan = facts.map_plan(number)
    area = area_title(facts.map_area(number))
    if plan.rolling is not None:
        return f"in a rolling buffer of {counted(plan.rolling.h, 'row')} in {area}"
    if facts.eviction(number) is not None:
        return f"in {area}, as it found no room in {facts.fast}"
    return f"in {area}"


def what_text(facts: Facts, number: FmId, touch: Touch) -> str:
    """A map in a sentence: its shape, its size, and who makes and reads it."""
    graph = facts.material.graph
    fm = graph.feature_maps[number]
    size = map_bytes(fm, facts.map_plan(number).format)
    noun = "a constant" if fm.data is not None else "a feature map"
    text = (
        f"{facts.map_name(number)} is {noun} of {shape_text(fm.shape)}"
        f" {fm.dtype.name.lower()}, {in_bytes(size)} as it is stored"
    )
    makers = [makers_text(facts, touch.makers)] if touch.makers else []
    makers += [_cpu_ops(touch.cpu_makers)] if touch.cpu_makers else []
    if any(number in inputs for inputs in graph.inputs):
        makers.append("whoever runs the network, as its input")
    readers = [makers_text(facts, touch.readers)] if touch.readers else []
    readers += [_cpu_ops(touch.cpu_readers)] if touch.cpu_readers else []
    if any(number in outputs for outputs in graph.outputs):
        readers.append("whoever runs the network, as its output")
    if makers:
        text += f"; made by {listed(makers)}"
    return f"{text}; read by {listed(readers) or 'nobody'}."


def makers_text(facts: Facts, ops: tuple[NpuOpId, ...]) -> str:
    """Operators by their numbers; one alone also by its kind."""
    return facts.op_name(ops[0]) if len(ops) == 1 else ops_text(ops)


def _cpu_ops(positions: tuple[int, ...]) -> str:
    noun = "operator" if len(positions) == 1 else "operators"
    return f"CPU {noun} {ranges_text(sorted(positions))}"


def _whole(facts: Facts, number: FmId) -> Iterator[Sentence]:
    """Operators that need the map whole; one sentence for each reason."""
    reasons: dict[tuple[str, WholeReason], list[NpuOpId]] = {}
    for decision in facts.decisions(FullMapNeeded):
        op = facts.op(decision.op)
        view = {Role.IFM: op.ifm, Role.IFM2: op.ifm2, Role.OFM: op.ofm}[decision.role]
        if view is not None and view.fm == number:
            verb = "made" if decision.role is Role.OFM else "read"
            reasons.setdefault((verb, decision.reason), []).append(decision.op)
    for (verb, reason), ops in reasons.items():
        by = makers_text(facts, tuple(ops))
        yield Sentence(
            "cascade",
            f"It cannot roll through a cascade where it is {verb} by {by}: {because(reason)}.",
        )


def _home(facts: Facts, number: FmId, touch: Touch) -> Iterator[Sentence]:
    """The memory that holds it, and why that one, apart from the contest for fast storage."""
    plan, fm = facts.map_plan(number), facts.material.graph.feature_maps[number]
    area = area_title(facts.map_area(number))
    if fm.data is not None:
        placed = [d for d in facts.decisions(ConstantPlaced) if d.fm == number]
        why = f": {because(placed[0].reason)}" if placed else ""
        yield Sentence("memory", f"As a constant it is in {area}{why}.")
        return
    if plan.rolling is not None:
        yield Sentence("memory", _rolling_text(facts, number, area))
        return
    if facts.eviction(number) is not None or plan.region is Region.SCRATCH_FAST:
        # The contest says why.
        return
    if not facts.material.target.is_spilling:
        yield Sentence(
            "memory",
            f"It lives in {area}, where all feature maps of this memory mode live: nothing is"
            " moved between memories.",
        )
        return
    yield Sentence("memory", f"It lives in {area}, since {_no_contender(facts, number, touch)}.")


def _rolling_text(facts: Facts, number: FmId, area: str) -> str:
    plan, fm = facts.map_plan(number), facts.material.graph.feature_maps[number]
    assert plan.rolling is not None
    rolling = plan.rolling.elements * fm.dtype.bits // 8
    return (
        f"A cascade hands it on: only {counted(plan.rolling.h, 'row')} of it exist at once, in"
        f" a rolling buffer in {area} of {in_bytes(rolling)} instead of"
        f" {in_bytes(map_bytes(fm, plan.format))}.{ring_text(facts, number)}"
    )


def _no_contender(facts: Facts, number: FmId, touch: Touch) -> str:
    """Why a map was never to be moved to fast storage."""
    graph = facts.material.graph
    fm = graph.feature_maps[number]
    if fm.is_variable or fm.storage != number:
        return "it keeps its elements from one inference to the next"
    if not touch.makers:
        return "no operator of the accelerator makes it"
    if any(number in island.outputs for island in graph.islands):
        return "it is read outside of its command stream"
    if not touch.readers:
        return "no operator of the accelerator reads it"
    maker = touch.makers[0]
    _, plan = facts.place(maker)
    if plan.cascade is not None:
        return f"{facts.op_name(maker)} makes it as a part of a cascade"
    return f"it is not worth moving what {facts.op_name(maker)} makes"


def place_sentences(facts: Facts, number: FmId) -> Iterator[Sentence]:
    """Where the bytes of a map lie, and for how long."""
    for area in facts.material.layout.areas:
        for place in area.placements:
            if number not in place.fms:
                continue
            others = [facts.map_name(fm) for fm in place.fms if fm != number]
            shared = f"; it has the same bytes as {listed(others)}" if others else ""
            time = (
                ""
                if place.region.is_permanent
                else f" in steps {place.start_time} to {place.end_time}"
            )
            if facts.material.graph.lives_on(place.fms):
                time += " and from one inference to the next"
            yield Sentence(
                "memory",
                f"It lies at address {place.address:,} of {place.region.value}, in"
                f" {in_bytes(place.size_bytes)}{time}{shared}.",
            )
