"""Exports: a dialog asks, a process of its own makes, and the strip tells what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from core.base.frozen import replace
from gui.commands.app import Problems
from gui.commands.panels import pictured
from gui.document.inputs import inputs_of
from gui.document.wares import Ware
from gui.export import worker
from gui.export.orders import Order, PictureRequest
from gui.jobs.exporter import Exporter
from gui.jobs.messages import ErrandEnd, Exported, Failed
from gui.jobs.spawn import Entry
from gui.present.exports import KEY, failed, misfit, moment_text, stopped, written
from gui.present.runs.best import front_answered
from gui.shell.export_dialog import ExportDialog
from gui.shell.export_form import Start
from gui.shell.panels import Panels
from gui.state.store import Store
from gui.views.tradeoff.view import TradeOffView
from gui.widgets.patient_view import PatientView

_DEFAULT_SIZE = (1280, 720)


def _open_by_desktop(path: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))


class Exports(QObject):
    """Hands work over; one thing after the other."""

    aside = Signal(str)
    """How far the export is whose dialog is out of sight; empty where there is none."""

    def __init__(
        self,
        store: Store,
        problems: Problems,
        views: Mapping[str, QWidget],
        panels: Panels,
        window: QWidget,
        *,
        entry: Entry = worker.main,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        super().__init__(window)
        self._store = store
        self._problems = problems
        self._views = views
        self._panels = panels
        self._window = window
        self.clock = clock
        self.exporter = Exporter(entry, self)
        self.exporter.advanced.connect(self._on_advanced)
        self.exporter.ended.connect(self._on_ended)
        self.dialog: ExportDialog | None = None
        self.open_path: Callable[[Path], object] = _open_by_desktop
        self.written: tuple[Path, ...] = ()
        """The files of the last export."""
        self._folder: Path | None = None
        """Where the last file went."""
        self._order: Order | None = None
        self._misfit_of_order = ""
        store.changed.connect(self._on_changed)

    def open_written(self, *, in_folder: bool = False) -> None:
        """Have the desktop open what was written last, or the folder that it is in."""
        if self.written:
            self.open_path(self.written[0].parent if in_folder else self.written[0])

    def ask(self, ware: Ware) -> None:
        """Let the user say how something is to be exported."""
        if self.dialog is not None:
            if not self.dialog.is_running:
                self.dialog.form.ware.setCurrentText(ware.value)
            self.come_back()
            return
        model = self._store.document.model
        if model is None:
            return
        view = self._panels.last_focused
        has_sweep = self._store.swept.shown is not None
        views = pictured(self._store.document.settings, self._store.answer, has_sweep=has_sweep)
        shown = self._views.get(view)
        start = Start(
            ware=ware,
            wares=tuple(each for each in Ware if has_sweep or each is not Ware.SWEEP),
            model=model.name,
            folder=self._folder or Path(model.path).parent,
            views=views,
            view=view if view in views else next(iter(views)),
            size=(shown.width(), shown.height()) if shown and view in views else _DEFAULT_SIZE,
            theme=self._store.theme.name,
        )
        inputs = inputs_of(self._store.document, self._store.measurement)
        self.dialog = ExportDialog(start, inputs, self._store.theme, self._window)
        self.dialog.asked.connect(self._make)
        self.dialog.given_up.connect(self.exporter.cancel)
        self.dialog.aside.clicked.connect(self._put_aside)
        self.dialog.finished.connect(self._forget)
        self.dialog.form.show_misfit(self._misfit)
        self.dialog.show()

    def _put_aside(self) -> None:
        if self.dialog is not None:
            self.dialog.hide()
            self.aside.emit(self.dialog.stage.text())

    def come_back(self) -> None:
        """Show the dialog again that is out of sight."""
        if self.dialog is not None:
            self.dialog.show()
            self.dialog.activateWindow()
            self.aside.emit("")

    def shutdown(self) -> None:
        """Give up what is on its way, and end the process."""
        self.exporter.shutdown()

    def _forget(self) -> None:
        self.dialog = None

    @property
    def _misfit(self) -> str:
        return misfit(self._store.answer, self._store.display.byte_unit)

    def _on_changed(self) -> None:
        if self.dialog is not None:
            self.dialog.form.show_misfit(self._misfit)

    def _make(self) -> None:
        """Ask the process for what the dialog says, of what is shown now."""
        dialog, store = self.dialog, self._store
        answer = store.answer
        if dialog is None or self.exporter.is_busy:
            return
        if answer is None or not store.is_current:
            dialog.tell("There is no schedule of what is asked for now.")
            return
        self._order = self._order_of(dialog)
        self._misfit_of_order = self._misfit if self._order.ware is Ware.MODEL else ""
        self._problems.take_back(KEY)
        dialog.run()
        # A search that was stopped is not taken up again by an export.
        is_stopped = store.growth.is_stopped and front_answered(answer) is not None
        self.exporter.start(answer.document, self._order, answer if is_stopped else None)

    def _order_of(self, dialog: ExportDialog) -> Order:
        form, store = dialog.form, self._store
        picture = None
        if form.chosen_ware is Ware.PICTURE:
            picture = form.picture
            view = self._views[picture.view]
            if isinstance(view, PatientView):
                view.catch_up()
                picture = replace(picture, look=view.look())
        return Order(
            ware=form.chosen_ware,
            path=form.path,
            form=form.chosen_form,
            verifies=form.verifies.isChecked(),
            quantity=form.chosen_quantity,
            picture=picture,
            made_at=moment_text(self.clock()),
            display=store.display,
            selection=store.selection,
            span=store.selected_span,
            measurement=store.measurement,
            notes=store.notes.entries,
            swept=store.swept.shown if _is_of_sweep(form.chosen_ware, picture) else None,
            rules=store.matched.rules.kept,
            replaces=dialog.replaces,
        )

    def _on_advanced(self, stage: str, done: int, total: int) -> None:
        if self.dialog is not None and self.dialog.is_running:
            self.dialog.advance(stage, done, total)
            if not self.dialog.isVisible():
                self.aside.emit(self.dialog.stage.text())

    def _on_ended(self, end: ErrandEnd) -> None:
        order, dialog = self._order, self.dialog
        if order is None:
            return
        self.aside.emit("")
        if isinstance(end, Exported):
            self._folder = Path(order.path).parent
            self.written = tuple(map(Path, end.paths))
            size = sum(Path(path).stat().st_size for path in end.paths)
            self._problems.add(written(end.paths, end.notes, size, self._misfit_of_order))
            if dialog is not None:
                dialog.is_running = False
                dialog.accept()
        elif isinstance(end, Failed):
            self._problems.add(failed(end.message, order.path))
            if dialog is not None:
                dialog.tell(end.message)
        elif dialog is not None:
            dialog.tell(stopped())


def _is_of_sweep(ware: Ware, picture: PictureRequest | None) -> bool:
    """Whether all cells have to travel."""
    return ware is Ware.SWEEP or (picture is not None and picture.view == TradeOffView.NAME)
