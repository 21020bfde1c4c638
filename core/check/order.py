"""Judges the order in which an island's operators run: nothing is read early, nothing lost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from core.base.frozen import NamedTuple
from core.base.ids import FmId, NpuOpId
from core.check.finding import Finding
from core.check.lifetimes import map_name, op_name
from core.ir.npugraph import NpuGraph, View


class _Touch(NamedTuple):
    op: NpuOpId
    view: View
    writes: bool


def verify(
    graph: NpuGraph, expected: Sequence[NpuOpId], ops: Sequence[NpuOpId]
) -> Iterator[Finding]:
    """Whoever touches bytes that others write does so behind or before these, as in the network."""
    moments = {op: moment for moment, op in enumerate(ops)}
    for fm, touches in _touches(graph, expected).items():
        for at, later in enumerate(touches):
            for earlier in touches[:at]:
                is_late = moments[earlier.op] > moments[later.op]
                if is_late and _meet(earlier, later):
                    text = f"runs before {op_name(graph, earlier.op)},"
                    text = f"{text} but not so for {map_name(graph, fm)}"
                    yield Finding(op_name(graph, later.op), text)


def _touches(graph: NpuGraph, ops: Sequence[NpuOpId]) -> dict[FmId, list[_Touch]]:
    """By what has the bytes, who touches them, in the order of the network."""
    found: dict[FmId, list[_Touch]] = defaultdict(list)
    for number in ops:
        op = graph.ops[number]
        for view in op.views:
            found[graph.fm(view).storage].append(_Touch(number, view, writes=view is op.ofm))
    return found


def _meet(one: _Touch, other: _Touch) -> bool:
    """Whether the order of both says what is read, or what is left."""
    if not (one.writes or other.writes) or one.op == other.op:
        return False
    if not (one.writes and other.writes):
        return True
    views = one.view, other.view
    if one.view.fm != other.view.fm or one.view.shape != other.view.shape:
        return True
    if any(v.step_h != 1 or v.step_w != 1 or v.base_offset_bytes or v.is_transposed for v in views):
        return True
    sides = zip(*((v.start, v.touched) for v in views), strict=True)
    (start, place), (size, length) = (tuple(side) for side in sides)
    return all(
        a < b + d and b < a + c for a, b, c, d in zip(start, place, size, length, strict=True)
    )
