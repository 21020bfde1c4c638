"""What can be found by name: all that can be selected or is set, and other words for commands."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from core.base.frozen import NamedTuple
from core.base.sentences import capitalised
from core.ir import knobs
from core.ir.layout import Purpose
from core.ir.npugraph import NpuGraph
from gui.document.answer import Answer
from gui.document.display import Display
from gui.document.document import Document
from gui.document.selection import NOTHING_SELECTED, BufferRef, CascadeRef, Selection
from gui.present.controls import applied
from gui.present.edits.rows import table_rows
from gui.present.operators.table import cascade_numbers
from gui.present.units import size

_OTHER_WORDS = (
    ("move out of fast storage", "evict spill dram"),
    ("keep in fast storage", "pin hold sram"),
    ("evict", "spill spilled"),
    ("stripe", "tile split rows"),
    ("cascade", "fuse chain pipeline"),
    ("limit", "arena budget cache sram size"),
    ("export", "save write"),
    ("theme", "colour color appearance"),
    ("strategy", "optimise optimize"),
    ("engine", "search solver"),
    ("freeze", "pin lock"),
    ("undo", "back revert"),
    ("keys", "shortcuts hotkeys"),
    ("peak", "maximum highest"),
    ("decision", "edit pin override force"),
    ("setting", "option knob parameter preference"),
    ("weight buffer", "constants prefetch double"),
    ("feature map", "tensor activation live range"),
    ("evicted map", "tensor activation live range"),
    ("operator", "layer node"),
    ("accelerator", "npu device hardware target"),
    ("memory mode", "dram dedicated shared"),
)
"""Words in titles, and what others call the same."""


class Find(NamedTuple):
    """Something that can be gone to, as a list shows it."""

    title: str
    name: str = ""
    """Its whole name, by which it is found as well."""
    target: Selection = NOTHING_SELECTED
    panel: str = ""
    """The view that has it, where it is no part of the schedule."""
    knob: str = ""
    """The setting, by its name."""


def finds_of(document: Document, answer: Answer, display: Display) -> tuple[Find, ...]:
    """All that can be gone to; of maps, those that somebody reads."""
    return (
        *_cascades(answer),
        *_ops(answer.scheduled.run.graph),
        *_maps(answer),
        *_buffers(answer),
        *_decisions(document, answer),
        *_settings(answer, display),
    )


def _buffers(answer: Answer) -> Iterator[Find]:
    graph = answer.scheduled.run.graph
    buffers = {
        BufferRef(placement.op, placement.buffer): None
        for area in answer.scheduled.layout.areas
        for placement in area.placements
        if placement.op is not None
        and placement.purpose is Purpose.WEIGHTS
        and not placement.region.is_permanent
    }
    for buffer in buffers:
        title = f"Weight buffer {buffer.buffer + 1} of {graph.titles.op(buffer.op)}"
        yield Find(title, graph.ops[buffer.op].name, Selection(buffer=buffer))


def _decisions(document: Document, answer: Answer) -> Iterator[Find]:
    for row in table_rows(document, answer):
        title = f"Decision {row.number}: {row.subject} {row.asked}, {row.state.value}"
        yield Find(title, target=row.target or NOTHING_SELECTED, panel="edits")


def _settings(answer: Answer, display: Display) -> Iterator[Find]:
    for name, text in applied(answer, partial(size, unit=display.byte_unit)).items():
        title = f"Setting {capitalised(knobs.knob_named(name).title)}: {text}"
        yield Find(title, panel="controls", knob=name)


def _cascades(answer: Answer) -> Iterator[Find]:
    islands = answer.scheduled.schedule.islands
    graph = answer.scheduled.run.graph
    for (island, position), number in cascade_numbers(islands).items():
        ops = islands[island].cascades[position].ops
        ends = f"{graph.titles.op(ops[0])} to {graph.titles.op(ops[-1])}"
        names = f"{graph.ops[ops[0]].name} {graph.ops[ops[-1]].name}"
        ref = CascadeRef(island, position)
        yield Find(f"Cascade {number}: {ends}", names, Selection(cascade=ref))


def _ops(graph: NpuGraph) -> Iterator[Find]:
    for op in graph.ops:
        yield Find(f"Operator {graph.titles.op(op.id)}", op.name, Selection(op=op.id))
    for position, cpu_op in enumerate(graph.cpu_ops):
        title = f"Operator {graph.titles.cpu_ops[position]}"
        yield Find(title, cpu_op.name, Selection(cpu_op=position))


def _maps(answer: Answer) -> Iterator[Find]:
    evicted = {
        fm
        for island in answer.scheduled.schedule.islands
        for group in island.evicted
        for fm in group.fms
    }
    graph = answer.scheduled.run.graph
    for fm in graph.feature_maps:
        if fm.data is None and fm.name:
            what = "Evicted map" if fm.id in evicted else "Feature map"
            yield Find(f"{what}: {graph.titles.map(fm.id)}", fm.name, Selection(fm=fm.id))


def other_words(title: str) -> str:
    """What others call that which a title names."""
    lower = title.lower()
    return " ".join(words for phrase, words in _OTHER_WORDS if phrase in lower)
