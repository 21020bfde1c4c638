"""The part of `inspect` that says what a compiled model does."""

from __future__ import annotations

import argparse

from core.api import programs
from core.base.errors import InputError, about
from core.cli.compiled import target_for
from core.cli.output import put_text, show


def run(arguments: argparse.Namespace, model: bytes) -> bool:
    """Say what the streams of a model do, or that it has none."""
    with about(arguments.model):
        read = programs.read_program(model)
    if read is None:
        return False
    opened = programs.study_program(read, lambda found: target_for(arguments, read, found))
    _tell(arguments, opened)
    return True


def _tell(arguments: argparse.Namespace, opened: programs.Opened) -> None:
    name = arguments.model.name
    if arguments.json is None:
        show(programs.render_program(name, opened))
    else:
        put_text(arguments.json, programs.render_program_json(name, opened))
    for number, part in enumerate(opened.program.parts):
        if part.stream.problem is not None:
            word, reason = part.stream.problem
            where = f"{arguments.model}: command stream {number}, word {word}"
            raise InputError(reason, where)
