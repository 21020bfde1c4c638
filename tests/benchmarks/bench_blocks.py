"""Block searches in a second: `python -m tests.benchmarks.bench_blocks [PARTS OF NAMES]`.

The measure to beat is 190 searches in 0.6 s. Searched are the operators of the shared schedules in
the stripes that they have there, each question once and with nothing remembered; then again.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Sequence

from core.cost.from_graph import block_query
from core.target.accelerator import Accelerator
from core.target.block import BlockQuery
from core.target.candidates import fitting_pairs
from core.target.shared_buffer_search import find_block
from tests.peer import FINISHED, name_of, pairs

PEER_PER_SECOND = 190 / 0.6


def questions(parts: Sequence[str]) -> dict[Accelerator, list[BlockQuery]]:
    """Every different question, by accelerator."""
    found: defaultdict[Accelerator, dict[BlockQuery, None]] = defaultdict(dict)
    for schedule in FINISHED:
        if not all(part in name_of(schedule) for part in parts):
            continue
        for pair in pairs(schedule):
            query = block_query(pair.graph, pair.op, pair.stripe)
            found[pair.target.accelerator][query] = None
    return {accelerator: list(queries) for accelerator, queries in found.items()}


def per_second(accelerator: Accelerator, queries: list[BlockQuery]) -> float:
    """Searches in a second."""
    start = time.perf_counter()
    for query in queries:
        find_block(accelerator, query)
    return len(queries) / (time.perf_counter() - start)


def main(arguments: Sequence[str]) -> None:
    """Print a line for each accelerator."""
    for accelerator, queries in sorted(questions(arguments).items(), key=lambda item: item[0].name):
        find_block.cache_clear()
        fitting_pairs.cache_clear()
        rates = [per_second(accelerator, queries) for _ in range(2)]
        find_block.cache_clear()
        rates.insert(1, per_second(accelerator, queries))
        shown = ", ".join(
            f"{name} {rate:9.0f}/s ({rate / PEER_PER_SECOND:6.1f} x)"
            for name, rate in zip(("cold", "tables known", "remembered"), rates, strict=True)
        )
        sys.stdout.write(f"{accelerator.name:14} {len(queries):4} searches: {shown}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
