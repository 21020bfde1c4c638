"""Which operators are shown, and in which order: arrays of row numbers."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen
from core.base.ids import FmId
from gui.document.answer import Answer
from gui.document.selection import CascadeRef, Selection
from gui.present.operators.columns import TEXT_COLUMNS, Column, Kind
from gui.present.operators.table import OperatorTable

Rows = npt.NDArray[np.intp]


class Filter(Frozen):
    """What a user typed to find operators."""

    words: tuple[str, ...] = ()
    """Each has to occur in a row; letters of both cases are alike."""
    pattern: re.Pattern[str] | None = None
    """It has to match within a cell of a row."""
    error: str = ""
    """Why what was typed is no pattern; every row is shown then."""

    @property
    def is_empty(self) -> bool:
        """Whether every row is shown."""
        return not self.words and self.pattern is None


def filter_of(typed: str) -> Filter:
    """The filter that a line of text asks for: words, or a pattern between slashes."""
    text = typed.strip()
    if not text.startswith("/"):
        return Filter(words=tuple(text.casefold().split()))
    inner = text[1:-1] if len(text) > 1 and text.endswith("/") else text[1:]
    if not inner:
        return Filter()
    try:
        with warnings.catch_warnings():
            # What may mean something else one day is no concern of who types a filter today.
            warnings.simplefilter("ignore", FutureWarning)
            return Filter(pattern=re.compile(inner, re.IGNORECASE))
    except (re.error, OverflowError, RecursionError) as error:
        return Filter(error=f"not a regular expression: {error}")


def matching_rows(table: OperatorTable, wanted: Filter) -> Rows:
    """Rows that a filter lets through, in order of execution."""
    if wanted.is_empty:
        return np.arange(table.count)
    columns = [table.texts[column.id] for column in TEXT_COLUMNS]
    matches = _matcher(wanted)
    return np.array(
        [row for row, cells in enumerate(zip(*columns, strict=True)) if matches(cells)],
        dtype=np.intp,
    )


def _matcher(wanted: Filter) -> Callable[[tuple[str, ...]], bool]:
    pattern = wanted.pattern
    if pattern is not None:
        return lambda cells: any(map(pattern.search, cells))

    def has_words(cells: tuple[str, ...]) -> bool:
        text = "\n".join(cells).casefold()
        return all(word in text for word in wanted.words)

    return has_words


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
