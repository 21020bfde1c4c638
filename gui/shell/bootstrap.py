"""Opens the app, or says in one line why this machine cannot show it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence

from core.base.errors import CoreError
from gui.shell.libraries import absent_for_import, absent_for_x11, package_of
from gui.shell.request import Request

EXIT_CANNOT_OPEN = 2
_HEADLESS = (
    "without a window there are: python main.py schedule MODEL.tflite,"
    " python main.py inspect MODEL.tflite"
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
        try:
            from gui.shell import app  # Qt is loaded here, and only when a window is asked for
        except ImportError as error:
            obstacle = explain(error)
        else:
            return app.run(request)
    print(f"reefpoint: {obstacle}; {_HEADLESS}", file=sys.stderr)
    return EXIT_CANNOT_OPEN


def explain(error: ImportError) -> str:
    """Why the window could not be loaded; names the packages that bring missing libraries."""
    text = " ".join(str(error).split())
    library = text.split(":", 1)[0]
    if not package_of(library):
        return f"the window cannot be loaded ({text})"
    return _needs(tuple(dict.fromkeys((library, *absent_for_import()))))


def _needs(libraries: Sequence[str]) -> str:
    packages = " ".join(dict.fromkeys(package_of(library) for library in libraries))
    return (
        f"the window needs the system library {' and '.join(libraries)}"
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
