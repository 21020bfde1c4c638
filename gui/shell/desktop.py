"""Tells a Linux desktop of the app: an entry in its menus, an icon, and a type for its files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from core.base.errors import OptionError
from core.base.files import made_folders, write_whole
from gui.shell.request import Desktop

_ICON = Path(__file__).parents[2] / "resources" / "icons" / "reefpoint.svg"
_NAME = "reefpoint"
_TYPE = "application/x-tflite"
_ENTRY = """[Desktop Entry]
Type=Application
Name=Reefpoint
Comment=See how a network fits the SRAM of an Arm Ethos-U NPU
Exec={command} %f
Icon={icon}
Terminal=false
Categories=Development;
Keywords=Ethos-U;NPU;TensorFlow Lite;schedule;
MimeType={type};
"""
_FILE_TYPE = """<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="{type}">
    <comment>TensorFlow Lite model</comment>
    <magic priority="60"><match type="string" offset="4" value="TFL3"/></magic>
    <glob pattern="*.tflite"/>
  </mime-type>
</mime-info>
"""


def apply(wanted: Desktop, env: Mapping[str, str], platform: str, program: str) -> str:
    """Write the files, or take them away; what has been done, in a line."""
    if not platform.startswith("linux"):
        raise OptionError("desktop entries are for Linux")
    home = env.get("XDG_DATA_HOME", "")
    # A relative path does not count, says the standard.
    data = Path(home) if Path(home).is_absolute() else Path.home() / ".local" / "share"
    files = _files(data, command_of(program))
    if wanted is Desktop.INSTALLED:
        with made_folders(sorted({path.parent for path in files})):
            write_whole(files)
    else:
        for path in files:
            path.unlink(missing_ok=True)
    for line in _renewals(data):
        _renew(line)
    return f"{wanted.value.capitalize()}: {', '.join(map(str, files))}"


def command_of(program: str) -> tuple[str, ...]:
    """What starts the app from anywhere, where it was started as `program`."""
    path = Path(os.path.normpath(Path(shutil.which(program) or program).absolute()))
    return (sys.executable, str(path)) if path.suffix == ".py" else (str(path),)


def typed(program: str) -> str:
    """How a user who has started it as `program` would type that."""
    name = Path(program).name
    return f"python {name}" if name.endswith(".py") else _NAME


def _files(data: Path, command: Sequence[str]) -> dict[Path, bytes]:
    icon = data / "icons" / "hicolor" / "scalable" / "apps" / f"{_NAME}.svg"
    entry = _ENTRY.format(command=" ".join(map(_quoted, command)), icon=_NAME, type=_TYPE)
    return {
        data / "applications" / f"{_NAME}.desktop": entry.encode(),
        icon: _ICON.read_bytes(),
        data / "mime" / "packages" / f"{_NAME}.xml": _FILE_TYPE.format(type=_TYPE).encode(),
    }


def _quoted(part: str) -> str:
    """A part of a command as the standard for desktop entries wants it."""
    for mark in '\\"`$':
        part = part.replace(mark, f"\\{mark}")
    # The value of a key is escaped once more, and a percent sign begins a code.
    part = part.replace("\\", "\\\\").replace("%", "%%")
    return f'"{part}"'


def _renewals(data: Path) -> Iterator[tuple[str, ...]]:
    """What lets a running desktop notice."""
    yield "update-desktop-database", "-q", str(data / "applications")
    yield "update-mime-database", str(data / "mime")
    yield "gtk-update-icon-cache", "-q", "-t", str(data / "icons" / "hicolor")


def _renew(line: Sequence[str]) -> None:
    """Run a tool of the desktop where it is there; the files count, whatever it says."""
    with suppress(OSError, subprocess.TimeoutExpired):
        quiet = subprocess.DEVNULL
        subprocess.run(line, check=False, timeout=30, stdout=quiet, stderr=quiet)
