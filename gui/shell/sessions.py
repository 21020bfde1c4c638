"""Work that was broken off is offered, and work that was left can be had again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QDateTime, QLocale, QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from core.base.errors import CoreError
from core.base.files import write_whole
from core.base.forms import Form
from core.base.outputs import Output, demand_outputs
from gui.document.history import History
from gui.document.inputs import inputs_of
from gui.document.problem import Problem
from gui.document.session import Session, encode, read_session
from gui.document.session_versions import NewerSession
from gui.present.problems import OFFER_KEY, offer_of
from gui.shell.banner import Banner
from gui.shell.session_folder import SessionFolder, Slot, put_aside
from gui.shell.session_keeper import Keeper, tell_unkept
from gui.shell.session_work import Work, obstacle_of
from gui.state.store import Store

FILE_SUFFIX = Form.SESSION.suffix
_FILES = f"Reefpoint sessions (*{FILE_SUFFIX});;All (*)"


class Sessions(QObject):
    """Keeps what is done from `begin` to `finish`; without a folder it keeps nothing."""

    def __init__(
        self, store: Store, folder: Path | None, banner: Banner, work: Work, window: QWidget
    ) -> None:
        super().__init__(window)
        self._store = store
        self._folder = SessionFolder(folder) if folder else None
        self._banner = banner
        self._work = work
        self._window = window
        self._offered: list[tuple[Slot, Session]] = []
        self.keeper: Keeper | None = None

    def begin(self, untouched: History | None = None) -> None:
        """Offer what was broken off, and keep what is done from now on, but not this history."""
        if self._folder is None:
            return
        try:
            abandoned = self._folder.abandoned()
            slot = self._folder.take()
        except OSError as error:
            tell_unkept(self._banner, _why(error, self._folder.path))
            return
        self.keeper = Keeper(self._store, self._work, self._banner, slot, untouched)
        self._offered = [(old, found) for old in abandoned if (found := self._readable(old))]
        self._offer()

    def finish(self) -> None:
        """Leave the work as the last session, and what was not decided to the next start."""
        if self._folder is None or self.keeper is None:
            return
        keeper, self.keeper = self.keeper, None
        keeper.close()
        self._try(partial(self._folder.leave, keeper.slot), keeper.slot.file)
        for slot, _ in self._offered:
            self._try(partial(self._folder.let_go, slot), slot.file)
        self._offered = []

    # What commands ask for.

    @property
    def offers(self) -> int:
        """How many were broken off, and wait for the user to decide."""
        return len(self._offered)

    @property
    def has_last(self) -> bool:
        """Whether there is work that was left on purpose."""
        return self._folder is not None and self._folder.last.is_file()

    def restore(self) -> None:
        """Go on with what was broken off last."""
        if self._folder is None or self.keeper is None or not self._offered:
            return
        slot, session = self._offered.pop(0)
        self._go_on(session)
        # Now it is in a file of ours, and its own can go.
        self.keeper.writer.flush()
        self._try(partial(self._folder.drop, slot), slot.file)
        self._offer()

    def dismiss(self) -> None:
        """Offer it no more; it can still be reopened as the last one."""
        if self._folder is None or not self._offered:
            return
        slot, _ = self._offered.pop(0)
        self._try(partial(self._folder.leave_if_later, slot), slot.file)
        self._offer()

    def reopen_last(self) -> None:
        """Go on with what was left on purpose, and leave what is open now in its stead."""
        if self._folder is None:
            return
        last = self._folder.last
        session = self._read(last, lambda: put_aside(last))
        if session is not None:
            self._go_on(session)

    def ask_open(self) -> None:
        """Let the user choose a session file."""
        path, _ = QFileDialog.getOpenFileName(self._window, "Open a session", "", _FILES)
        if path:
            self.open_file(Path(path))

    def open_file(self, file: Path) -> None:
        """Go on with the work of a file; where it cannot be read, say why."""
        session = self._read(file)
        if session is not None:
            self._go_on(session, file.parent)

    def ask_save(self) -> None:
        """Let the user choose where to keep the work as a file."""
        model = self._store.document.model
        proposal = str(Path(model.path).with_suffix(FILE_SUFFIX)) if model else ""
        path, _ = QFileDialog.getSaveFileName(self._window, "Save the session", proposal, _FILES)
        if path:
            self.save_file(Path(path))

    def save_file(self, file: Path) -> None:
        """Keep the work as a file; where it cannot be written, say why."""
        if not file.suffix:
            file = file.with_suffix(FILE_SUFFIX)
        self._work.look_at_window()
        try:
            output = Output(path=file, form=Form.SESSION)
            inputs = inputs_of(self._store.document, self._store.measurement)
            demand_outputs([output], inputs)
            write_whole({file: encode(self._work.session).encode()})
        except CoreError as error:
            message = f"The session was not saved: {error}."
            self._banner.add(Problem(key=_key(file), message=message))
        else:
            self._banner.take_back(_key(file))

    # How.

    def _go_on(self, session: Session, near: Path | None = None) -> None:
        """Have other work in the window; what is there now can be reopened."""
        if self._folder is not None and self.keeper is not None and self.keeper.has_work:
            self._work.look_at_window()
            left = encode(self._work.session)
            self._try(partial(self._folder.leave_text, left), self._folder.last)
        self._work.go_on(session, near)

    def _offer(self) -> None:
        """Offer the first of those that wait."""
        if not self._offered:
            self._banner.take_back(OFFER_KEY)
            return
        slot, session = self._offered[0]
        changed = QDateTime.fromSecsSinceEpoch(int(slot.file.stat().st_mtime))
        when = QLocale().toString(changed, QLocale.FormatType.ShortFormat)
        self._banner.add(offer_of(session, when, obstacle_of(session), len(self._offered) - 1))

    def _readable(self, slot: Slot) -> Session | None:
        """What is in a file that was left behind; one that is broken is set aside."""
        folder = self._folder
        assert folder is not None
        session = self._read(slot.file, lambda: folder.set_aside(slot))
        if session is None and slot.file.exists():
            self._try(partial(folder.let_go, slot), slot.file)
        return session

    def _read(self, file: Path, set_aside: Callable[[], Path] | None = None) -> Session | None:
        try:
            session = read_session(file)
        except NewerSession as error:
            fate = f"{error}. It is left where it is."
        except CoreError as error:
            aside = _tried(set_aside) if set_aside else None
            fate = f"{error}." + (f" It was set aside as {aside}." if aside else "")
        else:
            self._banner.take_back(_key(file))
            return session
        self._banner.add(Problem(key=_key(file), message=f"The session cannot be read: {fate}"))
        return None

    def _try(self, act: Callable[[], object], about: Path) -> None:
        """Do something to files; where it fails, say so."""
        try:
            act()
        except OSError as error:
            self._banner.add(Problem(key=_key(about), message=f"{_why(error, about)}."))


def _tried(act: Callable[[], Path]) -> Path | None:
    try:
        return act()
    except OSError:
        return None


def _why(error: OSError, about: Path) -> str:
    return f"{about}: {error.strerror or error}"


def _key(file: Path) -> str:
    return f"session {file}"
