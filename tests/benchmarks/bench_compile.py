"""How long `compile` takes as a whole process: `python -m tests.benchmarks.bench_compile [N]`.

Another compiler's command line runs in turn with ours where REEFPOINT_PEER names an interpreter
that has one; sizes of the compiled files stand beside the times.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.shared import SHARED

MODELS = ("kws_dscnn_int8", "mobilenet_v2_1.0_224_quant")
MAIN = Path(__file__).parents[2] / "main.py"
PEER = os.environ.get("REEFPOINT_PEER", "")


def main(arguments: Sequence[str]) -> None:
    rounds = int(arguments[0]) if arguments else 5
    print(f"{'model':<32} {'who':<6} {'least':>7} {'median':>7} {'most':>7} {'bytes':>10}")
    with tempfile.TemporaryDirectory() as name:
        for model in MODELS:
            _bench(SHARED / f"models/{model}.tflite", Path(name), rounds)


def _bench(model: Path, folder: Path, rounds: int) -> None:
    ours, theirs = folder / "ours.tflite", folder / f"{model.stem}_vela.tflite"
    commands = {"ours": ([sys.executable, str(MAIN), "compile", str(model), "-o", str(ours)], ours)}
    if PEER:
        vela = [str(Path(PEER).with_name("vela")), str(model), "--output-dir", str(folder)]
        commands["peer"] = ([*vela, "--accelerator-config", "ethos-u55-256"], theirs)
    seconds: dict[str, list[float]] = {who: [] for who in commands}
    for _ in range(rounds):
        for who, (command, _) in commands.items():
            start = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            seconds[who].append(time.perf_counter() - start)
    for who, (_, made) in commands.items():
        times = (min(seconds[who]), statistics.median(seconds[who]), max(seconds[who]))
        told = " ".join(f"{value:>6.2f}s" for value in times)
        print(f"{model.stem:<32} {who:<6} {told} {made.stat().st_size:>10}")


if __name__ == "__main__":
    main(sys.argv[1:])
