"""Times of reading and lowering: `python -m tests.benchmarks.bench_lowering`.

Real networks, then chains of convolutions of growing length: the time for each operator should stay
as it is.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

from core.base.dtype import DType
from core.base.ids import TensorId
from core.ir.constdata import ConstData
from core.ir.network import Network, Operator, Quantization, Subgraph, Table, Tensor
from core.ir.options import Options
from core.lower import run as lower
from core.target.accelerator import accelerator_named
from core.tflite import reader
from tests.shared import files

ACCELERATOR = accelerator_named("ethos-u55-256")
RUNS = 5
CHAINS = (1_000, 3_000, 10_000)
DEPTH = 8


def median_seconds(work: Callable[[], object]) -> float:
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def chain(length: int) -> Network:
    """Convolutions of 3x3, one after the other, each with weights of its own."""
    random = np.random.default_rng(1)
    scale = Quantization(scales=(0.1,), zero_points=(0,))
    picture = {"shape": (1, 16, 16, DEPTH), "dtype": DType.INT8, "quantization": scale}
    tensors = [Tensor(name="input", **picture)]
    operators = []
    for index in range(length):
        taps = random.integers(-9, 9, (DEPTH, 3, 3, DEPTH), dtype=np.int8)
        weights = Tensor(
            name=f"weights{index}",
            shape=taps.shape,
            dtype=DType.INT8,
            quantization=scale,
            data=ConstData.of(taps),
        )
        given = len(tensors) - 1
        tensors += [weights, Tensor(name=f"map{index}", **picture)]
        operators.append(
            Operator(
                kind="CONV_2D",
                inputs=(TensorId(given), TensorId(given + 1)),
                outputs=(TensorId(given + 2),),
                options=Table(kind="Conv2DOptions", fields=(("stride_w", 1), ("stride_h", 1))),
            )
        )
    graph = Subgraph(
        name="chain",
        tensors=tuple(tensors),
        operators=tuple(operators),
        inputs=(TensorId(0),),
        outputs=(TensorId(len(tensors) - 1),),
    )
    return Network(subgraphs=(graph,))


def main() -> None:
    print(f"{'network':40} {'read ms':>9} {'lower ms':>9} {'together':>9}")
    for path in files("models/*.tflite"):
        data = path.read_bytes()
        network = reader.read(data)
        reading = median_seconds(lambda data=data: reader.read(data))
        lowering = median_seconds(lambda net=network: lower.run(net, ACCELERATOR, Options()))
        both = reading + lowering
        print(f"{path.stem:40} {reading * 1e3:9.1f} {lowering * 1e3:9.1f} {both * 1e3:9.1f}")
    print(f"{'chain of convolutions':40} {'lower ms':>9} {'us an operator':>15}")
    for length in CHAINS:
        network = chain(length)
        seconds = median_seconds(lambda net=network: lower.run(net, ACCELERATOR, Options()))
        print(f"{length:40} {seconds * 1e3:9.1f} {seconds / length * 1e6:15.1f}")


if __name__ == "__main__":
    main()
