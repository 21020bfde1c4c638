"""Operators that only rename bytes: a reshape costs nothing where nobody else reads its input.

a -> RESHAPE -> b      a is b, written in one shape and read in the other
a -> RESHAPE -> b      a COPY where something else reads a too, or where a is not the NPU's to
a -> ...               place: an input, a constant, or made on the CPU

On the NPU any number of operators can see the same bytes in shapes of their own. So where that is
free to decide, what the NPU makes is copied only where the CPU or the caller wants a and b both.
What others make is copied as ever: that brings it to fast storage, and costs nothing within one.
"""

from __future__ import annotations

from collections.abc import Collection

from core.base.frozen import Frozen
from core.base.ids import OpRef, TensorId
from core.lower.slicing import integers
from core.lower.source import SourceGraph, SourceOp
from core.lower.turns import turns

RESHAPES = frozenset({"RESHAPE", "SQUEEZE", "EXPAND_DIMS"})

_NEEDS_ITS_OWN_OUTPUT_SHAPE = frozenset({"MEAN"})
"""The steps that these fall into are derived from the shape of their output."""


class Aliases(Frozen, kw_only=False):
    """Which tensors are others under another name, and which operators that leaves without work."""

    names: dict[TensorId, TensorId]
    removed: frozenset[OpRef]

    def resolve(self, tensor: TensorId) -> TensorId:
        """The tensor whose bytes these are."""
        while tensor in self.names:
            tensor = self.names[tensor]
        return tensor


def find_aliases(graph: SourceGraph, on_cpu: Collection[OpRef], *, among_readers: bool) -> Aliases:
    """All renamings of a subgraph; also of maps with several readers, where that is free."""
    names: dict[TensorId, TensorId] = {}
    removed: set[OpRef] = set()
    for op in graph.ops:
        if op.ref in on_cpu:
            continue
        given, made = op.input_id(op.roles.ifm), op.operator.outputs[0]
        if given is None:
            continue
        is_free = given not in names and _is_private(graph, given, on_cpu)
        if is_free and (is_reshape(op) or _changes_nothing(op)):
            names[given] = made
            removed.add(op.ref)
        elif _changes_nothing(op) and made not in graph.outputs:
            names[made] = given
            removed.add(op.ref)
        elif among_readers and (is_reshape(op) or _is_still(op)):
            if _npu_makes(graph, given, on_cpu) and _only_npu_reads(graph, made, on_cpu):
                names[made] = given
                removed.add(op.ref)
            elif given not in names and _is_placeable(graph, given, on_cpu):
                names[given] = made
                removed.add(op.ref)
    return Aliases(names, frozenset(removed))


def is_reshape(op: SourceOp) -> bool:
    """Whether the output has the bytes of the input in the same order."""
    return op.kind in RESHAPES or (op.kind == "SPLIT" and len(op.outputs) == 1)


def _is_still(op: SourceOp) -> bool:
    """Whether a transposition only moves dimensions of one element."""
    shape = () if op.ifm is None else op.ifm.shape
    return op.kind == "TRANSPOSE" and not turns(shape, integers(op.ifm2) or ())


def _is_private(graph: SourceGraph, tensor: TensorId, on_cpu: Collection[OpRef]) -> bool:
    return graph.uses(tensor) == 1 and _is_made_in_any_shape(graph, tensor, on_cpu)


def _is_placeable(graph: SourceGraph, tensor: TensorId, on_cpu: Collection[OpRef]) -> bool:
    """Whether only the NPU knows a tensor, so that its bytes can be those of any other."""
    is_free = _is_made_in_any_shape(graph, tensor, on_cpu)
    return is_free and _only_npu_reads(graph, tensor, on_cpu)


def _is_made_in_any_shape(graph: SourceGraph, tensor: TensorId, on_cpu: Collection[OpRef]) -> bool:
    producer = graph.producers.get(tensor)
    is_bound = producer is not None and producer.kind in _NEEDS_ITS_OWN_OUTPUT_SHAPE
    return not is_bound and _npu_makes(graph, tensor, on_cpu)


def _npu_makes(graph: SourceGraph, tensor: TensorId, on_cpu: Collection[OpRef]) -> bool:
    producer = graph.producers.get(tensor)
    return producer is not None and producer.ref not in on_cpu


def _only_npu_reads(graph: SourceGraph, tensor: TensorId, on_cpu: Collection[OpRef]) -> bool:
    readers = graph.consumers.get(tensor, ())
    return tensor not in graph.outputs and all(reader.ref not in on_cpu for reader in readers)


def _changes_nothing(op: SourceOp) -> bool:
    ifm = op.ifm
    return (
        op.kind in {"RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"}
        and ifm is not None
        and ifm.shape == op.ofm.shape
        and ifm.quantization == op.ofm.quantization
    )
