"""What opens over the window: lists of commands and keys, and texts to read."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QInputDialog,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from core.base.harmless import xml_text
from core.base.version import VERSION
from gui.commands.command import Command
from gui.commands.gestures import GESTURES
from gui.present.edits.offers import Offer
from gui.present.finds import Find
from gui.shell.actions import Actions, shown_keys
from gui.shell.finder import Finder
from gui.shell.help import HelpDialog
from gui.shell.start_screen import StartScreen
from gui.state.store import Store
from gui.theme import fonts
from gui.theme.scale import Gap, arrange
from gui.views.controls.view import ControlsView
from gui.widgets.offer_menu import OfferMenu

RESOURCES = Path(__file__).parents[2] / "resources"

_PACKAGES = ("PySide6-Essentials", "pyqtgraph", "numpy", "flatbuffers", "tflite")

_LETTERS, _LINES = 110, 42
_NOTE_LETTERS = 60
_MOST_NUMBER = (1 << 31) - 1
"""Qt's numbers go no further."""

_ABOUT = f"""
<h2>Reefpoint {VERSION}</h2>
<p>To reef a sail is to take it in until it fits the wind. Reefpoint shows how a network fits the
SRAM of an Arm Ethos-U NPU, and lets you take it in.</p>
<p>Cycles and times are estimates of a cost model. What the hardware does
is measured on hardware.</p>
"""


class TextDialog(QDialog):
    """A text to read and to copy from; it does not keep the window from being used."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.browser = QTextBrowser()
        self.browser.setAccessibleName(title)
        self.browser.setOpenLinks(False)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.close)
        column = QVBoxLayout(self)
        arrange(column, Gap.LARGE, Gap.MEDIUM)
        column.addWidget(self.browser)
        column.addWidget(buttons)
        letter, line = self.fontMetrics().averageCharWidth(), self.fontMetrics().lineSpacing()
        self.resize(
            min(_LETTERS * letter, parent.width() - 40), min(_LINES * line, parent.height() - 40)
        )


class Dialogs:
    """Opens them."""

    def __init__(self, store: Store, views: Mapping[str, QWidget], window: QWidget) -> None:
        self._store = store
        self._views = views
        self._window = window
        self._help: HelpDialog | None = None
        self.actions: Actions | None = None
        """Set as soon as there are any."""

    def palette(self) -> None:
        """Open the list of all commands, to be filtered by typing."""
        if self.actions is not None:
            self.actions.refresh()
            Finder(self._store, self.actions, self._window, self._go_to)

    def start(self) -> None:
        """Offer what to begin with."""
        if self.actions is not None:
            self.actions.refresh()
            StartScreen(self.actions, self._window)

    def find(self) -> None:
        """Open the list of all that can be selected, to be filtered by typing."""
        if self.actions is not None:
            Finder(self._store, self.actions, self._window, self._go_to, has_commands=False)

    def _go_to(self, find: Find) -> None:
        """Select what was found, and turn to the view that has it alone."""
        if not find.target.is_empty:
            self._store.select(find.target)
        if find.panel and self.actions is not None:
            self.actions.run(f"go.{find.panel}")
        controls = self._views.get(find.panel)
        if find.knob and isinstance(controls, ControlsView):
            controls.go_to(find.knob)

    def help(self, page: str) -> None:
        """Open the help at a page."""
        if self._help is None or not isValid(self._help):
            self._help = HelpDialog(self._views, self._window)
        self._help.show_page(page)
        self._help.show()
        self._help.activateWindow()

    def shortcuts(self) -> None:
        """Open the sheet of keys."""
        if self.actions is not None:
            self._read("Keys and gestures", sheet(self.actions.commands) + gesture_sheet())

    def offer(self, title: str, offers: Sequence[Offer]) -> None:
        """Let the user choose a value from a list."""
        OfferMenu(title, offers, self._store, self._window).popup(self._place())

    def ask_number(
        self, title: str, value: int, choose: Callable[[int], object], *, step: int
    ) -> None:
        """Let the user type a whole number."""
        dialog = QInputDialog(self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(title)
        dialog.setLabelText(title)
        dialog.setInputMode(QInputDialog.InputMode.IntInput)
        dialog.setIntRange(0, _MOST_NUMBER)
        dialog.setIntStep(step)
        dialog.setIntValue(value)
        dialog.intValueSelected.connect(choose)
        dialog.open()

    def ask_text(self, title: str, text: str, choose: Callable[[str], object]) -> None:
        """Let the user write a line."""
        dialog = QInputDialog(self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle("Note")
        dialog.setLabelText(title)
        dialog.setInputMode(QInputDialog.InputMode.TextInput)
        dialog.setTextValue(text)
        dialog.resize(self._window.fontMetrics().averageCharWidth() * _NOTE_LETTERS, 0)
        dialog.textValueSelected.connect(choose)
        dialog.open()

    def _place(self) -> QPoint:
        """Where the pointer is; where that is elsewhere, the middle of what has the focus."""
        focus = QApplication.focusWidget() or self._window
        pointer = QCursor.pos()
        inside = self._window.rect().contains(self._window.mapFromGlobal(pointer))
        return pointer if inside else focus.mapToGlobal(focus.rect().center())

    def about(self) -> None:
        """Say what this is."""
        self._read("About Reefpoint", _ABOUT)

    def changelog(self) -> None:
        """Say what is new."""
        dialog = TextDialog("What is new", self._window)
        dialog.browser.setMarkdown((RESOURCES / "changelog.md").read_text("utf-8"))
        dialog.show()

    def licences(self) -> None:
        """Say whose work is in this, and under which terms."""
        rows = "".join(f"<tr><td>{name}</td><td>{terms}</td></tr>" for name, terms in _terms())
        font = xml_text((RESOURCES / "fonts" / "LICENSE.txt").read_text("utf-8"))
        self._read(
            "Licences",
            "<h3>Packages</h3><table cellpadding='3'>" + rows + "</table>"
            f"<h3>Fonts</h3><p style='white-space: pre-wrap'>{font}</p>",
        )

    def _read(self, title: str, text: str) -> None:
        dialog = TextDialog(title, self._window)
        dialog.browser.setHtml(text)
        dialog.show()


def _terms() -> Iterable[tuple[str, str]]:
    """Each package that is used, and what it says of its licence."""
    for name in _PACKAGES:
        data = importlib.metadata.metadata(name)
        said = data.get_all("License-Expression") or data.get_all("License") or [""]
        terms = said[0].strip().splitlines()[0] if said[0].strip() else "see the package"
        yield f"{name} {data['Version']}", xml_text(terms)


def sheet(commands: Iterable[Command]) -> str:
    """All keys, by the menu that has their command."""
    by_menu: dict[str, list[Command]] = {}
    for command in commands:
        if command.keys:
            by_menu.setdefault(": ".join(command.menu), []).append(command)
    parts = []
    for menu, found in by_menu.items():
        parts.append(f"<h3>{xml_text(menu)}{_where(found)}</h3><table cellpadding='3'>")
        parts += (_key_row(command) for command in found)
        parts.append("</table>")
    return "".join(parts)


def gesture_sheet() -> str:
    """All that the mouse does, by where it does it."""
    parts = []
    for place, gestures in GESTURES.items():
        parts.append(f"<h3>Mouse: {xml_text(place)}</h3><table cellpadding='3'>")
        parts += (
            f"<tr><td width='170'>{xml_text(each.gesture)}</td><td>{xml_text(each.does)}</td></tr>"
            for each in gestures
        )
        parts.append("</table>")
    return "".join(parts)


def _where(found: Iterable[Command]) -> str:
    """Where the focus has to be for keys to work."""
    scopes = {scope for command in found for scope in command.scopes}
    if not scopes:
        return ""
    return f" (while {'the' if len(scopes) == 1 else 'a'} panel has the focus)"


def _key_row(command: Command) -> str:
    keys = xml_text(shown_keys(command))
    return (
        f"<tr><td width='170' style='font-family: {fonts.MONO}'>{keys}</td>"
        f"<td>{xml_text(command.title)}</td></tr>"
    )
