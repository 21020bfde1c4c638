"""What the writer promises about the bytes, judged through the schema's own bindings."""

from __future__ import annotations

import flatbuffers
import numpy as np
import pytest
import tflite

from core.base.dtype import DType
from core.base.errors import InputError, InternalError, UnsupportedOperator
from core.base.frozen import replace
from core.ir.constdata import ConstData
from core.ir.network import Network, Operator, Quantization, Subgraph, Table, Tensor
from core.tflite.reader import read
from core.tflite.writer import write
from tests.core.tflite.networks import many_parts


def network_of(*operators: Operator, tensors: tuple[Tensor, ...] = ()) -> Network:
    graph = Subgraph(name="", tensors=tensors, operators=operators, inputs=(), outputs=())
    return Network(subgraphs=(graph,))


def operator(**fields) -> Operator:
    return Operator(**{"kind": "ADD", "inputs": (), "outputs": (), **fields})


def constant(name: str, values: list[int], dtype: DType = DType.INT8) -> Tensor:
    data = ConstData.of(np.array(values, dtype.numpy))
    return Tensor(name=name, shape=(len(values),), dtype=dtype, data=data)


def model_of(network: Network) -> tflite.Model:
    return tflite.Model.GetRootAs(write(network))


def test_the_file_says_what_it_is():
    assert tflite.Model.ModelBufferHasIdentifier(write(many_parts()), 0)


def test_the_first_buffer_is_empty_and_that_of_tensors_without_data():
    model = model_of(many_parts())
    assert model.Buffers(0).DataLength() == 0
    assert model.Subgraphs(0).Tensors(0).Buffer() == 0


def test_equal_bytes_share_a_buffer_whatever_their_type():
    tensors = (
        constant("a", [1, 0, 2, 0]),
        constant("b", [1, 2], DType.INT16),
        constant("c", [1, 0, 2, 1]),
    )
    model = model_of(network_of(tensors=tensors))
    assert [model.Subgraphs(0).Tensors(i).Buffer() for i in range(3)] == [1, 1, 2]
    assert model.BuffersLength() == 3


@pytest.mark.parametrize("size", [1, 3, 16, 17, 100])
def test_data_of_buffers_is_aligned_to_16_bytes(size):
    tensors = tuple(constant(f"t{i}", [i] * (size + i)) for i in range(5))
    data = write(network_of(tensors=tensors))
    model = tflite.Model.GetRootAs(data)
    for index in range(1, model.BuffersLength()):
        table = model.Buffers(index)._tab
        assert table.Vector(table.Offset(4)) % 16 == 0


def test_equal_operator_codes_are_written_once():
    model = model_of(
        network_of(
            operator(),
            operator(version=2),
            operator(kind="CUSTOM", custom_code="mine"),
            operator(),
            operator(kind="CUSTOM", custom_code="yours"),
        )
    )
    indices = [model.Subgraphs(0).Operators(i).OpcodeIndex() for i in range(5)]
    assert indices == [0, 1, 2, 0, 3]


@pytest.mark.parametrize(
    ("kind", "code", "old"),
    [("CONV_2D", 3, 3), ("GELU", 150, 127), ("BUILTIN_4000", 4000, 127), ("CUSTOM", 32, 32)],
)
def test_both_operator_codes_are_set(kind, code, old):
    written = model_of(network_of(operator(kind=kind))).OperatorCodes(0)
    slot = written._tab.Offset(10)
    number = written._tab.Get(flatbuffers.number_types.Int32Flags, written._tab.Pos + slot)
    assert (number, written.DeprecatedBuiltinCode()) == (code, old)


def test_the_same_network_gives_the_same_bytes():
    assert write(many_parts()) == write(read(write(many_parts())))


def test_the_order_of_an_options_fields_does_not_matter():
    fields = (("padding", 1), ("stride_w", 2), ("stride_h", 3))
    one, other = (
        network_of(operator(kind="CONV_2D", options=Table(kind="Conv2DOptions", fields=order)))
        for order in (fields, fields[::-1])
    )
    assert read(write(one)) == read(write(other)) == one


def test_a_scalar_has_an_empty_shape():
    tensor = Tensor(name="s", shape=(), dtype=DType.INT8)
    assert not model_of(network_of(tensors=(tensor,))).Subgraphs(0).Tensors(0).ShapeIsNone()


def test_a_kind_that_the_format_does_not_have_is_refused():
    with pytest.raises(UnsupportedOperator, match="FROBNICATE"):
        write(network_of(operator(kind="FROBNICATE")))


def test_unknown_details_of_a_tensor_are_refused():
    details = Quantization(details=Table(kind="unknown:9"))
    tensor = Tensor(name="odd", shape=(), dtype=DType.INT8, quantization=details)
    with pytest.raises(InputError, match=r"tensor 'odd'.*type 9"):
        write(network_of(tensors=(tensor,)))


@pytest.mark.parametrize(
    "options",
    [
        Table(kind="Conv2DOptions", fields=(("colour", 1),)),
        Table(kind="Conv2DOptions", fields=(("stride_w", 2**40),)),
        Table(kind="Conv2DOptions", fields=(("stride_w", "two"),)),
        Table(kind="ReshapeOptions", fields=(("new_shape", (2**40,)),)),
        Table(kind="ReshapeOptions", fields=(("new_shape", 3),)),
        Table(kind="ReshapeOptions", fields=(("new_shape", (1.5,)),)),
        Table(kind="ReshapeOptions", fields=(("new_shape", "3"),)),
        Table(kind="BucketizeOptions", fields=(("boundaries", (1e300,)),)),
        Table(kind="SoftmaxOptions", fields=(("beta", 1e300),)),
        Table(kind="VarHandleOptions", fields=(("container", 3),)),
        Table(kind="Conv2DOptions", fields=(("stride_w", Table(kind="AddOptions")),)),
    ],
)
def test_options_that_do_not_fit_the_schema_are_our_own_fault(options):
    with pytest.raises(InternalError, match=options.kind):
        write(network_of(operator(kind="CONV_2D", options=options)))


def test_options_that_the_format_does_not_have_are_our_own_fault():
    with pytest.raises(InternalError, match=r"Operator\.builtin_options"):
        write(network_of(operator(options=Table(kind="FrobnicateOptions"))))


def test_a_network_beyond_the_format_is_refused(monkeypatch):
    monkeypatch.setattr(flatbuffers.Builder, "MAX_BUFFER_SIZE", 1 << 18)
    tensor = constant("t", list(range(100)))
    write(network_of(tensors=(tensor,)))
    large = replace(tensor, shape=(1 << 18,), data=ConstData.of(np.zeros(1 << 18, np.int8)))
    with pytest.raises(InputError, match="more bytes than one file can hold"):
        write(network_of(tensors=(large,)))
