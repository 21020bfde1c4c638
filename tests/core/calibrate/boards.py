"""Boards that nobody knows, and what programs would take on them: measurements of our own."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

from core.api import programs
from core.base.frozen import replace
from core.calibrate.case import Case
from core.calibrate.figures import Figure, Figures, external_port
from core.ir.cost import Direction
from core.pipeline.calibration import Programmed, of_compiled
from core.report.measured.count import Beats, Count
from core.target.config import load
from core.target.resolve import assembled, resolve
from core.target.target import MemoryMode, Port, SystemConfig
from tests.core.cost.measured import SYSTEMS
from tests.shared import need


@cache
def programmed(program: str) -> Programmed:
    """One of the programs that were measured."""
    path = need(f"measured/programs/{program}.tflite")
    accelerator = program.partition("__")[2]
    target = resolve(accelerator, *SYSTEMS[accelerator.rpartition("-")[0]])
    opened = programs.open_compiled(Path(path).read_bytes(), lambda _: target)
    assert opened is not None
    return of_compiled(opened)


def assumed(family: str) -> tuple[SystemConfig, MemoryMode]:
    """What is written of a family's default system."""
    system, mode = SYSTEMS[family]
    return load().system_config(system), load().memory_mode(mode)


def figures(family: str) -> Figures:
    """What is fitted of it."""
    system, mode = assumed(family)
    some = resolve(f"{family}-256", *SYSTEMS[family])
    return Figures(
        system=system, family=some.accelerator.family, external=external_port(system, mode)
    )


def hidden(family: str, seed: int) -> SystemConfig:
    """A board within what one can be."""
    rng = random.Random(seed)
    port = figures(family).family.port_bytes_per_cycle
    return figures(family).system_with(
        {
            Figure.RATE: port * 10 ** rng.uniform(-2, -0.2),
            Figure.LATENCY: float(rng.randint(20, 800)),
            Figure.SRAM: rng.uniform(0.3, 1.0),
            Figure.COMMAND: float(rng.randint(30, 300)),
        }
    )


def values_of(family: str, system: SystemConfig) -> dict[Figure, float]:
    """The figures of a board."""
    return replace(figures(family), system=system).start


def case(program: str, system: SystemConfig, *, factor: float = 1.0) -> Case:
    """A program as it would be measured on a board, or by some factor beside that."""
    found = programmed(program)
    accelerator = found.scheduled.target.accelerator
    _, mode = assumed(accelerator.family.name)
    target = assembled(accelerator, system, mode)
    cost = found.price.cost(target)
    width = accelerator.family.port_bytes_per_cycle
    beats = tuple(
        Beats(
            port=port,
            direction=way,
            count=cost.moved_bytes(target.memory(port).area, direction=way) / width,
        )
        for port in Port
        for way in Direction
    )
    return Case(
        name=program,
        measured=Count(cycles=round(cost.total_cycles * factor), beats=beats),
        accelerator=accelerator,
        mode=mode,
        price=found.price,
    )
