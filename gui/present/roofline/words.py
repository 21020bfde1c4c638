"""What is told of a roofline: what marks stand for, and how near an operator comes to its roofs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.api import reasons
from core.api.schedules import Workload
from core.base.ids import NpuOpId
from gui.document.answer import Answer
from gui.document.display import Display
from gui.present import units
from gui.present.memory.text import AREA_NAMES
from gui.present.roofline.picture import ALL, Picture

NO_CHOICE = "There is no roofline.\n\nNo operator runs on the NPU."
NOTHING_HERE = "no operator is selected"
_DECIMALS = 2
_TOLD = 3
"""Of operators in one place, how many are told whole."""
_REACHED = 1.001


def explained(picture: Picture, memory: str) -> str:
    """What marks stand for."""
    idle = sum(not each.macs for each in picture.roofline.workloads)
    first, *others = (AREA_NAMES[roof.area] for roof in picture.roofline.roofs)
    parts = []
    if memory == ALL and others:
        parts.append(f"filled: {first}, hollow: {' and '.join(others)}")
    if picture.row is not None:
        parts.append(f"at the foot: {idle:,} without MACs")
    return "; ".join(parts)


def tip(answer: Answer, picture: Picture, ops: Iterable[NpuOpId], display: Display) -> str:
    """What is told of the operators in one place."""
    told = list(ops)
    texts = ["\n".join(_lines(answer, picture, op, display)) for op in told[:_TOLD]]
    if len(told) > _TOLD:
        texts.append(f"and {len(told) - _TOLD:,} more in this place")
    return "\n\n".join(texts)


def _lines(answer: Answer, picture: Picture, op: NpuOpId, display: Display) -> Iterator[str]:
    scheduled, each = answer.scheduled, picture.roofline.workloads[op]
    yield scheduled.graph.titles.op(op)
    clock = scheduled.total.clock_hz
    time = units.time(each.cycles, display.time_unit, clock)
    share = units.share(each.macs_per_cycle / picture.roofline.macs_per_cycle)
    rate = units.trimmed(each.macs_per_cycle, _DECIMALS)
    does = f"{each.macs:,} MACs in {time}: {rate} a cycle, {share} of what can be"
    yield does if each.macs else time
    yield from _memories(each, picture, display)
    yield reasons.term_text(scheduled.costs[op])


def _memories(workload: Workload, picture: Picture, display: Display) -> Iterator[str]:
    for roof, size, intensity in zip(
        picture.roofline.roofs, workload.moved_bytes, workload.macs_per_byte, strict=True
    ):
        if not size:
            continue
        text = f"{AREA_NAMES[roof.area]}: {units.size(size, display.byte_unit)}"
        if intensity:
            text += f", {units.trimmed(intensity, _DECIMALS)} MACs a byte"
        if workload.cycles and size / workload.cycles > roof.bytes_per_cycle * _REACHED:
            text += "; some of it came while others ran"
        yield text
