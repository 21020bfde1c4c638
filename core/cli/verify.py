"""`verify`: whether a compiled model computes what its original does."""

from __future__ import annotations

import argparse
from pathlib import Path

from core import api
from core.cli import exits
from core.cli.arguments import whole_number
from core.cli.command import Command
from core.cli.terminal import about, progress_line


def trial_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments for what is tried."""
    group = parser.add_argument_group("trial")
    group.add_argument(
        "--inputs",
        type=whole_number,
        default=1,
        metavar="N",
        help="how many random inputs are tried; %(default)s where it is not said",
    )
    group.add_argument(
        "--seed",
        type=whole_number,
        default=0,
        metavar="S",
        help="which inputs: the same seed makes the same ones; %(default)s where none is given",
    )


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
    compiled = api.read_bytes(arguments.model)
    original = api.read_bytes(arguments.against)
    with about(arguments.model), progress_line() as progress:
        found = api.verify(
            compiled, original, inputs=arguments.inputs, seed=arguments.seed, progress=progress
        )
    for sentence in found.sentences():
        print(sentence)
    return exits.OK if found.holds else exits.DISPROVED


VERIFY = Command(
    name="verify",
    text="run a compiled model bit by bit, and compare every output with what LiteRT's reference"
    " kernels make of its original",
    add_arguments=_add_arguments,
    run=_run,
    takes_target=False,
)
