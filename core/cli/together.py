"""Other models in the same device, on the command line."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from core.api import networks, schedules, together
from core.base.errors import about
from core.base.files import read_bytes
from core.cli.arguments import calls_of
from core.cli.edits import scheduled_with
from core.cli.output import progress_line
from core.ir.options import Options
from core.target.target import Target

Within = Callable[[int | None], schedules.Scheduled]


def with_others(
    arguments: argparse.Namespace, target: Target, options: Options, own: Within
) -> tuple[schedules.Scheduled, together.Together | None]:
    """A model's schedule beside those of the others that are asked for, if there are any."""
    if not arguments.others:
        return own(None), None
    models = [together.Model(name=arguments.model.name, within=own)]
    models += [_other(path, target, options) for path in arguments.others]
    limit = together.shared_limit(target)
    found, arranged = together.scheduled(models, calls_of(arguments), limit)
    return found[0], arranged


def _other(path: Path, target: Target, options: Options) -> together.Model:
    data = read_bytes(path)
    if networks.may_be_compiled(data):
        from core.api import programs  # with all that reads streams

        with about(path), progress_line() as progress:
            shown = programs.compiled_model(
                path.name, data, target, progress, programs.beside(path)
            )
        if shown is not None:
            return shown
    with about(path), progress_line() as progress:
        run = networks.run(data, target, options, progress)
        bench = schedules.Workbench(run)

    def scheduled(limited: Target) -> schedules.Scheduled:
        with about(path), progress_line() as progress:
            return bench.schedule(limited, options, progress)

    return together.limited_model(path.name, target, scheduled)


def limited_to(
    arguments: argparse.Namespace, bench: schedules.Workbench, target: Target, options: Options
) -> Within:
    """The schedule of the model that arguments ask for, in any limit."""

    def scheduled(limited: Target) -> schedules.Scheduled:
        with about(arguments.model), progress_line() as progress:
            return scheduled_with(arguments, bench, limited, options, progress)

    return together.limited_model(arguments.model.name, target, scheduled).within


def told_beside(beside: together.Together | None) -> str:
    """What is printed of models in one device; nothing where there is one alone."""
    return "" if beside is None else f"\n{together.text(beside)}"


def missing_beside(beside: together.Together | None) -> tuple[str, ...]:
    """What is warned of where they do not fit."""
    return () if beside is None else together.missing(beside)
