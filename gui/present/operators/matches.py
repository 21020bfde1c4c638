"""What the filter of the operators finds, as views draw it: all else fades."""

from __future__ import annotations

import numpy as np

from core.api.comparisons import Comparison
from core.base.frozen import Frozen
from gui.document.answer import Answer
from gui.document.document import Document
from gui.present.edits.pins import pins_of
from gui.present.memory.ghosts import Ghost
from gui.present.memory.map import AreaMap
from gui.present.network.picture import Drawing
from gui.present.operators.order import Filter, matching_rows
from gui.present.operators.table import operator_table, with_comparison
from gui.present.timeline.data import TimelineData

Keys = frozenset[int]


class Matches(Frozen):
    """Operators that a filter lets through."""

    ops: Keys
    cpu_ops: Keys


def matches_of(
    document: Document, answer: Answer, found: Comparison | None, wanted: Filter
) -> Matches | None:
    """Those of an answer; None where nothing is filtered."""
    if wanted.query is None:
        return None
    table = operator_table(answer)
    if found is not None:
        table = with_comparison(table, found)
    rows = matching_rows(table, wanted, frozenset(pins_of(document, answer).ops))
    ops, cpu_ops = table.op[rows].tolist(), table.cpu_op[rows].tolist()
    return Matches(
        ops=frozenset(op for op in ops if op >= 0),
        cpu_ops=frozenset(op for op in cpu_ops if op >= 0),
    )


def matching_slices(data: TimelineData, matches: Matches) -> Keys:
    """Slices in which they work, and cascades as one bar that have one of them."""
    trace = data.trace
    is_meant = np.isin(trace.op, sorted(matches.ops))
    is_meant |= np.isin(trace.cpu_op, sorted(matches.cpu_ops))
    bars = (
        -1 - place
        for place, cascade in enumerate(data.cascades)
        if not matches.ops.isdisjoint(cascade.ops)
    )
    return frozenset((*np.flatnonzero(is_meant).tolist(), *bars))


def matching_nodes(drawing: Drawing, matches: Matches) -> Keys:
    """Their boxes."""
    return frozenset(
        place
        for place, node in enumerate(drawing.nodes)
        if node.op in matches.ops or node.cpu_op in matches.cpu_ops
    )


def matching_ranges(
    answer: Answer, drawn: AreaMap, ghosts: tuple[Ghost, ...], matches: Matches
) -> tuple[Keys, Keys]:
    """Ranges and ghosts of what they make, and of their weights."""
    graph = answer.scheduled.graph
    made = {graph.ops[op].ofm.fm for op in matches.ops}
    made |= {fm for op in matches.cpu_ops for fm in graph.cpu_ops[op].outputs}
    ranges = {key for fm in made for key in drawn.by_fm.get(fm, ())}
    ranges |= {key for op in matches.ops for key in drawn.by_op.get(op, ())}
    chosen = (place for place, each in enumerate(ghosts) if not made.isdisjoint(each.evicted.fms))
    return frozenset(ranges), frozenset(chosen)
