"""What `report` is asked on a command line, and what it writes."""

from __future__ import annotations

import argparse
from pathlib import Path

from core import cli
from core.base.digest import digest_bytes
from core.base.errors import OptionError
from core.base.files import read_bytes
from core.base.forms import Form
from core.base.frozen import replace
from core.base.outputs import Output
from core.cli.cache import cache_argument
from core.cli.edits import (
    notes_of,
)
from gui.document.document import Company, Document, ModelRef
from gui.export import folder
from gui.export.folder import FolderRequest
from gui.export.orders import READERS
from gui.present.interactive.page import Rival
from gui.shell import compare_sessions, studios, sweep_report
from gui.shell.command_line import decided, settings_of
from gui.shell.request import parse_window_size


def _add_report_arguments(parser: argparse.ArgumentParser) -> None:
    """What is reported, how, and where to."""
    cli.model_argument(parser)
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        type=_place,
        metavar="DIR|FILE",
        help="a folder for everything; or a file, .html or .pdf, for the report alone",
    )
    cache_argument(parser)
    group = parser.add_argument_group("edits")
    cli.edits_arguments(group)
    cli.around_argument(group)
    cli.together_arguments(parser.add_argument_group("several models in one device"))
    group = parser.add_argument_group("report")
    group.add_argument(
        "--format",
        default="",
        metavar="NAMES",
        help="what a folder gets, with commas between: html, pdf, csv, json, trace, nodes (for"
        " Model Explorer), png, svg;"
        " all but pdf and svg where it is not said",
    )
    group.add_argument(
        "--theme",
        default=READERS,
        metavar="NAME",
        help="light, dark, contrast, or auto: both light and dark, as the reader's system has it",
    )
    group.add_argument("--size", default="1280x720", metavar="WxH", help="of the pictures")
    group.add_argument(
        "--scale",
        default=1,
        type=cli.whole_number,
        metavar="N",
        help="pixels of a PNG for each one of the size",
    )
    group.add_argument(
        "--interactive",
        action="store_true",
        help="a page to explore, in place of a report or, in a folder, beside it: timeline, memory"
        " maps, operators and Why, searched, zoomed and linked; with --effort, a slider among the"
        " schedules of the front",
    )
    group.add_argument(
        "--against",
        type=Path,
        metavar="A",
        help="of such a page: what its schedules are compared with, as `compare` takes it",
    )
    sweep_report.add_arguments(parser)


def _model_ref(path: Path) -> ModelRef:
    return ModelRef(path=str(path.absolute()), digest=digest_bytes(read_bytes(path)))


def _place(text: str) -> Output | str:
    """A file that is written, or the name of a folder."""
    form = {form.suffix: form for form in (Form.HTML, Form.PDF)}.get(Path(text).suffix.lower())
    return text if form is None else Output(path=Path(text), form=form)


def place_of(found: argparse.Namespace) -> Path:
    """Where a report goes."""
    return found.output.path if isinstance(found.output, Output) else Path(found.output)


def run_report(found: argparse.Namespace) -> int:
    """Write what `report` asks for; the same that the app would export."""
    if sweep_report.is_sweep(found.model):
        if found.others:
            raise OptionError("--with is about a model; a sweep is made with it, by `sweep`")
        sweep_report.write_report(found, place_of(found), studios.paper)
        return 0
    if found.rank or found.sram_of:
        raise OptionError(f"--rank and --sram-of ask for a sweep, and {found.model} is none")
    if found.against is not None and not found.interactive:
        raise OptionError("--against is of a page that is --interactive")
    size = parse_window_size(found.size)
    request = FolderRequest(
        document=Document(
            model=_model_ref(found.model),
            settings=settings_of(found),
            company=Company(models=tuple(map(_model_ref, found.others)), calls=cli.calls_of(found)),
        ),
        output=place_of(found),
        decisions=found.write_edits,
        notes=notes_of(found),
        more_inputs=tuple(
            filter(None, (found.edits, found.adopt, found.around, found.notes, found.against))
        ),
        is_interactive=found.interactive,
        keeps_fronts=not found.no_cache,
        replaces=found.force,
        formats=tuple(name.strip() for name in found.format.lower().split(",") if name.strip()),
        theme=found.theme,
        width=size.width,
        height=size.height,
        scale=found.scale,
    )
    folder.demand_places(request)
    if found.against is not None:
        side = compare_sessions.side_of(found, found.against)
        request = replace(request, rival=Rival(side.account, side.scheduled))
    document, _ = decided(found, request.document)
    request = replace(request, document=document)
    with cli.progress_line() as progress:
        notes = studios.report(request, progress)
    cli.warn(notes)
    return 0


WORK = cli.Work(add_arguments=_add_report_arguments, run=run_report)
