"""The part of `advise` that says what would help a program of ExecuTorch."""

from __future__ import annotations

import argparse

from core.api import programs
from core.base.errors import OptionError, about
from core.cli import exits
from core.cli.compiled import target_for
from core.cli.output import json_text, put_texts, say


def run(arguments: argparse.Namespace, model: bytes) -> int:
    """Say what can be seen; nothing is tried, as a program is compiled already."""
    if arguments.md or arguments.junit or arguments.github:
        raise OptionError("a program of ExecuTorch is advised as text or with --json alone")
    with about(arguments.model):
        read = programs.read_program(model, beside=programs.beside(arguments.model))
        assert read is not None
        opened = programs.study_program(read, lambda found: target_for(arguments, read, found))
        tips = programs.advice(opened)
    if arguments.json is None:
        say(*(f"- {tip['text']}" for tip in tips))
        if not tips:
            say("nothing can be seen that would help")
    else:
        told = programs.describe_advice(arguments.model.name, tips)
        put_texts([(arguments.json, json_text(told))])
    return exits.OK
