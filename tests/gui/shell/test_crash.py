"""Errors of our own are told in a text to copy, and the window stays."""

from __future__ import annotations

import sys
import threading

import pytest
from PySide6.QtWidgets import QWidget

from gui.shell.crash import CrashDialogs, CrashReporter


@pytest.fixture
def window(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(900, 700)
    window.show()
    return window


@pytest.fixture
def reporter(window):
    dialogs = CrashDialogs(window)
    reporter = CrashReporter(dialogs.tell)
    reporter.dialogs = dialogs
    return reporter


def crash(reporter, message):
    try:
        fail(message)
    except RuntimeError as error:
        reporter.on_exception(type(error), error, error.__traceback__)


def fail(message):
    raise RuntimeError(message)


def test_all_crashes_are_told_in_one_dialog(qtbot, reporter, window, capsys):
    crash(reporter, "the first")
    crash(reporter, "the second")
    qtbot.waitUntil(lambda: reporter.dialogs._dialog is not None)
    dialog = reporter.dialogs._dialog
    qtbot.waitUntil(lambda: "the second" in dialog.browser.toPlainText())
    text = dialog.browser.toPlainText()
    assert text.index("the first") < text.index("the second")
    assert "Traceback" in text
    assert "test_crash.py" in text
    assert window.isVisible()
    dialog.close()
    qtbot.waitUntil(lambda: reporter.dialogs._dialog is None)
    crash(reporter, "the third")
    qtbot.waitUntil(lambda: reporter.dialogs._dialog is not None)
    assert "the third" in capsys.readouterr().err


def test_a_crash_in_another_thread_is_told_too(qtbot, reporter, monkeypatch):
    # Both hooks are put back afterwards.
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    reporter.install()
    thread = threading.Thread(target=lambda: {}["missing"])
    with qtbot.waitSignal(reporter.happened) as told:
        thread.start()
    thread.join()
    assert "KeyError: 'missing'" in told.args[0]


def test_an_interrupt_is_no_crash(qtbot, reporter, capsys):
    with qtbot.assertNotEmitted(reporter.happened):
        reporter.on_exception(KeyboardInterrupt, KeyboardInterrupt(), None)
    capsys.readouterr()
