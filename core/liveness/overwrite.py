"""Which operators may write their output over an input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from core.base.ids import FmId
from core.ir.npugraph import NpuGraph, NpuOp, OpKind, View
from core.liveness.sizes import map_bytes
from core.target.format import Format


def overwritable(graph: NpuGraph, formats: Sequence[Format]) -> tuple[tuple[FmId, ...], ...]:
    """For each operator the inputs that its output may replace, the best first.

    An element-wise operator, or a pooling of single elements, reads each element before it writes
    the one in its place, so the output may lie on an input that nobody reads again and that has
    the same order of elements.
    """
    read, writers = readers(graph), Counter(op.ofm.fm for op in graph.ops)
    found: list[tuple[FmId, ...]] = []
    for op in graph.ops:
        if not op.may_lie_on_input and op.kind is not OpKind.COPY:
            found.append(())
            continue
        inputs = (op.ifm,) if op.ifm2 is None else (op.ifm, op.ifm2)
        found.append(
            tuple(
                view.fm
                for view in inputs
                if read[view.fm] == 1
                and all(other.fm != view.fm or other == view for other in inputs)
                and writers[op.ofm.fm] == 1
                and _may_replace(graph, formats, op, view)
            )
        )
    return tuple(found)


def readers(graph: NpuGraph) -> Counter[FmId]:
    """How many operators, on the accelerator or not, read each map; an output has one more."""
    found: Counter[FmId] = Counter()
    for op in graph.ops:
        found.update({view.fm for view in op.views[:-1]})
    for cpu_op in graph.cpu_ops:
        found.update(set(cpu_op.inputs))
    for outputs in graph.outputs:
        found.update(outputs)
    return found


def _may_replace(graph: NpuGraph, formats: Sequence[Format], op: NpuOp, view: View) -> bool:
    given, made = graph.fm(view), graph.fm(op.ofm)
    is_whole = _is_plain(view) and _is_plain(op.ofm)
    is_kept = _is_variable(graph, view) or _is_variable(graph, op.ofm)
    has_one_order = formats[given.id] is formats[made.id]
    if given.data is not None or is_kept or not is_whole or not has_one_order:
        return False
    if op.kind is OpKind.COPY:
        # A transfer to where the bytes already are is none, whatever they are taken to be.
        return map_bytes(made, formats[made.id]) <= map_bytes(given, formats[given.id])
    is_alike = given.dtype is made.dtype and view.shape == op.ofm.shape
    return is_alike and not given.is_scalar


def _is_plain(view: View) -> bool:
    """Whether the operator touches the whole map, in the order in which it lies."""
    moved = (view.step_h, view.step_w, view.base_offset_bytes, view.is_transposed)
    return view.touched == view.shape and moved == (1, 1, 0, False)


def _is_variable(graph: NpuGraph, view: View) -> bool:
    """Whether the bytes outlive an inference."""
    fm = graph.fm(view)
    return fm.is_variable or fm.storage != fm.id or graph.feature_maps[fm.storage].is_variable
