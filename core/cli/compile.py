"""`compile`: a model becomes one that runs on the accelerator, and is proved before it is there."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from core.api import compiler, listings, networks, schedules
from core.base.errors import OptionError, about
from core.base.files import demand_place, write_whole
from core.cli import exits
from core.cli.arguments import model_argument, options_of, target_of, trial_arguments
from core.cli.output import STANDARD_OUTPUT, json_text, progress_line, warn
from core.cli.sub_command import Work
from core.report.limits import over_limits

_WAY_ON = "to export without the proof, leave out --verify"


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="OUT", help="the compiled .tflite file"
    )
    reports = parser.add_argument_group("reports")
    reports.add_argument(
        "--schedule-json", type=Path, metavar="F", help="the schedule, as `schedule --json` has it"
    )
    reports.add_argument(
        "--summary-csv", type=Path, metavar="F", help="figures of the whole network, on one line"
    )
    reports.add_argument(
        "--per-layer-csv", type=Path, metavar="F", help="figures of each operator, line by line"
    )
    parser.add_argument(
        "--verify",
        action="store_true",
        help="run the compiled model bit by bit first, and write nothing unless it computes what"
        " the original does",
    )
    trial_arguments(parser)


def _run(arguments: argparse.Namespace) -> int:
    _demand_places(arguments)
    target, model = target_of(arguments), networks.read_bytes(arguments.model)
    compiler.demand_compilable(target)
    with about(arguments.model), progress_line() as progress:
        bench = schedules.Workbench(networks.run(model, target, options_of(arguments), progress))
        scheduled = bench.schedule(target, options_of(arguments), progress)
        compiled = compiler.compile_model(scheduled, progress, encodings=bench.encodings)
    warn(networks.check_network(scheduled.run.network))
    warn(over_limits(scheduled.schedule, scheduled.layout))
    if not scheduled.run.graph.islands:
        warn(["no operator of this model runs on the NPU: the compiled model does what it did"])
    elif arguments.verify and not _proved(arguments, compiled, model):
        return exits.DISPROVED
    write_whole({arguments.output: compiled.data} | _reports(arguments, scheduled))
    print(listings.outline_schedule(arguments.model.name, scheduled), end="")
    print(f"{arguments.output}: {len(compiled.data):,} bytes")
    return exits.OK


def _proved(arguments: argparse.Namespace, compiled: compiler.Compiled, model: bytes) -> bool:
    """Whether the compiled model holds; if it does not, say where."""
    from core.api import proof  # with the simulator, for which nobody else waits

    with about(arguments.model), proof.way_on(_WAY_ON), progress_line() as progress:
        found = proof.verify(
            compiled.data, model, inputs=arguments.inputs, seed=arguments.seed, progress=progress
        )
    for sentence in found.sentences():
        print(sentence)
    if not found.holds:
        print(f"reefpoint: {arguments.output} is not written: it does not hold", file=sys.stderr)
    return found.holds


def _reports(arguments: argparse.Namespace, scheduled: schedules.Scheduled) -> dict[Path, bytes]:
    name = arguments.model.name
    found: dict[Path, bytes] = {}
    if arguments.schedule_json is not None:
        found[arguments.schedule_json] = json_text(
            listings.describe_schedule(name, scheduled)
        ).encode()
    if arguments.summary_csv is not None:
        found[arguments.summary_csv] = listings.render_summary_csv(name, scheduled).encode()
    if arguments.per_layer_csv is not None:
        found[arguments.per_layer_csv] = listings.render_layer_csv(name, scheduled).encode()
    return found


def _demand_places(arguments: argparse.Namespace) -> None:
    """Refuse what could not be written, before any work is done for it."""
    asked = (
        arguments.output,
        arguments.schedule_json,
        arguments.summary_csv,
        arguments.per_layer_csv,
    )
    places: set[str] = set()
    for path in asked:
        if path is None:
            continue
        if path == STANDARD_OUTPUT:
            raise OptionError("-: is not a file; what compile makes is written to files")
        demand_place(path)
        if path.exists() and arguments.model.exists() and path.samefile(arguments.model):
            raise OptionError(f"{path}: is the model itself, which would be overwritten")
        if os.path.realpath(path) in places:
            raise OptionError(f"{path}: is asked for twice")
        places.add(os.path.realpath(path))


WORK = Work(add_arguments=_add_arguments, run=_run)
