"""The real window for tests, with preferences that nobody keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.base.frozen import replace
from core.ir.settings import Settings
from gui.commands.panels import PANELS
from gui.document.changes import ChangeSet, Part
from gui.document.display import Display
from gui.document.history import History
from gui.document.job import JobPhase, JobState
from gui.document.selection import Selection
from gui.jobs.recent import Answers
from gui.jobs.runner import Runner
from gui.settings.preferences import Forgetful, Storage
from gui.shell.request import DEFAULT_SIZE, Request
from gui.shell.running import RunningApp
from gui.state.store import Store
from gui.views.memory.view import MemoryView
from gui.views.timeline.view import TimelineView
from tests.forked import forked_processes
from tests.gui import answers
from tests.settings import settings_with

PATIENCE_MS = 60_000
SMALL_MODEL = answers.EXAMPLES / "kws_dscnn.tflite"

OpenApp = Callable[..., RunningApp]


class Oracle(QObject):
    """Answers at once, from what tests have worked out before; for tests of other things."""

    def __init__(self, store: Store, parent: QObject) -> None:
        super().__init__(parent)
        self._store = store
        self.asked_again = 0
        self.answers = Answers()
        store.changed.connect(self._on_changed)

    def _on_changed(self, changes: ChangeSet) -> None:
        if changes.has(Part.DOCUMENT) and not self._store.is_current:
            answers.arrive(self._store, answers.answer_to(self._store.document))

    def start(self) -> None:
        """There is nothing to start."""

    def adopt(self, settings: Settings, label: str) -> None:
        """Decide what some settings find."""
        self._store.edit(answers.adopting(self._store.document, settings), label)

    def shutdown(self) -> None:
        """There is nothing to end."""
        self._store.changed.disconnect(self._on_changed)

    def cancel(self) -> None:
        """There is nothing to cancel."""

    def rerun(self) -> None:
        """Count how often."""
        self.asked_again += 1


@contextmanager
def all_closed(qapp: QApplication) -> Iterator[list[RunningApp]]:
    """Apps that are put into this list are closed in the end, and leave no trace."""
    opened: list[RunningApp] = []
    palette, font = QPalette(qapp.palette()), qapp.font()
    yield opened
    for app in opened:
        app.window.close()
        app.window.deleteLater()
        app.deleteLater()
    # What was put off until later may be about the window that is going.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QCoreApplication.processEvents()
    qapp.setPalette(palette)
    qapp.setFont(font)


@contextmanager
def opening(qtbot: QtBot, qapp: QApplication) -> Iterator[OpenApp]:
    """What opens windows, which are closed in the end."""
    with forked_processes(), all_closed(qapp) as opened:

        def start(
            model: Path | str = "",
            *,
            storage: Storage | None = None,
            waits: bool = True,
            request: Request | None = None,
            make_runner: Callable[..., object] = Runner,
            sessions: Path | None = None,
            **settings: object,
        ) -> RunningApp:
            wanted = request or Request(model=str(model))
            wanted = replace(wanted, settings=settings_with(wanted.settings, **settings))
            app = RunningApp(
                qapp, wanted, storage or Forgetful(), make_runner=make_runner, sessions=sessions
            )
            opened.append(app)
            app.start()
            if waits:
                wait_for_answer(qtbot, app)
            return app

        yield start


@pytest.fixture
def open_app(qtbot: QtBot, qapp: QApplication) -> Iterator[OpenApp]:
    """`open_app(model, ..., **settings)`: a window that shows the answer of a real worker."""
    with opening(qtbot, qapp) as start:
        yield start


@pytest.fixture(scope="module")
def open_app_once(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[OpenApp]:
    """The same, of a window that all tests of a file share; see `as_opened`."""
    with opening(QtBot(request), qapp) as start:
        yield start


def as_opened(qtbot: QtBot, app: RunningApp) -> RunningApp:
    """A shared window in which nothing is decided, selected, told or alone, whatever was before."""
    while app.actions["edit.undo"].isEnabled():
        app.actions.run("edit.undo")
    app.store.history = History(present=app.store.history.present)
    app.store.select(Selection())
    app.problems.put_all_away()
    if app.panels.is_alone:
        app.panels.toggle_alone()
    for view in (app.view(TimelineView), app.view(MemoryView)):
        view.show_all()
    wait_for_answer(qtbot, app)
    return app


@pytest.fixture(scope="module")
def one_window(qapp: QApplication) -> Iterator[RunningApp]:
    """A window for all tests of a file; see `app_again`."""
    with all_closed(qapp) as opened:
        app = RunningApp(qapp, Request(model=str(SMALL_MODEL)), Forgetful(), make_runner=Oracle)
        opened.append(app)
        app.start()
        while not app.store.is_current:
            QCoreApplication.processEvents()
        yield app


@pytest.fixture
def app_again(one_window: RunningApp) -> RunningApp:
    """The one window as if it were new: a small model, nothing asked, nothing told."""
    app = one_window
    if app.crashes.dialog is not None:
        app.crashes.dialog.close()
    app.store.set_job(JobState())
    app.store.set_display(Display())
    app.store.edit(app.store.document.with_edits(()), "forget")
    app.files.open(str(SMALL_MODEL))
    app.store.history = History(present=app.store.history.present)
    app.problems.put_all_away()
    app.window.resize(*DEFAULT_SIZE)
    app.window.activateWindow()
    app.panels.show_panel(PANELS[0].name)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QCoreApplication.processEvents()
    return app


def wait_for_answer(qtbot: QtBot, app: RunningApp) -> None:
    """Wait until what is asked for is answered or refused, and shown."""

    def is_settled() -> bool:
        store = app.store
        is_idle = store.job.phase in (JobPhase.IDLE, JobPhase.FAILED)
        is_answered = is_idle and (store.is_current or is_failed(app))
        return store.document.model is not None and is_answered and store.turns.are_taken

    qtbot.waitUntil(is_settled, timeout=PATIENCE_MS)


def is_failed(app: RunningApp) -> bool:
    """Whether the last question has no answer."""
    return app.store.job.phase is JobPhase.FAILED
