"""The operators of a subgraph while they are being lowered, one pass after the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from core.base.dtype import DType
from core.base.frozen import Changing, Frozen, field, replace
from core.base.geometry import Shape4
from core.base.ids import FmId, NpuOpId, OpRef, SubgraphId, TensorId, TensorRef
from core.ir.constdata import ConstData
from core.ir.network import Tensor
from core.ir.npugraph import CpuOp, FeatureMap, LinearReason, NpuOp, Quant, View
from core.ir.rewritten import RewriteTried

UNNUMBERED = NpuOpId(-1)
"""Id of an operator until the order of execution is known."""


class SliceRead(Frozen):
    """Part of a feature map under another name; gone once its readers read the part themselves."""

    name: str
    ifm: View
    ofm: View
    origin: str
    sources: tuple[OpRef, ...]


class Pointwise(Frozen):
    """An operator that only applies an activation, and so can merge into the one before it."""

    op: NpuOp


Item = NpuOp | Pointwise | SliceRead | CpuOp


def reads(item: Item) -> tuple[FmId, ...]:
    """Feature maps that an item reads, once for each use, in the order of its inputs."""
    if isinstance(item, CpuOp):
        return item.inputs
    if isinstance(item, SliceRead):
        return (item.ifm.fm,)
    op = item.op if isinstance(item, Pointwise) else item
    return (op.ifm.fm,) if op.ifm2 is None else (op.ifm.fm, op.ifm2.fm)


def writes(item: Item) -> tuple[FmId, ...]:
    """Feature maps that an item writes, in whole or in part."""
    if isinstance(item, CpuOp):
        return item.outputs
    return ((item.op if isinstance(item, Pointwise) else item).ofm.fm,)


def sources_of(ops: Iterable[NpuOp]) -> tuple[OpRef, ...]:
    """The source operators of which some operators do the work, each once."""
    return tuple(dict.fromkeys(ref for op in ops for ref in op.sources))


class Draft(Changing, eq=False):
    """Feature maps and operators of one subgraph."""

    subgraph: SubgraphId
    feature_maps: list[FeatureMap] = field(default_factory=list)
    quants: list[Quant | None] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    inputs: tuple[FmId, ...] = ()
    outputs: tuple[FmId, ...] = ()
    rewrites: list[RewriteTried] = field(default_factory=list)

    def new_fm(  # noqa: PLR0913 - one argument for each independent property
        self,
        name: str,
        shape: Sequence[int],
        dtype: DType,
        quant: Quant | None = None,
        *,
        data: npt.ArrayLike | ConstData | None = None,
        source: TensorRef | None = None,
        storage: FmId | None = None,
        is_variable: bool = False,
    ) -> FmId:
        """Add a feature map; with data it is a constant."""
        fm = FmId(len(self.feature_maps))
        const = data if data is None or isinstance(data, ConstData) else ConstData.of(data)
        self.feature_maps.append(
            FeatureMap(
                id=fm,
                name=name,
                shape=tuple(int(dim) for dim in shape),
                dtype=dtype,
                data=const,
                source=source,
                storage=fm if storage is None else storage,
                is_variable=is_variable,
            )
        )
        self.quants.append(quant)
        return fm

    def new_constant(
        self,
        name: str,
        values: npt.ArrayLike,
        dtype: DType,
        quant: Quant | None,
        shape: Sequence[int],
    ) -> FmId:
        """Add a constant of a type and shape."""
        array: npt.NDArray[Any] = np.asarray(values, dtype=dtype.numpy).reshape(tuple(shape))
        return self.new_fm(name, shape, dtype, quant, data=array)

    def view(
        self, fm: FmId, shape: Sequence[int] | None = None, quant: Quant | None = None
    ) -> View:
        """The whole of a feature map, as it is or in another shape or quantisation."""
        dims = self.feature_maps[fm].shape if shape is None else shape
        return View(
            fm=fm,
            shape=Shape4.of(dims),
            quant=self.quants[fm] if quant is None else quant,
        )

    def must_be_linear(self, fm: FmId, reason: LinearReason) -> None:
        """Note that a feature map must be stored row by row, and why."""
        self.feature_maps[fm] = replace(self.feature_maps[fm], linear_reason=reason)

    def dtype(self, fm: FmId) -> DType:
        """Element type of a feature map."""
        return self.feature_maps[fm].dtype

    def is_constant(self, fm: FmId) -> bool:
        """Whether the elements are known before execution."""
        return self.feature_maps[fm].data is not None


class Uses(Changing, eq=False):
    """Who writes and who reads each feature map of a draft, by position in its items."""

    writers: dict[FmId, list[int]]
    readers: dict[FmId, list[int]]
    outputs: frozenset[FmId]

    @classmethod
    def of(cls, draft: Draft) -> Uses:
        """Index the items of a draft."""
        writers: dict[FmId, list[int]] = {}
        readers: dict[FmId, list[int]] = {}
        for index, item in enumerate(draft.items):
            for fm in writes(item):
                writers.setdefault(fm, []).append(index)
            for fm in reads(item):
                readers.setdefault(fm, []).append(index)
        return cls(writers, readers, frozenset(draft.outputs))

    def count(self, fm: FmId) -> int:
        """How often a feature map is read, by items and as an output."""
        return len(self.readers.get(fm, ())) + (fm in self.outputs)


def quant_of(tensor: Tensor | None) -> Quant | None:
    """Per-tensor quantisation; None where the tensor has none."""
    if tensor is None or tensor.quantization is None:
        return None
    quantization = tensor.quantization
    if not quantization.scales and not quantization.zero_points:
        return None
    scale = quantization.scales[0] if quantization.scales else None
    zero_point = quantization.zero_points[0] if quantization.zero_points else 0
    return Quant(scale=scale, zero_point=zero_point)


def tensor_fms(
    draft: Draft, tensors: Sequence[Tensor], ids: Iterable[TensorId]
) -> dict[TensorId, FmId]:
    """A feature map for each of the tensors."""
    return {
        tensor: draft.new_fm(
            tensors[tensor].name,
            tensors[tensor].shape,
            tensors[tensor].dtype,
            quant_of(tensors[tensor]),
            data=tensors[tensor].data,
            source=TensorRef(draft.subgraph, tensor),
            is_variable=tensors[tensor].is_variable,
        )
        for tensor in ids
    }
