"""Allocators on minimalloc's instances: `python -m tests.benchmarks.bench_allocators`.

Letters as arguments choose instances. The aim: Optimal within 1,048,576 bytes in 10 s of CPU each.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from core.base.progress import Cancelled
from core.memory.packing import AllocationOptions, Solution
from tests.core.memory.problems import ALLOCATORS, MINIMALLOC, MINIMALLOC_LIMIT, faults, minimalloc

SECONDS = 60.0
OPTIONS = AllocationOptions(iteration_limit=2_000, node_limit=10**9, stops_at_limit=True)


class Patience:
    """Gives up after some time of the processor."""

    def __init__(self) -> None:
        self.start = time.process_time()

    @property
    def seconds(self) -> float:
        """Since its start."""
        return time.process_time() - self.start

    def advance(self, stage: str, done: int, total: int) -> None:
        """Go on, or give up."""
        del stage, done, total
        if self.seconds > SECONDS:
            raise Cancelled


def measure(letter: str, name: str) -> str:
    """Height as a ratio of the limit, and seconds of CPU."""
    problem, patience = minimalloc(letter), Patience()
    try:
        solution: Solution = ALLOCATORS[name](problem, OPTIONS, patience)
    except Cancelled:
        return f"{name} nothing {patience.seconds:6.2f} s"
    seconds = patience.seconds
    assert faults(problem, solution) == []
    mark = "*" if solution.height_bytes <= MINIMALLOC_LIMIT else " "
    return f"{name} {solution.height_bytes / MINIMALLOC_LIMIT:.4f}{mark} {seconds:6.2f} s"


def main(arguments: Sequence[str]) -> None:
    """Print a line for each instance; a star marks what is within the limit."""
    for letter in arguments or MINIMALLOC:
        shown = "   ".join(measure(letter, name) for name in ("HillClimb", "Greedy", "Optimal"))
        sys.stdout.write(f"{letter}   {shown}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
