"""Compiled models on the command line: which memories are assumed, and what they show."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.api import networks, programs, schedules
from core.base.errors import about
from core.base.frozen import replace
from core.cli.arguments import settings_of
from core.cli.output import progress_line
from core.target.accelerator import Accelerator
from core.target.target import Target


def target_for(
    arguments: argparse.Namespace, read: programs.ReadProgram, accelerator: Accelerator
) -> Target:
    """The target that is asked for."""
    return programs.settings_for(settings_of(arguments), read.program, accelerator).target()


def read_schedule(
    arguments: argparse.Namespace, path: Path, model: bytes
) -> schedules.Scheduled | None:
    """The schedule that a compiled model shows, priced; None where it has not been compiled."""
    if not networks.may_be_compiled(model):
        return None
    with about(path), progress_line() as progress:
        read = programs.read_program(model, progress, programs.beside(path))
        if read is None:
            return None
        target = target_for(arguments, read, programs.accelerator_in(read.program))
        studied = programs.study_program(read, lambda _: target, progress)
        return replace(programs.read_back(studied).scheduled, name=path.name)
