"""What a command line asks of the app, a window or a report: this knows both sides."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from core import cli
from core.api import networks
from core.base.digest import digest_bytes
from core.base.errors import OptionError
from core.base.files import read_bytes
from core.base.forms import Form
from core.base.frozen import replace
from core.base.outputs import Output
from core.cli.cache import cache_argument
from core.cli.edits import (
    around_argument,
    edits_arguments,
    notes_of,
    shown_around,
    with_decisions,
)
from core.cli.together import calls_of, together_arguments
from core.ir.notes import Note
from core.ir.options import Search
from core.ir.settings import Settings
from gui.document.document import Company, Document, ModelRef
from gui.document.examples import FIRST_ACCELERATOR, FIRST_EXAMPLE, FIRST_LIMIT_KIB
from gui.export import folder
from gui.export.folder import FolderRequest
from gui.export.orders import READERS
from gui.present.interactive.page import Rival
from gui.shell import bootstrap, compare_sessions, sweep_report
from gui.shell.request import Desktop, Request, Taken, parse_window_size


def settings_of(found: argparse.Namespace, usual: Search = Search.DIRECT) -> Settings:
    """What parsed arguments ask for, by names that hold wherever the worker runs."""
    configs = tuple(str(path.absolute()) for path in found.config)
    settings = replace(cli.settings_of(found, usual), configs=configs)
    # A name that is not known is told now, in the terminal, and not in a window later.
    settings.target()
    return settings


def _decided(found: argparse.Namespace, document: Document) -> tuple[Document, Taken | None]:
    """A document with decisions that are taken already: those of a file and of another schedule,
    or around another schedule; and what is to be said of that one."""
    if found.edits is None and found.adopt is None and found.around is None:
        return document, None
    if found.model is None:
        raise OptionError("--edits, --adopt and --around are about a model, and none is named")
    settings = document.settings
    model, target, options = read_bytes(found.model), settings.target(), settings.options
    with cli.progress_line() as progress:
        with cli.about(found.model):
            run = networks.run(model, target, options, progress)
        around, lost = None, ""
        if found.around is not None:
            around, lost = shown_around(found, run, target, progress)
    asked = with_decisions(options, found, model, run, target)
    settings = replace(settings, options=asked.options)
    told, file = asked.told or lost, found.adopt or found.around
    searched = None if asked.searched is None else asked.searched.edits
    taken = Taken(file.name, told, searched) if told else None
    return replace(document, settings=settings, around=around), taken


def _notes_of(found: argparse.Namespace) -> tuple[Note, ...]:
    if found.notes is not None and found.model is None:
        raise OptionError("--notes is about a model, and none is named")
    return notes_of(found)


def _others_of(found: argparse.Namespace) -> tuple[str, ...]:
    if found.others and found.model is None:
        raise OptionError("--with is about a model, and none is named")
    return tuple(map(str, found.others))


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
    edits_arguments(group)
    around_argument(group)
    together_arguments(parser.add_argument_group("several models in one device"))
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
        sweep_report.write_report(found, place_of(found), bootstrap.paper)
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
            company=Company(models=tuple(map(_model_ref, found.others)), calls=calls_of(found)),
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
    document, _ = _decided(found, request.document)
    request = replace(request, document=document)
    with cli.progress_line() as progress:
        notes = bootstrap.report(request, progress)
    cli.warn(notes)
    return 0


def request_of(argv: Sequence[str]) -> Request:
    """What a command line asks of the app; its target is named as every sub-command names it."""
    parser = cli.target_arguments()
    parser.prog = "reefpoint"
    parser.description = "Opens the app, or saves a picture of it."
    parser.add_argument("-h", "--help", action="help", help="show this text and leave")
    parser.add_argument("model", nargs="?", type=Path, metavar="MODEL", help="a .tflite file")
    group = parser.add_argument_group("edits")
    edits_arguments(group, writes=False)
    around_argument(group)
    together_arguments(parser.add_argument_group("several models in one device"))
    group = parser.add_argument_group("picture")
    cli.output_argument(
        group, "--screenshot", form=Form.PNG, metavar="F.png", help="save a picture, and end"
    )
    cli.force_argument(group)
    group.add_argument("--size", metavar="WxH", help="of the window, such as 1600x900")
    group.add_argument("--view", default="", metavar="NAME", help="show this view alone")
    group.add_argument("--theme", default="", metavar="NAME", help="light, dark or contrast")
    group = parser.add_argument_group("desktop").add_mutually_exclusive_group()
    for flag, desktop, text in (
        ("--install-desktop", Desktop.INSTALLED, "have it in the menus, and know .tflite files"),
        ("--uninstall-desktop", Desktop.REMOVED, "take that back"),
    ):
        group.add_argument(
            flag, dest="desktop", action="store_const", const=desktop, help=f"Linux: {text}"
        )
    # A window goes on searching behind what it shows; a picture has what is there at once.
    found = cli.parsed(parser, argv)
    usual = Search.BEST if found.screenshot is None else Search.DIRECT
    document, taken = _decided(found, Document(settings=settings_of(found, usual)))
    return Request(
        model=str(found.model or ""),
        settings=document.settings,
        around=document.around,
        taken=taken,
        others=_others_of(found),
        calls=calls_of(found),
        notes=_notes_of(found),
        screenshot=str(found.screenshot.path) if found.screenshot else "",
        size=parse_window_size(found.size) if found.size else None,
        view=found.view,
        theme=found.theme,
        desktop=found.desktop,
    )


def open_app(argv: Sequence[str]) -> int:
    """Open the window, or save a picture of it; without a screen, print what can be printed."""
    return bootstrap.run(lambda: request_of(argv), lambda: _print_example(argv))


_OF_FIRST_EXAMPLE = (
    *("--accelerator-config", FIRST_ACCELERATOR),
    *("--arena-cache-size", f"{FIRST_LIMIT_KIB}K"),
)


def _print_example(argv: Sequence[str]) -> int:
    """Print the schedule of the example that the window would have shown."""
    of_window = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for name in ("--size", "--view", "--theme"):
        of_window.add_argument(name)
    _, of_target = of_window.parse_known_args(argv)
    first = () if of_target else _OF_FIRST_EXAMPLE
    return cli.main(["schedule", str(FIRST_EXAMPLE), *of_target, *first])


WORK = cli.Work(add_arguments=_add_report_arguments, run=run_report)
