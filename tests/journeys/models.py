"""Odd models that the app has to live with."""

from __future__ import annotations

from pathlib import Path

from core.base.dtype import DType
from core.base.ids import TensorId
from core.ir.network import Network, Operator, Quantization, Subgraph, Tensor
from core.synth.builder import Builder
from core.tflite.writer import write

_SCALE = Quantization(scales=(0.1,), zero_points=(0,))


def one_operator(folder: Path) -> Path:
    """A single convolution."""
    b = Builder(1)
    image = b.input((1, 16, 16, 8))
    return _saved(folder, "one_operator", b.build([b.conv(image, 8)]))


def on_the_cpu(folder: Path) -> Path:
    """Nothing in it can run on the NPU."""
    b = Builder(1)
    value = b.input((1, 8, 8, 4))
    return _saved(folder, "on_the_cpu", b.build([b.float_cosine(value)]))


def many_outputs(folder: Path, count: int = 500) -> Path:
    """As many outputs as operators, side by side."""
    tensors = [Tensor(name="in", shape=(1, 2, 2, 8), dtype=DType.INT8, quantization=_SCALE)]
    operators = []
    for number in range(count):
        tensors.append(
            Tensor(name=f"out{number}", shape=(1, 2, 2, 8), dtype=DType.INT8, quantization=_SCALE)
        )
        operators.append(
            Operator(kind="RELU", inputs=(TensorId(0),), outputs=(TensorId(number + 1),))
        )
    outputs = tuple(TensorId(number + 1) for number in range(count))
    return _saved(folder, "many_outputs", _network(tensors, operators, (TensorId(0),), outputs))


def nothing_in_a_tensor(folder: Path) -> Path:
    """A tensor without a single element."""
    tensors = [
        Tensor(name="in", shape=(1, 0, 8, 8), dtype=DType.INT8, quantization=_SCALE),
        Tensor(name="out", shape=(1, 0, 8, 8), dtype=DType.INT8, quantization=_SCALE),
    ]
    operators = [Operator(kind="RELU", inputs=(TensorId(0),), outputs=(TensorId(1),))]
    network = _network(tensors, operators, (TensorId(0),), (TensorId(1),))
    return _saved(folder, "nothing_in_a_tensor", network)


def text(folder: Path) -> Path:
    """Not a model at all."""
    path = folder / "text.tflite"
    path.write_text("This is a letter, not a network.\n" * 50, "utf-8")
    return path


def broken(folder: Path, model: Path) -> Path:
    """The first part of a model."""
    path = folder / "broken.tflite"
    data = model.read_bytes()
    path.write_bytes(data[: len(data) // 3])
    return path


def _network(tensors, operators, inputs, outputs) -> Network:
    return Network(
        subgraphs=(
            Subgraph(
                name="main",
                tensors=tuple(tensors),
                operators=tuple(operators),
                inputs=inputs,
                outputs=outputs,
            ),
        ),
    )


def _saved(folder: Path, name: str, network: Network) -> Path:
    path = folder / f"{name}.tflite"
    path.write_bytes(write(network))
    return path


def empty(folder: Path) -> Path:
    """A file with nothing in it."""
    path = folder / "empty.tflite"
    path.write_bytes(b"")
    return path
