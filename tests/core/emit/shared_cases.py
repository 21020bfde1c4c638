"""Every shared model on every target of the shared folder."""

from __future__ import annotations

from collections.abc import Set

import pytest

from core.ir.options import Options, Strategy
from core.target.resolve import resolve
from core.target.target import Target
from tests.shared import files

U55, DEEP = "Ethos_U55_High_End_Embedded", "Ethos_U55_Deep_Embedded"
TARGETS = {
    "u55-256-shared-perf": ("ethos-u55-256", U55, "Shared_Sram", None, "Performance"),
    "u55-256-shared-size": ("ethos-u55-256", U55, "Shared_Sram", None, "Size"),
    "u55-128-shared-256k": ("ethos-u55-128", U55, "Shared_Sram", "262144", "Performance"),
    "u55-64-sramonly-perf": ("ethos-u55-64", DEEP, "Sram_Only", None, "Performance"),
    "u55-32-shared-64k": ("ethos-u55-32", DEEP, "Shared_Sram", "65536", "Performance"),
    "u65-256-dedicated-384k": (
        "ethos-u65-256",
        "Ethos_U65_High_End",
        "Dedicated_Sram_384KB",
        None,
        "Performance",
    ),
    "u65-512-dedicated-128k": (
        "ethos-u65-512",
        "Ethos_U65_High_End",
        "Dedicated_Sram",
        "131072",
        "Performance",
    ),
    "u65-512-dedicated-size": (
        "ethos-u65-512",
        "Ethos_U65_Mid_End",
        "Dedicated_Sram_256KB",
        None,
        "Size",
    ),
    "u65-256-shared-48k": (
        "ethos-u65-256",
        "Ethos_U65_Embedded",
        "Shared_Sram",
        "49152",
        "Performance",
    ),
}
"""As the shared folder's `peer/README.md` has them."""


def target_of(name: str) -> tuple[Target, Options]:
    accelerator, system, mode, limit, strategy = TARGETS[name]
    target = resolve(accelerator, system, mode, arena_cache_size=limit)
    return target, Options(strategy=Strategy(strategy))


def cases(sample: Set[tuple[str, str]]) -> list:
    """All pairs of a model's file and a target's name; those out of the sample are slow."""
    return [
        pytest.param(
            model,
            target,
            marks=() if (model.stem, target) in sample else pytest.mark.slow,
            id=f"{model.stem}-{target}",
        )
        for model in files("models/*.tflite")
        for target in TARGETS
    ]
