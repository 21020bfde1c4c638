"""The tensors of a compiled subgraph, in the order in which they are first needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from core.base.ids import FmId, TensorId
from core.emit.conventions import UNPLACED
from core.ir.network import Subgraph, Tensor
from core.ir.npugraph import FeatureMap, NpuGraph


@dataclass(slots=True)
class TensorTable:
    """Tensors with their places in the arena, while they are being gathered."""

    graph: NpuGraph
    source: Subgraph
    arena: Mapping[FmId, int]
    has_islands: bool
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
        return replace(given, shape_signature=()) if self.has_islands else given

    def _address(self, fm: FeatureMap) -> int:
        """Its place, except where only the runtime knows how many bytes it takes."""
        is_known = fm.data is None and fm.dtype.bits > 0
        return self.arena.get(fm.id, UNPLACED) if is_known else UNPLACED
