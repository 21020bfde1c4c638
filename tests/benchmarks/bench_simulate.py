"""How long compiled models take to run: `python -m tests.benchmarks.bench_simulate FILE...`.

Times are of the first run, which decodes the weights, and of the second, which finds them decoded.
Without files it runs the compiled one in the folder `shared` beside the repository.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from core.pipeline.proof.simulate import CompiledModel
from core.tflite import reader
from tests.shared import SHARED


def main(arguments: Sequence[str]) -> None:
    print(f"{'model':<44} {'read':>7} {'first':>7} {'second':>7} {'faults':>7}")
    for path in arguments or [str(SHARED / "peer/compiled/person_detect_vela.tflite")]:
        start = time.perf_counter()
        model = CompiledModel.of(reader.read_file(Path(path)))
        read = time.perf_counter() - start
        inputs = {number: _random(model, number) for number in model.network.main.inputs}
        times, faults = [], 0
        for _ in range(2):
            start = time.perf_counter()
            faults = len(model.run(inputs).faults)
            times.append(time.perf_counter() - start)
        seconds = " ".join(f"{value:>6.2f}s" for value in (read, *times))
        print(f"{Path(path).stem:<44} {seconds} {faults:>7}")


def _random(model: CompiledModel, number: int) -> np.ndarray:
    tensor = model.network.main.tensors[number]
    dtype = np.dtype(tensor.dtype.numpy)
    random = np.random.default_rng(0)
    if dtype.kind == "f":
        return random.random(tensor.shape).astype(dtype)
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max, tensor.shape, dtype, endpoint=True)


if __name__ == "__main__":
    main(sys.argv[1:])
