"""Times of reading and lowering: `python -m tests.benchmarks.bench_lowering [PARTS OF NAMES]`.

Real networks, then chains of convolutions of growing length: the time for each operator should stay
as it is.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial

from core.ir.options import LoweringOptions
from core.lower import run as lower
from core.target.registry import accelerator_named
from core.tflite import reader
from tests.benchmarks.networks import chain
from tests.shared import files

OPTIONS = LoweringOptions()
ACCELERATOR = accelerator_named("ethos-u55-256")
RUNS = 5
CHAINS = (1_000, 3_000, 10_000)


def median_seconds(work: Callable[[], object]) -> float:
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main(arguments: Sequence[str]) -> None:
    print(f"{'network':40} {'read ms':>9} {'lower ms':>9} {'together':>9}")
    for path in files("models/*.tflite"):
        if not all(part in path.stem for part in arguments):
            continue
        data = path.read_bytes()
        network = reader.read(data)
        reading = median_seconds(partial(reader.read, data))
        lowering = median_seconds(partial(lower.run, network, ACCELERATOR, OPTIONS))
        both = reading + lowering
        print(f"{path.stem:40} {reading * 1e3:9.1f} {lowering * 1e3:9.1f} {both * 1e3:9.1f}")
    print(f"{'chain of convolutions':40} {'lower ms':>9} {'us an operator':>15}")
    for length in CHAINS:
        network = chain(length)
        seconds = median_seconds(partial(lower.run, network, ACCELERATOR, OPTIONS))
        print(f"{length:40} {seconds * 1e3:9.1f} {seconds / length * 1e6:15.1f}")


if __name__ == "__main__":
    main(sys.argv[1:])
