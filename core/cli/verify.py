"""`verify`: whether a compiled model computes what its original does."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.api import networks, operator_errors, proof
from core.base.errors import OptionError, about
from core.base.files import read_bytes
from core.cli import exits
from core.cli.arguments import json_argument, trial_arguments
from core.cli.judged import review_arguments, review_texts, tell_runner
from core.cli.originals import Originals, originals_of
from core.cli.output import json_text, printed_options, progress_line, put_texts, say, show
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
    parser.add_argument(
        "--data",
        type=Path,
        metavar="FILE.npz|FOLDER",
        help="inputs of your own in place of others, by name or in order; arrays with names of"
        " outputs are what a device made of them. The error of each operator is told, against"
        " integer kernels and real numbers, and whose fault it is",
    )
    json_argument(parser)
    review_arguments(parser)


def _run(arguments: argparse.Namespace) -> int:
    if arguments.data is None and any(getattr(arguments, name) for name in _OF_DATA):
        raise OptionError(f"{', '.join(f'--{name}' for name in _OF_DATA)} go with --data")
    compiled = read_bytes(arguments.model)
    with progress_line() as progress:
        found = _verified(arguments, compiled, progress)
    if found.fault is not None:
        _tell_operators(arguments, found, found.fault)
    if not printed_options(arguments):
        say(*found.sentences())
    return exits.OK if found.holds else exits.DISPROVED


_OF_DATA = ("json", "md", "junit", "github")


def _tell_operators(
    arguments: argparse.Namespace, found: proof.Verification, fault: operator_errors.Fault
) -> None:
    name, errors = arguments.model.name, found.operators
    review = operator_errors.review_of(name, errors, fault, found.sentences(), holds=found.holds)
    texts = [*review_texts(arguments, review)]
    if arguments.json is not None:
        told = operator_errors.describe(name, errors, fault, holds=found.holds)
        texts.append((arguments.json, json_text(told)))
    put_texts(texts)
    if arguments.json is None and not printed_options(arguments):
        show(operator_errors.render(errors, fault))
    tell_runner(arguments, review, arguments.model)


def _verified(
    arguments: argparse.Namespace, compiled: bytes, progress: proof.Progress
) -> proof.Verification:
    against: Path | None = arguments.against
    is_program = networks.is_of_executorch(compiled)
    if against is None and not is_program:
        raise OptionError("--against is needed: the file that this was compiled from")
    originals = Originals()
    if against is not None:
        found = originals_of(against, is_program=is_program)
        if found is None:
            return proof.verify(
                compiled,
                read_bytes(against),
                inputs=arguments.inputs,
                seed=arguments.seed,
                progress=progress,
                names=proof.Names(str(arguments.model), str(against)),
                data=None if arguments.data is None else proof.data_files(arguments.data),
            )
        originals = found
    if arguments.data is not None:
        raise OptionError("--data needs the .tflite file that this was compiled from: --against F")
    with about(arguments.model):
        return proof.verify_delegates(
            compiled,
            *originals,
            inputs=arguments.inputs,
            seed=arguments.seed,
            progress=progress,
            beside=proof.beside(arguments.model),
        )


WORK = Work(add_arguments=_add_arguments, run=_run)
