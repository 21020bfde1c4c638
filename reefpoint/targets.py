"""Targets: an accelerator, the memories around it, and how much of them a network may have."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from core.api.targets import BOARDS, OTHERS, Board, Project, is_project, stands_for
from core.base.checked import door
from core.base.errors import OptionError
from core.base.frozen import Frozen, replace
from core.base.size import parse_size
from core.ir.settings import Settings
from core.report.words import kib_text
from core.target import target as core_target
from core.target.resolve import DEFAULT_ACCELERATOR


class Target(Frozen):
    """What a network is scheduled for; `target` makes one."""

    settings: Settings

    def __post_init__(self) -> None:
        # Names that are not known, and limits that cannot be, are refused here.
        self._resolved()

    def _resolved(self) -> core_target.Target:
        return self.settings.target()

    @property
    def accelerator(self) -> str:
        """Such as `ethos-u55-256`."""
        return self._resolved().accelerator.name

    @property
    def system_config(self) -> str:
        """The name of its clock and memories."""
        return self._resolved().system.name

    @property
    def memory_mode(self) -> str:
        """The name of what each memory is for."""
        return self._resolved().mode.name

    @property
    def clock_hz(self) -> float:
        """Of the accelerator."""
        return self._resolved().system.core_clock_hz

    @property
    def limit_bytes(self) -> int:
        """Fast storage that a schedule may use."""
        return self._resolved().fast_limit_bytes

    def within(self, limit: int | str) -> Target:
        """The same with another limit: bytes, or a text such as "256K"."""
        return Target(settings=replace(self.settings, limit_bytes=_bytes(limit)))

    def __repr__(self) -> str:
        names = f"{self.accelerator}, {self.system_config}, {self.memory_mode}"
        return f"<Target {names}, {kib_text(self.limit_bytes)}>"


@door
def _target(
    accelerator: str, system_config: str | None, memory_mode: str | None, configs: tuple[str, ...]
) -> Target:
    names = Settings(
        accelerator=accelerator,
        system_config=system_config,
        memory_mode=memory_mode,
        configs=configs,
    )
    return Target(settings=names)


def target(
    accelerator: str = DEFAULT_ACCELERATOR,
    *,
    system_config: str | None = None,
    memory_mode: str | None = None,
    limit: int | str | None = None,
    configs: Iterable[str | os.PathLike[str]] = (),
) -> Target:
    """A target by its names; what is not named is what the accelerator has by default.

    A board's name, such as "alif-e7-hp", stands for all of that: `resources/boards.md` has them. So
    does the path of a project of CMSIS-Toolbox (`*.cbuild-mlops.yml`).
    `limit` is how much fast storage a schedule may use: bytes, or a text such as "256K".
    `configs` are `.ini` files with more system configs and memory modes.
    """
    said = _board(accelerator)
    told = {} if said is None else said.target
    own = said.configs if isinstance(said, Project) else ()
    if told:
        accelerator = told["accelerator_config"]
        limit = told.get("arena_cache_size") if limit is None else limit
    found = _target(
        accelerator,
        system_config or told.get("system_config"),
        memory_mode or told.get("memory_mode"),
        tuple(str(Path(path).absolute()) for path in (*own, *configs)),
    )
    return found if limit is None else found.within(limit)


def _board(name: object) -> Board | Project | None:
    """What a board's name, or a project's path, stands for; None of an accelerator's name."""
    known = {*(board.name for board in BOARDS), *OTHERS}
    is_board = isinstance(name, str) and (name in known or is_project(name))
    return stands_for(str(name)) if is_board else None


def _bytes(size: object) -> int:
    if isinstance(size, str):
        return parse_size(size)
    if type(size) is not int:
        raise OptionError(f"a limit has to be bytes or a text such as '256K', and not {size!r}")
    return size


def target_of(given: Target | str | None) -> Target:
    """A target, or the one of an accelerator."""
    return given if isinstance(given, Target) else target(given or DEFAULT_ACCELERATOR)
