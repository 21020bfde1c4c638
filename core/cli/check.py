"""`check`: models against budgets, beside what they were in another revision or folder."""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from core.api import comparisons, compiler, networks, proof, schedules
from core.base.errors import OptionError, about
from core.base.files import read_bytes
from core.base.frozen import Frozen
from core.base.progress import Progress
from core.cli import exits
from core.cli.budget_text import rewritten
from core.cli.budgets import HOLDS, NO_NEW_CPU, Budget, Limit, read_budgets
from core.cli.judged import review_arguments, review_texts, tell_runner
from core.cli.output import printed_options, progress_line, put_texts, show
from core.cli.sub_command import Work
from core.report.judgements import Judgement, render, verdict
from core.report.review import Review
from core.report.reviews import fits

_NO_BASE = "nothing to hold it against"


class _Found(Frozen):
    """A model as it is scheduled, and as it was."""

    model: bytes
    bench: schedules.Workbench
    scheduled: schedules.Scheduled
    comparison: comparisons.Comparison
    base: schedules.Scheduled | None


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "budgets", type=Path, metavar="BUDGETS.toml", help="models, their targets and their limits"
    )
    parser.add_argument(
        "--base",
        metavar="REV|DIR",
        help="what changes are held against: a revision of git, such as origin/main, or a folder"
        " with the models as they were",
    )
    parser.add_argument(
        "--update",
        action="store_true",
        help="write the figures that there are into BUDGETS.toml as its limits; those of changes"
        " and in words stay",
    )
    review_arguments(parser)


def _run(arguments: argparse.Namespace) -> int:
    judged: list[Judgement] = []
    changes: list[dict[str, str]] = []
    for budget in read_budgets(arguments.budgets):
        with about(budget.path), progress_line() as progress:
            found = _found(budget, arguments.base, progress)
            limits = budget.limits
            if arguments.update:
                limits = tuple(limit.as_found(found.comparison) for limit in limits)
            changes.append(_changes(budget.limits, limits))
            judged += [_judged(budget, limit, found, progress) for limit in limits]
    review = Review(headline=verdict(judged), judged=tuple(judged))
    files = {}
    if any(changes):
        path = arguments.budgets
        files = {path: rewritten(path, read_bytes(path), changes)}
    put_texts(review_texts(arguments, review), files)
    if not printed_options(arguments):
        show(render(judged))
    tell_runner(arguments, review, arguments.budgets)
    return exits.OK if all(each.holds for each in judged) else exits.DISPROVED


def _changes(before: Sequence[Limit], after: Sequence[Limit]) -> dict[str, str]:
    texts = ((old.text, new.text) for old, new in zip(before, after, strict=True))
    return {old: new for old, new in texts if old != new}


def _found(budget: Budget, base: str | None, progress: Progress) -> _Found:
    model = read_bytes(budget.path)
    bench, scheduled = _scheduled(budget, model, progress)
    before = None if base is None else _before(budget, base)
    old = None if before is None else _scheduled(budget, before, progress)[1]
    a, b = (comparisons.account_of_schedule(each) for each in (old or scheduled, scheduled))
    return _Found(
        model=model,
        bench=bench,
        scheduled=scheduled,
        comparison=comparisons.compare(a, b),
        base=old,
    )


def _scheduled(
    budget: Budget, model: bytes, progress: Progress
) -> tuple[schedules.Workbench, schedules.Scheduled]:
    target, options = budget.settings.target(), budget.settings.options
    bench = schedules.Workbench(networks.run(model, target, options, progress))
    return bench, bench.schedule(target, options, progress)


def _before(budget: Budget, base: str) -> bytes | None:
    """The model as it was; None where it was not there."""
    if Path(base).is_dir():
        old = Path(base) / budget.name
        return read_bytes(old) if old.exists() else None
    folder = str(budget.path.parent)
    known = ("git", "-C", folder, "rev-parse", "--verify", "--quiet", f"{base}^{{commit}}")
    if base.startswith("-") or subprocess.run(known, capture_output=True, check=False).returncode:
        raise OptionError(f"--base {base}: is neither a folder nor a revision of git")
    show_it = ("git", "-C", folder, "show", f"{base}:./{budget.path.name}")
    done = subprocess.run(show_it, capture_output=True, check=False)
    return None if done.returncode else done.stdout


def _judged(budget: Budget, limit: Limit, found: _Found, progress: Progress) -> Judgement:
    holds, told = True, _NO_BASE
    if found.base is not None or not limit.needs_base:
        holds, told = _verdict(limit, found, progress)
    return Judgement(model=budget.name, limit=limit.text, holds=holds, found=told)


def _verdict(limit: Limit, found: _Found, progress: Progress) -> tuple[bool, str]:
    if limit.demand is not None:
        holds, told = limit.demand.is_met(found.comparison), limit.demand.told(found.comparison)
        is_explained = limit.demand.is_about_speed and not holds
        why = comparisons.words.cause_text(found.comparison) if is_explained else ""
        return holds, f"{told}; {why}" if why else told
    if limit.text == HOLDS:
        data = compiler.compile_model(
            found.scheduled, progress, encodings=found.bench.encodings
        ).data
        if not found.scheduled.graph.islands:
            return True, "nothing runs on the NPU"
        verdict = proof.verify(data, found.model, progress=progress)
        return verdict.holds, verdict.sentences()[-1 if verdict.holds else 0]
    if limit.text == NO_NEW_CPU:
        new = list(_new_cpu_operators(found))
        return not new, ", ".join(new) or "none"
    fitting = fits(limit.text, found.scheduled)
    return fitting.holds, fitting.found


def _new_cpu_operators(found: _Found) -> Iterator[str]:
    known = {op.name for op in found.base.graph.cpu_ops} if found.base else set()
    ops = found.scheduled.graph.cpu_ops
    yield from (f"{op.kind} {op.name}" for op in ops if op.name not in known)


WORK = Work(add_arguments=_add_arguments, run=_run)
