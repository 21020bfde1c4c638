"""Sweeps from the window: a dialog asks, processes of their own make, the Trade-off view draws."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from core.api import targets
from core.base.errors import CoreError
from core.base.frozen import replace
from core.ir.options import Search
from core.target.config import Catalogue
from gui.commands.app import Panels, Problems
from gui.document.document import Document
from gui.document.swept import Made, Making, SweepOrder, SweptCells
from gui.jobs.sweeper import Sweeper
from gui.present.runs.making import KEY, ended, knobs_swept, usual_limits, usual_path
from gui.shell.sweep_dialog import Start, SweepDialog
from gui.state.store import Store
from gui.views.tradeoff.view import TradeOffView


class Sweeps(QObject):
    """Hands sweeps over; one after the other."""

    def __init__(self, store: Store, problems: Problems, panels: Panels, window: QWidget) -> None:
        super().__init__(window)
        self._store, self._problems = store, problems
        self._panels, self._window = panels, window
        self.sweeper = Sweeper(self)
        self.sweeper.advanced.connect(self._on_advanced)
        self.sweeper.ended.connect(self._on_ended)
        self.dialog: SweepDialog | None = None
        self._path: Path | None = None
        """Where the last sweep went."""

    def ask(self) -> None:
        """Let the user say what is to be swept of the model that is open."""
        document = self._store.document
        if self.dialog is not None:
            self.dialog.activateWindow()
        elif document.model is not None:
            self.dialog = SweepDialog(self._start(document), self._store.theme, self._window)
            self.dialog.asked.connect(self.make)
            self.dialog.finished.connect(self._forget)
            self.dialog.show()

    def _start(self, document: Document) -> Start:
        assert document.model is not None
        settings = document.settings
        chosen = {knob.name: (knob.value(settings),) for knob in knobs_swept()}
        if settings.options.is_best:
            # A front for each choice takes minutes; who wants it can have it.
            chosen["search"] = (Search.DIRECT,)
        model = Path(document.model.path)
        folder = self._path.parent if self._path is not None else model.parent
        return Start(
            document=document,
            catalogue=_catalogue(document),
            chosen=chosen,
            limits=usual_limits(self._store.answer),
            path=usual_path(folder, model.name),
        )

    def _forget(self) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
        self.dialog = None

    def make(self, order: SweepOrder) -> None:
        """Make a sweep, and show it while it grows."""
        if self.sweeper.is_busy:
            return
        self._path = order.path
        self._problems.take_back(KEY)
        nothing = SweptCells(title=order.title, cells=(), path=str(order.path))
        self._store.swept.make(Making(title=order.title), nothing)
        self._panels.show_panel(TradeOffView.NAME)
        self.sweeper.start(order)

    def pause_or_go_on(self) -> None:
        """Begin no cell any more, or begin cells again."""
        making = self._store.swept.making
        if making is None:
            return
        if making.is_paused:
            self.sweeper.go_on()
        else:
            self.sweeper.pause()
        self._store.swept.make(replace(making, is_paused=not making.is_paused))

    def stop(self) -> None:
        """Give the rest up."""
        self.sweeper.stop()

    def shutdown(self) -> None:
        """End all processes; what was computed is in the file."""
        self.sweeper.shutdown()

    def _on_advanced(self, making: Making, cells: SweptCells | None) -> None:
        before = self._store.swept.making
        if before is not None:
            self._store.swept.make(replace(making, is_paused=before.is_paused), cells)

    def _on_ended(self, made: Made, cells: SweptCells | None) -> None:
        self._store.swept.make(None, cells)
        self._problems.add(ended(made))


def _catalogue(document: Document) -> Catalogue:
    try:
        return targets.load_configs(map(Path, document.settings.configs))
    except CoreError:
        return targets.load_configs()
