"""Measured cycles beside estimated ones: rows of a file, matched to operators of a schedule."""

from __future__ import annotations

from collections import defaultdict

from core.base.frozen import Frozen
from core.base.ids import NpuOpId
from core.ir.scheduled import Scheduled
from core.report.measured.rows import RawRow, index_of, read_rows
from core.report.words import ranges_text

_MOST_TOLD = 5
_BORDERS = "/;:._- #"
"""Where the last part of a name may begin."""


class MeasuredRow(Frozen):
    """A measurement of an operator."""

    op: NpuOpId
    cycles: float
    line: int
    label: str


class Unmatched(Frozen):
    """A row of the file that is no measurement of an operator, and why."""

    line: int
    label: str
    reason: str


class Measured(Frozen):
    """What was measured, what could not be matched, and what was not measured."""

    rows: tuple[MeasuredRow, ...]
    """In the order of operators."""
    unmatched: tuple[Unmatched, ...]
    """In the order of the file."""
    missing: tuple[NpuOpId, ...]

    @property
    def cycles_of(self) -> dict[NpuOpId, float]:
        """Measured cycles by operator."""
        return {row.op: row.cycles for row in self.rows}

    @property
    def total_cycles(self) -> float:
        """Sum of all that was measured."""
        return sum(row.cycles for row in self.rows)


def read(data: bytes, material: Scheduled) -> Measured:
    """A file of measured cycles, matched by number, by name, or by a name's unique ending."""
    names = _Names(material)
    rows: dict[NpuOpId, MeasuredRow] = {}
    unmatched: list[Unmatched] = []
    for raw in read_rows(data):
        label = raw.name or ("" if raw.number is None else str(raw.number))
        found = names.find(raw) if raw.cycles is not None else _not_a_number(raw)
        if isinstance(found, str) or raw.cycles is None:
            unmatched.append(Unmatched(line=raw.line, label=label, reason=str(found)))
        elif found in rows:
            reason = f"operator {found} is measured in line {rows[found].line} already"
            unmatched.append(Unmatched(line=raw.line, label=label, reason=reason))
        else:
            rows[found] = MeasuredRow(op=found, cycles=raw.cycles, line=raw.line, label=label)
    ops = [plan.op for plan in material.plans()]
    return Measured(
        rows=tuple(rows[op] for op in sorted(rows)),
        unmatched=tuple(unmatched),
        missing=tuple(op for op in ops if op not in rows),
    )


def _not_a_number(raw: RawRow) -> str:
    return f"'{raw.cycles_text}' is no number of cycles"


class _Names:
    """Operators by their names, and by the names of what the model's own operators make."""

    def __init__(self, material: Scheduled) -> None:
        self._count = len(material.graph.ops)
        self._ops: defaultdict[str, set[NpuOpId]] = defaultdict(set)
        self._sources: defaultdict[str, set[NpuOpId]] = defaultdict(set)
        for op in material.graph.ops:
            self._ops[op.name].add(op.id)
            for ref in op.sources:
                tensors = material.network.subgraphs[ref.subgraph].tensors
                for tensor in material.network.operator(ref).outputs:
                    self._sources[tensors[tensor].name].add(op.id)

    def find(self, raw: RawRow) -> NpuOpId | str:
        """The operator of a row, or why there is none."""
        named = self._named(raw.name) if raw.name else "has neither a name nor a number"
        number = raw.number
        if number is None and isinstance(named, str):
            number = index_of(raw.name)
        if number is None:
            return named
        if number >= self._count:
            return f"there is no operator {number}; the last one is {self._count - 1}"
        exact = self._ops.get(raw.name, set()) | self._sources.get(raw.name, set())
        if exact and number not in exact:
            return f"has number {number}, and the name of {_told(exact)}"
        return NpuOpId(number)

    def _named(self, name: str) -> NpuOpId | str:
        for known in (self._ops, self._sources):
            if name in known:
                return _only(known[name], "has this name")
        for known in (self._ops, self._sources):
            found = {op for title, ops in known.items() if _ends(title, name) for op in ops}
            if found:
                return _only(found, "has a name with this ending")
        return "no operator has this name"


def _only(ops: set[NpuOpId], what: str) -> NpuOpId | str:
    if len(ops) == 1:
        return next(iter(ops))
    return f"ambiguous: not only one operator {what}, but {_told(ops)}"


def _told(ops: set[NpuOpId]) -> str:
    first = sorted(ops)[:_MOST_TOLD]
    more = f" and {len(ops) - len(first)} more" if len(ops) > len(first) else ""
    return f"{'operator' if len(ops) == 1 else 'operators'} {ranges_text(first)}{more}"


def _ends(name: str, ending: str) -> bool:
    """Whether one of the names is the end of the other, from a border of words on."""
    longer, shorter = (name, ending) if len(name) >= len(ending) else (ending, name)
    at = len(longer) - len(shorter)
    return bool(shorter) and longer.endswith(shorter) and (not at or longer[at - 1] in _BORDERS)
