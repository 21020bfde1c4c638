"""Reefpoint for scripts and notebooks.

    import reefpoint

    model = reefpoint.load("network.tflite")
    target = reefpoint.target("ethos-u55-128", limit="256K")
    schedule = reefpoint.schedule(model, target)
    print(schedule.cycles, schedule.sram_bytes, schedule.fits)
    reefpoint.compile(schedule, verify=True).write("compiled.tflite")

All that is here is told in `resources/api.md`. Nothing depends on what was asked before, in this
process or another, and what is refused is a `CoreError`, in one line.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from core.base.errors import CoreError, DoesNotFit, InputError, OptionError
from core.base.version import VERSION

if TYPE_CHECKING:
    from reefpoint.advices import Advice, Tip, advise
    from reefpoint.calibrations import Calibration, calibrate
    from reefpoint.comparisons import Comparison, Figure, Pair, compare
    from reefpoint.compilations import Compiled, DoesNotHold, compile  # noqa: A004 - users ask for it
    from reefpoint.fronts import Front, Point, front
    from reefpoint.models import Model, load
    from reefpoint.schedules import Cascade, Operator, Schedule, schedule
    from reefpoint.sweeps import Cell, Sweep, sweep
    from reefpoint.targets import Target, target

__all__ = [
    "Advice",
    "Calibration",
    "Cascade",
    "Cell",
    "Comparison",
    "Compiled",
    "CoreError",
    "DoesNotFit",
    "DoesNotHold",
    "Figure",
    "Front",
    "InputError",
    "Model",
    "Operator",
    "OptionError",
    "Pair",
    "Point",
    "Schedule",
    "Sweep",
    "Target",
    "Tip",
    "__version__",
    "advise",
    "calibrate",
    "compare",
    "compile",
    "front",
    "load",
    "schedule",
    "sweep",
    "target",
]

__version__ = VERSION

_HOMES = {
    "advices": ("Advice", "Tip", "advise"),
    "calibrations": ("Calibration", "calibrate"),
    "comparisons": ("Comparison", "Figure", "Pair", "compare"),
    "compilations": ("Compiled", "DoesNotHold", "compile"),
    "fronts": ("Front", "Point", "front"),
    "models": ("Model", "load"),
    "schedules": ("Cascade", "Operator", "Schedule", "schedule"),
    "sweeps": ("Cell", "Sweep", "sweep"),
    "targets": ("Target", "target"),
}
"""Where each name is: the installed command, which is inside this package, waits for none."""


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            found: object = getattr(import_module(f"{__name__}.{home}"), name)
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
