"""The example networks: the committed files are what the builder makes, and they are alive."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import zlib
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from core.base.dtype import DType
from core.ir.network import Network
from core.synth.examples import EXAMPLES, SEED
from core.tflite.reader import read
from core.tflite.writer import write
from resources import make_examples
from tests.core.synth.oracle import Execution, assert_well_formed, execute, noise

ROOT = Path(__file__).parents[3]
FILES = ROOT / "resources" / "examples"
MOST_BYTES = 6 * 1024 * 1024


@functools.cache
def made(name: str) -> Network:
    return EXAMPLES[name](SEED)


@functools.cache
def executed(name: str, seed: int) -> Execution:
    return execute(made(name), noise(made(name), seed))


def test_the_folder_holds_the_examples_and_nothing_else():
    assert {file.name for file in FILES.iterdir()} == {f"{name}.tflite" for name in EXAMPLES}
    assert sum(file.stat().st_size for file in FILES.iterdir()) < MOST_BYTES


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_committed_file_is_what_the_builder_makes(name):
    assert (FILES / f"{name}.tflite").read_bytes() == write(made(name)), (
        "python -m resources.make_examples writes the files anew"
    )


@pytest.mark.parametrize("name", EXAMPLES)
def test_reading_the_file_gives_the_network_back(name):
    assert read((FILES / f"{name}.tflite").read_bytes()) == made(name)
    assert_well_formed(made(name))


def test_another_process_with_other_linear_algebra_writes_the_same_bytes(tmp_path):
    plain = {
        # Other kernels of OpenBLAS and none of numpy's vector instructions: other last bits.
        "OPENBLAS_CORETYPE": "Prescott",
        "NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3" if sys.platform == "linux" else "",
        "PYTHONHASHSEED": "77",
    }
    command = [sys.executable, "-W", "ignore", "-m", "resources.make_examples", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, env=os.environ | plain, check=True)
    written = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert written == {file.name: file.read_bytes() for file in FILES.iterdir()}


def test_a_file_that_cannot_be_finished_leaves_nothing(tmp_path, monkeypatch):
    def broken(_path: Path, _target: Path) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", broken)
    with pytest.raises(OSError, match="disk full"):
        make_examples.main(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_activations_do_not_saturate(name):
    clipped = {}
    for tensor, stored in executed(name, 11).activations():
        least, greatest = tensor.dtype.limits
        # A tensor whose least element stands for zero is one that something has cut off at zero.
        at_least = (stored == least).mean() if tensor.quantization.zero_points[0] != least else 0.0
        clipped[tensor.name] = max(at_least, (stored == greatest).mean())
    assert {name: share for name, share in clipped.items() if share >= 0.05} == {}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_tensor_is_alive_and_outputs_depend_on_the_input(name):
    for tensor, stored in executed(name, 11).activations():
        assert stored.std() > 0, f"{tensor.name} is constant"
    for one, another in zip(
        executed(name, 11).outputs(), executed(name, 12).outputs(), strict=True
    ):
        assert not np.array_equal(one, another)


@pytest.mark.parametrize("name", EXAMPLES)
def test_weights_compress_like_trained_ones(name):
    constants = [tensor for tensor in made(name).main.tensors if tensor.data is not None]
    weights = b"".join(
        tensor.data.array.tobytes() for tensor in constants if tensor.name.endswith("weights")
    )
    assert len(zlib.compress(weights, 9)) < 0.8 * len(weights)


def test_the_skips_of_the_unet_do_not_fit_beside_its_bottom():
    graph = made("unet_128").main
    made_at = {
        index: at for at, operator in enumerate(graph.operators) for index in operator.outputs
    }
    last_read = {
        index: at for at, operator in enumerate(graph.operators) for index in operator.inputs
    }
    bottom = next(
        at
        for at, operator in enumerate(graph.operators)
        if graph.tensors[operator.outputs[0]].name.startswith("bottom/")
    )
    waiting = [i for i, at in made_at.items() if at < bottom < last_read.get(i, -1)]
    assert len(waiting) == 3
    assert sum(graph.tensors[index].elements for index in waiting) > 384 * 1024


def test_each_example_is_what_its_name_says():
    kinds = {
        name: Counter(operator.kind for operator in made(name).main.operators) for name in EXAMPLES
    }
    assert kinds["kws_dscnn"]["DEPTHWISE_CONV_2D"] == 4
    assert kinds["resnet8"]["ADD"] == 3
    assert kinds["mobilenet_v2_035_96"]["DEPTHWISE_CONV_2D"] == 17
    assert kinds["mobilenet_v2_035_96"]["ADD"] == 10
    assert kinds["shuffle_with_cpu"]["GATHER"] == 1
    main = made("camera_and_motion").main
    assert (len(main.inputs), len(main.outputs)) == (2, 2)
    sound = made("denoise_int16").main
    assert all(
        sound.tensors[index].dtype is DType.INT16
        for operator in sound.operators
        for index in operator.outputs
    )
