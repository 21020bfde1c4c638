"""What is asked of the compiler, by the names that users give it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from core.base.checked import Checked, Count
from core.base.frozen import field, replace
from core.ir.options import Options
from core.target.boards import Board
from core.target.resolve import DEFAULT_ACCELERATOR, resolve
from core.target.target import Target

_MOST_TARGETS = 64
_Stamp = tuple[int, int, int] | None


class Settings(Checked):
    """The names of a target, and options; None means what the accelerator takes by default."""

    accelerator: str = DEFAULT_ACCELERATOR
    system_config: str | None = None
    memory_mode: str | None = None
    configs: tuple[str, ...] = ()
    """Paths of `.ini` files with more system configs and memory modes."""
    limit_bytes: Count | None = None
    """Fast storage; None means the memory mode's own."""
    options: Options = field(default_factory=Options)

    @classmethod
    def of(cls, target: Target, options: Options) -> Settings:
        """The settings that ask for a target, but for files of configs."""
        return cls(
            accelerator=target.accelerator.name,
            system_config=target.system.name,
            memory_mode=target.mode.name,
            limit_bytes=target.mode.arena_cache_size,
            options=options,
        )

    def on(self, board: Board) -> Settings:
        """The same on a board."""
        return replace(
            self,
            accelerator=board.accelerator.value,
            system_config=board.system_config.value,
            memory_mode=board.memory_mode.value,
            limit_bytes=board.sram_bytes,
        )

    def target(self) -> Target:
        """The target that they name; an OptionError says which name is not known."""
        stamps = tuple(_stamp(Path(path)) for path in self.configs)
        return _target(replace(self, options=Options()), stamps)


@lru_cache(maxsize=_MOST_TARGETS)
def _target(settings: Settings, stamps: tuple[_Stamp, ...]) -> Target:
    """The target of settings whose files have these stamps; many ask for it after every change."""
    del stamps
    return resolve(
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
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
