"""`inspect`: what is in a model, and what a compiled one does."""

from __future__ import annotations

import argparse

from core.api import networks
from core.base.errors import OptionError, about
from core.base.files import read_bytes
from core.cli import exits
from core.cli.arguments import json_argument, model_argument, options_of, target_of
from core.cli.output import json_text, progress_line, put_texts, show, warn
from core.cli.sub_command import Work


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)
    json_argument(parser)
    parser.add_argument(
        "--pools",
        choices=("c", "cmake", "kconfig"),
        help="print the sizes of the pools that ExecuTorch's runtime takes, as a build has them",
    )


def _run(arguments: argparse.Namespace) -> int:
    if arguments.pools and arguments.json:
        raise OptionError("--pools and --json are two answers; one can be asked for")
    model = read_bytes(arguments.model)
    if networks.may_be_compiled(model):
        from core.cli import inspect_compiled  # with all that reads streams

        if inspect_compiled.run(arguments, model):
            return exits.OK
    if arguments.pools:
        raise OptionError("--pools is for programs of ExecuTorch (.pte, .bpte)")
    target = target_of(arguments)
    with about(arguments.model), progress_line() as progress:
        result = networks.run(model, target, options_of(arguments), progress)
    warn(networks.check_network(result.network))
    name = arguments.model.name
    if arguments.json is None:
        show(networks.render(name, result, target))
    else:
        put_texts([(arguments.json, json_text(networks.describe(name, result, target)))])
    return exits.OK


WORK = Work(add_arguments=_add_arguments, run=_run)
