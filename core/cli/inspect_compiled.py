"""The part of `inspect` that says what a compiled model does."""

from __future__ import annotations

import argparse

from core.api import programs, targets
from core.base.errors import about
from core.cli.compiled import target_for
from core.cli.output import put_texts, show


def run(arguments: argparse.Namespace, model: bytes) -> bool:
    """Say what the streams of a model do, or that it has none."""
    with about(arguments.model):
        read = programs.read_program(model, beside=programs.beside(arguments.model))
    if read is None:
        return False
    opened = programs.study_program(read, lambda found: target_for(arguments, read, found))
    if arguments.pools:
        with about(arguments.model):
            build = programs.Build(arguments.pools)
            show(programs.render_pools(arguments.model.name, opened, build))
        return True
    _tell(arguments, opened)
    return True


def _tell(arguments: argparse.Namespace, opened: programs.Opened) -> None:
    name, room = arguments.model.name, None
    said = None if arguments.board is None else targets.stands_for(arguments.board)
    if isinstance(said, targets.Board):
        with about(arguments.model):
            room = programs.room_on(said, opened)
    if arguments.json is None:
        show(programs.render_program(name, opened, room))
    else:
        put_texts([(arguments.json, programs.render_program_json(name, opened, room))])
    with about(arguments.model):
        programs.demand_whole(opened.program)
