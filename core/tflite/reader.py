"""From the bytes of a TensorFlow Lite file to a network."""

from __future__ import annotations

from pathlib import Path

from core.base.dtype import DType
from core.base.errors import InputError
from core.base.frozen import NamedTuple
from core.base.ids import TensorId
from core.base.progress import SILENT, Progress
from core.flatbuf.decode import decode, decode_union
from core.flatbuf.view import Source, TableView
from core.ir.constdata import ConstData
from core.ir.network import (
    Metadata,
    Network,
    Operator,
    Quantization,
    Subgraph,
    Table,
    Tensor,
)
from core.tflite.buffers import Buffers
from core.tflite.header import check_header
from core.tflite.schema import TFLITE, names_of

_MAX_RANK = 32
"""More dimensions than numpy could ever give an array."""
_PACKED = frozenset({DType.INT4, DType.STRING, DType.RESOURCE, DType.VARIANT})
_FIRST_OUTSIDE = 2
"""Offsets 0 and 1 are placeholders of the converter and mean 'not outside the flatbuffer'."""


def read_file(path: Path, progress: Progress = SILENT) -> Network:
    """The network in a file."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(error.strerror or "the file cannot be read", str(path)) from error
    return read(data, progress)


def read(data: bytes, progress: Progress = SILENT) -> Network:
    """The network that the bytes describe; its constants are views of them."""
    check_header(data)
    source = Source(data, TFLITE)
    model = source.root("Model")
    buffers = Buffers(source, model)
    codes = tuple(_code(view) for view in model.tables("operator_codes"))
    total = model.count("subgraphs")
    if not total:
        model.fail("subgraphs", "the file has none")
    subgraphs = []
    for index, view in enumerate(model.tables("subgraphs")):
        progress.advance("read", index, total)
        subgraphs.append(_subgraph(view, codes, buffers))
    progress.advance("read", total, total)
    return Network(
        subgraphs=tuple(subgraphs),
        description=model.string("description"),
        version=model.scalar("version"),
        metadata=tuple(
            Metadata(name=view.string("name"), data=buffers.raw(view))
            for view in model.tables("metadata")
        ),
        signatures=tuple(_signature(view, subgraphs) for view in model.tables("signature_defs")),
    )


class _Code(NamedTuple):
    kind: str
    custom_code: str
    version: int


def _code(view: TableView) -> _Code:
    # Old files have only the field of 8 bits; new ones have both, with a placeholder in the old
    # one where the code is above 127.
    number = max(view.scalar("builtin_code"), view.scalar("deprecated_builtin_code"))
    if number < 0:
        view.fail("builtin_code", f"{number} is no operator")
    kind = names_of("BuiltinOperator").get(number, f"BUILTIN_{number}")
    return _Code(kind, view.string("custom_code"), view.scalar("version"))


def _subgraph(view: TableView, codes: tuple[_Code, ...], buffers: Buffers) -> Subgraph:
    tensors = tuple(_tensor(item, buffers) for item in view.tables("tensors"))
    return Subgraph(
        name=view.string("name"),
        tensors=tensors,
        operators=tuple(_operator(item, codes, len(tensors)) for item in view.tables("operators")),
        inputs=_tensor_ids(view, "inputs", len(tensors)),
        outputs=_tensor_ids(view, "outputs", len(tensors)),
        debug_metadata_index=view.scalar("debug_metadata_index"),
    )


def _tensor(view: TableView, buffers: Buffers) -> Tensor:
    shape = _shape(view, "shape")
    dtype = DType.from_code(view.scalar("type"))
    if dtype is None:
        view.fail("type", f"{view.scalar('type')} is no known element type")
    sparsity = view.table("sparsity")
    quantization = view.table("quantization")
    return Tensor(
        name=view.string("name"),
        shape=shape,
        dtype=dtype,
        quantization=None if quantization is None else _quantization(quantization),
        data=_constant(view, buffers, dtype, shape),
        is_variable=view.scalar("is_variable"),
        shape_signature=_shape(view, "shape_signature"),
        has_rank=view.scalar("has_rank"),
        sparsity=None if sparsity is None else decode(sparsity),
        variant_tensors=tuple(decode(item) for item in view.tables("variant_tensors")),
    )


def _constant(
    view: TableView, buffers: Buffers, dtype: DType, shape: tuple[int, ...]
) -> ConstData | None:
    if dtype in _PACKED or view.place_of("sparsity"):
        return buffers.raw(view)
    return buffers.typed(view, dtype, shape)


def _shape(view: TableView, name: str) -> tuple[int, ...]:
    shape = view.numbers(name)
    if len(shape) > _MAX_RANK:
        view.fail(name, f"{len(shape)} dimensions, where at most {_MAX_RANK} are accepted")
    return shape


def _quantization(view: TableView) -> Quantization:
    return Quantization(
        scales=view.numbers("scale"),
        zero_points=view.numbers("zero_point"),
        axis=view.scalar("quantized_dimension"),
        minimum=view.numbers("min"),
        maximum=view.numbers("max"),
        details=decode_union(view, "details"),
    )


def _operator(view: TableView, codes: tuple[_Code, ...], tensor_count: int) -> Operator:
    index = view.scalar("opcode_index")
    if index >= len(codes):
        view.fail("opcode_index", f"there is no operator code {index}; the file has {len(codes)}")
    code = codes[index]
    return Operator(
        kind=code.kind,
        inputs=_optional_ids(view, "inputs", tensor_count),
        outputs=_tensor_ids(view, "outputs", tensor_count),
        intermediates=_optional_ids(view, "intermediates", tensor_count),
        options=decode_union(view, "builtin_options"),
        options2=decode_union(view, "builtin_options2"),
        custom_code=code.custom_code,
        custom_options=_custom_options(view),
        mutating_inputs=view.numbers("mutating_variable_inputs"),
        version=code.version,
        debug_metadata_index=view.scalar("debug_metadata_index"),
    )


def _custom_options(view: TableView) -> bytes | None:
    start = view.scalar("large_custom_options_offset")
    if start >= _FIRST_OUTSIDE:
        size = view.scalar("large_custom_options_size")
        return view.copied_from(start, size, "large_custom_options_offset")
    return view.copied("custom_options") if view.place_of("custom_options") else None


def _tensor_ids(view: TableView, name: str, count: int) -> tuple[TensorId, ...]:
    indices = view.numbers(name)
    if indices and not 0 <= min(indices) <= max(indices) < count:
        _refuse_index(view, name, indices, count, least=0)
    return indices


def _optional_ids(view: TableView, name: str, count: int) -> tuple[TensorId | None, ...]:
    indices = view.numbers(name)
    if not indices or 0 <= min(indices) <= max(indices) < count:
        return indices
    if not -1 <= min(indices) <= max(indices) < count:
        _refuse_index(view, name, indices, count, least=-1)
    return tuple(None if index < 0 else index for index in indices)


def _refuse_index(
    view: TableView, name: str, indices: tuple[int, ...], count: int, *, least: int
) -> None:
    wrong = next(index for index in indices if not least <= index < count)
    view.fail(name, f"there is no tensor {wrong}; the subgraph has {count}")


def _signature(view: TableView, subgraphs: list[Subgraph]) -> Table:
    index = view.scalar("subgraph_index")
    if index >= len(subgraphs):
        view.fail("subgraph_index", f"there is no subgraph {index}; the file has {len(subgraphs)}")
    count = len(subgraphs[index].tensors)
    for name in ("inputs", "outputs"):
        for item in view.tables(name):
            tensor = item.scalar("tensor_index")
            if tensor >= count:
                item.fail("", f"there is no tensor {tensor}; subgraph {index} has {count}")
    return decode(view)
