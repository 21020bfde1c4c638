"""Which operators over variables have to run in the order of the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.base.ids import OpRef
from core.lower.source import SourceGraph, SourceOp

Pairs = tuple[tuple[OpRef, OpRef], ...]

_ASSIGNING = "ASSIGN_VARIABLE"
_ACCESSES = frozenset({_ASSIGNING, "READ_VARIABLE"})


def pairs_in_order(graph: SourceGraph) -> Pairs:
    """Operators over one variable of which the first has to run before the second."""
    accesses: dict[object, list[SourceOp]] = {}
    for op in graph.ops:
        if op.kind in _ACCESSES:
            accesses.setdefault(_variable(graph, op), []).append(op)
    return tuple(pair for mine in accesses.values() for pair in _pairs(mine))


def _pairs(accesses: Sequence[SourceOp]) -> Iterator[tuple[OpRef, OpRef]]:
    """Of one variable: what is read between two assignments may be read in any order."""
    for at, later in enumerate(accesses):
        for earlier in reversed(accesses[:at]):
            if _ASSIGNING in (earlier.kind, later.kind):
                yield earlier.ref, later.ref
            if earlier.kind == _ASSIGNING:
                break


def _variable(graph: SourceGraph, op: SourceOp) -> object:
    """What tells a variable from others; its handle where nobody says its name."""
    handle = op.input_id(0)
    maker = graph.maker(handle, ("VAR_HANDLE",))
    if maker is None:
        return handle
    return tuple(str(maker.options.get(name) or "") for name in ("container", "shared_name"))
