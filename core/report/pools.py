"""The RAM that a program of ExecuTorch takes: as a table, as JSON, and as what builds are told."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.base.harmless import visible
from core.ir.pools import Pools
from core.report.board.linker import Held, linker_text
from core.report.ecosystem_names import AREA_TITLES
from core.report.tables import Listing, Row
from core.report.words import Count, counted
from core.target.target import Area, Target

_ALLOWANCE = 2
"""Times the estimate of tables: so much is reserved, since runtimes are built in many ways."""


class Build(enum.Enum):
    """What is told the sizes of pools."""

    C = "c"
    CMAKE = "cmake"
    KCONFIG = "kconfig"
    LINKER = "linker"


_NAMES = {
    "method": (
        "ET_ARM_BAREMETAL_METHOD_ALLOCATOR_POOL_SIZE",
        "EXECUTORCH_METHOD_ALLOCATOR_POOL_SIZE",
    ),
    "temporary": (
        "ET_ARM_BAREMETAL_SCRATCH_TEMP_ALLOCATOR_POOL_SIZE",
        "EXECUTORCH_TEMP_ALLOCATOR_POOL_SIZE",
    ),
    "fast scratch": ("ET_ARM_BAREMETAL_FAST_SCRATCH_TEMP_ALLOCATOR_POOL_SIZE", ""),
    "planned fast": ("ET_ARM_BAREMETAL_PLANNED_FAST_MEMORY_SIZE", ""),
}
"""By pool: what ExecuTorch's runner for Arm calls it, and the samples for Zephyr."""
_SECTIONS = {
    "method": "input_data_sec",
    "temporary": ".bss.tensor_arena",
    "fast scratch": ".bss.ethosu_scratch",
}
"""By pool: the section that the runner has it in."""


def pools_text(pools: Sequence[Pools], target: Target | None) -> str:
    """What each plan and delegate takes, and whether the memory of a target is enough."""
    heads = (
        "plan",
        "delegate",
        "method",
        "of it planned",
        "tables",
        "inputs",
        "temporary",
        "fast scratch",
        "planned fast",
        "copied",
    )
    rows: list[Row] = []
    for each in pools:
        rows.append(
            (
                each.plan,
                None,
                Count(each.method_bytes),
                Count(each.planned_bytes),
                Count(each.tables_bytes),
                Count(each.inputs_bytes),
                Count(each.temporary_bytes),
                Count(each.fast_scratch_bytes),
                _some(each.planned_fast_bytes),
                None,
            )
        )
        rows += [
            (
                each.plan,
                made.delegate,
                None,
                None,
                None,
                None,
                Count(made.scratch_bytes),
                Count(made.fast_scratch_bytes),
                None,
                Count(made.copied_bytes),
            )
            for made in each.delegates
        ]
    told = [Listing(heads, rows).text(), *_sentences(pools, target)]
    return "\n".join(told)


def _some(size_bytes: int) -> Count | None:
    return Count(size_bytes) if size_bytes else None


def _sentences(pools: Sequence[Pools], target: Target | None) -> Iterator[str]:
    yield (
        "Bytes, for one plan at a time. Tables are an estimate; kernels on the CPU may take more of"
        " the temporary pool."
    )
    if target is None:
        return
    needed, pool = _in_fast_memory(pools, target)
    limit = target.fast_limit_bytes
    told = f"{needed:,} of {limit:,} bytes that {target.mode.name} allows are taken by {pool}"
    yield visible(f"{told}{f': {needed - limit:,} ARE MISSING' if needed > limit else ''}")


def _in_fast_memory(pools: Sequence[Pools], target: Target) -> tuple[int, str]:
    """What has to be in the memory beside the accelerator, and the pool that it is."""
    if target.is_spilling:
        return max(each.fast_scratch_bytes for each in pools), "fast scratch memory"
    return max(each.temporary_bytes for each in pools), "the temporary pool"


def pools_json(pools: Sequence[Pools], target: Target | None) -> list[dict[str, Any]]:
    """The same as JSON has it."""
    return [_one(each, target) for each in pools]


def _one(pools: Pools, target: Target | None) -> dict[str, Any]:
    found: dict[str, Any] = {
        "plan": pools.plan,
        "method_bytes": pools.method_bytes,
        "planned_bytes": list(pools.planned),
        "tables_bytes": pools.tables_bytes,
        "inputs_bytes": pools.inputs_bytes,
        "temporary_bytes": pools.temporary_bytes,
        "fast_scratch_bytes": pools.fast_scratch_bytes,
        "planned_fast_bytes": pools.planned_fast_bytes,
        "delegates": [
            {
                "delegate": each.delegate,
                "scratch_bytes": each.scratch_bytes,
                "fast_scratch_bytes": each.fast_scratch_bytes,
                "copied_bytes": each.copied_bytes,
            }
            for each in pools.delegates
        ],
    }
    if target is not None:
        needed, _ = _in_fast_memory([pools], target)
        found["missing_bytes"] = max(0, needed - target.fast_limit_bytes)
    return found


def pools_build(
    name: str, pools: Sequence[Pools], build: Build, target: Target | None = None
) -> str:
    """Sizes of pools that are enough for any one plan, as a build takes them."""
    sizes = {
        "method": max(
            each.planned_bytes + each.inputs_bytes + _ALLOWANCE * each.tables_bytes
            for each in pools
        ),
        "temporary": max(each.temporary_bytes for each in pools),
        "fast scratch": max(each.fast_scratch_bytes for each in pools),
        "planned fast": max(each.planned_fast_bytes for each in pools),
    }
    if build is Build.LINKER:
        return _linker(name, sizes, target)
    mark = "//" if build is Build.C else "#"
    plans = counted(len(pools), "plan")
    lines = [f"{mark} {visible(name)}: RAM that a runtime of ExecuTorch takes, for one of {plans}"]
    for pool, size in sizes.items():
        bare, zephyr = _NAMES[pool]
        if not size:
            continue
        match build:
            case Build.C:
                lines.append(f"#define {bare} {size}")
            case Build.CMAKE:
                lines.append(f'set({bare} {size} CACHE STRING "{pool} pool in bytes")')
            case Build.KCONFIG if zephyr:
                lines.append(f"CONFIG_{zephyr}={size}")
            case Build.KCONFIG:
                lines.append(f"# {pool}: {size} bytes, for which the samples have no option")
    return "\n".join(lines) + "\n"


def _linker(name: str, sizes: Mapping[str, int], target: Target | None) -> str:
    """Pools in the memories of a target; all of them in one SRAM where that is not known."""
    arena = AREA_TITLES[target.arena.area if target is not None else Area.SRAM]
    fast = AREA_TITLES[target.fast.area if target is not None else Area.SRAM]
    buffers = [
        Held(
            section=_SECTIONS[pool],
            memory=fast if pool == "fast scratch" else arena,
            size_bytes=size,
            what=f"{pool} pool of ExecuTorch",
        )
        for pool, size in sizes.items()
        if size and pool in _SECTIONS
    ]
    told = [f"{name}: pools of ExecuTorch's runner for Arm"]
    if target is not None:
        told.append(f"in the memories of {target.system.name}, {target.mode.name}")
    return linker_text(told, buffers)
