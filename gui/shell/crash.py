"""The one place where errors of our own land: they are told, and the window stays."""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable
from types import TracebackType

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from core.base.version import VERSION
from gui.shell.dialogs import TextDialog
from gui.theme import fonts

Tell = Callable[[str], None]


class CrashReporter(QObject):
    """Takes exceptions that nobody caught, from any thread, to the thread of the window."""

    happened = Signal(str)

    def __init__(self, tell: Tell) -> None:
        super().__init__()
        # An exception in another thread may not touch a widget from there.
        self.happened.connect(tell, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        """Be told of every exception from now on."""
        sys.excepthook = self.on_exception
        threading.excepthook = lambda args: self.on_exception(
            args.exc_type, args.exc_value, args.exc_traceback
        )

    def on_exception(
        self,
        kind: type[BaseException],
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Tell of an exception; an interrupt from the terminal is none."""
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error or kind(), trace)
            return
        text = "".join(traceback.format_exception(kind, error, trace))
        sys.stderr.write(text)
        self.happened.emit(text)


class CrashDialogs:
    """Shows what happened in one dialog, however often it happens."""

    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._dialog: TextDialog | None = None

    def tell(self, text: str) -> None:
        """Show a text, below those that have not been read yet."""
        if self._dialog is None:
            self._dialog = TextDialog("Something went wrong", self._window)
            self._dialog.destroyed.connect(self._forget)
            self._dialog.browser.setFont(fonts.mono())
            self._dialog.browser.setPlainText(
                f"Reefpoint {VERSION} has a fault. The window goes on; what you did is still"
                " there.\nThis text tells the developers what happened:\n"
            )
            self._dialog.show()
        self._dialog.browser.append("")
        self._dialog.browser.insertPlainText(text)

    def _forget(self) -> None:
        self._dialog = None
