"""What can be found by name: all that can be selected, and other words for commands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from core.ir.npugraph import NpuGraph
from gui.document.answer import Answer
from gui.document.selection import CascadeRef, Selection
from gui.present.operators.table import cascade_numbers

_OTHER_WORDS = (
    ("move out of fast storage", "evict spill dram"),
    ("keep in fast storage", "pin hold sram"),
    ("evict", "spill"),
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
)
"""Words in titles, and what others call the same."""


class Find(NamedTuple):
    """Something that can be selected, as a list shows it."""

    title: str
    target: Selection


def finds_of(answer: Answer) -> tuple[Find, ...]:
    """Cascades, operators, and the maps that somebody reads, by their whole names."""
    return (*_cascades(answer), *_ops(answer.scheduled.run.graph), *_maps(answer))


def _cascades(answer: Answer) -> Iterator[Find]:
    islands = answer.scheduled.schedule.islands
    graph = answer.scheduled.run.graph
    for (island, position), number in cascade_numbers(islands).items():
        ops = islands[island].cascades[position].ops
        ends = f"{graph.ops[ops[0]].name} to {graph.ops[ops[-1]].name}"
        yield Find(f"Cascade {number}: {ends}", Selection(cascade=CascadeRef(island, position)))


def _ops(graph: NpuGraph) -> Iterator[Find]:
    for op in graph.ops:
        yield Find(f"Operator {op.id}: {op.name} ({op.kind.value})", Selection(op=op.id))
    for position, cpu_op in enumerate(graph.cpu_ops):
        yield Find(
            f"CPU operator {position}: {cpu_op.name} ({cpu_op.kind})", Selection(cpu_op=position)
        )


def _maps(answer: Answer) -> Iterator[Find]:
    evicted = {
        fm
        for island in answer.scheduled.schedule.islands
        for group in island.evicted
        for fm in group.fms
    }
    for fm in answer.scheduled.run.graph.feature_maps:
        if fm.data is None and fm.name:
            what = "Evicted map" if fm.id in evicted else "Feature map"
            yield Find(f"{what}: {fm.name}", Selection(fm=fm.id))


def other_words(title: str) -> str:
    """What others call that which a title names."""
    lower = title.lower()
    return " ".join(words for phrase, words in _OTHER_WORDS if phrase in lower)
