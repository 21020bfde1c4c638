"""Times of reading and writing the real networks: `python -m tests.benchmarks.bench_reader`."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

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


def main() -> None:
    for model in files("models/*.tflite"):
        data = model.read_bytes()
        network = read(data)
        reading = median_ms(lambda data=data: read(data))
        writing = median_ms(lambda network=network: write(network))
        print(f"{model.stem:40} read {reading:6.1f} ms   write {writing:6.1f} ms")


if __name__ == "__main__":
    main()
