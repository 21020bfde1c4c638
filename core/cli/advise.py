"""`advise`: what would help a model, each of it tried."""

from __future__ import annotations

import argparse

from core.api import advices, networks, schedules
from core.base.errors import InputError, about
from core.base.files import read_bytes
from core.cli import advise_program, exits
from core.cli.arguments import json_argument, model_argument, settings_of
from core.cli.cache import cache_argument, kept_of
from core.cli.judged import review_arguments, review_texts, tell_runner
from core.cli.output import json_text, printed_options, progress_line, put_texts, say, show
from core.cli.sub_command import Work


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)
    json_argument(parser)
    review_arguments(parser)
    cache_argument(parser)
    parser.add_argument(
        "--quick",
        action="store_true",
        help="of --search best take what is known already: no more searches, which are many",
    )


def _run(arguments: argparse.Namespace) -> int:
    settings, model = settings_of(arguments), read_bytes(arguments.model)
    name, target = arguments.model.name, settings.target()
    if networks.is_of_executorch(model):
        return advise_program.run(arguments, model)
    with about(arguments.model), progress_line() as progress:
        if networks.may_be_compiled(model):
            raise InputError("is compiled: nothing of it can be asked for otherwise")
        run = networks.run(model, target, settings.options, progress)
        kept, options = kept_of(arguments), settings.options
        bench = schedules.Workbench(run, kept=kept)
        trials = advices.Trials(
            bench, options.lowering, progress, kept, grows_fronts=not arguments.quick
        )
        if arguments.quick:
            trials.take(settings, bench.schedule(target, options, progress))
        tips = advices.in_order(advices.advice(trials, settings))
        shown = trials.schedule(settings) or bench.schedule(target, options, progress)
    review = advices.review_of(name, shown, tips, settings)
    texts = [*review_texts(arguments, review)]
    if arguments.json is not None:
        told = advices.describe(name, tips, settings, run.graph)
        told |= {"on_the_cpu": advices.cpu_lines(run.graph)}
        texts.append((arguments.json, json_text(told)))
    put_texts(texts)
    if arguments.json is None and not printed_options(arguments):
        show(advices.render(name, tips, settings, run.graph))
        if lines := advices.cpu_lines(run.graph):
            say("On the CPU, and what the model would need to have instead:", "")
            say(*(f"  {line}" for line in lines))
    tell_runner(arguments, review, arguments.model)
    return exits.OK


WORK = Work(add_arguments=_add_arguments, run=_run)
