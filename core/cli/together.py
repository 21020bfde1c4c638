"""Other models in the same device, on the command line."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from core.api import networks, schedules, together
from core.base.errors import OptionError, about
from core.base.files import read_bytes
from core.cli.edits import scheduled_with
from core.cli.output import progress_line
from core.ir.options import Options
from core.target.target import Target

Within = Callable[[int | None], schedules.Scheduled]
_CALLS = {calls.value: calls for calls in together.Calls}


def together_arguments(parser: argparse._ActionsContainer) -> None:
    """`--with` and `--calls`."""
    parser.add_argument(
        "--with",
        dest="others",
        action="append",
        type=Path,
        default=[],
        metavar="OTHER.tflite",
        help="another model in the same device, compiled or not; may be given several times. All"
        " are scheduled so that they fit the limit together",
    )
    parser.add_argument(
        "--calls",
        choices=_CALLS,
        default=together.Calls.IN_TURN.value,
        help="how models in one device are called: "
        + "; ".join(f"{calls.value}, {calls.meaning}" for calls in together.Calls),
    )


def with_others(
    arguments: argparse.Namespace, target: Target, options: Options, own: Within
) -> tuple[schedules.Scheduled, together.Together | None]:
    """A model's schedule beside those of the others that are asked for, if there are any."""
    if not arguments.others:
        return own(None), None
    models = [together.Model(name=arguments.model.name, within=own)]
    models += [_other(arguments, path, target, options) for path in arguments.others]
    limit = target.fast_limit_bytes
    limited = None if limit >= target.accelerator.max_address else limit
    found, arranged = together.scheduled(models, _CALLS[arguments.calls], limited)
    return found[0], arranged


def _other(
    arguments: argparse.Namespace, path: Path, target: Target, options: Options
) -> together.Model:
    data = read_bytes(path)
    if networks.may_be_compiled(data):
        from core.cli import compiled  # with all that reads streams

        if (shown := compiled.read_schedule(arguments, path, data)) is not None:
            _demand_same(path, shown, target)
            return together.Model(name=path.name, within=lambda _: shown)
    with about(path), progress_line() as progress:
        run = networks.run(data, target, options, progress)
        bench = schedules.Workbench(run)

    def within(limit_bytes: int | None) -> schedules.Scheduled:
        limited = target if limit_bytes is None else target.with_limit(limit_bytes)
        with about(path), progress_line() as progress:
            return bench.schedule(limited, options, progress)

    return together.Model(name=path.name, within=within)


def limited_to(
    arguments: argparse.Namespace, bench: schedules.Workbench, target: Target, options: Options
) -> Within:
    """The schedule of the model that arguments ask for, in any limit."""

    def within(limit_bytes: int | None) -> schedules.Scheduled:
        limited = target if limit_bytes is None else target.with_limit(limit_bytes)
        with about(arguments.model), progress_line() as progress:
            return scheduled_with(arguments, bench, limited, options, progress)

    return within


def told_beside(beside: together.Together | None) -> str:
    """What is printed of models in one device; nothing where there is one alone."""
    return "" if beside is None else f"\n{together.text(beside)}"


def missing_beside(beside: together.Together | None) -> tuple[str, ...]:
    """What is warned of where they do not fit."""
    return () if beside is None else together.missing(beside)


def _demand_same(path: Path, shown: schedules.Scheduled, target: Target) -> None:
    if shown.target.accelerator.name != target.accelerator.name:
        raise OptionError(
            f"--with: {path} is compiled for {shown.target.accelerator.name},"
            f" and this is for {target.accelerator.name}"
        )
