"""Opens the app, or says in one line why this machine cannot show it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from core.base.errors import CoreError, OptionError
from core.base.forms import Form
from core.base.progress import Progress
from gui.export.folder import FolderRequest, write_folder
from gui.export.make import Studio
from gui.jobs import worker
from gui.jobs.spawn import spawn
from gui.present.exports import moment_text
from gui.shell.libraries import absent_for_import, absent_for_x11, package_of
from gui.shell.request import Request

EXIT_CANNOT_OPEN = 2
_HEADLESS = (
    "without a window there are: python main.py schedule MODEL.tflite,"
    " and likewise compile, verify, inspect and report"
)


def run(read: Callable[[], Request]) -> int:
    """Do what the command line asks, and return the exit code; 2 where there can be no window."""
    try:
        return _open(read())
    except CoreError as error:
        print(f"reefpoint: {error}", file=sys.stderr)
        return EXIT_CANNOT_OPEN


def _open(request: Request) -> int:
    obstacle = no_display(os.environ, sys.platform)
    if obstacle and request.screenshot:
        # A picture needs no display: Qt draws into memory.
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        obstacle = ""
    if not obstacle:
        # It loads the compiler while Qt is loaded here.
        ready = spawn(worker.main)
        try:
            from gui.shell import app  # Qt is loaded here, and only when a window is asked for
        except ImportError as error:
            obstacle = explain(error)
            ready.pipe.close()
        else:
            return app.run(request, ready)
    print(f"reefpoint: {obstacle}; {_HEADLESS}", file=sys.stderr)
    return EXIT_CANNOT_OPEN


def report(request: FolderRequest, progress: Progress) -> tuple[str, ...]:
    """Write a report; what it does without, because Qt cannot be loaded."""
    studio, obstacle = _studio()
    if studio is None and request.report_form is Form.PDF:
        raise OptionError(f"{request.output}: PDF cannot be made: {obstacle}")
    write_folder(replace(request, made_at=moment(os.environ)), studio, progress)
    return (f"there are no pictures: {obstacle}",) if obstacle else ()


def _studio() -> tuple[Studio | None, str]:
    """Where pictures are drawn; where they cannot be, why."""
    try:
        from gui.export.studio import QtStudio  # Qt again, for those who want pictures
    except ImportError as error:
        return None, explain(error, "what draws them")
    return QtStudio(), ""


def moment(env: Mapping[str, str]) -> str:
    """When it is now; where somebody wants the same bytes again, what they say that it is."""
    seconds = env.get("SOURCE_DATE_EPOCH", "")
    frozen = datetime.fromtimestamp(int(seconds), UTC) if seconds.isdecimal() else None
    return moment_text(frozen or datetime.now(UTC))


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
    if not platform.startswith("linux") or env.get("QT_QPA_PLATFORM"):
        return ""
    if env.get("WAYLAND_DISPLAY"):
        return ""
    if not env.get("DISPLAY"):
        return "there is no display to open a window on"
    absent = absent_for_x11()
    return _needs(absent) if absent else ""
