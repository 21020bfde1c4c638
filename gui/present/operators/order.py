"""Which operators are shown, and in which order: arrays of row numbers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice

import numpy as np
import numpy.typing as npt

from core.api.queries import Found, Query, Tagged, query_of, things_of
from core.base.errors import CoreError
from core.base.frozen import Frozen
from core.base.ids import FmId, NpuOpId
from gui.document.answer import Answer
from gui.document.selection import CascadeRef, Selection
from gui.present.operators.columns import TEXT_COLUMNS, Column, Kind
from gui.present.operators.table import OperatorTable

Rows = npt.NDArray[np.intp]


class Filter(Frozen, eq=False):
    """What a user typed to find operators."""

    query: Query | None = None
    """None where every row is shown."""
    error: str = ""
    """Why what was typed asks nothing; every row is shown then."""

    @property
    def is_empty(self) -> bool:
        """Whether every row is shown."""
        return self.query is None


def filter_of(typed: str) -> Filter:
    """The filter that a line of text asks for, in the language of `inspect --where`."""
    try:
        query = query_of(typed)
    except CoreError as error:
        return Filter(error=str(error))
    return Filter() if query.is_empty else Filter(query=query)


def things_in(
    table: OperatorTable,
    edited: Collection[NpuOpId] = frozenset(),
    edited_maps: Collection[FmId] = frozenset(),
) -> Iterator[Found]:
    """What can be asked for: the operators of a table in its order, and then maps."""
    columns = [table.texts[column.id] for column in TEXT_COLUMNS]
    # Words are looked for in all that is written in a row.
    cells = list(zip(*columns, strict=True))
    ops = {"edited": frozenset(edited), "differs": _otherwise(table)}
    tagged = Tagged(ops=ops, fms={"edited": frozenset(edited_maps)})
    for row, found in enumerate(things_of(table.scheduled, tagged)):
        is_row = row < table.count
        yield found._replace(thing=found.thing._replace(texts=cells[row])) if is_row else found


def matching_rows(
    table: OperatorTable, wanted: Filter, edited: Collection[NpuOpId] = frozenset()
) -> Rows:
    """Rows that a filter lets through, in order of execution."""
    query = wanted.query
    if query is None:
        return np.arange(table.count)
    things = enumerate(islice(things_in(table, edited), table.count))
    return np.array([row for row, each in things if query.test(each.thing)], dtype=np.intp)


def _otherwise(table: OperatorTable) -> frozenset[NpuOpId]:
    """Operators that take other cycles than in A, or are decided otherwise there."""
    has_other = np.nan_to_num(table.numbers["change"]) != 0
    has_other |= np.array([bool(text) for text in table.texts["decided"]], dtype=np.bool_)
    return frozenset(NpuOpId(int(op)) for op in table.op[has_other] if op >= 0)


def ordered_rows(table: OperatorTable, rows: Rows, column: Column, *, is_descending: bool) -> Rows:
    """Rows by the values of a column; equal ones keep their order, and none comes last."""
    keys = _keys(table, column)[rows]
    present = ~np.isnan(keys)
    known, unknown = rows[present], rows[~present]
    signed = -keys[present] if is_descending else keys[present]
    return np.concatenate([known[np.argsort(signed, kind="stable")], unknown])


def _keys(table: OperatorTable, column: Column) -> npt.NDArray[np.float64]:
    if column.is_signed:
        return np.abs(table.numbers[column.id])
    if column.kind is not Kind.TEXT:
        return table.numbers[column.id]
    if column.id in table.sizes:
        return table.sizes[column.id]
    texts = table.texts[column.id]
    ranks = {text: rank for rank, text in enumerate(sorted(set(texts), key=natural_key))}
    return np.array([ranks[text] if text else np.nan for text in texts], dtype=np.float64)


def natural_key(text: str) -> tuple[tuple[str | int, ...], str]:
    """What sorts conv9 before conv10, and letters of both cases alike."""
    parts = re.split(r"([0-9]+)", text.casefold())
    return tuple(int(part) if at % 2 else part for at, part in enumerate(parts)), text


def selected_rows(answer: Answer, table: OperatorTable, selection: Selection) -> tuple[int, ...]:
    """Rows of what is selected: an operator, those of a cascade, or those that touch a map."""
    ops, cpu_ops = selected_operators(answer, selection)
    chosen = np.isin(table.op, sorted(ops)) & (table.op >= 0)
    chosen |= np.isin(table.cpu_op, sorted(cpu_ops)) & (table.cpu_op >= 0)
    return tuple(int(row) for row in np.flatnonzero(chosen))


def selected_operators(answer: Answer, selection: Selection) -> tuple[set[int], set[int]]:
    """Operators of the NPU, and positions of those of the CPU, that a selection is about."""
    scheduled = answer.scheduled
    if selection.op is not None:
        return set(selection.ops), set()
    if selection.buffer is not None:
        return {selection.buffer.op}, set()
    if selection.cpu_op is not None:
        return set(), {selection.cpu_op}
    if selection.cascade is not None:
        return _cascaded(answer, selection.cascade), set()
    if selection.fm is not None:
        graph, maps = scheduled.run.graph, _sharing(answer, selection.fm)
        touching = {int(op.id) for op in graph.ops if any(view.fm in maps for view in op.views)}
        cpu_ops = enumerate(graph.cpu_ops)
        return touching, {at for at, op in cpu_ops if maps & {*op.inputs, *op.outputs}}
    return set(), set()


def _cascaded(answer: Answer, cascade: CascadeRef) -> set[int]:
    """The operators of a cascade; none where a newer schedule has no such cascade."""
    islands = answer.scheduled.schedule.islands
    if cascade.island >= len(islands):
        return set()
    cascades = islands[cascade.island].cascades
    return set(cascades[cascade.cascade].ops) if cascade.cascade < len(cascades) else set()


def _sharing(answer: Answer, fm: FmId) -> set[FmId]:
    """All feature maps that have the bytes of one."""
    placements = (part for area in answer.scheduled.layout.areas for part in area.placements)
    return {fm}.union(*(part.fms for part in placements if fm in part.fms))
