"""The first picture comes before what takes long to load, and says what is opened."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings

from gui.shell.opening import Opening
from gui.shell.request import Request, Size
from gui.shell.storage import SystemStorage
from gui.theme.tones import DARK
from tests.gui.painted import texts_of

ROOT = Path(__file__).parents[3]
_FIRST_PAINT = """
import sys
from gui.shell import opening
show = opening.show
def watched(request):
    first = show(request)
    later = "pyqtgraph gui.views gui.shell.app gui.export gui.present gui.jobs.worker".split()
    later += "core.lower core.pipeline core.schedule core.cost core.report.page".split()
    loaded = [name for name in later if name in sys.modules]
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


def test_it_is_painted_before_views_and_the_compiler_are_loaded(tmp_path):
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


def painted(opening) -> list[str]:
    return [text.text for text in texts_of(opening)]


def test_it_says_which_model_is_opened_and_shows_no_figure_of_another(qapp, qtbot, storage):
    request = Request(model="some/palm.tflite", size=Size(300, 200), theme="dark")
    opening = Opening(qapp, request, storage)
    qtbot.addWidget(opening)
    opening.show()
    assert painted(opening) == ["Opening palm.tflite"]
    assert opening.is_painted


def test_without_a_model_it_shows_the_name(qapp, qtbot, storage):
    opening = Opening(qapp, Request(size=Size(300, 200), theme="dark"), storage)
    qtbot.addWidget(opening)
    image = opening.grab().toImage()
    assert image.pixelColor(2, 2).name() == DARK.window
    inks = {image.pixelColor(x, 100).name() for x in range(300)}
    assert len(inks) > 1
