"""The window: menus, tools and status around the panels; models can be dropped on it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QMainWindow, QToolBar, QVBoxLayout, QWidget

from gui.shell.files import SUFFIX
from gui.theme.scale import Gap, arrange


class Window(QMainWindow):
    """Has the parts of the app in it, and knows nothing of what they show."""

    dropped = Signal(str)
    """A path of a model that was let go over the window."""
    closing = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("window")
        self.setAcceptDrops(True)
        self.tools = QToolBar("Tools")
        self.tools.setObjectName("tools")
        self.tools.setMovable(False)
        self.tools.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.addToolBar(self.tools)

    def fill(self, *parts: QWidget) -> None:
        """Put the lines of messages over the last of them, the panels."""
        middle = QWidget()
        column = QVBoxLayout(middle)
        arrange(column, between=Gap.NONE)
        for part in parts:
            column.addWidget(part, 1 if part is parts[-1] else 0)
        self.setCentralWidget(middle)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take a model, and nothing else."""
        if model_in(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Say which model was dropped."""
        path = model_in(event.mimeData())
        if path:
            event.acceptProposedAction()
            self.dropped.emit(path)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Say so before it is too late to keep anything."""
        self.closing.emit()
        super().closeEvent(event)


def model_in(data: QMimeData) -> str:
    """The path of the first model among dragged things; empty where there is none."""
    paths = (url.toLocalFile() for url in data.urls() if url.isLocalFile())
    return next((path for path in paths if Path(path).suffix.lower() == SUFFIX), "")
