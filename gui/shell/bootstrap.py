"""Opens the app, or says in one line why this machine cannot show it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

from gui.shell.libraries import absent_for_import, absent_for_x11, package_of

EXIT_CANNOT_OPEN = 2
_HEADLESS = "without a window there is: python main.py inspect MODEL.tflite"


def run(argv: Sequence[str]) -> int:
    """Open the window and return the app's exit code; 2 where there can be no window."""
    obstacle = no_display(os.environ, sys.platform)
    if not obstacle:
        try:
            from gui.shell import window  # Qt is loaded here, and only when a window is asked for
        except ImportError as error:
            obstacle = explain(error)
        else:
            return window.run(argv)
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
