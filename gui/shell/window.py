"""The window: menus, tools and status around the panels; models can be dropped on it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QObject, Qt, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QStatusTipEvent,
)
from PySide6.QtWidgets import (
    QGraphicsView,
    QHBoxLayout,
    QMainWindow,
    QToolBar,
    QVBoxLayout,
    QWidget,
)

from core.base.forms import MODEL_SUFFIXES
from gui.theme.scale import Gap, arrange


class Window(QMainWindow):
    """Has the parts of the app in it, and knows nothing of what they show."""

    dropped = Signal(str)
    """A path of a model that was let go over the window."""
    closing = Signal()
    hinted = Signal(str)
    """What can be done with what is under the pointer, or why it cannot; empty when that ends."""
    key_left = Signal(QKeySequence)
    """A key that nobody had a use for."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("window")
        self.canvases: tuple[QGraphicsView, ...] = ()
        """What is painted at once with all else."""
        self._is_gathering = False
        self.setAcceptDrops(True)
        self.tools = QToolBar("Tools")
        self.tools.setObjectName("tools")
        self.tools.setMovable(False)
        self.tools.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.addToolBar(self.tools)

    def add_beside_tools(self, part: QWidget) -> None:
        """Put something into what the tools leave of their line; it may come and go."""
        place = QWidget()
        row = QHBoxLayout(place)
        arrange(row)
        row.addWidget(part)
        self.tools.addWidget(place)

    def fill(self, headline: QWidget, panels: QWidget, messages: QWidget) -> None:
        """Put the headline above the panels, and messages over the foot of these."""
        middle = QWidget()
        column = QVBoxLayout(middle)
        arrange(column, between=Gap.NONE)
        column.addWidget(headline)
        column.addWidget(panels, 1)
        self.setCentralWidget(middle)
        LyingOver(panels, messages)

    def paint_now(self) -> None:
        """Lay out and paint once what has changed, which Qt would put off and do piece by piece."""
        # Canvases gather what has changed in events of their own, and each would have all painted.
        self._is_gathering = True
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        for canvas in self.canvases:
            if canvas.isVisible():
                QCoreApplication.sendPostedEvents(canvas.scene(), 0)
        self._is_gathering = False
        QCoreApplication.sendEvent(self, QEvent(QEvent.Type.UpdateRequest))

    def event(self, event: QEvent) -> bool:
        """Hear what is told of what is under the pointer: Qt would write it over progress."""
        if self._is_gathering and event.type() == QEvent.Type.UpdateRequest:
            return True
        if isinstance(event, QStatusTipEvent):
            self.hinted.emit(event.tip())
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """What comes here was left by all that may have the focus, and by all actions."""
        super().keyPressEvent(event)
        self.key_left.emit(QKeySequence(event.keyCombination()))

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


class LyingOver(QObject):
    """Keeps a widget at the foot of another, over it: nothing moves when it comes or grows."""

    def __init__(self, below: QWidget, over: QWidget) -> None:
        super().__init__(below)
        self._below, self._over = below, over
        over.setParent(below.parentWidget())
        for widget in (below, over):
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Put it in its place whenever either is shown or another size."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show):
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        ground, over = self._below.geometry(), self._over
        over.resize(ground.width(), over.height())
        over.move(ground.left(), ground.bottom() + 1 - over.height())
        over.raise_()


def model_in(data: QMimeData) -> str:
    """The path of the first model among dragged things; empty where there is none."""
    paths = (url.toLocalFile() for url in data.urls() if url.isLocalFile())
    return next((path for path in paths if Path(path).suffix.lower() in MODEL_SUFFIXES), "")
