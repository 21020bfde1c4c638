"""Unusual model files: nothing for the NPU, one operator, very many outputs, no elements."""

from __future__ import annotations

from pathlib import Path

from core.base.frozen import replace
from core.synth.builder import Builder
from core.tflite.writer import write


def cpu_only(folder: Path) -> Path:
    """One operator, which no NPU of this family runs."""
    b = Builder(1)
    return _written(b, (b.gather(b.input((1, 4, 4, 4)), (3, 1), 3),), folder / "cpu_only.tflite")


def one_operator(folder: Path) -> Path:
    """One operator, for the NPU."""
    b = Builder(1)
    return _written(b, (b.relu(b.input((1, 8, 8, 16))),), folder / "one_operator.tflite")


def many_outputs(folder: Path, count: int = 500) -> Path:
    """One input, and very many outputs that are made of it."""
    b = Builder(1)
    image = b.input((1, 4, 4, 4))
    outputs = tuple(b.relu(image) for _ in range(count))
    return _written(b, outputs, folder / "many_outputs.tflite")


def zero_size(folder: Path) -> Path:
    """One operator on tensors without elements."""
    b = Builder(1)
    network = b.build((b.relu(b.input((1, 8, 8, 16))),))
    tensors = tuple(replace(tensor, shape=(1, 0, 8, 16)) for tensor in network.main.tensors)
    path = folder / "zero_size.tflite"
    path.write_bytes(write(replace(network, subgraphs=(replace(network.main, tensors=tensors),))))
    return path


def _written(b: Builder, outputs, path: Path) -> Path:
    path.write_bytes(write(b.build(outputs)))
    return path
