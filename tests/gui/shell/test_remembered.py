"""Preferences as the running app has them, and where the system keeps them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSettings

from gui.document.display import ByteUnit, Display, ThemeChoice, TimeUnit
from gui.settings.preferences import Forgetful, Preferences
from gui.shell.remembered import Remembered
from gui.shell.storage import SystemStorage
from gui.state.store import Store

pytestmark = pytest.mark.usefixtures("qapp")


def test_units_and_theme_come_back():
    storage = Forgetful()
    remembered = Remembered(storage)
    store = Store(display=remembered.display)
    assert store.display == Display()
    remembered.follow(store)
    chosen = Display(
        time_unit=TimeUnit.MICROSECONDS, byte_unit=ByteUnit.BYTES, theme=ThemeChoice.DARK
    )
    store.set_display(chosen)
    assert Remembered(storage).display == chosen


def test_units_that_nobody_knows_are_as_at_first():
    storage = Forgetful()
    storage.write("theme", "mauve")
    storage.write("time_unit", "fortnights")
    assert Remembered(storage).display == Display()


def test_what_does_not_change_is_not_kept_again(qtbot):
    remembered = Remembered(Forgetful())
    with qtbot.assertNotEmitted(remembered.changed):
        remembered.change(Preferences())
    with qtbot.waitSignal(remembered.changed):
        remembered.change(Preferences().with_recent("a"))


def test_the_system_keeps_texts(tmp_path):
    QSettings.setPath(
        QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(tmp_path / "settings")
    )
    storage = SystemStorage(QSettings.Format.IniFormat)
    assert storage.read("layout") == ""
    storage.write("layout", "a=b, c")
    storage.write("recents", '["x, y"]')
    again = SystemStorage(QSettings.Format.IniFormat)
    assert again.read("layout") == "a=b, c"
    assert again.read("recents") == '["x, y"]'
