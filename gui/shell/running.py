"""The running app: every part is made here, and given what it needs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QByteArray, QObject, QPoint, Qt, QTimer
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from core.base.frozen import replace
from gui.commands.app import Dialogs as DialogsDoor
from gui.commands.app import Exports as ExportsDoor
from gui.commands.app import Files as FilesDoor
from gui.commands.app import NoteFiles as NoteFilesDoor
from gui.commands.app import Panels as PanelsDoor
from gui.commands.app import Problems as ProblemsDoor
from gui.commands.app import Reports as ReportsDoor
from gui.commands.app import Sessions as SessionsDoor
from gui.commands.app import Sights as SightsDoor
from gui.commands.app import Sweeps as SweepsDoor
from gui.commands.app import Tour as TourDoor
from gui.commands.panels import PANELS
from gui.commands.table import CONTEXT, MENUS, TOOLS, commands
from gui.document.changes import ChangeSet, Part
from gui.document.display import ThemeChoice
from gui.document.document import Document
from gui.document.examples import FIRST_EXAMPLE, to_look_at
from gui.document.history import Entry, History
from gui.items.canvas import Canvas
from gui.jobs.adviser import Adviser
from gui.jobs.comparer import Comparer
from gui.jobs.messages import Advised
from gui.jobs.runner import Runner
from gui.present.problems import decisions_left_out
from gui.present.status import title_of
from gui.settings.preferences import Preferences, Storage
from gui.shell.actions import Actions, fill_context_menu, fill_menu_bar, fill_tool_bar
from gui.shell.appearance import Appearance
from gui.shell.banner import Banner
from gui.shell.boards import Boards
from gui.shell.calibrations import Calibrations
from gui.shell.compare_strip import CompareStrip
from gui.shell.crash import Crashes
from gui.shell.dialogs import Dialogs
from gui.shell.exports import Exports
from gui.shell.files import Files
from gui.shell.focus_ring import FocusRing
from gui.shell.framing import Framing
from gui.shell.hand import Hand
from gui.shell.headline import HeadlineStrip
from gui.shell.icons import window_icon
from gui.shell.note_files import NoteFiles
from gui.shell.one_axis import OneAxis
from gui.shell.panels import Panels, bring_forward, tell_filtered
from gui.shell.proofs import Proofs
from gui.shell.remembered import Remembered
from gui.shell.request import DEFAULT_SIZE, Request
from gui.shell.run_keeper import RunKeeper
from gui.shell.session_work import Work, encoded_geometry
from gui.shell.sessions import Sessions
from gui.shell.sights import Sights
from gui.shell.statusbar import StatusBar
from gui.shell.sweeps import Sweeps
from gui.shell.tour import Tour
from gui.shell.veil import Veils
from gui.shell.window import Window
from gui.state.store import Store
from gui.views.advice.view import AdviceView
from gui.views.decide.view import DecideView
from gui.views.front.view import FrontView
from gui.views.memory.view import MemoryView
from gui.views.operators.view import OperatorsView
from gui.views.proof.view import ProofView
from gui.views.timeline.view import TimelineView
from gui.views.tradeoff.view import TradeOffView
from gui.views.why.view import WhyView
from gui.widgets.patient_view import PatientView

Widget = TypeVar("Widget", bound=QWidget)
_EXPORT_TIP = "Show the export again; there it can be cancelled"
_PROOF_TIP = "Show the proof; there it can be stopped"
_ADVICE_TIP = "Show the advice; there it can be stopped"


class RunningApp(QObject):
    """The store, the worker, and a window over them; commands reach everything through it."""

    def __init__(
        self,
        qt: QApplication,
        request: Request,
        storage: Storage,
        *,
        make_runner: Callable[[Store, QObject], Runner] = Runner,
        sessions: Path | None = None,
    ) -> None:
        """Make all parts; work is kept in the folder of sessions, where there is one."""
        super().__init__()
        self._request = request
        self._remembered = Remembered(storage)
        display = self._remembered.display
        if request.theme:
            display = replace(display, theme=ThemeChoice(request.theme))
        self.store = Store(
            Document(settings=request.settings, around=request.around),
            display,
            keeps_shown=self._remembered.preferences.keeps_shown,
        )
        self._appearance = Appearance(qt, self.store)
        self.runner = make_runner(self.store, self)
        self.window, self.banner = Window(), Banner(self.store)
        self._appearance.dress(self.window)
        self.window.setWindowIcon(window_icon())
        self.comparer = Comparer(self.store, self, known=self.runner.answers.find)
        self.run_keeper, self.adviser = RunKeeper(self.store, self), Adviser(self)
        self.compare_strip, self.headline = CompareStrip(self.store), HeadlineStrip(self.store)
        self._views: dict[str, QWidget] = {panel.name: panel.make(self.store) for panel in PANELS}
        self._framing = Framing(self._views.values())
        self._panels = Panels(PANELS, self._views)
        self.sights: SightsDoor = Sights(self.store, self._panels, self._views, qt, self)
        self._dialogs = Dialogs(self.store, self._views, self.window)
        self._files = Files(self.store, self._remembered, self.banner, self.window)
        self.problems: ProblemsDoor = self.banner
        self.note_files: NoteFilesDoor = NoteFiles(self.store, self.banner, self.window)
        self.tour: TourDoor = Tour(self._panels, self.banner)
        self.crashes = Crashes(self.store, self.banner, self.window)
        self.reports: ReportsDoor = self.crashes
        work = Work(self.store, self._files, self.banner, self._panels, self._views, self.window)
        self._sessions = Sessions(self.store, sessions, self.banner, work, self.window)
        self.sessions: SessionsDoor = self._sessions
        self._exports = Exports(self.store, self.banner, self._views, self._panels, self.window)
        self.exports: ExportsDoor = self._exports
        self._sweeps = Sweeps(self.store, self.banner, self._panels, self.window)
        self.sweeps: SweepsDoor = self._sweeps
        self.calibrations = Calibrations(self.store, self.window)
        self.boards = Boards(self.store, self.window)
        self.proofs = Proofs(self.store, self.banner, self._panels, self.view(ProofView))
        self.actions = Actions(self, commands(), self.window, self._views)
        self._dialogs.actions = self.banner.commands = self.actions
        self.status = StatusBar(self.store, self.actions["schedule.cancel"])
        self.veils = Veils(self.store, self._views.values(), self.window)
        self.hand = Hand(self.store, self._views, self)
        # In a picture nothing has the focus.
        self.ring = None if request.screenshot else FocusRing(qt, self.store, self)
        self._fill_window()
        self._connect()

    def _fill_window(self) -> None:
        self.compare_strip.set_actions(self.actions)
        self.headline.set_actions(self.actions)
        fill_menu_bar(self.window.menuBar(), MENUS, self.actions)
        fill_tool_bar(self.window.tools, TOOLS, self.actions)
        self.window.setStatusBar(self.status)
        self.export_aside = self.status.add_aside("Export", _EXPORT_TIP)
        self.advice_aside = self.status.add_aside("Advice", _ADVICE_TIP)
        self.proof_aside = self.status.add_aside("Proof", _PROOF_TIP)
        self.window.add_beside_tools(self.compare_strip)
        self.window.fill(self.headline, self._panels, self.banner)
        self.window.resize(*(self._request.size or DEFAULT_SIZE))
        kept = self._remembered.preferences
        if self._request.screenshot:
            # A window manager would make it fit its screen.
            self.window.setFixedSize(self.window.size())
        if self._request.size is None:
            self.window.restoreGeometry(QByteArray.fromBase64(kept.geometry.encode()))
        self._panels.use_layout(kept.layout)
        self._show_title()

    def _connect(self) -> None:
        self.store.changed.connect(self._on_changed)
        self.window.dropped.connect(self._files.open)
        self.window.closing.connect(self._on_closing)
        self.store.turns.pictured.connect(self.window.paint_now)
        self.window.hinted.connect(self.status.hint.show_text)
        self.window.key_left.connect(self.actions.heed_left_key)
        self.actions.refused.connect(self.status.hint.show_text)
        self._remembered.changed.connect(self.actions.refresh)
        over_time = self.view(TimelineView), self.view(MemoryView)
        self.window.canvases = tuple(
            canvas for view in over_time for canvas in view.findChildren(Canvas)
        )
        self.one_axis = OneAxis(*over_time, self._remembered, self)
        self.banner.changed.connect(self.actions.refresh)
        self._exports.exporter.ended.connect(self.crashes.on_export)
        self._remembered.follow(self.store)
        for view in self._views.values():
            if isinstance(view, PatientView):
                view.menu_asked.connect(partial(self._open_menu, view))
            for canvas in view.findChildren(Canvas):
                canvas.play_asked.connect(partial(self.actions.run, "cascades.play"))
        self.view(WhyView).command_asked.connect(self.actions.run)
        self.view(TradeOffView).command_asked.connect(self.actions.run)
        self.view(AdviceView).wanted.connect(self.adviser.ask)
        self.adviser.advanced.connect(self.view(AdviceView).show_tried)
        self.adviser.told.connect(self._on_advised)
        self.view(AdviceView).aside.connect(self.advice_aside.tell)
        self.advice_aside.clicked.connect(partial(self._panels.show_panel, AdviceView.NAME))
        self.view(ProofView).aside.connect(self.proof_aside.tell)
        self.proof_aside.clicked.connect(partial(self._panels.show_panel, ProofView.NAME))
        self._exports.aside.connect(self.export_aside.tell)
        self.export_aside.clicked.connect(self._exports.come_back)
        adopted = self.view(FrontView).adoption_asked
        adopted.connect(lambda _, label: self._files.adoptions.expect_point(label))
        adopted.connect(self.runner.adopt)

    def _open_menu(self, view: PatientView, place: QPoint) -> None:
        """What can be done with what is selected, and in the view."""
        menu = QMenu(view)
        menu.setObjectName("context")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setAccessibleName("What can be done")
        fill_context_menu(menu, CONTEXT, self.actions, self.store)
        if not menu.isEmpty():
            menu.addSeparator()
        view.fill_menu(menu)
        if not menu.isEmpty():
            menu.popup(place)

    def start(self) -> None:
        """Show the window; the model is opened once it can be seen."""
        self.window.show()
        self.window.activateWindow()
        self._panels.show_panel(PANELS[0].name)
        QTimer.singleShot(0, self, self._open_first)

    def welcome(self) -> None:
        """Show a user around who has not been here before; who has, and names no model, is asked
        what to begin with."""
        kept = self._remembered.preferences
        if not kept.toured:
            self._remembered.change(replace(kept, toured="yes"))
            self.actions.run("help.tour")
        elif not self._request.model:
            self.actions.run("help.start")

    def _open_first(self) -> None:
        self.runner.start()
        wanted = self._request.model
        if wanted and self._files.open(wanted):
            if self._request.others:
                self._files.beside.add(self._request.others, self._request.calls)
            if self._request.taken is not None:
                self._files.adoptions.expect_searched(*self._request.taken)
            if self._request.notes:
                self.store.notes.set(self._request.notes, "Read notes")
            self._sessions.begin()
            return
        problems = self.banner.problems
        asked = self.store.document
        if asked.edits or asked.around is not None:
            problems = (*problems, decisions_left_out(wanted))
        _open_example(self.store, self._files)
        # Opening a model takes back what was said of others.
        for problem in reversed(problems):
            self.banner.add(problem)
        self._sessions.begin(untouched=self.store.history)

    # What commands ask for.

    @property
    def preferences(self) -> Preferences:
        """What is remembered from one start to the next."""
        return self._remembered.preferences

    def prefer(self, preferences: Preferences) -> None:
        """Remember something else."""
        self._remembered.change(preferences)
        self.store.keeps_shown = preferences.keeps_shown

    @property
    def files(self) -> FilesDoor:
        """Where models come from."""
        return self._files

    @property
    def panels(self) -> PanelsDoor:
        """Where views are."""
        return self._panels

    @property
    def dialogs(self) -> DialogsDoor:
        """What opens over the window."""
        return self._dialogs

    def view(self, kind: type[Widget]) -> Widget:
        """The view of a class."""
        return next(view for view in self._views.values() if isinstance(view, kind))

    def cancel(self) -> None:
        """Stop what the worker is doing."""
        self.runner.cancel()

    def rerun(self) -> None:
        """Ask the worker again for what it was asked."""
        self.runner.rerun()

    def close(self) -> None:
        """Close the window, and with it the app."""
        self.window.close()

    def _on_changed(self, changes: ChangeSet) -> None:
        if changes.has(Part.DOCUMENT, Part.ANSWER, Part.JOB):
            self._show_title()
        if changes.has(Part.MATCHED):
            listed = self._panels.dock(OperatorsView.NAME)
            is_filtered = not self.store.matched.is_empty
            tell_filtered(listed, OperatorsView.TITLE, is_filtered=is_filtered)
        is_picked = changes.parts == {Part.SELECTION} and not self.store.selection.is_empty
        if is_picked and self.preferences.follows:
            # It covers neither where that was picked nor what can be decided about it.
            names = {DecideView.NAME, changes.initiator}.intersection(self._views)
            kept = [self._panels.dock(name) for name in names if self._views[name].isVisible()]
            bring_forward(self._panels, self._panels.dock(WhyView.NAME), kept=kept)

    def _show_title(self) -> None:
        store = self.store
        title = title_of(
            store.document, store.job, is_current=store.is_current, answer=store.answer
        )
        self.window.setWindowTitle(title)

    def _on_advised(self, document: Document, found: Advised) -> None:
        view = self.view(AdviceView)
        view.show_tips(document, found.tips, found.message, is_done=found.is_done)

    def _on_closing(self) -> None:
        """Keep where everything is, and end the worker."""
        self._sessions.finish()
        geometry = encoded_geometry(self.window)
        kept = self._remembered.preferences
        self._remembered.change(
            replace(kept, geometry=geometry, layout=self._panels.encoded_layout())
        )
        self._exports.shutdown()
        self._sweeps.shutdown()
        self.calibrations.shutdown()
        self.boards.shutdown()
        self.proofs.shutdown()
        self.adviser.shutdown()
        self.comparer.shutdown()
        self.runner.shutdown()


def _open_example(store: Store, files: Files) -> None:
    """On a target and in a limit with which there is something to see."""
    # Decisions are about the model that could not be opened.
    usual = store.document.with_edits(())
    # It is told with the model: without one, there is nothing that anybody could answer.
    store.history = History(present=Entry(replace(usual, settings=to_look_at(usual.settings))))
    files.open(str(FIRST_EXAMPLE))
    files.usual = usual.settings
