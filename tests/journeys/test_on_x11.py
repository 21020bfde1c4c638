"""The same window on an X server."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gui.shell import libraries

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    """The name of an X server's display."""
    server = shutil.which("Xvfb")
    if server is None:
        pytest.skip("needs Xvfb (Debian, Ubuntu: apt-get install xvfb)")
    absent = libraries.absent_for_x11()
    if absent:
        packages = " ".join(libraries.package_of(library) for library in absent)
        pytest.skip(f"needs what Qt needs of X11: apt-get install {packages}")
    read, write = os.pipe()
    screen = ["-screen", "0", "2560x1440x24", "-nolisten", "tcp"]
    process = subprocess.Popen(
        [server, "-displayfd", str(write), *screen], pass_fds=[write], stderr=subprocess.DEVNULL
    )
    os.close(write)
    with os.fdopen(read) as told:
        number = told.readline().strip()
    try:
        yield f":{number}"
    finally:
        process.terminate()
        process.wait()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1280, 800), (2560, 1440)])
def test_a_picture_of_the_window_on_an_x_server(display, tmp_path, size, theme):
    picture = tmp_path / "window.png"
    env = {name: value for name, value in os.environ.items() if "DISPLAY" not in name}
    env.pop("QT_QPA_PLATFORM", None)
    command = [sys.executable, "main.py", "resources/examples/unet_128.tflite"]
    options = ["--screenshot", str(picture), "--size", "{}x{}".format(*size), "--theme", theme]
    done = subprocess.run(
        [*command, *options],
        cwd=ROOT,
        env=env | {"DISPLAY": display},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    data = picture.read_bytes()
    assert struct.unpack(">II", data[16:24]) == size
    # A picture of one colour would take next to nothing.
    assert len(data) > 30_000
