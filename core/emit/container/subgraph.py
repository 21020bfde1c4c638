"""One subgraph of a compiled network: the steps of a lowered one, as operators of a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.base.ids import FmId, IslandId, SubgraphId, TensorId
from core.emit.container.memory import bytes_tensor
from core.emit.container.tensors import TensorTable
from core.emit.conventions import CUSTOM_CODE, UNPLACED
from core.ir.network import Network, Operator, Subgraph, Tensor
from core.ir.npugraph import CpuOp, Island, NpuGraph

_OPTIONS = b"\x01\x04\x01"
"""The number 1 as a flexible buffer: by it the runtime's kernel knows what the operator is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """What all subgraphs have in common."""

    memory: tuple[Tensor, ...]
    """Constants, scratch and fast scratch memory."""
    payloads: Mapping[IslandId, bytes]
    arena: Mapping[FmId, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeSubgraph:
    """A compiled subgraph, and what its metadata has to say."""

    subgraph: Subgraph
    addresses: tuple[int, ...]
    """Of its tensors in the arena."""
    moved: Mapping[TensorId, TensorId]
    """Its inputs and outputs: from their numbers in the source to those that they have now."""


def make_subgraph(
    network: Network, graph: NpuGraph, number: SubgraphId, shared: Shared
) -> MadeSubgraph:
    """The subgraph with its steps in order of execution, and no tensor that none of them needs."""
    source, steps = network.subgraphs[number], graph.steps[number]
    has_islands = any(not isinstance(step, CpuOp) for step in steps)
    table = TensorTable(graph, source, shared.arena, has_islands)
    inputs = _moved(table, source.inputs, graph.inputs[number])
    npu = _NpuOperators(table, shared)
    operators = tuple(
        _cpu_operator(table, step, network.operator(step.source))
        if isinstance(step, CpuOp)
        else npu.operator(graph.islands[step])
        for step in steps
    )
    outputs = _moved(table, source.outputs, graph.outputs[number])
    subgraph = replace(
        source,
        tensors=tuple(table.tensors),
        operators=operators,
        inputs=tuple(inputs[tensor] for tensor in source.inputs),
        outputs=tuple(outputs[tensor] for tensor in source.outputs),
    )
    return MadeSubgraph(subgraph=subgraph, addresses=tuple(table.addresses), moved=inputs | outputs)


def _moved(
    table: TensorTable, tensors: Sequence[TensorId], fms: Sequence[FmId]
) -> dict[TensorId, TensorId]:
    """Where inputs or outputs are now; a lowered subgraph names each of them once."""
    pairs = zip(dict.fromkeys(tensors), fms, strict=True)
    return {tensor: table.of_map(fm) for tensor, fm in pairs}


def _cpu_operator(table: TensorTable, step: CpuOp, source: Operator) -> Operator:
    """The operator as it was, over the tensors that there are now."""
    fms = iter(step.inputs)
    return replace(
        source,
        inputs=tuple(None if old is None else table.of_map(next(fms)) for old in source.inputs),
        outputs=tuple(table.of_map(fm) for fm in step.outputs),
        intermediates=tuple(
            None if old is None else table.of_source(old) for old in source.intermediates
        ),
    )


class _NpuOperators:
    """Makes `ethos-u` operators one after the other, in order of execution."""

    def __init__(self, table: TensorTable, shared: Shared) -> None:
        self._table = table
        self._shared = shared
        self._memory: tuple[TensorId, ...] = ()
        self._begun: set[FmId] = set()

    def operator(self, island: Island) -> Operator:
        """The operator that runs an island, its tensors in the driver's order."""
        payload = self._shared.payloads[island.id]
        stream = self._table.add(bytes_tensor(f"command_stream_{island.id + 1}", payload))
        if not self._memory:
            self._memory = tuple(self._region(tensor) for tensor in self._shared.memory)
        inputs = tuple(self._table.of_map(fm) for fm in self._inputs(island))
        return Operator(
            kind="CUSTOM",
            custom_code=CUSTOM_CODE,
            custom_options=_OPTIONS,
            inputs=(stream, *self._memory, *inputs),
            outputs=tuple(self._table.of_map(fm) for fm in island.outputs),
        )

    def _region(self, tensor: Tensor) -> TensorId:
        """Scratch memory is the arena from its start, and fast scratch takes none of its own."""
        return self._table.add(tensor, 0 if tensor.data is None else UNPLACED)

    def _inputs(self, island: Island) -> Iterator[FmId]:
        """What it reads, and maps of which it only makes what an island before has left open."""
        made = dict.fromkeys(self._table.graph.ops[op].ofm.fm for op in island.ops)
        yield from island.inputs
        yield from (fm for fm in made if fm in self._begun and fm not in island.inputs)
        self._begun.update(made)
