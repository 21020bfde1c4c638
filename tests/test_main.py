"""The entry point: with a window, without a display, and where Qt is broken."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import main
from gui.shell import bootstrap, libraries

ROOT = Path(__file__).parents[1]

# Runs main.py in a Python whose import of Qt fails as it does where a system library is missing.
WITHOUT_QT = """
import runpy, sys

class Broken:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "PySide6":
            raise ImportError({message!r})

sys.meta_path.insert(0, Broken())
sys.argv[0] = "main.py"
runpy.run_path("main.py", run_name="__main__")
"""


def run(*command: str, **env: str) -> subprocess.CompletedProcess[str]:
    quiet = {name: value for name, value in os.environ.items() if "DISPLAY" not in name}
    quiet.pop("QT_QPA_PLATFORM", None)
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=quiet | env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def run_without_qt(library: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    message = f"{library}: cannot open shared object file: No such file or directory"
    script = WITHOUT_QT.format(message=message)
    return run("-c", script, *arguments, QT_QPA_PLATFORM="offscreen")


@pytest.mark.parametrize(
    ("arguments", "opens"),
    [
        ([], True),
        (["net.tflite"], True),
        (["--view", "memory"], True),
        (["inspect", "net.tflite"], False),
        (["inspcet", "net.tflite"], False),
        (["--help"], False),
        (["--version"], False),
    ],
)
def test_only_a_sub_command_or_a_question_goes_to_the_command_line(arguments, opens):
    assert main.opens_the_app(arguments) == opens


@pytest.mark.parametrize(
    ("library", "package"),
    [
        ("libEGL.so.1", "libegl1"),
        ("libGL.so.1", "libgl1"),
        ("libxkbcommon.so.0", "libxkbcommon0"),
        ("libdbus-1.so.3", "libdbus-1-3"),
        ("libfontconfig.so.1", "libfontconfig1"),
    ],
)
def test_a_missing_library_is_one_line_with_its_package(library, package):
    done = run_without_qt(library)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert library in done.stderr
    assert f"apt-get install {package})" in done.stderr


def test_an_unknown_obstacle_is_told_as_it_is():
    text = bootstrap.explain(ImportError("DLL load failed\nwhile importing QtGui"))
    assert text == "the window cannot be loaded (DLL load failed while importing QtGui)"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is a display")
def test_without_a_display_one_line_names_the_command_line():
    done = run("main.py")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "no display" in done.stderr
    assert "python main.py inspect" in done.stderr


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="X11 libraries")
def test_a_display_without_the_libraries_of_x11_names_their_packages(monkeypatch):
    monkeypatch.setattr(libraries, "_loads", lambda name: "cursor" not in name)
    text = bootstrap.no_display({"DISPLAY": ":0"}, "linux")
    assert text.endswith("apt-get install libxcb-cursor0)")


@pytest.mark.parametrize(
    ("env", "platform"),
    [
        ({"QT_QPA_PLATFORM": "offscreen"}, "linux"),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux"),
        ({}, "win32"),
        ({}, "darwin"),
    ],
)
def test_nothing_stands_in_the_way_of_these(env, platform):
    assert bootstrap.no_display(env, platform) == ""


def test_the_command_line_needs_no_qt():
    done = run_without_qt("libEGL.so.1", "--help")
    assert done.returncode == 0, done.stderr
    assert "inspect" in done.stdout
