"""Starts Qt, and in it the app."""

from __future__ import annotations

import signal
import sys
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMessageLogContext, QTimer, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from core.base.errors import InputError, OptionError
from core.base.harmless import terminal_text
from gui.commands.panels import PANELS
from gui.jobs.runner import Runner
from gui.jobs.spawn import Spawned
from gui.settings.preferences import Forgetful
from gui.shell.crash import CrashReporter
from gui.shell.opening import Opening
from gui.shell.picture import Photographer
from gui.shell.request import Request
from gui.shell.running import RunningApp
from gui.shell.storage import SystemStorage
from gui.theme.tones import THEMES

EXIT_FAULT = 1
_SIGNAL_CHECK_MS = 200
_SETTLED_MS = 1500
"""Until then a first schedule is there to be shown around in."""


def run(request: Request, ready: Spawned, first: Opening | None = None) -> int:
    """Show the window until it is closed, with this process as the worker; the exit code.

    What has been seen first makes way for it.
    """
    check(request)
    qt = QApplication(["reefpoint"]) if first is None else first.qt
    qt.setApplicationName("Reefpoint")
    make_runner = partial(Runner, ready=ready)
    if request.screenshot:
        qInstallMessageHandler(_tell_what_matters)
        # The user's preferences are neither read nor changed.
        return _picture(RunningApp(qt, request, Forgetful(), make_runner=make_runner), request)
    storage = SystemStorage()
    sessions = storage.folder / "sessions"
    app = RunningApp(qt, request, storage, make_runner=make_runner, sessions=sessions)
    reporter = CrashReporter(app.crashes.tell)
    reporter.install()
    close_on_interrupt(app)
    app.start()
    if first is not None:
        QTimer.singleShot(0, first, first.close)
    QTimer.singleShot(_SETTLED_MS, app, app.welcome)
    return qt.exec()


def _picture(app: RunningApp, request: Request) -> int:
    """Save a picture of the window."""
    reporter = CrashReporter(lambda _: QApplication.exit(EXIT_FAULT))
    reporter.install()
    photographer = Photographer(app, Path(request.screenshot), request.view)
    app.start()
    code = QApplication.exec()
    del photographer
    return code


def _tell_what_matters(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    """Pass on what Qt says, but not that a platform without a screen lacks what screens need."""
    del context
    if kind is not QtMsgType.QtDebugMsg and not message.startswith("This plugin does not support"):
        sys.stderr.write(f"{terminal_text(message)}\n")


def check(request: Request) -> None:
    """Refuse what can be seen to be wrong before there is a window."""
    names = [panel.name for panel in PANELS]
    if request.view and request.view not in names:
        raise OptionError.unknown("view", request.view, names)
    if request.theme and request.theme not in THEMES:
        raise OptionError.unknown("theme", request.theme, THEMES)
    if request.screenshot and request.model and not Path(request.model).is_file():
        raise InputError("No such file", request.model)


def close_on_interrupt(app: RunningApp) -> None:
    """Let Ctrl+C in a terminal close the window; Python sees signals only while it runs.

    A job that was started deaf to it stays deaf: Ctrl+C is then for what is in the foreground.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        return
    signal.signal(signal.SIGINT, lambda *_: app.close())
    timer = QTimer(app)
    timer.timeout.connect(lambda: None)
    timer.start(_SIGNAL_CHECK_MS)
