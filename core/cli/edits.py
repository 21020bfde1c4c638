"""Edits on the command line: files of them in, decisions out, and what became of each."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.api import edits, networks, notes, schedules
from core.base.digest import digest_bytes
from core.base.errors import InputError, OptionError, about
from core.base.files import as_utf8, read_bytes
from core.base.frozen import Frozen, replace
from core.base.progress import Progress
from core.cli.output import progress_line, remark, warn
from core.ir.edits import EditFate, What
from core.ir.notes import Note
from core.ir.options import Options
from core.ir.shown import Shown
from core.report.words import counted
from core.target.target import Target


class Asked(Frozen):
    """What is to be scheduled, with all that is decided already."""

    options: Options
    lost: str = ""
    """What was to be decided and is of nothing here, which `--strict` does not let pass."""
    searched: Options | None = None
    """Without what is adopted of another schedule; None where nothing is."""
    told: str = ""
    """What is adopted of another schedule, and what is not; empty where none was named."""


def with_decisions(
    options: Options,
    arguments: argparse.Namespace,
    model: bytes,
    run: networks.Run,
    target: Target,
) -> Asked:
    """Options with the decisions of a file, and of another schedule beside them."""
    asked = _with_edits(options, arguments, model, run)
    adopted = _with_adopted(asked.options, arguments, run, target)
    return replace(adopted, lost=asked.lost or adopted.lost)


def _with_edits(
    options: Options, arguments: argparse.Namespace, model: bytes, run: networks.Run
) -> Asked:
    if arguments.edits is None:
        return Asked(options=options)
    with about(arguments.edits):
        file = edits.decode(read_bytes(arguments.edits))
    if file.model not in (None, digest_bytes(model)):
        warn([f"{arguments.edits}: was written for another model; what has its names is obeyed"])
    if told := edits.lowered_otherwise(file, options):
        warn([f"{arguments.edits}: {told}"])
    named = edits.spelled(file.edits, run.graph)
    lost = ""
    for rule, count in edits.reach(file.edits, named):
        line = f"{arguments.edits}: {edits.rule_text(rule, count)}"
        if count:
            remark(line)
        else:
            hint = edits.meant_by(rule, run.graph)
            warn([f"{line}: {hint}" if hint else line])
            lost = lost or line
    return Asked(options=replace(options, edits=(*options.edits, *named)), lost=lost)


def notes_of(arguments: argparse.Namespace) -> tuple[Note, ...]:
    """The notes that are to go with a schedule."""
    if arguments.notes is None:
        return ()
    with about(arguments.notes):
        return notes.decode(read_bytes(arguments.notes))


def with_notes(
    arguments: argparse.Namespace, scheduled: schedules.Scheduled
) -> schedules.Scheduled:
    """A schedule with the notes that are to go with it; those without a place are told."""
    found = notes_of(arguments)
    if found:
        names = notes.Names.of(scheduled.graph)
        warn(f"{arguments.notes}: {line}" for line in notes.orphan_lines(found, names))
    return replace(scheduled, notes=found)


def _with_adopted(
    options: Options, arguments: argparse.Namespace, run: networks.Run, target: Target
) -> Asked:
    if arguments.adopt is None:
        return Asked(options=options)
    with about(arguments.adopt), progress_line() as progress:
        found = edits.adopted(
            read_bytes(arguments.adopt),
            run.graph,
            target,
            progress,
            with_addresses=What.ADDRESS in arguments.adopt_what,
            beside=edits.beside(arguments.adopt),
        )
    wanted = (edit for edit in found.edits if edit.what in arguments.adopt_what)
    found = replace(found, edits=tuple(wanted))
    told = edits.adopted_text(found)
    remark(f"{arguments.adopt}: {told}")
    own = {(edit.what, edit.subject) for edit in options.edits if edit.is_on}
    more = (edit for edit in found.edits if (edit.what, edit.subject) not in own)
    lost = f"{arguments.adopt} is of another network" if found.is_of_another else ""
    warn([lost] if lost else [])
    decided = replace(options, edits=(*options.edits, *more))
    searched = options if found.edits else None
    return Asked(options=decided, lost=lost, searched=searched, told=told)


def tell_adopted(
    arguments: argparse.Namespace,
    asked: Asked,
    bench: schedules.Workbench,
    scheduled: schedules.Scheduled,
    progress: Progress,
) -> None:
    """Say what a search that adopts nothing comes to beside what was adopted."""
    if asked.searched is not None:
        other = bench.schedule(scheduled.target, asked.searched, progress)
        told = edits.adopted_against(
            scheduled, other.total.total_cycles, is_within_limits=other.layout.is_within_limits
        )
        remark(f"{arguments.adopt}: {told}")


def not_as_asked(asked: Asked, scheduled: schedules.Scheduled) -> str:
    """What `--strict` does not let pass of what was decided; empty where there is none."""
    lost = sum(each.fate in (EditFate.REFUSED, EditFate.ORPHAN) for each in scheduled.edits)
    return asked.lost or (f"{counted(lost, 'edit')} could not be honoured" if lost else "")


def scheduled_with(
    arguments: argparse.Namespace,
    bench: schedules.Workbench,
    target: Target,
    options: Options,
    progress: Progress,
) -> schedules.Scheduled:
    """The schedule that is asked for: searched, or around one that is there already."""
    if arguments.around is None:
        return bench.schedule(target, options, progress)
    shown, _ = shown_around(arguments, bench.run, target, progress)
    return bench.around(shown, target, options, progress)


def shown_around(
    arguments: argparse.Namespace, run: networks.Run, target: Target, progress: Progress
) -> tuple[Shown, str]:
    """The schedule that is there already, for edits around it, and what of it could not be had."""
    if arguments.adopt is not None:
        raise OptionError("--adopt and --around both say what is decided: one of them is enough")
    with about(arguments.around):
        data = read_bytes(arguments.around)
        shown, found = edits.shown_in(
            data, run.graph, target, progress, beside=edits.beside(arguments.around)
        )
        if not found.matched:
            raise InputError("is of another network: none of its operators is here")
    told = edits.adopted_text(found) if found.unadopted else ""
    if told:
        remark(f"{arguments.around}: {told}")
    return shown, told


def tried_edits(
    arguments: argparse.Namespace,
    bench: schedules.Workbench,
    scheduled: schedules.Scheduled,
    progress: Progress,
) -> schedules.Scheduled:
    """What each edit costs, and what would let a refused one be, where they are not too many."""
    if len(scheduled.edits) > arguments.tried_edits:
        return scheduled
    return edits.tried(bench, scheduled, progress)


def written_edits(
    arguments: argparse.Namespace, model: bytes, scheduled: schedules.Scheduled
) -> dict[Path, bytes]:
    """The file of decisions, where it is asked for."""
    if arguments.write_edits is None:
        return {}
    text = edits.decisions(scheduled, digest_bytes(model))
    return {arguments.write_edits.path: as_utf8(text)}
