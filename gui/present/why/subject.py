"""What an explanation is about, by the selection, and what that has to do with."""

from __future__ import annotations

from collections.abc import Iterator

from core.api.reasons import (
    AboutBuffer,
    AboutCascade,
    AboutCpuOp,
    AboutMap,
    AboutNetwork,
    AboutOp,
    Subject,
)
from core.base.frozen import NamedTuple
from core.base.ids import FmId, NpuOpId
from gui.document.answer import Answer
from gui.document.selection import BufferRef, CascadeRef, Selection
from gui.present.names import whole_name
from gui.present.operators.table import cascade_numbers
from gui.present.why.edits import Do, Fold, TakeWay

Target = Selection | Do | TakeWay | Fold
"""What a link leads to."""


class Link(NamedTuple):
    """Something that the subject has to do with."""

    group: str
    text: str
    target: Target
    tip: str = ""
    """The whole name, where the text is a short one."""


def subject_of(answer: Answer, selection: Selection) -> Subject | None:
    """What is selected; None for nothing, or where this schedule has no such thing."""
    graph = answer.scheduled.run.graph
    op, fm, cpu_op, cascade = selection.op, selection.fm, selection.cpu_op, selection.cascade
    subject: Subject | None = None
    if op is not None and op < len(graph.ops):
        subject = AboutOp(op)
    elif fm is not None and fm < len(graph.feature_maps):
        subject = AboutMap(fm)
    elif cpu_op is not None and cpu_op < len(graph.cpu_ops):
        subject = AboutCpuOp(cpu_op)
    elif cascade is not None and cascade in _cascade_refs(answer):
        subject = AboutCascade(*cascade)
    elif selection.buffer is not None and selection.buffer.op < len(graph.ops):
        subject = _buffer_subject(answer, selection.buffer)
    return subject


def _buffer_subject(answer: Answer, buffer: BufferRef) -> Subject:
    """The buffer, or its operator where the weights are not buffered like that any more."""
    weights = answer.scheduled.schedule.ops[buffer.op].weights
    count = len(weights.buffer_bytes) if weights is not None else 0
    return AboutBuffer(*buffer) if buffer.buffer < count else AboutOp(buffer.op)


def _cascade_refs(answer: Answer) -> dict[CascadeRef, int]:
    """Cascades by their numbers."""
    numbers = cascade_numbers(answer.scheduled.schedule.islands)
    return {CascadeRef(*place): number for place, number in numbers.items()}


def title_of(answer: Answer, subject: Subject | None) -> str:
    """What an explanation is about, in few words."""
    graph = answer.scheduled.run.graph
    match subject:
        case AboutOp(op):
            return graph.titles.op(op)
        case AboutMap(fm):
            return graph.titles.map(fm)
        case AboutCascade(island, cascade):
            return f"Cascade {_cascade_refs(answer)[CascadeRef(island, cascade)]}"
        case AboutBuffer(op, buffer):
            return f"Weight buffer {buffer + 1} of {graph.titles.op(op)}"
        case AboutCpuOp(position):
            return graph.titles.cpu_ops[position]
        case _:
            return "The whole schedule"


def related(answer: Answer, subject: Subject) -> tuple[Link, ...]:
    """What the subject has to do with; each of it once, and links of a group together."""
    links = {link.target: link for link in reversed(tuple(_related(answer, subject)))}
    found = tuple(reversed(links.values()))
    groups = list(dict.fromkeys(link.group for link in found))
    return tuple(sorted(found, key=lambda link: groups.index(link.group)))


def _related(answer: Answer, subject: Subject) -> Iterator[Link]:
    match subject:
        case AboutOp(op):
            yield from _of_op(answer, op)
        case AboutMap(fm):
            yield from _of_map(answer, fm)
        case AboutCascade(island, cascade):
            chosen = answer.scheduled.schedule.islands[island].cascades[cascade]
            yield from (_op_link("Operators", op) for op in chosen.ops)
            for buffer in chosen.buffers:
                yield _map_link(answer, "Rolling buffers", buffer.fm)
        case AboutBuffer(op, buffer):
            yield _op_link("Operator", op)
            itself = Selection(buffer=BufferRef(op, buffer))
            yield from (link for link in _buffers(answer, op) if link.target != itself)
        case AboutCpuOp(position):
            cpu_op = answer.scheduled.run.graph.cpu_ops[position]
            yield from (_map_link(answer, "Inputs", fm) for fm in cpu_op.inputs)
            yield from (_map_link(answer, "Outputs", fm) for fm in cpu_op.outputs)
        case AboutNetwork():
            yield from _of_network(answer)


def _of_op(answer: Answer, number: NpuOpId) -> Iterator[Link]:
    for ref, cascade in _cascade_refs(answer).items():
        if number in answer.scheduled.schedule.islands[ref.island].cascades[ref.cascade].ops:
            yield Link("Cascade", str(cascade), Selection(cascade=ref))
    op = answer.scheduled.run.graph.ops[number]
    yield from (_map_link(answer, "Inputs", view.fm) for view in op.views[:-1])
    yield _map_link(answer, "Output", op.ofm.fm)
    yield from _buffers(answer, number)


def _buffers(answer: Answer, op: NpuOpId) -> Iterator[Link]:
    weights = answer.scheduled.schedule.ops[op].weights
    for buffer in range(len(weights.buffer_bytes) if weights is not None else 0):
        yield Link("Weight buffers", str(buffer + 1), Selection(buffer=BufferRef(op, buffer)))


def _of_map(answer: Answer, fm: FmId) -> Iterator[Link]:
    graph = answer.scheduled.run.graph
    for op in graph.ops:
        if any(view.fm == fm for view in op.views):
            yield _op_link("Made by" if op.ofm.fm == fm else "Read by", op.id)
    for position, cpu_op in enumerate(graph.cpu_ops):
        if fm in (*cpu_op.inputs, *cpu_op.outputs):
            yield _cpu_link(position)
    for ref, number in _cascade_refs(answer).items():
        chosen = answer.scheduled.schedule.islands[ref.island].cascades[ref.cascade]
        if any(buffer.fm == fm for buffer in chosen.buffers):
            yield Link("Cascade", str(number), Selection(cascade=ref))


def _of_network(answer: Answer) -> Iterator[Link]:
    for ref, number in _cascade_refs(answer).items():
        yield Link("Cascades", str(number), Selection(cascade=ref))
    for island in answer.scheduled.schedule.islands:
        yield from (_map_link(answer, "Evicted", group.fms[0]) for group in island.evicted)
    yield from map(_cpu_link, range(len(answer.scheduled.run.graph.cpu_ops)))


def _op_link(group: str, op: NpuOpId) -> Link:
    return Link(group, str(op), Selection(op=op))


def _cpu_link(position: int) -> Link:
    return Link("On the CPU", str(position), Selection(cpu_op=position))


def _map_link(answer: Answer, group: str, fm: FmId) -> Link:
    graph = answer.scheduled.run.graph
    name = whole_name(graph.feature_maps[fm].name)
    return Link(group, graph.titles.map(fm), Selection(fm=fm), name)
