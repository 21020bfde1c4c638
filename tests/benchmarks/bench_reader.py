"""Times of reading and writing: `python -m tests.benchmarks.bench_reader [PARTS OF NAMES]`."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial

from core.tflite.reader import read
from core.tflite.writer import write
from tests.shared import files

RUNS = 7


def median_ms(work: Callable[[], object]) -> float:
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3


def main(arguments: Sequence[str]) -> None:
    for model in files("models/*.tflite"):
        if not all(part in model.stem for part in arguments):
            continue
        data = model.read_bytes()
        network = read(data)
        reading = median_ms(partial(read, data))
        writing = median_ms(partial(write, network))
        print(f"{model.stem:40} read {reading:6.1f} ms   write {writing:6.1f} ms")


if __name__ == "__main__":
    main(sys.argv[1:])
