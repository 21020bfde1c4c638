"""The part of `inspect` that says what a compiled model does."""

from __future__ import annotations

import argparse
from contextlib import suppress
from dataclasses import replace

from core.api import programs
from core.base.errors import InputError, OptionError, about
from core.cli.arguments import settings_of
from core.cli.output import put_text
from core.target.accelerator import Accelerator
from core.target.target import Target


def run(arguments: argparse.Namespace, model: bytes) -> bool:
    """Say what the streams of a model do, or that it has none."""
    with about(arguments.model):
        read = programs.read_program(model)
    if read is None:
        return False
    opened = programs.study_program(read, lambda found: _target_for(arguments, read, found))
    _tell(arguments, opened)
    return True


def _target_for(
    arguments: argparse.Namespace, read: programs.ReadProgram, accelerator: Accelerator
) -> Target:
    """What is asked for; where no memory mode is, the one that fits what streams touch."""
    asked = replace(settings_of(arguments), accelerator=accelerator.name)
    if asked.memory_mode is None:
        with suppress(OptionError):
            likely = programs.likely_memory_mode(read.program, accelerator)
            return replace(asked, memory_mode=likely).target()
    return asked.target()


def _tell(arguments: argparse.Namespace, opened: programs.Opened) -> None:
    name = arguments.model.name
    if arguments.json is None:
        print(programs.render_program(name, opened), end="")
    else:
        put_text(arguments.json, programs.render_program_json(name, opened))
    for number, part in enumerate(opened.program.parts):
        if part.stream.problem is not None:
            word, reason = part.stream.problem
            where = f"{arguments.model}: command stream {number}, word {word}"
            raise InputError(reason, where)
