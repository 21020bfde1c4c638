"""What an operator costs, and what bounds it, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.ids import NpuOpId
from core.base.sentences import capitalised
from core.ir.cost import Bound, Direction, Limit, OperatorCost, Purpose
from core.report.where import term_text
from core.report.why.facts import (
    Facts,
    Sentence,
    area_title,
    in_bytes,
    in_cycles,
    listed,
    share_text,
)
from core.report.words import seconds_text
from core.target.target import Area
from core.target.unit import Unit

BOUND_AREAS = {
    Bound.SRAM: Area.SRAM,
    Bound.DRAM: Area.DRAM,
    Bound.ON_CHIP_FLASH: Area.ON_CHIP_FLASH,
    Bound.OFF_CHIP_FLASH: Area.OFF_CHIP_FLASH,
}
_WAITS = {
    Limit.MACS: "multiplying, for the MAC units",
    Limit.WEIGHTS: "multiplying, for the weight decoder",
    Limit.OUTPUT: "putting results out",
    Limit.SCALES: "reading scales and biases",
    Limit.START: "starting blocks, for the latency of the memories",
}
_PLURALS = {
    Purpose.FEATURE_MAP: "feature maps",
    Purpose.WEIGHTS: "weights",
    Purpose.SCALES: "scales and biases",
    Purpose.TABLE: "a look-up table",
    Purpose.COMMANDS: "commands",
}


def cost_sentences(facts: Facts, number: NpuOpId) -> Iterator[Sentence]:
    """How long an operator takes, what it waits for, and what is moved for it."""
    cost, total = facts.material.costs[number], facts.material.total
    seconds = cost.total_cycles / total.clock_hz
    yield Sentence(
        "cost",
        f"It takes {in_cycles(cost.total_cycles)} ({seconds_text(seconds)}),"
        f" {share_text(cost.total_cycles, total.total_cycles)} of the"
        f" {in_cycles(total.total_cycles)} of an inference.",
    )
    yield Sentence("bound", bound_text(cost))
    waiting = _waiting(facts, number)
    if waiting:
        yield Sentence("bound", waiting)
    if cost.ranked:
        yield Sentence("bound", term_text(cost))
    if cost.macs:
        possible = cost.total_cycles * total.macs_per_cycle
        # The estimate can be below the cycles of the operator itself; `_waiting` says why.
        share = min(cost.macs, possible)
        yield Sentence(
            "cost",
            f"It needs {cost.macs:,} MACs, {share_text(share, possible)} of those that"
            f" {total.macs_per_cycle:,} MAC units could make meanwhile.",
        )
    for area in Area:
        moved = _moved(cost, area)
        if moved:
            yield Sentence("traffic", f"In {area_title(area)} it {moved}.")


def bound_text(cost: OperatorCost) -> str:
    """The slowest of what works side by side, and the others."""
    named = dict(zip(Bound, cost.parts, strict=True))
    others = [
        f"{_engine(bound)} {in_cycles(cycles)}"
        for bound, cycles in sorted(named.items(), key=lambda item: -item[1])
        if bound is not cost.bound and round(cycles) > 0
    ]
    slowest = named[cost.bound]
    if not slowest:
        return "Nothing bounds it: it takes no cycles."
    rest = f"; meanwhile {listed(others)}" if others else "; nothing else works meanwhile"
    if cost.bound is not Bound.NPU:
        return f"{capitalised(_engine(cost.bound))} bounds it with {in_cycles(slowest)}{rest}."
    wait = _WAITS.get(cost.limit)
    longest = f", where its blocks spend most of the time {wait}" if wait else ""
    return f"The accelerator itself bounds it with {in_cycles(slowest)}{longest}{rest}."


def _engine(bound: Bound) -> str:
    return "the accelerator" if bound is Bound.NPU else area_title(BOUND_AREAS[bound])


def _waiting(facts: Facts, number: NpuOpId) -> str:
    """The cycles that are not its own work."""
    cost = facts.material.costs[number]
    if facts.op(number).kind.unit is Unit.DMA:
        return ""
    own = cost.own_cycles
    rest = cost.total_cycles - own
    if round(rest) <= 0:
        return ""
    late = max(min(cost.npu_cycles, cost.total_cycles) - own, 0)
    parts = []
    if round(late):
        parts.append(f"{in_cycles(late)} for DMA that nothing hides")
    if round(rest - late):
        parts.append(f"{in_cycles(rest - late)} for {_engine(cost.bound)}")
    return f"Its own work takes {in_cycles(own)}; it waits {listed(parts)}."


def _moved(cost: OperatorCost, area: Area) -> str:
    """What is read and written in a memory."""
    sums: dict[tuple[Direction, Purpose], float] = {}
    for part in cost.traffic:
        if part.area is area:
            key = part.direction, part.purpose
            sums[key] = sums.get(key, 0.0) + part.size_bytes
    verbs = {Direction.READ: "reads", Direction.WRITE: "writes"}
    texts = []
    for direction, verb in verbs.items():
        parts = [
            f"{in_bytes(size)} of {_PLURALS[purpose]}"
            for (way, purpose), size in sums.items()
            if way is direction and round(size)
        ]
        if parts:
            texts.append(f"{verb} {listed(parts)}")
    return listed(texts)
