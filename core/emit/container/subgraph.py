"""One subgraph of a compiled network: tensors in the order of their first use, and operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.base.frozen import Changing, Frozen, field, replace
from core.base.ids import FmId, IslandId, SubgraphId, TensorId
from core.emit.container.memory import bytes_tensor
from core.emit.conventions import CUSTOM_CODE, UNPLACED
from core.ir.network import Network, Operator, Subgraph, Tensor
from core.ir.npugraph import CpuOp, FeatureMap, Island, NpuGraph

_OPTIONS = b"\x01\x04\x01"
"""The number 1 as a flexible buffer: by it the runtime's kernel knows what the operator is."""


class TensorTable(Changing):
    """Tensors with their places in the arena, while they are being gathered."""

    graph: NpuGraph
    source: Subgraph
    arena: Mapping[FmId, int]
    tensors: list[Tensor] = field(default_factory=list)
    addresses: list[int] = field(default_factory=list)
    _maps: dict[FmId, TensorId] = field(default_factory=dict)
    _others: dict[TensorId, TensorId] = field(default_factory=dict)

    def add(self, tensor: Tensor, address: int = UNPLACED) -> TensorId:
        """A tensor that nobody else names."""
        self.tensors.append(tensor)
        self.addresses.append(address)
        return TensorId(len(self.tensors) - 1)

    def of_map(self, number: FmId) -> TensorId:
        """The tensor that holds a feature map."""
        if number not in self._maps:
            fm = self.graph.feature_maps[number]
            self._maps[number] = self.add(self._tensor(fm), self._address(fm))
        return self._maps[number]

    def of_source(self, number: TensorId) -> TensorId:
        """A tensor of the source that is no feature map, such as an intermediate of an LSTM."""
        if number not in self._others:
            self._others[number] = self.add(self.source.tensors[number])
        return self._others[number]

    def _tensor(self, fm: FeatureMap) -> Tensor:
        """What the source says of a map, with the elements that lowering has worked out."""
        if fm.source is None:
            return Tensor(name=fm.name, shape=fm.shape, dtype=fm.dtype, data=fm.data)
        given = replace(self.source.tensors[fm.source.tensor], data=fm.data)
        # The streams and the layout are made for one shape: nobody may resize it any more.
        return replace(given, shape_signature=())

    def _address(self, fm: FeatureMap) -> int:
        """Its place, except where only the runtime knows how many bytes it takes."""
        is_known = fm.data is None and fm.dtype.bits > 0
        return self.arena.get(fm.id, UNPLACED) if is_known else UNPLACED


class Shared(Frozen):
    """What all subgraphs have in common."""

    memory: tuple[Tensor, ...]
    """Constants, scratch and fast scratch memory."""
    payloads: Mapping[IslandId, bytes]
    arena: Mapping[FmId, int]


class MadeSubgraph(Frozen):
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
    table = TensorTable(graph, source, shared.arena)
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


def npu_operator(inputs: tuple[TensorId, ...], outputs: tuple[TensorId, ...]) -> Operator:
    """An `ethos-u` operator, its tensors in the driver's order."""
    return Operator(
        kind="CUSTOM",
        custom_code=CUSTOM_CODE,
        custom_options=_OPTIONS,
        inputs=inputs,
        outputs=outputs,
    )


class _NpuOperators:
    """Makes `ethos-u` operators one after the other, in order of execution."""

    def __init__(self, table: TensorTable, shared: Shared) -> None:
        self._table = table
        self._shared = shared
        self._memory: tuple[TensorId, ...] = ()

    def operator(self, island: Island) -> Operator:
        """The operator that runs an island, its tensors in the driver's order."""
        payload = self._shared.payloads[island.id]
        stream = self._table.add(bytes_tensor(f"command_stream_{island.id + 1}", payload))
        if not self._memory:
            self._memory = tuple(self._region(tensor) for tensor in self._shared.memory)
        inputs = tuple(self._table.of_map(fm) for fm in island.inputs)
        outputs = tuple(self._table.of_map(fm) for fm in island.outputs)
        return npu_operator((stream, *self._memory, *inputs), outputs)

    def _region(self, tensor: Tensor) -> TensorId:
        """Scratch memory is the arena from its start, and fast scratch takes none of its own."""
        return self._table.add(tensor, 0 if tensor.data is None else UNPLACED)
