"""What the reader makes of files beyond the ordinary, and what it says when it refuses one."""

from __future__ import annotations

import numpy as np
import pytest
import tflite

from core.base.dtype import DType
from core.base.errors import InputError, UnsupportedOperator
from core.flatbuf.encode import encode
from core.ir.network import Network, Subgraph, Table, Tensor
from core.tflite.reader import read, read_file
from core.tflite.schema import TFLITE, numbers_of, table_schema
from core.tflite.writer import write
from tests.core.tflite.crafted import Draft
from tests.core.tflite.networks import many_parts


class Marks:
    """Progress that remembers what it was told."""

    def __init__(self):
        self.seen = []

    def advance(self, stage, done, total):
        self.seen.append((stage, done, total))


def file_of(operator: dict | None = None, tensors=({},), **model) -> bytes:
    """A file with one subgraph, one operator and the tensors given, written field by field."""
    draft = Draft()
    graph = Table(
        kind="SubGraph",
        fields=(
            ("tensors", tuple(record("Tensor", **fields) for fields in tensors)),
            ("operators", () if operator is None else (record("Operator", **operator),)),
        ),
    )
    model.setdefault("operator_codes", (record("OperatorCode", deprecated_builtin_code=3),))
    root = encode(draft.builder, TFLITE, record("Model", subgraphs=(graph,), **model))
    draft.builder.Finish(root, b"TFL3")
    return bytes(draft.builder.Output())


def record(kind: str, **fields) -> Table:
    return Table(kind=kind, fields=tuple(fields.items()))


def refusal(data: bytes) -> InputError:
    with pytest.raises(InputError) as caught:
        read(data)
    return caught.value


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "Git LFS pointer"),
        (b"PK\x03\x04rest", "ZIP"),
        (b"\x89HDF\r\n\x1a\nrest", "HDF5"),
        (b"\x1f\x8b\x08rest of it", "gzip"),
        (b"name: a network\nlayers: 3\n", "text file"),
        (b"\x00\x01", "too few"),
        (b"\x1c\x00\x00\x00TFL2" + bytes(64), "TFL2"),
    ],
)
def test_what_is_no_model_is_called_by_its_name(data, words):
    assert words in str(refusal(data))


def test_a_missing_file_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        read_file(tmp_path / "none.tflite")
    with pytest.raises(InputError):
        read_file(tmp_path)


def test_a_file_is_read_from_its_path(tmp_path):
    path = tmp_path / "model.tflite"
    path.write_bytes(write(many_parts()))
    assert read_file(path) == many_parts()


def test_progress_is_told_of_each_subgraph():
    marks = Marks()
    read(write(many_parts()), marks)
    assert marks.seen == [("read", 0, 2), ("read", 1, 2), ("read", 2, 2)]


def test_constants_are_views_of_the_file():
    data = write(many_parts())
    whole = np.frombuffer(data, np.uint8)
    weights = read(data).main.tensors[1].data
    assert np.shares_memory(weights.array, whole)
    assert weights.shape == (4, 3, 3, 1)
    assert weights.array.dtype == np.int8


def test_tensors_that_share_a_buffer_and_a_shape_share_the_constant():
    tensor = {"shape": (2,), "type": DType.INT16.code, "buffer": 0}
    buffers = (record("Buffer", data=b"\1\0\2\0"),)
    tensors = read(file_of(tensors=(tensor, tensor), buffers=buffers)).main.tensors
    assert tensors[0].data is tensors[1].data
    assert tensors[0].data.array.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        (3, 0, "CONV_2D"),
        (3, 3, "CONV_2D"),
        (127, 150, "GELU"),
        (0, 150, "GELU"),
        (127, 5000, "BUILTIN_5000"),
    ],
)
def test_the_greater_operator_code_counts(old, new, kind):
    codes = (record("OperatorCode", deprecated_builtin_code=old, builtin_code=new),)
    assert read(file_of({}, operator_codes=codes)).main.operators[0].kind == kind


def test_an_operator_code_below_zero_is_refused():
    codes = (record("OperatorCode", deprecated_builtin_code=-1, builtin_code=-5),)
    assert refusal(file_of({}, operator_codes=codes)).where == "operator code 0, builtin code"


def test_data_outside_the_flatbuffer_is_found_and_checked():
    def file(offset: int, size: int) -> bytes:
        buffers = (record("Buffer", offset=offset, size=size),)
        return file_of(tensors=({"shape": (4,), "type": DType.INT8.code},), buffers=buffers)

    start = len(file(10**6, 4))
    tensor = read(file(start, 4) + b"\1\2\3\4").main.tensors[0]
    assert tensor.data.array.tolist() == [1, 2, 3, 4]
    assert read(file(1, 4)).main.tensors[0].data is None
    error = refusal(file(start + 1, 4) + b"\1\2\3\4")
    assert error.where == "buffer 0, offset"


def test_large_custom_options_are_found_and_checked():
    def file(offset: int) -> bytes:
        return file_of(
            {"large_custom_options_offset": offset, "large_custom_options_size": 3},
            operator_codes=(record("OperatorCode", deprecated_builtin_code=32),),
        )

    start = len(file(10**6))
    assert read(file(start) + b"abc").main.operators[0].custom_options == b"abc"
    error = refusal(file(start) + b"ab")
    assert error.where == "subgraph 0, operator 0, large custom options offset"


def test_custom_options_that_are_empty_are_not_none():
    codes = (record("OperatorCode", deprecated_builtin_code=32),)
    operators = [
        read(file_of(fields, operator_codes=codes)).main.operators[0]
        for fields in ({"custom_options": b""}, {})
    ]
    assert [op.custom_options for op in operators] == [b"", None]


@pytest.mark.parametrize(
    ("fields", "size"),
    [
        ({"type": DType.STRING.code, "shape": (2,)}, 17),
        ({"type": DType.INT4.code, "shape": (3, 3)}, 5),
        ({"type": DType.INT8.code, "shape": (8,), "sparsity": Table(kind="SparsityParameters")}, 3),
        ({"type": DType.BFLOAT16.code, "shape": (3,)}, 6),
    ],
)
def test_elements_that_numpy_does_not_have_stay_bytes(fields, size):
    buffers = (record("Buffer", data=bytes(size)),)
    data = read(file_of(tensors=(fields,), buffers=buffers)).main.tensors[0].data
    assert (data.array.dtype, data.shape) == (np.uint8, (size,))


@pytest.mark.parametrize(
    ("shape", "size"), [((2, 2), 3), ((2, 2), 5), ((), 2), ((-1, -4), 4), ((2**30,) * 30, 4)]
)
def test_a_constant_of_the_wrong_size_is_refused_with_its_tensor(shape, size):
    tensors = ({}, {"shape": shape, "type": DType.INT8.code, "name": "taps"})
    error = refusal(file_of(tensors=tensors, buffers=(record("Buffer", data=bytes(size)),)))
    # The first tensor, a float scalar, is wrong unless it has four bytes.
    assert error.where == ("subgraph 0, tensor 1" if size == 4 else "subgraph 0, tensor 0")
    assert "buffer 0" in error.message


def test_the_refusal_of_a_constant_names_the_tensor():
    tensor = {"shape": (3,), "type": DType.INT8.code, "name": "taps"}
    error = refusal(file_of(tensors=(tensor,), buffers=(record("Buffer", data=bytes(4)),)))
    assert str(error) == (
        "subgraph 0, tensor 0: 'taps': buffer 0 has 4 bytes, where int8 of shape (3,) takes 3"
    )


@pytest.mark.parametrize(
    ("operator", "where"),
    [
        ({"inputs": (1,)}, "inputs"),
        ({"inputs": (-2,)}, "inputs"),
        ({"outputs": (-1,)}, "outputs"),
        ({"outputs": (0, 1)}, "outputs"),
        ({"intermediates": (7,)}, "intermediates"),
        ({"opcode_index": 1}, "opcode index"),
    ],
)
def test_an_operator_may_only_name_what_is_there(operator, where):
    assert refusal(file_of(operator)).where == f"subgraph 0, operator 0, {where}"


@pytest.mark.parametrize(
    ("tensor", "where"),
    [
        ({"buffer": 1}, "buffer"),
        ({"type": 99}, "type"),
        ({"shape": (1,) * 33}, "shape"),
    ],
)
def test_a_tensor_may_only_name_what_is_there(tensor, where):
    assert refusal(file_of(tensors=(tensor,))).where == f"subgraph 0, tensor 0, {where}"


def test_a_signature_may_only_name_what_is_there():
    entry = record("TensorMap", name="x", tensor_index=1)
    for fields, where in (
        ({"subgraph_index": 1}, "signature def 0, subgraph index"),
        ({"inputs": (entry,)}, "signature def 0, input 0"),
    ):
        signatures = (record("SignatureDef", **fields),)
        assert refusal(file_of(signature_defs=signatures)).where == where


def test_a_file_without_a_subgraph_is_refused():
    draft = Draft()
    assert refusal(draft.model([])).where == "subgraphs"


def test_a_scalar_constant_has_no_dimension():
    tensor = {"shape": (), "type": DType.INT32.code}
    data = read(file_of(tensors=(tensor,), buffers=(record("Buffer", data=b"\5\0\0\0"),)))
    assert data.main.tensors[0].data.array.shape == ()


def test_an_offset_that_leads_nowhere_is_refused():
    data = bytearray(write(many_parts()))
    table = tflite.Model.GetRootAs(data).Subgraphs(0)._tab
    position = table.Pos + table.Offset(12)
    for offset in (0, len(data) - position, len(data) - position - 3, 0xFFFFFFFF):
        data[position : position + 4] = offset.to_bytes(4, "little")
        error = refusal(bytes(data))
        assert error.where == "subgraph 0, name"
        assert f"the offset at byte {position} leads to byte {position + offset}" in error.message


def test_names_that_are_no_text_are_escaped():
    draft = Draft()
    graph = draft.table("SubGraph", name=draft.text(b"caf\xe9"))
    assert read(draft.model([graph])).main.name == "caf\\xe9"


def test_options_of_a_newer_schema_are_kept_but_not_written():
    data = bytearray(write(many_parts()))
    conv = read(bytes(data)).main.operators[0]
    # The type of the first operator's options, as the writer lays it out, becomes one of tomorrow.
    position = _position_of_options_type(data)
    assert data[position] == 1
    data[position] = 250
    network = read(bytes(data))
    options = network.main.operators[0].options
    assert options.kind == "unknown:250"
    assert len(options.get("inline")) >= 4
    assert network.main.operators[0].inputs == conv.inputs
    with pytest.raises(UnsupportedOperator, match=r"CONV_2D.*options of type 250"):
        write(network)


def test_fields_of_a_newer_schema_are_kept_but_not_written():
    known = table_schema("FullyConnectedOptions").slot_count
    draft = Draft()
    draft.builder.StartObject(known + 1)
    draft.builder.PrependInt8Slot(0, 1, 0)
    draft.builder.PrependInt32Slot(known, 77, 0)
    options = draft.builder.EndObject()
    slot = table_schema("Operator").by_name["builtin_options"].slot
    draft.builder.StartObject(slot + 1)
    draft.builder.PrependUint8Slot(
        slot - 1, numbers_of("BuiltinOptions")["FullyConnectedOptions"], 0
    )
    draft.builder.PrependUOffsetTRelativeSlot(slot, options, 0)
    operators = draft.vector([draft.builder.EndObject()])
    codes = draft.vector([draft.record("OperatorCode", deprecated_builtin_code=9)])
    network = read(
        draft.model([draft.table("SubGraph", operators=operators)], operator_codes=codes)
    )
    found = network.main.operators[0].options
    assert found.kind == "FullyConnectedOptions"
    assert found.get("fused_activation_function") == 1
    assert found.get(f"unknown:{known}")[:4] == (77).to_bytes(4, "little")
    with pytest.raises(UnsupportedOperator, match=f"field {known} of FullyConnectedOptions"):
        write(network)


def _position_of_options_type(data: bytearray) -> int:
    table = tflite.Model.GetRootAs(data).Subgraphs(0).Operators(0)._tab
    return table.Pos + table.Offset(4 + 2 * 3)


def test_a_network_of_tensors_only_needs_nothing_else():
    tensor = Tensor(name="t", shape=(1,), dtype=DType.BOOL)
    graph = Subgraph(name="", tensors=(tensor,), operators=(), inputs=(), outputs=())
    network = Network(subgraphs=(graph,))
    assert read(write(network)) == network
