"""`compare`: what differs between two schedules, and what that comes from."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from core.api import comparisons, compiler, networks, reports, schedules
from core.api.comparisons import Account, Comparison, Pictures
from core.base.errors import InputError, OptionError, about
from core.base.files import read_bytes
from core.base.forms import Form
from core.base.frozen import NamedTuple, replace
from core.base.outputs import Output
from core.base.progress import Progress
from core.cli import exits
from core.cli.arguments import (
    json_argument,
    output_argument,
    settings_of,
    trial_arguments,
)
from core.cli.cache import cache_argument, kept_of
from core.cli.compiled import read_schedule
from core.cli.judged import review_arguments, review_texts, tell_runner
from core.cli.output import json_text, progress_line, put_texts, show, warn
from core.cli.sub_command import Work
from core.ir.settings import Settings
from core.report.judgements import Judgement

if TYPE_CHECKING:
    from core.api.proof import Verification

_HEAD_BYTES = 1 << 10


class Asked(NamedTuple):
    """What a session of the app asks for."""

    model: Path
    settings: Settings


class Side(NamedTuple):
    """What a file tells of a schedule."""

    account: Account
    scheduled: schedules.Scheduled | None
    """None where it is JSON, which has no times to draw."""
    compiled: bytes | None = None
    """The file, where it can be executed."""


OpenSession = Callable[[bytes], Asked]
Draw = Callable[[Comparison, Side, Side], Pictures]


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    what = (
        "a compiled model of any compiler, a schedule as JSON, a session of the app, or a model to"
        " be scheduled"
    )
    parser.add_argument("a", type=Path, metavar="A", help=what)
    parser.add_argument("b", type=Path, metavar="B", help="what is held against it, likewise")
    json_argument(parser)
    cache_argument(parser)
    output_argument(parser, "--csv", form=Form.CSV, help="write a line for each operator")
    output_argument(parser, "--html", form=Form.HTML, help="write it as a page")
    review_arguments(parser)
    parser.add_argument(
        "--against",
        type=Path,
        metavar="MODEL",
        help="the .tflite file that both were made from, or for programs of ExecuTorch a graph of"
        " TOSA, a folder of such, or an .npz with values: they are executed, and it is told which"
        " of them computes what it does, and whose fault a difference is; exits with 1 where one"
        " does not",
    )
    trial_arguments(parser)
    parser.add_argument(
        "--fail-if",
        action="append",
        type=_demand,
        default=[],
        metavar="EXPR",
        help="exit with 1 where this is so of B, such as 'cycles>+1%%' and 'sram>+0' (than A),"
        " 'fast>=256K', 'time>3ms' or 'flash>1M', and with 0 otherwise; both figures are told."
        " Without it, any difference exits with 1",
    )


def _demand(text: str) -> comparisons.Demand:
    try:
        return comparisons.demand_of(text)
    except OptionError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def work_with(open_session: OpenSession | None = None, draw: Draw | None = None) -> Work:
    """The command, with sessions where somebody can open them, and pictures where one draws."""
    return Work(add_arguments=_add_arguments, run=partial(_run, open_session, draw))


def _run(open_session: OpenSession | None, draw: Draw | None, arguments: argparse.Namespace) -> int:
    a, b = (side_of(arguments, path, open_session) for path in (arguments.a, arguments.b))
    found = comparisons.compare(a.account, b.account)
    if arguments.against is not None:
        sides = {"A": (a, arguments.a), "B": (b, arguments.b)}
        # With the simulator, for which nobody else waits.
        from core.cli.originals import verifier

        held = verifier(arguments.against, arguments.inputs, arguments.seed)
        proofs = tuple(
            _proof(arguments, name, side, partial(held, path))
            for name, (side, path) in sides.items()
        )
        found = replace(found, proofs=proofs)
    judged = [
        Judgement(
            model=arguments.b.name,
            limit=f"not {each.text}",
            holds=not each.is_met(found),
            found=each.told(found),
        )
        for each in arguments.fail_if
    ]
    drawn = Pictures()
    if draw is not None and arguments.html is not None:
        drawn = draw(found, a, b)
    if drawn.obstacle:
        warn([f"there are no pictures: {drawn.obstacle}"])
    _tell(arguments, found, drawn, judged)
    broken = [each for each in judged if not each.holds]
    warn(f"B fails {each.limit[4:]}: it has {each.found}" for each in broken)
    holds = not broken if judged else found.is_equal
    is_right = all(each.holds for each in found.proofs)
    return exits.OK if holds and is_right else exits.DISPROVED


def _proof(
    arguments: argparse.Namespace,
    name: str,
    side: Side,
    verified: Callable[[bytes, Progress], Verification],
) -> comparisons.Proof:
    """What a side computes; a schedule that was made here is compiled for that."""
    against: Path = arguments.against

    def told(holds: bool | None, *lines: str) -> comparisons.Proof:  # noqa: FBT001 - as it is named
        return comparisons.Proof(side=name, model=against.name, holds=holds, told=lines)

    if side.scheduled is None:
        return told(None, "a schedule as JSON has no commands")
    compiled = side.compiled
    try:
        with progress_line() as progress:
            if compiled is None:
                compiled = compiler.compile_model(side.scheduled, progress).data
            found = verified(compiled, progress)
    except InputError as error:
        return told(None, str(error))
    lines = [each.sentence for each in sorted(found.outputs, key=lambda each: each.holds)]
    return told(found.holds, *found.faults, *lines, *found.notes)


def side_of(
    arguments: argparse.Namespace, path: Path, open_session: OpenSession | None = None
) -> Side:
    """What a file tells of a schedule; a model is scheduled for what the arguments ask."""
    data, title, asked = read_bytes(path), path.name, settings_of(arguments)
    if open_session is not None and Form.SESSION.begins(data[:_HEAD_BYTES]):
        with about(path):
            path, asked = open_session(data)
        data = read_bytes(path)
    if Form.JSON.begins(data[:_HEAD_BYTES]):
        with about(path):
            return Side(comparisons.account_of_json(data, title), None)
    if not Form.MODEL.begins(data[:_HEAD_BYTES]) and not networks.may_be_compiled(data):
        raise InputError("is neither a model nor a schedule as JSON", str(path))
    scheduled = read_schedule(arguments, path, data)
    if scheduled is not None:
        account = comparisons.account_of_schedule(scheduled, title)
        if asked.limit_bytes is not None:
            account = account.within(asked.limit_bytes)
        return Side(account, scheduled, data)
    with about(path), progress_line() as progress:
        target, options = asked.target(), asked.options
        run = networks.run(data, target, options, progress)
        bench = schedules.Workbench(run, kept=kept_of(arguments))
        scheduled = bench.schedule(target, options, progress)
    return Side(comparisons.account_of_schedule(scheduled, title), scheduled)


def _tell(
    arguments: argparse.Namespace,
    found: Comparison,
    drawn: Pictures,
    judged: Sequence[Judgement],
) -> None:
    makers: tuple[tuple[Output | None, Callable[[], str]], ...] = (
        (arguments.json, lambda: json_text(comparisons.describe(found))),
        (arguments.csv, lambda: comparisons.render_csv(found)),
        (arguments.html, lambda: reports.render_html(comparisons.document_of(found, drawn))),
    )
    review = comparisons.review_of(found, judged)
    texts = [(output, make()) for output, make in makers if output is not None]
    texts += review_texts(arguments, review)
    put_texts(texts)
    if not texts:
        show(comparisons.render(found))
    tell_runner(arguments, review, arguments.b)


WORK = work_with()
