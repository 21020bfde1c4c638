"""`inspect`: what is in a model, and what a compiled one does."""

from __future__ import annotations

import argparse
from contextlib import suppress

from core.api import compiler, listings, programs
from core.base.errors import InputError, OptionError, about
from core.cli import exits
from core.cli.arguments import json_argument, model_argument, options_of, target_of
from core.cli.command import Work
from core.cli.files import json_text, put_text
from core.cli.terminal import progress_line, warn
from core.target.accelerator import Accelerator
from core.target.target import Target


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)
    json_argument(parser)


def _run(arguments: argparse.Namespace) -> int:
    model = compiler.read_bytes(arguments.model)
    with about(arguments.model):
        read = programs.read_program(model)
    if read is not None:
        opened = programs.study_program(read, lambda found: _target_for(arguments, read, found))
        return _run_compiled(arguments, opened)
    target = target_of(arguments)
    with about(arguments.model), progress_line() as progress:
        result = compiler.run(model, target, options_of(arguments), progress)
    warn(compiler.check_network(result.network))
    name = arguments.model.name
    if arguments.json is None:
        print(listings.render(name, result, target), end="")
    else:
        put_text(arguments.json, json_text(listings.describe(name, result, target)))
    return exits.OK


def _target_for(
    arguments: argparse.Namespace, read: programs.ReadProgram, accelerator: Accelerator
) -> Target:
    """What is asked for; where no memory mode is, the one that fits what streams touch."""
    likely = programs.likely_memory_mode(read.program, accelerator)
    if arguments.memory_mode is None:
        with suppress(OptionError):
            fitting = argparse.Namespace(**{**vars(arguments), "memory_mode": likely})
            return target_of(fitting, accelerator.name)
    return target_of(arguments, accelerator.name)


def _run_compiled(arguments: argparse.Namespace, opened: programs.Opened) -> int:
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
    return exits.OK


WORK = Work(add_arguments=_add_arguments, run=_run)
