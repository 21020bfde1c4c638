"""Limits that hardware has: of memory modes, and of boards that somebody can buy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from core.base.errors import CoreError
from core.base.frozen import NamedTuple
from core.ir.settings import Settings
from core.ir.sweep import SweptSettings
from core.report.sweep.curves import Curve
from core.target.boards import Board


class Guide(NamedTuple):
    """A limit with its name."""

    size_bytes: int
    name: str
    source: str
    """Where that is told."""


def guides(curves: Sequence[Curve], boards: Iterable[Board] = ()) -> tuple[Guide, ...]:
    """Guides for curves that are drawn together, from the lowest on."""
    by_target = {settings.target_name: settings for settings in map(_settings_of, curves)}
    found = [guide for settings in by_target.values() for guide in _of_mode(settings)]
    found += [Guide(board.sram_bytes, board.title, board.source) for board in boards]
    return tuple(sorted(set(found)))


def _settings_of(curve: Curve) -> SweptSettings:
    return curve.cells[0].settings


def _of_mode(settings: SweptSettings) -> Iterator[Guide]:
    """The limit that a memory mode has itself; none where it is of a file of configs.

    A sweep can be mailed: no file is read because it names one.
    """
    if settings.configs:
        return
    own = Settings(
        accelerator=settings.accelerator,
        system_config=settings.system_config,
        memory_mode=settings.memory_mode,
    )
    try:
        target = own.target()
    except CoreError:
        return
    yield Guide(target.fast_limit_bytes, target.mode.name, "the memory mode's own limit")
