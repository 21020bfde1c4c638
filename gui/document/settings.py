"""What is asked of the compiler, by the names that the command line takes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.api import targets
from core.ir.options import (
    Allocator,
    Engine,
    EvictionPolicy,
    LoweringOptions,
    Options,
    ParetoOptions,
    Search,
    Strategy,
)
from core.target.target import Target

_MOST_TARGETS = 64
_Stamp = tuple[int, int, int] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """A target and options; None means what the command line takes by default."""

    accelerator: str = "ethos-u55-256"
    system_config: str | None = None
    memory_mode: str | None = None
    configs: tuple[str, ...] = ()
    """Paths of `.ini` files with more system configs and memory modes."""
    limit_bytes: int | None = None
    """Fast storage; None means the memory mode's own."""
    strategy: Strategy = Strategy.PERFORMANCE
    eviction: EvictionPolicy = EvictionPolicy.COMPONENT
    search: Search = Search.DIRECT
    engine: Engine = Engine.CASCADING
    pareto: ParetoOptions = field(default_factory=ParetoOptions)
    allocator: Allocator = Allocator.HILL_CLIMB
    force_symmetric_int_weights: bool = False

    @property
    def options(self) -> Options:
        """The options among them."""
        return Options(
            strategy=self.strategy,
            eviction=self.eviction,
            search=self.search,
            engine=self.engine,
            pareto=self.pareto,
            allocator=self.allocator,
            lowering=LoweringOptions(force_symmetric_int_weights=self.force_symmetric_int_weights),
        )

    def target(self) -> Target:
        """The target that they name; an OptionError says which name is not known."""
        return _target(self, tuple(_stamp(Path(path)) for path in self.configs))


def value_of(settings: Settings, knob: str) -> Any:
    """What a knob is set to; knobs of the Pareto engine are called `pareto.NAME`."""
    value: Any = settings
    for name in knob.split("."):
        value = getattr(value, name)
    return value


def turned(settings: Settings, knob: str, value: Any) -> Settings:
    """The settings with another value of one knob."""
    name, _, part = knob.partition(".")
    inner = replace(getattr(settings, name), **{part: value}) if part else value
    return replace(settings, **{name: inner})


@lru_cache(maxsize=_MOST_TARGETS)
def _target(settings: Settings, stamps: tuple[_Stamp, ...]) -> Target:
    """The target of settings whose files have these stamps; many ask for it after every change."""
    del stamps
    return targets.resolve_target(
        settings.accelerator,
        settings.system_config,
        settings.memory_mode,
        config_files=tuple(Path(path) for path in settings.configs),
        arena_cache_size=settings.limit_bytes,
    )


def _stamp(path: Path) -> _Stamp:
    """What tells a file from one with other content."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
