"""Files that no converter writes: parts named again and again, too much of one kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import flatbuffers
import numpy as np

from core.flatbuf.encode import encode
from core.flatbuf.schema import FieldKind
from core.ir.network import Table
from core.tflite.header import IDENTIFIER
from core.tflite.schema import TFLITE, numbers_of, table_schema

MEBIBYTE = 1 << 20


class Draft:
    """A flatbuffer in the making, whose tables may share parts."""

    def __init__(self) -> None:
        self.builder = flatbuffers.Builder(MEBIBYTE)

    def record(self, kind: str, **fields) -> int:
        return encode(self.builder, TFLITE, Table(kind=kind, fields=tuple(fields.items())))

    def text(self, text: str | bytes) -> int:
        return self.builder.CreateString(text)

    def numbers(self, values, code: str = "<i") -> int:
        return self.builder.CreateNumpyVector(np.asarray(values, code))

    def vector(self, offsets: Sequence[int]) -> int:
        self.builder.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            self.builder.PrependUOffsetTRelative(offset)
        return self.builder.EndVector()

    def table(self, kind: str, **parts: int) -> int:
        """A table of parts that have been written before."""
        schema = table_schema(kind)
        self.builder.StartObject(schema.slot_count)
        for name, offset in parts.items():
            self.builder.PrependUOffsetTRelativeSlot(schema.by_name[name].slot, offset, 0)
        return self.builder.EndObject()

    def model(self, subgraphs: Sequence[int], **parts: int) -> bytes:
        root = self.table("Model", subgraphs=self.vector(subgraphs), **parts)
        self.builder.Finish(root, IDENTIFIER)
        return bytes(self.builder.Output())


def _tensor_named_often(count: int) -> bytes:
    draft = Draft()
    tensor = draft.record("Tensor", name="x", shape=(1, 2, 3, 4))
    return draft.model([draft.table("SubGraph", tensors=draft.vector([tensor] * count))])


def _subgraph_named_often(count: int) -> bytes:
    draft = Draft()
    tensor = draft.record("Tensor", name="x", shape=(1, 2, 3, 4))
    graph = draft.table("SubGraph", tensors=draft.vector([tensor] * count))
    return draft.model([graph] * count)


def _empty_tensors(count: int) -> bytes:
    draft = Draft()
    return draft.model(
        [draft.table("SubGraph", tensors=draft.vector([draft.record("Tensor")] * count))]
    )


def _variants(count: int) -> bytes:
    draft = Draft()
    variant = draft.record("VariantSubType", shape=(1000, 2000), type=1, has_rank=True)
    tensor = draft.table("Tensor", variant_tensors=draft.vector([variant] * count))
    return draft.model([draft.table("SubGraph", tensors=draft.vector([tensor] * 2))])


def _numbers(count: int) -> bytes:
    draft = Draft()
    values = draft.numbers(np.arange(count, dtype=np.float32), "<f")
    tensor = draft.table("Tensor", quantization=draft.table("QuantizationParameters", scale=values))
    return draft.model([draft.table("SubGraph", tensors=draft.vector([tensor]))])


def _inputs(count: int) -> bytes:
    draft = Draft()
    tensors = draft.vector([draft.record("Tensor")] * 1000)
    operator = draft.table("Operator", inputs=draft.numbers(np.arange(count) % 1000 - 1))
    codes = draft.vector([draft.record("OperatorCode")])
    graph = draft.table("SubGraph", tensors=tensors, operators=draft.vector([operator]))
    return draft.model([graph], operator_codes=codes)


def _wide_text(count: int) -> bytes:
    draft = Draft()
    return draft.model(
        [draft.table("SubGraph")], description=draft.text("\U0001f30a" + "a" * count)
    )


def _broken_text(count: int) -> bytes:
    draft = Draft()
    return draft.model([draft.table("SubGraph")], description=draft.text(b"\xff" * count))


def _texts(count: int) -> bytes:
    draft = Draft()
    name = draft.text("n" * 40)
    tensors = draft.vector([draft.table("Tensor", name=name) for _ in range(count)])
    return draft.model([draft.table("SubGraph", tensors=tensors)])


def _signatures(count: int) -> bytes:
    draft = Draft()
    tensors = draft.vector([draft.record("Tensor")])
    entry = draft.record("TensorMap", name="entry", tensor_index=0)
    maps = draft.vector([entry] * count)
    signature = draft.table("SignatureDef", inputs=maps, outputs=maps)
    graph = draft.table("SubGraph", tensors=tensors)
    return draft.model([graph], signature_defs=draft.vector([signature] * 3))


def _custom_options(count: int) -> bytes:
    draft = Draft()
    codes = draft.vector([draft.record("OperatorCode", deprecated_builtin_code=32)])
    options = draft.numbers(np.zeros(count * 4), "<B")
    operator = draft.table("Operator", custom_options=options)
    graph = draft.table("SubGraph", operators=draft.vector([operator] * count))
    return draft.model([graph], operator_codes=codes)


def _overlapping_buffers(count: int) -> bytes:
    """Buffers outside the flatbuffer that begin one byte after the other."""
    draft = Draft()
    size = count * 4
    buffers = [draft.record("Buffer", offset=2 + i, size=size) for i in range(count // 16)]
    entries = [draft.record("Metadata", name="m", buffer=i) for i in range(len(buffers))]
    return draft.model(
        [draft.table("SubGraph")], buffers=draft.vector(buffers), metadata=draft.vector(entries)
    ) + bytes(size + 16 + count)


def _options(count: int) -> bytes:
    draft = Draft()
    codes = draft.vector([draft.record("OperatorCode")])
    schema = table_schema("StablehloConvolutionOptions")
    options = draft.record(
        schema.kind,
        **{
            field.name: 10**12 + field.slot
            for field in schema.fields
            if field.kind is FieldKind.SCALAR
        },
    )
    slot = table_schema("Operator").by_name["builtin_options2"].slot
    draft.builder.StartObject(slot + 1)
    draft.builder.PrependUint8Slot(slot - 1, numbers_of("BuiltinOptions2")[schema.kind], 0)
    draft.builder.PrependUOffsetTRelativeSlot(slot, options, 0)
    operators = draft.vector([draft.builder.EndObject()] * count)
    return draft.model([draft.table("SubGraph", operators=operators)], operator_codes=codes)


def _sparse_segments(count: int) -> bytes:
    draft = Draft()
    segments = draft.table("Int32Vector", values=draft.numbers(np.arange(count)))
    schema = table_schema("DimensionMetadata")
    draft.builder.StartObject(schema.slot_count)
    for name in ("array_segments", "array_indices"):
        slot = schema.by_name[name].slot
        draft.builder.PrependUint8Slot(slot - 1, 1, 0)
        draft.builder.PrependUOffsetTRelativeSlot(slot, segments, 0)
    dims = draft.vector([draft.builder.EndObject()] * 2)
    sparsity = draft.table("SparsityParameters", dim_metadata=dims)
    tensor = draft.table("Tensor", sparsity=sparsity)
    return draft.model([draft.table("SubGraph", tensors=draft.vector([tensor]))])


DENSE: dict[str, Callable[[int], bytes]] = {
    "one tensor named often": _tensor_named_often,
    "one subgraph named often": _subgraph_named_often,
    "empty tensors": _empty_tensors,
    "variants": _variants,
    "numbers": _numbers,
    "operator inputs": _inputs,
    "wide text": _wide_text,
    "text that is none": _broken_text,
    "names": _texts,
    "signatures": _signatures,
    "options": _options,
    "custom options": _custom_options,
    "overlapping buffers": _overlapping_buffers,
    "sparse segments": _sparse_segments,
}
"""Each makes a file that grows with the number given."""
