"""From the names that a user gives to a complete target."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from core.base.checked import door
from core.base.errors import OptionError
from core.base.frozen import replace
from core.base.size import parse_size
from core.target.accelerator import Accelerator
from core.target.config import MODE, SYSTEM, Catalogue, load
from core.target.registry import accelerator_named
from core.target.target import Area, MemoryMode, Port, SystemConfig, Target

DEFAULT_ACCELERATOR = "ethos-u55-256"

_ALLOWED = {
    "const_mem_area": (Area.DRAM, Area.ON_CHIP_FLASH, Area.OFF_CHIP_FLASH),
    "arena_mem_area": (Area.SRAM, Area.DRAM),
    "cache_mem_area": (Area.SRAM,),
}


@door
def resolve(
    accelerator: str | Accelerator = DEFAULT_ACCELERATOR,
    system_config: str | None = None,
    memory_mode: str | None = None,
    *,
    config_files: Iterable[Path] = (),
    arena_cache_size: int | str | None = None,
) -> Target:
    """The target with these names, from the presets and these files; a size may have a unit.

    An accelerator that nobody can ask for by its name may be given itself.
    """
    chosen = accelerator if isinstance(accelerator, Accelerator) else accelerator_named(accelerator)
    defaults = chosen.family.defaults
    catalogue = load(config_files)
    mode = catalogue.memory_mode(memory_mode or defaults.memory_mode)
    ports = {mode.constants, mode.arena, mode.cache}
    system = catalogue.system_config(system_config or defaults.system_config, ports)
    target = assembled(chosen, system, mode)
    _check_areas(target, catalogue)
    return _with_limit(target, catalogue, arena_cache_size)


def assembled(accelerator: Accelerator, system: SystemConfig, mode: MemoryMode) -> Target:
    """The target; where everything is in one SRAM, constants go to its double at the other port.

    The hardware has to know read-only memory from the arena; to the ecosystem, constants in such
    an SRAM are in an on-chip flash that is as fast.
    """
    target = Target(accelerator=accelerator, system=system, mode=mode)
    sram = target.permanent
    if sram.area is not Area.SRAM or not mode.constants is mode.arena is mode.cache:
        return target
    flash = replace(sram, area=Area.ON_CHIP_FLASH)
    if mode.constants is Port.AXI0:
        system, port = replace(system, axi1=flash), Port.AXI1
    else:
        system, port = replace(system, axi0=flash), Port.AXI0
    return replace(target, system=system, mode=replace(mode, constants=port))


def _check_areas(target: Target, catalogue: Catalogue) -> None:
    settings = catalogue.settings(MODE + target.mode.name)
    uses = (target.mode.constants, target.mode.arena, target.mode.cache)
    for port, (key, allowed) in zip(uses, _ALLOWED.items(), strict=True):
        area = target.memory(port).area
        if area not in allowed:
            raise settings.error(
                key,
                f"{port.value} is {area.value} in [{SYSTEM}{target.system.name}];"
                f" it has to be {' or '.join(kind.value for kind in allowed)}",
            )


def _with_limit(target: Target, catalogue: Catalogue, asked: int | str | None) -> Target:
    """The target with the limit that is asked for, if any; an error if it cannot be addressed."""
    limit = parse_size(asked) if isinstance(asked, str) else asked
    most = target.accelerator.max_address
    if limit is not None:
        if not 0 <= limit <= most:
            raise OptionError(f"arena cache size {limit}: has to be 0 to {most}")
        return target.with_limit(limit)
    if target.fast_limit_bytes > most:
        settings = catalogue.settings(MODE + target.mode.name)
        raise settings.error("arena_cache_size", f"is more than {most}, which can be addressed")
    return target
