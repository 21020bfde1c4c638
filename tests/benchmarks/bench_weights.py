"""How fast weights are encoded, and how small they get, beside the peer's recorded sizes.

python tests/benchmarks/bench_weights.py [fast|dense] [PART_OF_A_SCHEDULE_PATH]
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.ir.weightstream import WeightLayout
from core.weights.encode import EncodingCache, encode
from core.weights.slices import Effort
from tests.peer import FINISHED, name_of, pairs


@dataclass
class Tally:
    """What one schedule's weights took."""

    weights: int = 0
    ours: int = 0
    theirs: int = 0
    seconds: float = 0.0
    processor_seconds: float = 0.0


def measure(schedule: Path, effort: Effort) -> Tally:
    tally = Tally()
    cache = EncodingCache()
    for pair in pairs(schedule):
        if not pair.peer["encoded_weight_bytes"]:
            continue
        layout = WeightLayout(
            block_depth=pair.peer["ofm_block"][-1],
            is_part_kernel=pair.peer["is_partkernel"],
            depth_slices=tuple(pair.peer["depth_slices"]),
        )
        weights = pair.op.weights
        assert weights is not None
        ifm = pair.graph.fm(pair.op.ifm).dtype
        start, start_cpu = time.perf_counter(), time.process_time()
        made = encode(pair.op, ifm, pair.target.accelerator, layout, cache=cache, effort=effort)
        tally.seconds += time.perf_counter() - start
        tally.processor_seconds += time.process_time() - start_cpu
        tally.weights += weights.values.array.size
        tally.ours += made.size_bytes
        tally.theirs += pair.peer["encoded_weight_bytes"]
    return tally


def main(arguments: Sequence[str]) -> None:
    effort = Effort(arguments[0] if arguments else "fast")
    wanted = arguments[1] if len(arguments) > 1 else "u55-256-shared-perf"
    heads = ("weights", "bytes", "peer", "ratio", "s", "cpu s")
    print(f"{'schedule':58} {' '.join(f'{head:>9}' for head in heads)}")
    ratios = []
    for schedule in FINISHED:
        name = name_of(schedule)
        if wanted not in name:
            continue
        tally = measure(schedule, effort)
        if not tally.theirs:
            continue
        ratios.append(tally.ours / tally.theirs)
        print(
            f"{name:58} {tally.weights:9} {tally.ours:9} {tally.theirs:9} {ratios[-1]:9.4f}"
            f" {tally.seconds:9.3f} {tally.processor_seconds:9.3f}"
        )
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"geometric mean {mean:.4f}, greatest {max(ratios):.4f}")


if __name__ == "__main__":
    main(sys.argv[1:])
