"""What TensorFlow Lite Micro adds to the tensors in its arena: an estimate, part by part.

Sizes are those of its structures with 32-bit pointers, as its RecordingMicroAllocator prints them
on Cortex-M: 12 bytes for each TfLiteEvalTensor, 32 for each NodeAndRegistration, 32 and 20 for a
TfLiteTensor and its quantisation. They were held against two public prints: a network of 10 tensors
and 3 operators keeps 1,264 bytes, one of 17 tensors and 7 operators 2,212. What an operator on the
CPU keeps differs from one library of kernels to the next, so nobody can know it from the model.
"""

from __future__ import annotations

from collections.abc import Iterable

from core.base.frozen import NamedTuple
from core.base.geometry import round_up
from core.emit.conventions import CUSTOM_CODE
from core.ir.network import Network
from core.ir.npugraph import NpuGraph

_EVAL_TENSOR_BYTES = 12
_NODE_BYTES = 32
_IO_TENSOR_BYTES = 32 + 20
_NPU_NODE_BYTES = 16 + 2 * 8
"""The data of the custom operator, and its handles of two scratch buffers."""
_BASE_ADDRESS_BYTES = 8
_BASE_SIZE_BYTES = 4
_SHARED_INPUTS = 4
"""Command stream, constants, scratch, fast scratch."""
_CPU_NODE_BYTES = 192
_CPU_CHANNEL_BYTES = 8
"""A multiplier and a shift for each channel of a filter."""
_OWN_BYTES = 512
"""The allocator and the planner, which live in the arena themselves."""
_PLANNING_BYTES = 64
"""For each tensor, while places are planned; the room is free again afterwards."""
_BUFFER_BYTES = 16


class Counts(NamedTuple):
    """What a compiled network has of the things that cost memory."""

    tensors: int
    operators: int
    ports: tuple[int, ...]
    """Of each custom operator: addresses that its driver is given."""
    interface: int
    """Inputs and outputs of the network."""
    cpu_ops: int
    cpu_channels: int
    """Output channels of all filters on the CPU."""


class RuntimePart(NamedTuple):
    """One part of the estimate."""

    what: str
    number: int
    """How many there are of it."""
    size_bytes: int
    basis: str


class RuntimeEstimate(NamedTuple):
    """What the runtime adds to the arena, as far as one can tell from here."""

    parts: tuple[RuntimePart, ...]

    @property
    def size_bytes(self) -> int:
        """All parts together."""
        return round_up(sum(part.size_bytes for part in self.parts), _BUFFER_BYTES)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the estimate cannot know."""
        return (
            "An estimate for targets of 32 bits; on the board, arena_used_bytes() has the figure.",
            "Scratch buffers of kernels on the CPU are not counted; they differ by library.",
            "The interpreter object itself, stacks and drivers are outside of the arena.",
        )


def estimate(counts: Counts, planned_bytes: int) -> RuntimeEstimate:
    """What the runtime adds to an arena in which so many bytes are planned."""
    addresses = max(map(_port_bytes, counts.ports), default=0)
    planning = max(counts.tensors * _PLANNING_BYTES - planned_bytes, 0)
    parts = (
        _each("tensors", counts.tensors, _EVAL_TENSOR_BYTES, "TfLiteEvalTensor"),
        _each("operators", counts.operators, _NODE_BYTES, "NodeAndRegistration"),
        _each("inputs and outputs", counts.interface, _IO_TENSOR_BYTES, "TfLiteTensor"),
        _each("command streams", len(counts.ports), _NPU_NODE_BYTES, "data of ethos-u operators"),
        RuntimePart(
            "addresses for the driver", len(counts.ports), addresses, "the largest of the streams"
        ),
        _each(
            "operators on the CPU", counts.cpu_ops, _CPU_NODE_BYTES, "a guess, by kernel library"
        ),
        _each("channels on the CPU", counts.cpu_channels, _CPU_CHANNEL_BYTES, "filters only"),
        RuntimePart("allocator and planner", 1, _OWN_BYTES, "measured remainders, rounded up"),
        RuntimePart(
            "planning", counts.tensors, planning, "what does not fit beside the planned bytes"
        ),
    )
    return RuntimeEstimate(tuple(part for part in parts if part.size_bytes))


def _each(what: str, number: int, size_bytes: int, basis: str) -> RuntimePart:
    return RuntimePart(what, number, number * size_bytes, f"{size_bytes} bytes each: {basis}")


def _port_bytes(ports: int) -> int:
    sizes = (_BASE_ADDRESS_BYTES, _BASE_SIZE_BYTES)
    return sum(round_up(ports * size, _BUFFER_BYTES) for size in sizes)


def counts_of(compiled: Network) -> Counts:
    """The counts of a compiled network."""
    ops = [(compiled.subgraphs[ref.subgraph], op) for ref, op in compiled.operators()]
    on_cpu = [(graph, op) for graph, op in ops if op.custom_code != CUSTOM_CODE]
    return Counts(
        tensors=sum(len(graph.tensors) for graph in compiled.subgraphs),
        operators=len(ops),
        ports=tuple(
            len(op.inputs) + len(op.outputs) for _, op in ops if op.custom_code == CUSTOM_CODE
        ),
        interface=sum(len(graph.inputs) + len(graph.outputs) for graph in compiled.subgraphs[:1]),
        cpu_ops=len(on_cpu),
        cpu_channels=sum(
            _channels(op.kind, (graph.tensors[number].shape for number in op.outputs))
            for graph, op in on_cpu
        ),
    )


def expected_counts(graph: NpuGraph) -> Counts:
    """The counts that the compiled network of a graph will have."""
    used: set[int] = set()
    for numbers in (*graph.inputs, *graph.outputs):
        used.update(numbers)
    for op in graph.cpu_ops:
        used.update((*op.inputs, *op.outputs))
    for island in graph.islands:
        used.update((*island.inputs, *island.outputs))
    streams = len(graph.islands)
    shapes = (
        (op, (graph.feature_maps[number].shape for number in op.outputs)) for op in graph.cpu_ops
    )
    return Counts(
        tensors=len(used) + streams + (_SHARED_INPUTS - 1) * bool(streams),
        operators=len(graph.cpu_ops) + streams,
        ports=tuple(
            _SHARED_INPUTS + len(island.inputs) + len(island.outputs) for island in graph.islands
        ),
        interface=sum(map(len, (*graph.inputs[:1], *graph.outputs[:1]))),
        cpu_ops=len(graph.cpu_ops),
        cpu_channels=sum(_channels(op.kind, given) for op, given in shapes),
    )


def _channels(kind: str, shapes: Iterable[tuple[int, ...]]) -> int:
    if "CONV" not in kind and kind != "FULLY_CONNECTED":
        return 0
    return sum(shape[-1] for shape in shapes if shape)
