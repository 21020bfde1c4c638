"""The calls of a compiled model as the window lists them; no Qt."""

from __future__ import annotations

from core.api import programs
from core.base.frozen import NamedTuple
from core.ir.npugraph import NpuGraph
from gui.document.answer import Answer
from gui.document.selection import NOTHING_SELECTED, Selection


class CallList(NamedTuple):
    """A table of calls, and what each of its lines selects."""

    headers: tuple[str, ...] = ()
    rows: tuple[tuple[object, ...], ...] = ()
    selections: tuple[Selection, ...] = ()


NO_CALLS = CallList()


def calls_of(answer: Answer) -> CallList:
    """What runs after what; nothing where one command stream is all."""
    calls, graph = answer.scheduled.calls, answer.scheduled.graph
    if len(calls) < 2:
        return NO_CALLS
    found = programs.call_rows(calls)
    cells = [row.cells for row in found]
    used = [
        at
        for at in range(len(programs.CALL_HEADERS))
        if any(row[at] not in {None, ""} for row in cells)
    ]
    by_call = {number: _selection(call, graph) for number, call in enumerate(calls)}
    return CallList(
        headers=tuple(programs.CALL_HEADERS[at] for at in used),
        rows=tuple(tuple(row[at] for at in used) for row in cells),
        selections=tuple(by_call[row.call] for row in found),
    )


def _selection(call: programs.Call, graph: NpuGraph) -> Selection:
    """A kernel, or all operators of a command stream."""
    if call.stream is None:
        return Selection(cpu_op=call.cpu_op)
    ops = graph.islands[call.stream].ops
    return Selection(op=ops[0], more_ops=ops[1:]) if ops else NOTHING_SELECTED
