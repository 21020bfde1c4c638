"""System libraries that Qt's own packages do not bring along on Linux."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable

# Without these the Qt modules cannot be imported: what `ldd` shows for libQt6Gui and libQt6DBus.
FOR_IMPORT = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libX11.so.6": "libx11-6",
}

# Without these Qt's X11 plug-in aborts the process when the first window opens.
_FOR_X11 = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}


def package_of(library: str) -> str:
    """The Debian package that brings a library; empty where we know of none."""
    return FOR_IMPORT.get(library) or _FOR_X11.get(library, "")


def absent_for_import() -> tuple[str, ...]:
    """Libraries that importing Qt needs and that this machine lacks."""
    return _absent(FOR_IMPORT)


def absent_for_x11() -> tuple[str, ...]:
    """Libraries that a window on an X11 display needs and that this machine lacks."""
    return _absent(_FOR_X11)


def x11_answers(display: str) -> bool:
    """Whether an X server is there; where that cannot be asked, Qt may find out."""
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(display.encode(), None))
    has_failed = bool(xcb.xcb_connection_has_error(connection))
    xcb.xcb_disconnect(connection)
    return not has_failed


def _absent(libraries: Iterable[str]) -> tuple[str, ...]:
    if not sys.platform.startswith("linux"):
        return ()
    return tuple(library for library in libraries if not _loads(library))


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True
