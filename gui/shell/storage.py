"""Where the system keeps what belongs to the user: texts under keys, and a folder."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSettings


class SystemStorage:
    """Keeps texts in the place that the system has for them, such as a file of the user's."""

    def __init__(self, form: QSettings.Format = QSettings.Format.NativeFormat) -> None:
        user = QSettings.Scope.UserScope
        self._settings = QSettings(form, user, "Reefpoint", "Reefpoint")
        # What the system has may be no file; this is one everywhere.
        file = QSettings(QSettings.Format.IniFormat, user, "Reefpoint", "Reefpoint").fileName()
        self.folder = Path(file).parent
        """For what is no preference, but belongs to the user too."""

    def read(self, key: str) -> str:
        """The text under a key; empty where there is none."""
        found = self._settings.value(key, "")
        return found if isinstance(found, str) else ""

    def write(self, key: str, text: str) -> None:
        """Keep a text."""
        self._settings.setValue(key, text)
