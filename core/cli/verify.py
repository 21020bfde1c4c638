"""`verify`: whether a compiled model computes what its original does."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.api import proof
from core.base.files import read_bytes
from core.cli import exits
from core.cli.arguments import trial_arguments
from core.cli.output import progress_line, say
from core.cli.sub_command import Work


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path, metavar="COMPILED", help="a compiled .tflite file")
    parser.add_argument(
        "--against",
        type=Path,
        required=True,
        metavar="MODEL",
        help="the .tflite file that it was compiled from",
    )
    trial_arguments(parser)


def _run(arguments: argparse.Namespace) -> int:
    compiled = read_bytes(arguments.model)
    original = read_bytes(arguments.against)
    with progress_line() as progress:
        found = proof.verify(
            compiled,
            original,
            inputs=arguments.inputs,
            seed=arguments.seed,
            progress=progress,
            names=proof.Names(str(arguments.model), str(arguments.against)),
        )
    say(*found.sentences())
    return exits.OK if found.holds else exits.DISPROVED


WORK = Work(add_arguments=_add_arguments, run=_run)
