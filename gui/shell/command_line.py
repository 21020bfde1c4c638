"""What a command line asks of the window: this knows both sides.

What is not needed before something is seen is not loaded here.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from core import cli
from core.base.errors import OptionError
from core.base.files import read_bytes
from core.base.forms import Form
from core.base.frozen import replace
from core.ir.notes import Note
from core.ir.options import Search
from core.ir.settings import Settings
from gui.document.document import Document
from gui.document.examples import FIRST_ACCELERATOR, FIRST_EXAMPLE, FIRST_LIMIT_KIB
from gui.shell import bootstrap
from gui.shell.request import Desktop, Request, Taken, parse_window_size


def settings_of(found: argparse.Namespace, usual: Search = Search.DIRECT) -> Settings:
    """What parsed arguments ask for, by names that hold wherever the worker runs."""
    configs = tuple(str(path.absolute()) for path in found.config)
    settings = replace(cli.settings_of(found, usual), configs=configs)
    # A name that is not known is told now, in the terminal, and not in a window later.
    settings.target()
    return settings


def decided(found: argparse.Namespace, document: Document) -> tuple[Document, Taken | None]:
    """A document with decisions that are taken already: those of a file and of another schedule,
    or around another schedule; and what is to be said of that one."""
    if found.edits is None and found.adopt is None and found.around is None:
        return document, None
    if found.model is None:
        raise OptionError("--edits, --adopt and --around are about a model, and none is named")
    from core.api import networks  # with the compiler, for which no window waits
    from core.cli.edits import shown_around, with_decisions

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
    if found.notes is None:
        return ()
    from core.cli.edits import notes_of  # as above

    return notes_of(found)


def _others_of(found: argparse.Namespace) -> tuple[str, ...]:
    if found.others and found.model is None:
        raise OptionError("--with is about a model, and none is named")
    return tuple(map(str, found.others))


def request_of(argv: Sequence[str]) -> Request:
    """What a command line asks of the app; its target is named as every sub-command names it."""
    parser = cli.target_arguments()
    parser.prog = "reefpoint"
    parser.description = "Opens the app, or saves a picture of it."
    parser.add_argument("-h", "--help", action="help", help="show this text and leave")
    parser.add_argument("model", nargs="?", type=Path, metavar="MODEL", help="a .tflite file")
    group = parser.add_argument_group("edits")
    cli.edits_arguments(group, writes=False)
    cli.around_argument(group)
    cli.together_arguments(parser.add_argument_group("several models in one device"))
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
    document, taken = decided(found, Document(settings=settings_of(found, usual)))
    return Request(
        model=str(found.model or ""),
        settings=document.settings,
        around=document.around,
        taken=taken,
        others=_others_of(found),
        calls=cli.calls_of(found),
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
