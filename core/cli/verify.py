"""`verify`: whether a compiled model computes what its original does."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.api import networks, proof
from core.base.errors import InputError, OptionError, about
from core.base.files import read_bytes
from core.cli import exits
from core.cli.arguments import trial_arguments
from core.cli.output import progress_line, say
from core.cli.sub_command import Work


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "model", type=Path, metavar="COMPILED", help="a compiled .tflite file, a .pte or .vela_bin"
    )
    parser.add_argument(
        "--against",
        type=Path,
        metavar="MODEL",
        help="the .tflite file that it was compiled from; a .tosa file, or a folder that has one"
        " for each delegate; an .npz file with values to compare. Programs of ExecuTorch may do"
        " without: regions, hazards and reads of what was never written are judged then",
    )
    trial_arguments(parser)


def _run(arguments: argparse.Namespace) -> int:
    compiled = read_bytes(arguments.model)
    with progress_line() as progress:
        found = _verified(arguments, compiled, progress)
    say(*found.sentences())
    return exits.OK if found.holds else exits.DISPROVED


def _verified(
    arguments: argparse.Namespace, compiled: bytes, progress: proof.Progress
) -> proof.Verification:
    against: Path | None = arguments.against
    is_program = networks.is_of_executorch(compiled)
    if against is None and not is_program:
        raise OptionError("--against is needed: the file that this was compiled from")
    graphs, kept = None, None
    if against is not None and against.is_dir():
        paths = sorted(against.glob("*.tosa"))
        if not paths:
            raise InputError("has no .tosa files", str(against))
        graphs = {str(path): read_bytes(path) for path in paths}
    elif against is not None:
        original = read_bytes(against)
        if original.startswith(b"PK\x03\x04"):
            kept = original
        elif is_program or proof.is_graph(original):
            graphs = {str(against): original}
        else:
            return proof.verify(
                compiled,
                original,
                inputs=arguments.inputs,
                seed=arguments.seed,
                progress=progress,
                names=proof.Names(str(arguments.model), str(against)),
            )
    with about(arguments.model):
        return proof.verify_delegates(
            compiled,
            graphs,
            kept,
            inputs=arguments.inputs,
            seed=arguments.seed,
            progress=progress,
            beside=proof.beside(arguments.model),
        )


WORK = Work(add_arguments=_add_arguments, run=_run)
