"""`compile`: a model becomes one that runs on the accelerator, and is proved before it is there."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.api import compiler, edits, listings, networks, schedules
from core.base.errors import about
from core.base.files import as_utf8, read_bytes, write_whole
from core.base.forms import Form
from core.cli import exits
from core.cli.arguments import (
    around_argument,
    edits_arguments,
    model_argument,
    options_of,
    output_argument,
    strict_argument,
    target_of,
    together_arguments,
    trial_arguments,
    trial_of_edits_argument,
)
from core.cli.cache import known_argument, known_of
from core.cli.edits import (
    not_as_asked,
    tell_adopted,
    tried_edits,
    with_decisions,
    with_notes,
    written_edits,
)
from core.cli.output import complain, json_text, progress_line, say, show, warn
from core.cli.sub_command import Work
from core.cli.together import (
    limited_to,
    missing_beside,
    told_beside,
    with_others,
)
from core.report.limits import misfits, over_limits

_WAY_ON = "to export without the proof, leave out --verify"


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)
    output_argument(
        parser,
        *("-o", "--output"),
        form=Form.MODEL,
        required=True,
        metavar="OUT",
        help="the compiled .tflite file",
    )
    reports = parser.add_argument_group("reports")
    output_argument(
        reports,
        "--schedule-json",
        form=Form.JSON,
        help="the schedule, as `schedule --json` has it",
    )
    output_argument(
        reports,
        "--summary-csv",
        form=Form.CSV,
        help="figures of the whole network, on one line",
    )
    output_argument(
        reports,
        "--per-layer-csv",
        form=Form.CSV,
        help="figures of each operator, line by line",
    )
    group = parser.add_argument_group("edits")
    edits_arguments(group)
    around_argument(group)
    trial_of_edits_argument(group)
    group.add_argument(
        "--keep-edits",
        action="store_true",
        help="write the edits into the compiled model too, with the names of its layers; without"
        " it, nothing in it says what was decided by whom",
    )
    strict_argument(parser, "write nothing, and end")
    known_argument(parser)
    together_arguments(parser.add_argument_group("several models in one device"))
    parser.add_argument(
        "--verify",
        action="store_true",
        help="run the compiled model bit by bit first, and write nothing unless it computes what"
        " the original does",
    )
    trial_arguments(parser)


def _run(arguments: argparse.Namespace) -> int:
    target, model = target_of(arguments), read_bytes(arguments.model)
    compiler.demand_compilable(target)
    options = options_of(arguments)
    with about(arguments.model), progress_line() as progress:
        run = networks.run(model, target, options, progress)
        bench = schedules.Workbench(run, kept=known_of(arguments))
    asked = with_decisions(options, arguments, model, bench.run, target)
    scheduled, beside = with_others(
        arguments, target, options, limited_to(arguments, bench, target, asked.options)
    )
    with about(arguments.model), progress_line() as progress:
        if arguments.schedule_json is not None:
            scheduled = tried_edits(arguments, bench, scheduled, progress)
            scheduled = with_notes(arguments, scheduled)
        elif arguments.notes is not None:
            warn([f"{arguments.notes}: notes go into --schedule-json, which is not asked for"])
        tell_adopted(arguments, asked, bench, scheduled, progress)
        compiled = compiler.compile_model(
            scheduled, progress, encodings=bench.encodings, keeps_edits=arguments.keep_edits
        )
    warn(networks.check_network(scheduled.run.network))
    warn(edits.few_unheard(scheduled.edits, edits.titled(scheduled.graph)))
    over = (*over_limits(scheduled.schedule, scheduled.layout), *missing_beside(beside))
    warn((*over, *misfits(scheduled.layout)))
    if arguments.strict:
        short = "it does not fit" if over else not_as_asked(asked, scheduled)
        if short:
            return _kept_back(arguments, short, exits.NOT_AS_ASKED)
    if not scheduled.run.graph.islands:
        warn(["no operator of this model runs on the NPU: the compiled model does what it did"])
    elif arguments.verify and not _proved(arguments, compiled, model):
        return _kept_back(arguments, "it does not hold", exits.DISPROVED)
    files = {arguments.output.path: compiled.data} | _reports(arguments, scheduled)
    write_whole(files | written_edits(arguments, model, scheduled))
    show(listings.outline_schedule(arguments.model.name, scheduled) + told_beside(beside))
    say(f"{arguments.output.path}: {len(compiled.data):,} bytes")
    return exits.OK


def _kept_back(arguments: argparse.Namespace, reason: str, code: int) -> int:
    complain(f"{arguments.output.path} is not written: {reason}")
    return code


def _proved(arguments: argparse.Namespace, compiled: compiler.Compiled, model: bytes) -> bool:
    """Whether the compiled model holds; if it does not, say where."""
    from core.api import proof  # with the simulator, for which nobody else waits

    with about(arguments.model), proof.way_on(_WAY_ON), progress_line() as progress:
        found = proof.verify(
            compiled.data, model, inputs=arguments.inputs, seed=arguments.seed, progress=progress
        )
    say(*found.sentences())
    return found.holds


def _reports(arguments: argparse.Namespace, scheduled: schedules.Scheduled) -> dict[Path, bytes]:
    name = arguments.model.name
    makers = (
        (arguments.schedule_json, _schedule_json),
        (arguments.summary_csv, listings.render_summary_csv),
        (arguments.per_layer_csv, listings.render_layer_csv),
    )
    return {output.path: as_utf8(make(name, scheduled)) for output, make in makers if output}


def _schedule_json(name: str, scheduled: schedules.Scheduled) -> str:
    return json_text(listings.describe_schedule(name, scheduled))


WORK = Work(add_arguments=_add_arguments, run=_run)
