"""Ctrl+C in the terminal that the app was started from."""

from __future__ import annotations

import os
import signal

import pytest
from PySide6.QtCore import QObject

from gui.shell.app import close_on_interrupt
from tests.processes import interrupts


class App(QObject):
    """As much of an app as can be closed."""

    is_closed = False

    def close(self):
        self.is_closed = True


@pytest.mark.skipif(os.name == "nt", reason="a process cannot send itself Ctrl+C there")
@pytest.mark.parametrize("are_heard", [True, False])
def test_it_closes_the_window_unless_the_app_was_started_deaf_to_it(qtbot, are_heard):
    app = App()
    with interrupts(are_heard=are_heard):
        close_on_interrupt(app)
        os.kill(os.getpid(), signal.SIGINT)
        if are_heard:
            qtbot.waitUntil(lambda: app.is_closed)
        else:
            qtbot.wait(300)
    assert app.is_closed is are_heard
