"""What the compiler decides, as digests: `python -m tests.benchmarks.fingerprints [WORD ...]`.

One line for each network, target, engine, and key of the result, so that two versions can be
compared with `diff`: whatever a change was not to change, has the same line before and after.
Only networks whose path contains one of the words are compiled, all of them where none is given.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import main as reefpoint
from tests.shared import SHARED

ROOT = Path(__file__).parents[2]

TARGETS = {
    "u55-256-shared-perf": "ethos-u55-256 Ethos_U55_High_End_Embedded Shared_Sram",
    "u55-256-shared-size": "ethos-u55-256 Ethos_U55_High_End_Embedded Shared_Sram --optimise Size",
    "u55-128-shared-256k": "ethos-u55-128 Ethos_U55_High_End_Embedded Shared_Sram"
    " --arena-cache-size 262144",
    "u55-64-sramonly-perf": "ethos-u55-64 Ethos_U55_Deep_Embedded Sram_Only",
    "u55-32-shared-64k": "ethos-u55-32 Ethos_U55_Deep_Embedded Shared_Sram"
    " --arena-cache-size 65536",
    "u65-256-dedicated-384k": "ethos-u65-256 Ethos_U65_High_End Dedicated_Sram_384KB",
    "u65-512-dedicated-128k": "ethos-u65-512 Ethos_U65_High_End Dedicated_Sram"
    " --arena-cache-size 131072",
    "u65-512-dedicated-size": "ethos-u65-512 Ethos_U65_Mid_End Dedicated_Sram_256KB"
    " --optimise Size",
    "u65-256-shared-48k": "ethos-u65-256 Ethos_U65_Embedded Shared_Sram --arena-cache-size 49152",
}
"""The targets of the shared reference, by their names there."""

ENGINES = ("cascading", "pareto")


def models(words: Sequence[str]) -> list[Path]:
    """Examples and shared networks whose path has one of the words."""
    found = sorted([*ROOT.glob("resources/examples/*"), *SHARED.glob("models/*.tflite")])
    return [path for path in found if not words or any(word in str(path) for word in words)]


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def fingerprints(model: Path, target: str, engine: str, folder: Path) -> Iterator[tuple[str, str]]:
    """What of a result is compared, and its digest."""
    accelerator, system, mode, *rest = TARGETS[target].split()
    line = ["--accelerator-config", accelerator, "--system-config", system, "--memory-mode", mode]
    line += [*rest, "--engine", engine]
    out, log = folder / "out.tflite", folder / "out.json"
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
        files = ["-o", str(out), "--schedule-json", str(log)]
        code = reefpoint.main(["compile", str(model), *files, *line])
        reefpoint.main(["schedule", str(model), *line])
    yield "exit", str(code)
    yield "text", digest(said.getvalue().replace(str(folder), "").encode())
    if code:
        return
    yield "file", digest(out.read_bytes())
    for key, value in json.loads(log.read_text("utf-8")).items():
        yield key, digest(json.dumps(value, sort_keys=True).encode())


def main(words: Sequence[str]) -> None:
    """Print every digest."""
    with tempfile.TemporaryDirectory() as name:
        for model in models(words):
            for target in TARGETS:
                for engine in ENGINES:
                    for key, value in fingerprints(model, target, engine, Path(name)):
                        print(model.stem, target, engine, key, value, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
