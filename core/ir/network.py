"""A network as its TensorFlow Lite file describes it: nothing interpreted, nothing lost."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.dtype import DType
from core.base.frozen import Frozen
from core.base.ids import OpId, OpRef, SubgraphId, TensorId
from core.ir.constdata import ConstData


class Table(Frozen):
    """A record of the file's schema: the name of its type and the fields that the file sets."""

    kind: str
    fields: tuple[tuple[str, FieldValue], ...] = ()

    def get(self, name: str, default: FieldValue = None) -> FieldValue:
        """Value of a field, or the default where the file leaves it out."""
        for key, value in self.fields:
            if key == name:
                return value
        return default

    def integer(self, name: str, default: int = 0) -> int:
        """Value of a field that holds an integer or an enumeration."""
        value = self.get(name, default)
        return int(value) if isinstance(value, (int, float)) else default

    def real(self, name: str, default: float = 0.0) -> float:
        """Value of a field that holds a real number."""
        value = self.get(name, default)
        return float(value) if isinstance(value, (int, float)) else default

    def flag(self, name: str) -> bool:
        """Value of a field that holds a truth value."""
        return bool(self.get(name, False))


FieldValue = (
    None
    | bool
    | int
    | float
    | str
    | bytes
    | tuple[int, ...]
    | tuple[float, ...]
    | tuple[str, ...]
    | Table
    | tuple[Table, ...]
)

NO_OPTIONS = Table(kind="")

_SHARED_OPTIONS = {
    **dict.fromkeys(("AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D"), "Pool2DOptions"),
    **dict.fromkeys(("MEAN", "SUM", "REDUCE_ALL", "REDUCE_ANY"), "ReducerOptions"),
    **dict.fromkeys(("REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD"), "ReducerOptions"),
    **dict.fromkeys(("MAXIMUM", "MINIMUM"), "MaximumMinimumOptions"),
    **dict.fromkeys(("MULTINOMIAL", "RANDOM_STANDARD_NORMAL", "RANDOM_UNIFORM"), "RandomOptions"),
    "CONV_3D_TRANSPOSE": "Conv3DOptions",
    "L2_NORMALIZATION": "L2NormOptions",
    "UNIDIRECTIONAL_SEQUENCE_RNN": "SequenceRNNOptions",
}
"""By kind of operator its options, where these are not called after it."""


def options_kind(kind: str) -> str:
    """What the schema calls the options of an operator, but for small and capital letters."""
    return _SHARED_OPTIONS.get(kind, f"{kind.replace('_', '')}Options")


class Quantization(Frozen):
    """real = scale x (stored - zero point); one pair for all, or one for each slice of an axis."""

    scales: tuple[float, ...] = ()
    zero_points: tuple[int, ...] = ()
    axis: int = 0
    minimum: tuple[float, ...] = ()
    maximum: tuple[float, ...] = ()
    details: Table | None = None

    @property
    def is_per_axis(self) -> bool:
        """Whether any of the parameters differs along an axis."""
        return max(map(len, (self.scales, self.zero_points, self.minimum, self.maximum))) > 1


MOST_BYTES = (1 << 31) - 1
"""Of a tensor, and of an arena: shapes and addresses in a file are signed numbers of 32 bits."""


class Tensor(Frozen):
    """A tensor of a subgraph; constant when it has data.

    `data` holds the file's bytes: in the tensor's shape where numpy has the element type, else as
    plain bytes (strings, packed 4-bit integers, sparse tensors).
    """

    name: str
    shape: tuple[int, ...]
    dtype: DType
    quantization: Quantization | None = None
    data: ConstData | None = None
    is_variable: bool = False
    shape_signature: tuple[int, ...] = ()
    has_rank: bool = False
    sparsity: Table | None = None
    variant_tensors: tuple[Table, ...] = ()

    @property
    def one_scale(self) -> tuple[float | None, int]:
        """Scale and zero point where these are one for all elements; no scale else."""
        found = self.quantization
        if found is None or len(found.scales) != 1:
            return None, 0
        return found.scales[0], (found.zero_points or (0,))[0]

    @property
    def elements(self) -> int:
        count = 1
        for dim in self.shape:
            count *= dim
        return count


class Operator(Frozen):
    """An operator of a subgraph; `kind` is the file format's name for it, such as CONV_2D."""

    kind: str
    inputs: tuple[TensorId | None, ...]
    outputs: tuple[TensorId, ...]
    intermediates: tuple[TensorId | None, ...] = ()
    options: Table | None = None
    options2: Table | None = None
    custom_code: str = ""
    custom_options: bytes | None = None
    mutating_inputs: tuple[bool, ...] = ()
    """For each input whether the operator writes on it."""
    version: int = 1
    debug_metadata_index: int = -1

    @property
    def title(self) -> str:
        """What a user calls this operator: the custom name where it has one."""
        return self.custom_code or self.kind

    @property
    def own_options(self) -> Table:
        """Its options; none where the file gives another kind's, which interpreters do not read."""
        given = self.options or NO_OPTIONS
        is_own = given.kind.casefold() == options_kind(self.kind).casefold()
        return given if is_own else NO_OPTIONS


class Subgraph(Frozen):
    """Tensors, and the operators over them in order of execution."""

    name: str
    tensors: tuple[Tensor, ...]
    operators: tuple[Operator, ...]
    inputs: tuple[TensorId, ...]
    outputs: tuple[TensorId, ...]
    debug_metadata_index: int = -1


class Metadata(Frozen):
    """A named block of bytes that travels with the network."""

    name: str
    data: ConstData | None


class Network(Frozen):
    """A whole model; the first subgraph is the one that an interpreter runs."""

    subgraphs: tuple[Subgraph, ...]
    description: str = ""
    version: int = 3
    metadata: tuple[Metadata, ...] = ()
    signatures: tuple[Table, ...] = ()

    @property
    def main(self) -> Subgraph:
        """The subgraph that an interpreter runs."""
        return self.subgraphs[0]

    def operator(self, ref: OpRef) -> Operator:
        """The operator that a reference names."""
        return self.subgraphs[ref.subgraph].operators[ref.op]

    def operators(self) -> Iterator[tuple[OpRef, Operator]]:
        """Every operator of every subgraph."""
        for graph_index, graph in enumerate(self.subgraphs):
            for op_index, op in enumerate(graph.operators):
                yield OpRef(SubgraphId(graph_index), OpId(op_index)), op
