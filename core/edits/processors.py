"""Edits that put operators of the file on the CPU: whom they are about, and what became of them.

The NPU may do the work of one such operator by several of its own, and that of several by one; the
operators of the file have the names of what they make first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from core.base.ids import NpuOpId
from core.edits.names import counted
from core.ir.edits import Edit, EditFate, EditOutcome, EditReason, Ground, OpNamed, Processor, What
from core.ir.npugraph import ON_PURPOSE, Lineage, NpuGraph, SourceFate


def sources_of(graph: NpuGraph) -> Mapping[OpNamed, Lineage]:
    """The operators of the file by their names."""
    names = counted([each.name for each in graph.lineage])
    return {OpNamed(*name): each for name, each in zip(names, graph.lineage, strict=True)}


def source_named(op: NpuOpId, graph: NpuGraph) -> OpNamed | None:
    """The operator of the file that one of the NPU does the work of, the first of several."""
    own = graph.ops[op].sources
    named = {lineage.op: name for name, lineage in sources_of(graph).items()}
    return named.get(own[0]) if own else None


def on_cpu(edits: Iterable[Edit]) -> tuple[OpNamed, ...]:
    """The operators that edits put on the CPU."""
    return tuple(
        sorted(
            {
                edit.subject
                for edit in edits
                if edit.is_on and edit.what is What.PROCESSOR and isinstance(edit.subject, OpNamed)
            }
        )
    )


def put_there(graph: NpuGraph) -> tuple[Edit, ...]:
    """Edits that put on the CPU what was put there on purpose, whoever asked for it."""
    asked = {each.op for each in graph.rejections if each.rule == ON_PURPOSE}
    return tuple(
        Edit(subject=name, what=What.PROCESSOR, value=Processor.CPU)
        for name, lineage in sources_of(graph).items()
        if lineage.op in asked
    )


def is_on_cpu(subject: OpNamed, graph: NpuGraph) -> bool:
    """Whether the CPU runs an operator of the file."""
    found = sources_of(graph).get(subject)
    return found is not None and found.fate is SourceFate.CPU


def became(edit: Edit, graph: NpuGraph) -> EditOutcome:
    """What became of such an edit, whose subject is known: lowering alone decides about it."""
    assert isinstance(edit.subject, OpNamed)
    if is_on_cpu(edit.subject, graph):
        return EditOutcome(edit=edit, fate=EditFate.HONOURED, applied=Processor.CPU)
    reason = EditReason(ground=Ground.NOT_LEGAL, is_proved=True)
    return EditOutcome(edit=edit, fate=EditFate.REFUSED, reasons=(reason,))
