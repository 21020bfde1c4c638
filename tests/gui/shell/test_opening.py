"""The first picture comes before what takes long to load, and shows what was seen last."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel

from gui.shell.opening import Opening, keep_picture
from gui.shell.request import Request, Size
from gui.shell.storage import SystemStorage
from gui.theme.tones import DARK

ROOT = Path(__file__).parents[3]
_FIRST_PAINT = """
import sys
from gui.shell import opening
show = opening.show
def watched(request):
    first = show(request)
    loaded = [name for name in ("pyqtgraph", "gui.views", "gui.shell.app") if name in sys.modules]
    print(first.is_painted, loaded)
    raise SystemExit
opening.show = watched
import main
main.main([])
"""


@pytest.fixture
def storage(tmp_path):
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(tmp_path))
    found = SystemStorage(QSettings.Format.IniFormat)
    found.folder.mkdir(parents=True, exist_ok=True)
    return found


def test_it_is_painted_before_views_and_their_library_are_loaded(tmp_path):
    env = os.environ | {"QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", _FIRST_PAINT],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "True []", done.stderr


def test_it_shows_what_was_seen_when_the_app_was_closed(qapp, qtbot, storage):
    window = QLabel()
    qtbot.addWidget(window)
    window.resize(300, 200)
    window.setStyleSheet("background: #ff0000")
    keep_picture(window, storage.folder)
    opening = Opening(qapp, Request(size=Size(300, 200), theme="dark"), storage)
    qtbot.addWidget(opening)
    colour = opening.grab().toImage().pixelColor(150, 100)
    ground = QColor(DARK.window)
    assert colour.red() == pytest.approx(0.6 * 255 + 0.4 * ground.red(), abs=2)
    assert colour.green() == pytest.approx(0.4 * ground.green(), abs=2)
    assert opening.is_painted


def test_the_first_time_it_shows_the_name(qapp, qtbot, storage):
    opening = Opening(qapp, Request(size=Size(300, 200), theme="dark"), storage)
    qtbot.addWidget(opening)
    image = opening.grab().toImage()
    assert image.pixelColor(2, 2).name() == DARK.window
    inks = {image.pixelColor(x, 100).name() for x in range(300)}
    assert len(inks) > 1


def test_what_cannot_be_kept_matters_to_nobody(qtbot, tmp_path):
    window = QLabel("a")
    qtbot.addWidget(window)
    keep_picture(window, tmp_path / "nowhere")
    assert not list(tmp_path.iterdir())
