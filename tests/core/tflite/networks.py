"""Networks of every shape and colour, drawn by hypothesis, and a fixed one for files to mutate."""

from __future__ import annotations

import functools

import numpy as np
from hypothesis import strategies as st

from core.base.dtype import DType
from core.flatbuf.schema import FieldKind, FieldSchema
from core.ir.constdata import ConstData
from core.ir.network import Metadata, Network, Operator, Quantization, Subgraph, Table, Tensor
from core.tflite.schema import names_of, table_schema

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
FLOATS = st.floats(width=32, allow_nan=False)
FEW = {"max_size": 3}
UNTYPED = frozenset({DType.STRING, DType.RESOURCE, DType.VARIANT, DType.INT4, DType.BFLOAT16})


def whole(code: str) -> st.SearchStrategy[int]:
    limits = np.iinfo(code)
    return st.integers(int(limits.min), int(limits.max))


@functools.cache
def scalars(code: str) -> st.SearchStrategy:
    known = {"<?": st.booleans(), "<f": FLOATS}
    return known[code] if code in known else whole(code)


def tuples(values: st.SearchStrategy) -> st.SearchStrategy[tuple]:
    return st.just(()) if values.is_empty else st.lists(values, **FEW).map(tuple)


@functools.cache
def values(field: FieldSchema) -> st.SearchStrategy:
    match field.kind:
        case FieldKind.SCALAR:
            return scalars(field.code)
        case FieldKind.STRING:
            return TEXTS
        case FieldKind.NUMBERS:
            return st.binary(**FEW) if field.code == "<B" else tuples(scalars(field.code))
        case FieldKind.TABLE:
            return records(field.target)
        case FieldKind.TABLES:
            return tuples(records(field.target))
        case FieldKind.UNION:
            return unions(field.target)


@st.composite
def records(draw, kind: str) -> Table:
    """A table with any of its fields set."""
    fields = [
        (field.name, draw(values(field)))
        for field in table_schema(kind).fields
        if draw(st.booleans())
    ]
    return Table(kind=kind, fields=tuple(fields))


@functools.cache
def unions(name: str) -> st.SearchStrategy[Table]:
    members = [kind for number, kind in names_of(name).items() if number]
    return st.sampled_from(members).flatmap(records)


QUANTIZATIONS = st.builds(
    Quantization,
    scales=tuples(FLOATS),
    zero_points=tuples(whole("<i8")),
    axis=st.integers(0, 4),
    minimum=tuples(FLOATS),
    maximum=tuples(FLOATS),
    details=st.none() | unions("QuantizationDetails"),
)


@st.composite
def tensors(draw) -> Tensor:
    shape = draw(st.lists(st.integers(1, 3), max_size=4).map(tuple))
    dtype = draw(st.sampled_from(list(DType)))
    sparsity = draw(st.none() | st.none() | records("SparsityParameters"))
    return Tensor(
        name=draw(TEXTS),
        shape=shape,
        dtype=dtype,
        quantization=draw(st.none() | QUANTIZATIONS),
        data=draw(constants(shape, dtype, is_raw=sparsity is not None))
        if draw(st.booleans())
        else None,
        is_variable=draw(st.booleans()),
        shape_signature=draw(st.just(()) | st.just(shape) | st.just((-1, *shape[1:]))),
        has_rank=draw(st.booleans()),
        sparsity=sparsity,
        variant_tensors=draw(tuples(records("VariantSubType"))),
    )


@st.composite
def constants(draw, shape: tuple[int, ...], dtype: DType, *, is_raw: bool) -> ConstData:
    count = int(np.prod(shape))
    random = np.random.default_rng(draw(st.integers(0, 3)))
    if is_raw or dtype in UNTYPED:
        size = count * 2 if dtype is DType.BFLOAT16 and not is_raw else draw(st.integers(1, 20))
        return ConstData.of(random.integers(0, 256, size, np.uint8))
    raw = random.integers(0, 2 if dtype is DType.BOOL else 256, count * dtype.size_bytes, np.uint8)
    return ConstData.of(raw.view(dtype.numpy).reshape(shape))


@st.composite
def operators(draw, tensor_count: int) -> Operator:
    named = [name for name in names_of("BuiltinOperator").values() if name != "CUSTOM"]
    unnamed = st.integers(max(names_of("BuiltinOperator")) + 1, 2**31 - 1)
    kind = draw(st.sampled_from(named) | st.just("CUSTOM") | unnamed.map("BUILTIN_{}".format))
    is_custom = kind == "CUSTOM"
    ids = st.integers(0, tensor_count - 1) if tensor_count else st.nothing()
    return Operator(
        kind=kind,
        inputs=draw(tuples(st.none() | ids)),
        outputs=draw(tuples(ids)),
        intermediates=draw(tuples(st.none() | ids)),
        options=draw(st.none() | unions("BuiltinOptions")),
        options2=draw(st.none() | unions("BuiltinOptions2")),
        custom_code=draw(TEXTS) if is_custom else "",
        custom_options=draw(st.none() | st.binary(max_size=40)) if is_custom else None,
        mutating_inputs=draw(tuples(st.booleans())),
        version=draw(st.integers(0, 9)),
        debug_metadata_index=draw(st.integers(-1, 3)),
    )


@st.composite
def subgraphs(draw) -> Subgraph:
    owned = draw(st.lists(tensors(), max_size=4).map(tuple))
    ids = st.integers(0, len(owned) - 1) if owned else st.nothing()
    return Subgraph(
        name=draw(TEXTS),
        tensors=owned,
        operators=draw(tuples(operators(len(owned)))),
        inputs=draw(tuples(ids)),
        outputs=draw(tuples(ids)),
        debug_metadata_index=draw(st.integers(-1, 3)),
    )


@st.composite
def signatures(draw, graphs: list[Subgraph]) -> Table:
    index = draw(st.integers(0, len(graphs) - 1))
    count = len(graphs[index].tensors)

    def entries() -> tuple[Table, ...]:
        ids = st.integers(0, count - 1) if count else st.nothing()
        return tuple(
            Table(kind="TensorMap", fields=(("name", draw(TEXTS)), ("tensor_index", tensor)))
            for tensor in draw(tuples(ids))
        )

    fields = (
        ("inputs", entries()),
        ("outputs", entries()),
        ("signature_key", draw(TEXTS)),
        ("subgraph_index", index),
    )
    return Table(kind="SignatureDef", fields=fields)


@st.composite
def networks(draw) -> Network:
    graphs = draw(st.lists(subgraphs(), min_size=1, max_size=3))
    blocks = st.binary(min_size=1, max_size=20).map(
        lambda raw: ConstData.of(np.frombuffer(raw, "u1"))
    )
    return Network(
        subgraphs=tuple(graphs),
        description=draw(TEXTS),
        version=draw(st.integers(0, 9)),
        metadata=draw(tuples(st.builds(Metadata, name=TEXTS, data=st.none() | blocks))),
        signatures=draw(tuples(signatures(graphs))),
    )


def many_parts() -> Network:
    """A small network that has something of everything, in two subgraphs."""
    weights = ConstData.of(np.arange(36, dtype=np.int8).reshape(4, 3, 3, 1))
    per_axis = Quantization(scales=(0.5, 0.25, 0.125, 1.0), zero_points=(0, 0, 0, 0))
    picture = Quantization(scales=(0.5,), zero_points=(3,), minimum=(-1.0,), maximum=(1.0,))
    dims = Table(
        kind="DimensionMetadata",
        fields=(
            ("format", 1),
            ("array_segments", Table(kind="Uint16Vector", fields=(("values", (0, 2)),))),
            ("array_indices", Table(kind="Uint8Vector", fields=(("values", b"\x00\x03"),))),
        ),
    )
    sparsity = Table(
        kind="SparsityParameters", fields=(("traversal_order", (0,)), ("dim_metadata", (dims,)))
    )
    variant = Table(kind="VariantSubType", fields=(("shape", (2, 2)), ("has_rank", True)))
    main = Subgraph(
        name="main",
        tensors=(
            Tensor(name="in", shape=(1, 8, 8, 1), dtype=DType.INT8, quantization=picture),
            Tensor(
                name="w", shape=(4, 3, 3, 1), dtype=DType.INT8, quantization=per_axis, data=weights
            ),
            Tensor(name="map", shape=(1, 8, 8, 4), dtype=DType.INT8, shape_signature=(-1, 8, 8, 4)),
            Tensor(name="state", shape=(1, 4), dtype=DType.INT16, is_variable=True, has_rank=True),
            Tensor(
                name="s",
                shape=(4,),
                dtype=DType.INT8,
                sparsity=sparsity,
                data=ConstData.of(np.array([5, 6], np.uint8)),
            ),
            Tensor(name="list", shape=(), dtype=DType.VARIANT, variant_tensors=(variant,)),
        ),
        operators=(
            Operator(
                kind="CONV_2D",
                inputs=(0, 1, None),
                outputs=(2,),
                options=Table(
                    kind="Conv2DOptions",
                    fields=(("padding", 0), ("stride_w", 1), ("stride_h", 1)),
                ),
                version=3,
            ),
            Operator(
                kind="CUSTOM",
                inputs=(2, 3, 4),
                outputs=(5,),
                intermediates=(None, 3),
                mutating_inputs=(False, True, False),
                custom_code="mine",
                custom_options=b"\x01\x04\x01",
            ),
            Operator(
                kind="STABLEHLO_COMPOSITE",
                inputs=(5,),
                outputs=(),
                options2=Table(
                    kind="StableHLOCompositeOptions",
                    fields=(("name", "part"), ("decomposition_subgraph_index", 1)),
                ),
            ),
        ),
        inputs=(0,),
        outputs=(2, 5),
    )
    entry = Table(kind="TensorMap", fields=(("name", "x"), ("tensor_index", 0)))
    signature = Table(
        kind="SignatureDef", fields=(("inputs", (entry,)), ("signature_key", "serving_default"))
    )
    return Network(
        subgraphs=(main, Subgraph(name="", tensors=(), operators=(), inputs=(), outputs=())),
        description="everything",
        metadata=(Metadata(name="note", data=ConstData.of(np.frombuffer(b"1.2.3", np.uint8))),),
        signatures=(signature,),
    )
