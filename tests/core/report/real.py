"""Schedules of the example networks, made by the compiler itself, for targets of both kinds."""

from __future__ import annotations

from core.api import schedules, targets
from core.base.frozen import replace
from core.ir.options import Options
from core.ir.scheduled import Scheduled
from core.ir.trace import Analysis
from core.target.target import Target
from tests.core.report.hand_made import EXAMPLES
from tests.remembered import remembered

TARGETS = {
    "dedicated": ("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram", 128 * 1024),
    "shared": ("ethos-u55-128", "Ethos_U55_High_End_Embedded", "Shared_Sram", 96 * 1024),
    "sram only": ("ethos-u55-64", "Ethos_U55_Deep_Embedded", "Sram_Only", None),
}
NAMES = tuple(sorted(path.stem for path in EXAMPLES.glob("*.tflite")))


def target_of(kind: str) -> Target:
    accelerator, system, mode, limit = TARGETS[kind]
    return targets.resolve_target(accelerator, system, mode, arena_cache_size=limit)


@remembered
def real(example: str = "mobilenet_v2_035_96", kind: str = "dedicated"):
    """A schedule with everything that reports are made of, and what can be worked out of it."""
    return reported((EXAMPLES / f"{example}.tflite").read_bytes(), kind, f"{example}.tflite")


def reported(model: bytes, kind: str, name: str) -> tuple[Scheduled, Analysis]:
    scheduled = schedules.schedule(model, target_of(kind), Options())
    return replace(scheduled, name=name), schedules.analyse(scheduled)
