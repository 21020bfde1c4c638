"""What robust schedules lose at worst: `python -m tests.benchmarks.bench_robust [NAME ...]`.

Shared models are compiled by the compatible search, by the direct one, and by that with `--robust`;
what is compiled is read back with the target's memories, and with others. Printed are the cycles of
both to those of the compatible one, and for each target the geomeans and how many are over 1.01.
Where Size is asked for, what counts is memory: a star stands where the compatible one takes more. A
target's name asks for it alone, anything else for the models with it in their names.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from core.api import compiler, networks, programs, schedules
from core.base.frozen import replace
from core.cost.spread import with_memories
from core.ir.options import Search
from core.ir.robust_tried import Memories
from core.target.target import Area, Target
from tests.core.emit.shared_cases import TARGETS, target_of
from tests.shared import files

ASKED = (Memories.NOMINAL, Memories.HALF_SRAM, Memories.VERY_LATE, Memories.HARD)
MOST = 1.01


class Compiled(NamedTuple):
    """What a compiled file takes."""

    sram_bytes: int
    cycles: tuple[float, ...]
    """With each of the memories."""


class Trial(NamedTuple):
    """One network on one target."""

    compatible: Compiled
    usual: Compiled
    robust: Compiled

    def regrets(self, found: Compiled) -> tuple[float, ...]:
        """Its cycles to those of the compatible schedule, with each of the memories."""
        pairs = zip(found.cycles, self.compatible.cycles, strict=True)
        return tuple(cycles / max(known, 1) for cycles, known in pairs)


def trial(model: bytes, name: str) -> Trial:
    """A network on a target, compiled in the three ways."""
    target, options = target_of(name)

    def compiled(*, search: Search, robust: bool = False) -> Compiled:
        asked = replace(options, search=search, robust=robust)
        bench = schedules.Workbench(networks.run(model, target, asked))
        done = bench.schedule(target, asked)
        made = compiler.compile_model(done, encodings=bench.encodings).data
        return Compiled(done.layout.used_bytes(Area.SRAM), tuple(read_back(made)))

    def read_back(made: bytes) -> Iterator[float]:
        for memories in ASKED:
            there = with_memories(target, memories)
            opened = programs.open_compiled(made, partial(_given, there))
            assert opened is not None
            yield programs.read_back(opened).scheduled.total.total_cycles

    return Trial(
        compatible=compiled(search=Search.COMPATIBLE),
        usual=compiled(search=Search.DIRECT),
        robust=compiled(search=Search.DIRECT, robust=True),
    )


def _given(target: Target, _: object) -> Target:
    return target


def main(arguments: Sequence[str]) -> None:
    """Print a line for each network on each target, and one for each target."""
    asked = [name for name in TARGETS if name in arguments] or list(TARGETS)
    words = [word for word in arguments if word not in TARGETS]
    models = [
        path
        for path in files("models/*.tflite")
        if not words or any(word in path.stem for word in words)
    ]
    for name in asked:
        _print(name, "usual to robust", [each.value for each in ASKED])
        trials = [_told(path, name) for path in models]
        for title, index in (("usual", 1), ("robust", 2)):
            rows = [each.regrets(each[index]) for each in trials]
            columns = zip(*rows, strict=True)
            _print(name, f"{title}, all", [_summary(column) for column in columns])


def _told(path: Path, name: str) -> Trial:
    found = trial(path.read_bytes(), name)
    pairs = zip(found.regrets(found.usual), found.regrets(found.robust), strict=True)
    star = " *" * (found.robust.sram_bytes < found.compatible.sram_bytes)
    _print(name, path.stem + star, [f"{usual:.3f} to {robust:.3f}" for usual, robust in pairs])
    return found


def _summary(regrets: Sequence[float]) -> str:
    geomean = math.exp(math.fsum(map(math.log, regrets)) / len(regrets))
    return f"{geomean:.3f} ({sum(each > MOST for each in regrets)} over)"


def _print(name: str, title: str, cells: Sequence[str]) -> None:
    sys.stdout.write(f"{name:24} {title:36} {'  '.join(f'{cell:26}' for cell in cells)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
