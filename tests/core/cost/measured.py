"""Programs whose cycles were measured, and what the price says of them.

The programs are those that were measured, byte for byte (`shared/measured`); the figures are those
of Arm's FVP, with its memories timed and with ideal ones.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from core.api import programs, targets
from core.ir.cost import NetworkCost
from core.target.target import Area, Target
from tests.shared import SHARED

SYSTEMS = {
    "ethos-u55": ("Ethos_U55_High_End_Embedded", "Shared_Sram"),
    "ethos-u65": ("Ethos_U65_High_End", "Dedicated_Sram"),
}


class Cell(NamedTuple):
    """One program on one accelerator, with memories that are timed or ideal."""

    program: str
    accelerator: str
    is_timed: bool
    cycles: float
    sram_bytes_per_cycle: float | None
    external_bytes_per_cycle: float | None

    @property
    def family(self) -> str:
        return self.accelerator.rpartition("-")[0]

    @property
    def target(self) -> Target:
        system, mode = SYSTEMS[self.family]
        ini = SHARED / f"measured/{self.family.removeprefix('ethos-')}_ideal.ini"
        configs = () if self.is_timed else (ini,)
        return targets.resolve_target(self.accelerator, system, mode, config_files=configs)

    def __str__(self) -> str:
        return f"{self.program} {'timed' if self.is_timed else 'ideal'}"


def cells() -> list[Cell]:
    """All that is there; none where the shared folder is not."""
    table = SHARED / "measured/cells.csv"
    if not table.exists():
        return []
    with table.open(encoding="utf-8", newline="") as stream:
        return [_cell(row) for row in csv.DictReader(stream)]


def _cell(row: dict[str, str]) -> Cell:
    return Cell(
        program=row["program"],
        accelerator=row["accelerator"],
        is_timed="ideal" not in row["memories"],
        cycles=float(row["measured_cycles"]),
        sram_bytes_per_cycle=_counted("SRAM", row["counters"]),
        external_bytes_per_cycle=_counted("external", row["counters"]),
    )


def _counted(port: str, counters: str) -> float | None:
    found = re.search(port + r" ([\d.]+) B/cyc", counters)
    return None if found is None else float(found[1])


@cache
def priced(cell: Cell) -> NetworkCost:
    """What the reading of the program says that it costs."""
    return cost_of(cell.program, cell.target)


def cost_of(program: str, target: Target) -> NetworkCost:
    """What a program costs on a target, whose memories need not be those that it was made for."""
    data = Path(SHARED, "measured/programs", f"{program}.tflite").read_bytes()
    opened = programs.open_compiled(data, lambda _: target)
    assert opened is not None
    return programs.read_back(opened).scheduled.total


def error(cell: Cell) -> float:
    """How far the price is off, by what was measured."""
    return priced(cell).total_cycles / cell.cycles - 1


def mean_error(some: Sequence[Cell]) -> float:
    """The mean of the errors, whatever their sign."""
    return math.fsum(abs(error(cell)) for cell in some) / len(some)


def external_area(cell: Cell) -> Area:
    """What is at the port that is not SRAM."""
    return cell.target.system.axi1.area


def groups(some: Iterable[Cell]) -> dict[tuple[str, bool], list[Cell]]:
    """By family, and whether memories are timed."""
    found: dict[tuple[str, bool], list[Cell]] = {}
    for cell in some:
        found.setdefault((cell.family, cell.is_timed), []).append(cell)
    return found
