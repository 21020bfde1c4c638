"""Commands as actions, and the menu bar and the tool bar that are built of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QApplication, QMenu, QMenuBar, QToolBar, QWidget

from core.base.frozen import NamedTuple
from gui.commands.app import App
from gui.commands.command import Command
from gui.document.changes import ChangeSet, Part
from gui.document.decisions import Deed
from gui.present.decide.form import title_of
from gui.present.edits.deeds import NOTHING_PICKED
from gui.present.notes.rows import NOTHING_TO_NOTE
from gui.shell.icons import icon
from gui.state.store import Store
from gui.widgets.menu_heading import add_heading
from gui.widgets.price_column import Choice, PriceColumn


class _Told(NamedTuple):
    """What an action says of its command."""

    title: str
    obstacle: str


class Actions(QObject):
    """One action for each command; keys of a view's commands work only while it has the focus."""

    refused = Signal(str)
    """Why a command that was asked for cannot run now."""

    def __init__(
        self,
        app: App,
        table: Sequence[Command],
        window: QWidget,
        views: Mapping[str, QWidget],
    ) -> None:
        super().__init__(window)
        self._app = app
        self._commands = {command.id: command for command in table}
        self._actions: dict[str, QAction] = {}
        self._groups: dict[tuple[str, ...], QActionGroup] = {}
        self._told: dict[str, _Told] = {}
        """By command: Qt works on each word that it is given, also where none has changed."""
        for command in table:
            self._actions[command.id] = self._make(
                command, [views[name] for name in command.scopes] or [window]
            )
        self._phase = app.store.job.phase
        self._is_behind = True
        self._dress()
        self.refresh()
        app.store.changed.connect(self._on_changed)

    def __getitem__(self, name: str) -> QAction:
        """Who asks for an action sees it as it is now."""
        self._catch_up()
        return self._actions[name]

    @property
    def commands(self) -> tuple[Command, ...]:
        """What the actions are made of."""
        return tuple(self._commands.values())

    def _make(self, command: Command, owners: Iterable[QWidget]) -> QAction:
        action = QAction(command.title, self)
        action.setObjectName(command.id)
        if not command.view_listens:
            action.setShortcuts([QKeySequence(key) for key in command.keys])
        if command.scopes:
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.setCheckable(command.is_on is not None)
        if command.is_choice:
            self._group(command.menu).addAction(action)
        action.setMenuRole(QAction.MenuRole.NoRole)
        action.triggered.connect(lambda: self._on_triggered(command))
        for owner in owners:
            owner.addAction(action)
        return action

    def _group(self, menu: tuple[str, ...]) -> QActionGroup:
        """The choices of a menu; where what is asked for is none of them, none is on."""
        if menu not in self._groups:
            self._groups[menu] = QActionGroup(self)
            self._groups[menu].setExclusionPolicy(QActionGroup.ExclusionPolicy.ExclusiveOptional)
        return self._groups[menu]

    def row(self, name: str, menu: QMenu) -> Choice | None:
        """A row of its own in a menu under the name of what it is about; a choice where it decides
        something that is not so already.

        The action itself is in other menus too, where its title has that name and no price.
        """
        command, action = self._commands[name], self._actions[name]
        keys = shown_keys(command)
        text = f"{command.title} ({keys})" if keys else command.title
        row = menu.addAction(text)
        row.setObjectName(name)
        row.setEnabled(action.isEnabled())
        row.setCheckable(action.isCheckable())
        row.setChecked(action.isChecked())
        row.setToolTip(action.toolTip())
        row.triggered.connect(lambda: self.run(name))
        deed = None if command.deed is None or row.isChecked() else command.deed(self._app)
        return Choice(row, text, deed) if isinstance(deed, Deed) else None

    def run(self, name: str) -> bool:
        """Run a command if it can run now; whether it did."""
        command = self._commands[name]
        can_run = not command.when(self._app)
        if can_run:
            command.run(self._app)
        self._look_soon()
        return can_run

    def heed_left_key(self, keys: QKeySequence) -> None:
        """A key that nobody had a use for may be that of a command that cannot run now."""
        focus = QApplication.focusWidget()
        for command in self._commands.values():
            action, told = self[command.id], self._told[command.id]
            if not told.obstacle or keys not in action.shortcuts():
                continue
            owners = [each for each in action.associatedObjects() if isinstance(each, QWidget)]
            if not command.scopes or any(each.isAncestorOf(focus) for each in owners if focus):
                self.refused.emit(f"{told.title}: {told.obstacle}")
                return

    def _on_triggered(self, command: Command) -> None:
        # An action's look may be a moment old.
        obstacle = command.when(self._app)
        if not self.run(command.id):
            self.refused.emit(f"{command.title_now(self._app)}: {obstacle}")

    def _look_soon(self) -> None:
        """Once what was done is shown: nothing of a picture waits for menus."""
        self._is_behind = True
        self._app.store.turns.ask(self, self._catch_up)

    def _catch_up(self) -> None:
        if self._is_behind:
            self.refresh()

    def refresh(self) -> None:
        """See again what can run, what is on, and what it is called."""
        self._is_behind = False
        for name, command in self._commands.items():
            told = _Told(command.title_now(self._app), command.when(self._app))
            if told != self._told.get(name):
                self._told[name] = told
                self._tell(command, told)
            if command.is_on is not None:
                # A click has changed it already, whatever came of that.
                self._actions[name].setChecked(command.is_on(self._app))

    def _tell(self, command: Command, told: _Told) -> None:
        action = self._actions[command.id]
        action.setEnabled(not told.obstacle)
        action.setVisible(not (command.hides and told.obstacle))
        action.setText(told.title.replace("&", "&&"))
        action.setToolTip(_tip(told.title, command, told.obstacle))
        action.setStatusTip(told.obstacle)

    def _on_changed(self, changes: ChangeSet) -> None:
        if changes.has(Part.DISPLAY):
            self._dress()
        # Progress and what is played enable nothing. All else is looked at once, after views have
        # had their turn; what runs looks for itself.
        phase = self._app.store.job.phase
        if not changes.parts <= {Part.JOB, Part.PLAYED} or phase is not self._phase:
            self._phase = phase
            self._look_soon()

    def _dress(self) -> None:
        for name, action in self._actions.items():
            found = icon(name, self._app.store.theme)
            if found is not None:
                action.setIcon(found)
                action.setIconVisibleInMenu(False)


def _tip(title: str, command: Command, obstacle: str) -> str:
    keys = f" ({shown_keys(command)})" if command.keys else ""
    return f"{title}{keys}" + (f"\nNot now: {obstacle}" if obstacle else "")


def shown_keys(command: Command) -> str:
    """The keys of a command as this system writes them."""
    form = QKeySequence.SequenceFormat.NativeText
    return ", ".join(QKeySequence(key).toString(form) for key in command.keys)


def fill_menu_bar(bar: QMenuBar, titles: Iterable[str], actions: Actions) -> None:
    """Add a menu for each title, and to it the commands that name it."""
    for title in titles:
        menu = bar.addMenu(f"&{title}")
        menu.setObjectName(title)
        menu.aboutToShow.connect(actions.refresh)
        _fill(menu, (title,), [c for c in actions.commands if c.menu[0] == title], actions)


def _fill(
    menu: QMenu, path: tuple[str, ...], commands: Sequence[Command], actions: Actions
) -> None:
    """Add commands in their order; a menu inside is where the first of its commands is."""
    inner: set[str] = set()
    section: int | None = None
    for command in commands:
        name = command.menu[len(path)] if len(command.menu) > len(path) else ""
        if name in inner:
            continue
        if section not in (None, command.section):
            menu.addSeparator()
        section = command.section
        if not name:
            menu.addAction(actions[command.id])
            continue
        inner.add(name)
        below = menu.addMenu(name)
        below.setObjectName(name)
        whole = (*path, name)
        _fill(below, whole, [c for c in commands if c.menu[: len(whole)] == whole], actions)


def fill_context_menu(
    menu: QMenu, groups: Iterable[tuple[str, Sequence[str]]], actions: Actions, store: Store
) -> None:
    """Add groups of commands under headings, below the name of what they are about; those about
    another kind are left out."""
    actions.refresh()
    menu.setToolTipsVisible(True)
    if store.answer is not None and (title := title_of(store.answer, store.selection)):
        add_heading(menu, title)
    choices = []
    for heading, group in groups:
        hidden = NOTHING_PICKED | {NOTHING_TO_NOTE}
        shown = [name for name in group if actions[name].statusTip() not in hidden]
        if shown:
            add_heading(menu, heading)
        choices += [each for name in shown if (each := actions.row(name, menu)) is not None]
    PriceColumn(menu, store, choices)


def fill_tool_bar(bar: QToolBar, groups: Iterable[Sequence[str]], actions: Actions) -> None:
    """Add groups of commands with lines between them."""
    side = bar.fontMetrics().height() + 4
    bar.setIconSize(QSize(side, side))
    for number, group in enumerate(groups):
        if number:
            bar.addSeparator()
        for name in group:
            bar.addAction(actions[name])
            button = bar.widgetForAction(actions[name])
            button.setAccessibleName(actions[name].text())
