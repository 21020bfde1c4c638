"""Notices when a file changes on disk, also where it is replaced by another of its name."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

QUIET_MS = 250
"""Whoever writes a file has this long to write more before it is looked at."""


class FileWatch(QObject):
    """Watches one file, and its folder, in which a new file may take its name."""

    changed = Signal()
    """The file may be another; whether its content is, the listener finds out."""

    def __init__(self, parent: QObject | None = None, *, quiet_ms: int = QUIET_MS) -> None:
        super().__init__(parent)
        self._path = ""
        self._watcher = QFileSystemWatcher(self)
        self._watcher.fileChanged.connect(self._on_event)
        self._watcher.directoryChanged.connect(self._on_event)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(quiet_ms)
        self._timer.timeout.connect(self._on_quiet)

    def watch(self, path: str) -> None:
        """Watch this file, and no other any more."""
        known = [*self._watcher.files(), *self._watcher.directories()]
        if known:
            self._watcher.removePaths(known)
        self._timer.stop()
        self._path = path
        self._add()

    def _add(self) -> None:
        """A file that was replaced drops out of the watcher, so it is added again."""
        wanted = [self._path, str(Path(self._path).parent)]
        known = {*self._watcher.files(), *self._watcher.directories()}
        missing = [path for path in wanted if path not in known and Path(path).exists()]
        if missing:
            self._watcher.addPaths(missing)

    def _on_event(self, path: str) -> None:
        del path
        self._timer.start()

    def _on_quiet(self) -> None:
        self._add()
        self.changed.emit()
