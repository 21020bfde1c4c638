"""Opens the app, or says in one line why this machine cannot show it."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from core import cli
from core.base.digest import digest_bytes
from core.base.errors import CoreError
from core.base.files import read_bytes
from gui.document.document import Document, ModelRef
from gui.document.examples import FIRST_EXAMPLE, to_look_at
from gui.jobs import entry
from gui.jobs.spawn import spawn
from gui.shell import desktop
from gui.shell.libraries import absent_for_import, absent_for_x11, package_of, x11_answers
from gui.shell.request import Request

EXIT_CANNOT_OPEN = 2
_HEADLESS = (
    "a picture of one needs no display: {0} MODEL.tflite --screenshot F.png; without pictures there"
    " are {0} schedule MODEL.tflite, and likewise compile, verify, inspect and report"
)
_NO_DISPLAY = "there is no display to open a window on"


def run(read: Callable[[], Request], print_example: Callable[[], int]) -> int:
    """Do what the command line asks, and return the exit code.

    Where there can be no window it is 2, or nobody has named a model and an example is printed.
    """
    try:
        request = read()
        if request.desktop is not None:
            cli.say(desktop.apply(request.desktop, os.environ, sys.platform, sys.argv[0]))
            return 0
        return _open(request, print_example)
    except CoreError as error:
        cli.complain(str(error))
        return EXIT_CANNOT_OPEN


def _open(request: Request, print_example: Callable[[], int]) -> int:
    obstacle = no_display(os.environ, sys.platform)
    if obstacle and request.screenshot:
        # A picture needs no display: Qt draws into memory.
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        obstacle = ""
    if not obstacle:
        # It loads the compiler while Qt is loaded here.
        ready = spawn(entry.main, first_asked(request))
        # Nothing that is loaded is garbage; once the window is there, it collects by itself.
        gc.disable()
        try:
            # Qt is loaded here, and only when a window is asked for; all that the first picture
            # can do without comes after it.
            from gui.shell import opening

            first = None if request.screenshot else opening.show(request)
            from gui.shell import app
        except ImportError as error:
            obstacle = explain(error)
            ready.pipe.close()
        else:
            return app.run(request, ready, first)
    way_on = _HEADLESS.format(desktop.typed(sys.argv[0]))
    if request.model or request.screenshot:
        cli.complain(f"{obstacle}; {way_on}")
        return EXIT_CANNOT_OPEN
    cli.complain(f"{obstacle}, so here is an example as text; {way_on}")
    return print_example()


def first_asked(request: Request) -> Document | None:
    """What the window will ask as soon as it is there; None where that is not known."""
    model, settings = Path(request.model or FIRST_EXAMPLE), request.settings
    if not request.model:
        settings = to_look_at(settings)
    try:
        digest = digest_bytes(read_bytes(model))
    except CoreError:
        return None
    asked = Document(settings=settings, around=request.around)
    return asked.of_model(ModelRef(path=str(model.absolute()), digest=digest))


def explain(error: ImportError, what: str = "the window") -> str:
    """Why something could not be loaded; names the packages that bring missing libraries."""
    text = " ".join(str(error).split())
    library = text.split(":", 1)[0]
    if not package_of(library):
        return f"{what} cannot be loaded ({text})"
    return _needs(tuple(dict.fromkeys((library, *absent_for_import()))), what)


def _needs(libraries: Sequence[str], what: str = "the window") -> str:
    packages = " ".join(dict.fromkeys(package_of(library) for library in libraries))
    return (
        f"{what} needs the system library {' and '.join(libraries)}"
        f" (Debian, Ubuntu: apt-get install {packages})"
    )


def no_display(env: Mapping[str, str], platform: str) -> str:
    """Why Qt would abort the process on this machine; empty where it would not."""
    if not platform.startswith("linux"):
        return ""
    # Several plug-ins may be named, of which Qt takes the first that works; `:` begins options.
    asked = [name.partition(":")[0] for name in env.get("QT_QPA_PLATFORM", "").split(";") if name]
    if not asked:
        asked = ["wayland"] if env.get("WAYLAND_DISPLAY") else ["xcb"]
    obstacles = [_obstacle(name, env) for name in asked]
    return obstacles[0] if all(obstacles) else ""


def _obstacle(plugin: str, env: Mapping[str, str]) -> str:
    """Why a plug-in of Qt would not find a screen; empty where it would, or needs none."""
    if plugin.startswith("wayland"):
        return "" if env.get("WAYLAND_DISPLAY") else _NO_DISPLAY
    if plugin != "xcb":
        return ""
    if not env.get("DISPLAY"):
        return _NO_DISPLAY
    absent = absent_for_x11()
    if absent:
        return _needs(absent)
    return "" if x11_answers(env["DISPLAY"]) else f"the display {env['DISPLAY']} does not answer"
