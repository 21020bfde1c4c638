"""Allocators on minimalloc's instances: `python -m tests.benchmarks.bench_allocators`.

Letters as arguments choose instances. The aim: Optimal within 1,048,576 bytes in 60 s each.
"""

from __future__ import annotations

import sys
import time

from core.base.progress import SILENT
from core.memory.packing import AllocationOptions
from tests.core.memory.problems import ALLOCATORS, MINIMALLOC, MINIMALLOC_LIMIT, faults, minimalloc

SECONDS = 60.0
OPTIONS = AllocationOptions(iteration_limit=2_000, node_limit=10**9, stops_at_limit=True)


def measure(letter: str, name: str) -> str:
    """Height as a ratio of the limit, and seconds."""
    problem = minimalloc(letter)
    start = time.perf_counter()
    solution = ALLOCATORS[name](
        problem, OPTIONS, SILENT, lambda: time.perf_counter() - start > SECONDS
    )
    seconds = time.perf_counter() - start
    assert faults(problem, solution) == []
    mark = "*" if solution.height_bytes <= MINIMALLOC_LIMIT else " "
    return f"{name} {solution.height_bytes / MINIMALLOC_LIMIT:.4f}{mark} {seconds:6.2f} s"


def main() -> None:
    """Print a line for each instance; a star marks what is within the limit."""
    for letter in sys.argv[1:] or MINIMALLOC:
        shown = "   ".join(measure(letter, name) for name in ("HillClimb", "Greedy", "Optimal"))
        sys.stdout.write(f"{letter}   {shown}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
