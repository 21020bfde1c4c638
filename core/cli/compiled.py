"""Compiled models on the command line: which memories are assumed, and what they show."""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path

from core.api import networks, programs, schedules
from core.base.errors import OptionError, about
from core.base.frozen import replace
from core.cli.arguments import settings_of
from core.cli.output import progress_line
from core.ir.settings import Settings
from core.target.accelerator import Accelerator
from core.target.target import Target


def asked_for(
    arguments: argparse.Namespace, read: programs.ReadProgram, accelerator: Accelerator
) -> Settings:
    """What is asked for; where no memory mode is, the one that fits what streams touch."""
    asked = replace(settings_of(arguments), accelerator=accelerator.name)
    if asked.memory_mode is None:
        with suppress(OptionError):
            likely = programs.likely_memory_mode(read.program, accelerator)
            found = replace(asked, memory_mode=likely)
            found.target()
            return found
    return asked


def target_for(
    arguments: argparse.Namespace, read: programs.ReadProgram, accelerator: Accelerator
) -> Target:
    """The target that is asked for."""
    return asked_for(arguments, read, accelerator).target()


def read_schedule(
    arguments: argparse.Namespace, path: Path, model: bytes
) -> schedules.Scheduled | None:
    """The schedule that a compiled model shows, priced; None where it has not been compiled."""
    if not networks.is_marked(model):
        return None
    with about(path), progress_line() as progress:
        read = programs.read_program(model, progress)
        if read is None:
            return None
        target = target_for(arguments, read, programs.accelerator_in(read.program))
        studied = programs.study_program(read, lambda _: target, progress)
        return replace(programs.read_back(studied).scheduled, name=path.name)
