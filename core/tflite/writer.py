"""From a network to the bytes of a TensorFlow Lite file; the same network gives the same bytes."""

from __future__ import annotations

import re

import flatbuffers
from flatbuffers.builder import BuilderSizeError

from core.base.errors import InputError, UnsupportedOperator
from core.base.progress import SILENT, Progress
from core.flatbuf.encode import DATA_ALIGNMENT, encode, unknown_part
from core.ir.constdata import ConstData
from core.ir.network import FieldValue, Network, Operator, Quantization, Subgraph, Table, Tensor
from core.tflite.header import IDENTIFIER
from core.tflite.schema import TFLITE, numbers_of, table_schema

_MARGIN_BYTES = 1 << 16
_LAST_OLD_CODE = 127
"""Stands in the old field for every operator code that the old field cannot hold."""


def write(network: Network, progress: Progress = SILENT) -> bytes:
    """The file that describes a network; reading it gives an equal network."""
    pools = _Pools()
    subgraphs = []
    for index, graph in enumerate(network.subgraphs):
        progress.advance("write", index, len(network.subgraphs))
        subgraphs.append(_subgraph(graph, index, pools))
    progress.advance("write", len(network.subgraphs), len(network.subgraphs))
    metadata = tuple(
        _record("Metadata", name=item.name, buffer=pools.buffer(item.data))
        for item in network.metadata
    )
    model = _record(
        "Model",
        version=network.version,
        operator_codes=tuple(pools.codes),
        subgraphs=tuple(subgraphs),
        description=network.description,
        buffers=tuple(
            Table(kind="Buffer", fields=(("data", data),) if data else ())
            for data in pools.contents
        ),
        metadata=metadata,
        signature_defs=network.signatures,
    )
    return _file(model, sum(map(len, pools.contents)) + DATA_ALIGNMENT * len(pools.contents))


def _file(model: Table, least_bytes: int) -> bytes:
    try:
        builder = flatbuffers.Builder(least_bytes + _MARGIN_BYTES)
        builder.Finish(encode(builder, TFLITE, model), IDENTIFIER)
    except BuilderSizeError as error:
        raise InputError("the network takes more bytes than one file can hold") from error
    return bytes(builder.Output())


class _Pools:
    """Buffers and operator codes of the file, each content once, in the order of first use."""

    __slots__ = ("codes", "contents")

    def __init__(self) -> None:
        # The first buffer is empty: it is the one of all tensors without data.
        self.contents: dict[bytes, int] = {b"": 0}
        self.codes: dict[Table, int] = {}

    def buffer(self, data: ConstData | None) -> int:
        """Number of the buffer that holds the data."""
        content = b"" if data is None else data.array.tobytes()
        return self.contents.setdefault(content, len(self.contents))

    def code(self, op: Operator) -> int:
        """Number of the operator code for an operator."""
        number = _builtin_code(op)
        record = _record(
            "OperatorCode",
            deprecated_builtin_code=min(number, _LAST_OLD_CODE),
            builtin_code=number,
            custom_code=op.custom_code,
            version=op.version,
        )
        return self.codes.setdefault(record, len(self.codes))


def _builtin_code(op: Operator) -> int:
    code = numbers_of("BuiltinOperator").get(op.kind)
    if code is not None:
        return code
    unnamed = re.fullmatch(r"BUILTIN_(\d+)", op.kind)
    if unnamed is None:
        raise UnsupportedOperator(op.title, "the file format must have it", f"kind {op.kind}")
    return int(unnamed[1])


def _record(kind: str, **fields: FieldValue) -> Table:
    """A record without what reads the same when left out: defaults, empty texts and vectors."""
    schema = table_schema(kind)
    kept = tuple(
        (name, value)
        for name, value in fields.items()
        if value not in (None, "", (), schema.by_name[name].default)
    )
    return Table(kind=kind, fields=kept)


def _subgraph(graph: Subgraph, index: int, pools: _Pools) -> Table:
    return _record(
        "SubGraph",
        tensors=tuple(_tensor(tensor, f"subgraph {index}", pools) for tensor in graph.tensors),
        inputs=graph.inputs,
        outputs=graph.outputs,
        operators=tuple(_operator(op, pools) for op in graph.operators),
        name=graph.name,
        debug_metadata_index=graph.debug_metadata_index,
    )


def _tensor(tensor: Tensor, where: str, pools: _Pools) -> Table:
    quantization = None if tensor.quantization is None else _quantization(tensor.quantization)
    for part in (quantization, tensor.sparsity):
        if part is not None and (unknown := unknown_part(part)):
            raise InputError(
                f"cannot be written: {unknown} is not known", f"{where}, tensor '{tensor.name}'"
            )
    record = _record(
        "Tensor",
        type=tensor.dtype.code,
        buffer=pools.buffer(tensor.data),
        name=tensor.name,
        quantization=quantization,
        is_variable=tensor.is_variable,
        sparsity=tensor.sparsity,
        shape_signature=tensor.shape_signature,
        has_rank=tensor.has_rank,
        variant_tensors=tensor.variant_tensors,
    )
    # A scalar has an empty shape, not none: interpreters look at it.
    return Table(kind=record.kind, fields=(("shape", tensor.shape), *record.fields))


def _quantization(quantization: Quantization) -> Table:
    return _record(
        "QuantizationParameters",
        min=quantization.minimum,
        max=quantization.maximum,
        scale=quantization.scales,
        zero_point=quantization.zero_points,
        details=quantization.details,
        quantized_dimension=quantization.axis,
    )


def _operator(op: Operator, pools: _Pools) -> Table:
    for part in (op.options, op.options2):
        if part is not None and (unknown := unknown_part(part)):
            raise UnsupportedOperator(
                op.title, "what is written must be known to the schema", f"{unknown} is not"
            )
    record = _record(
        "Operator",
        opcode_index=pools.code(op),
        builtin_options=op.options,
        custom_options=op.custom_options,
        mutating_variable_inputs=op.mutating_inputs,
        intermediates=_indices(op.intermediates),
        builtin_options2=op.options2,
        debug_metadata_index=op.debug_metadata_index,
    )
    ends = (("inputs", _indices(op.inputs)), ("outputs", op.outputs))
    return Table(kind=record.kind, fields=(*ends, *record.fields))


def _indices(ids: tuple[int | None, ...]) -> tuple[int, ...]:
    return tuple(-1 if item is None else item for item in ids)
