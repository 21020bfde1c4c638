"""What each freedom is worth: `python -m tests.benchmarks.bench_freedoms [TARGET ...] [MODEL ...]`.

Shared models are compiled with every freedom, with each of them switched off alone, and with none;
what is compiled is taken apart and priced by what the commands are. Printed are geomeans of cycles
and of SRAM, each to those with every freedom. A target's name asks for it alone, anything else for
the models with it in their names.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import NamedTuple
from unittest.mock import patch

from core.api import compiler, networks, programs, schedules
from core.base.frozen import field_names, replace
from core.ir.freedoms import ALL, NONE, Freedoms
from core.ir.options import Options
from core.target.target import Area
from tests.core.emit.shared_cases import TARGETS, target_of
from tests.shared import files

WITHOUT = {"compatible": NONE} | {
    f"without {name}": replace(ALL, **{name: False}) for name in field_names(Freedoms)
}


class Price(NamedTuple):
    """What a compiled file costs."""

    cycles: float
    sram_bytes: int


def price(model: bytes, name: str, freedoms: Freedoms) -> Price:
    """What is compiled with some freedoms, by the reading of compiled files."""
    target, options = target_of(name)
    with patch.object(Options, "freedoms", freedoms):
        run = networks.run(model, target, options)
        bench = schedules.Workbench(run)
        done = bench.schedule(target, options)
        made = compiler.compile_model(done, encodings=bench.encodings).data
    opened = programs.open_compiled(made, lambda _: target)
    assert opened is not None
    found = programs.read_back(opened).scheduled
    return Price(found.total.total_cycles, found.layout.used_bytes(Area.SRAM))


def _geomean(ratios: Sequence[float]) -> float:
    return math.exp(math.fsum(map(math.log, ratios)) / len(ratios))


def main(arguments: Sequence[str]) -> None:
    """Print a line for each target and what it does without."""
    asked = [name for name in TARGETS if name in arguments] or list(TARGETS)
    words = [word for word in arguments if word not in TARGETS]
    models = [
        path.read_bytes()
        for path in files("models/*.tflite")
        if not words or any(word in path.stem for word in words)
    ]
    for name in asked:
        best = [price(model, name, ALL) for model in models]
        for without, freedoms in WITHOUT.items():
            less = [price(model, name, freedoms) for model in models]
            pairs = list(zip(less, best, strict=True))
            cycles = _geomean([one.cycles / other.cycles for one, other in pairs])
            sram = _geomean(
                [max(one.sram_bytes, 1) / max(other.sram_bytes, 1) for one, other in pairs]
            )
            sys.stdout.write(f"{name:24} {without:24} cycles x {cycles:.3f}  SRAM x {sram:.3f}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
