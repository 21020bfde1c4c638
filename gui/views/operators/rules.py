"""Rules: queries by name that are switched on and off, and the list of those that are on."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QColor, QKeyEvent, QMouseEvent, QPixmap
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidgetItem,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.present.operators.matches import Coloured
from gui.present.operators.order import filter_of
from gui.present.operators.rules import MOST, PRESETS, Rule, Rules
from gui.state.store import Store
from gui.theme.scale import arrange
from gui.widgets.name_list import NameList

_MOST_KEPT = 20
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class _StayingMenu(QMenu):
    """Stays while rules are switched, by a click or the space bar: several are, mostly."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if not self._switched():
            super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_Space or not self._switched():
            super().keyPressEvent(event)

    def _switched(self) -> bool:
        action: QAction | None = self.activeAction()
        if action is None or not action.isCheckable() or not action.isEnabled():
            return False
        action.trigger()
        return True


class RulesButton(QToolButton):
    """Switches rules on and off; the user's own are kept with how the view is set."""

    switched = Signal(str)
    """A query is to be on, or off."""
    kept_typed = Signal()
    """What is typed has become a rule."""
    all_asked = Signal()
    """All matches are to be selected."""

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self.kept: tuple[str, ...] = ()
        """The user's own, the latest first."""
        self.typed = ""
        self.setText("Rules")
        self.setAccessibleName("Rules that colour")
        self.setToolTip(
            "Switch on what is to have a colour of its own in every view, several at once"
        )
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.choices = _StayingMenu(self)
        self.choices.setToolTipsVisible(True)
        self.choices.aboutToShow.connect(self.fill)
        self.setMenu(self.choices)

    @property
    def rules(self) -> Rules:
        """What is on."""
        return self._store.matched.rules

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt would wait in here until the menu goes."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.open()
        else:
            super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The same by key."""
        if event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Down, *_ENTER):
            self.open()
        else:
            super().keyPressEvent(event)

    def open(self) -> None:
        """Show what can be switched, the first of it chosen."""
        self.choices.popup(self.mapToGlobal(QPoint(0, self.height())))
        first = next(each for each in self.choices.actions() if each.isCheckable())
        self.choices.setActiveAction(first)

    def fill(self) -> None:
        """List what can be chosen now."""
        menu = self.choices
        menu.clear()
        for name, query in (*((query, query) for query in self.kept), *PRESETS.items()):
            action = menu.addAction(name.replace("&", "&&"), partial(self._switch, query))
            action.setCheckable(True)
            action.setToolTip(query)
        self._mark()
        menu.addSeparator()
        keep = menu.addAction("Keep what is typed as a rule", self._keep)
        is_new = self.typed not in (*self.kept, *PRESETS.values())
        keep.setEnabled(filter_of(self.typed).query is not None and is_new)
        forget = menu.addMenu("Forget a rule")
        for query in self.kept:
            forget.addAction(query.replace("&", "&&"), partial(self._forget, query))
        forget.setEnabled(bool(self.kept))
        every = menu.addAction("Select all matches (Ctrl+Enter)", self.all_asked.emit)
        every.setEnabled(bool(self.typed) or bool(self.rules.on))

    def _mark(self) -> None:
        """Tick what is on; where all colours are taken, no more can be."""
        is_full = len(self.rules.on) == MOST
        for action in self.choices.actions():
            if action.isCheckable():
                action.setChecked(action.toolTip() in self.rules.texts)
                action.setEnabled(action.isChecked() or not is_full)

    def use_kept(self, queries: Iterable[object]) -> None:
        """Keep these; what a file has beside texts is passed over."""
        texts = (query for query in queries if isinstance(query, str) and query)
        self.kept = tuple(dict.fromkeys(texts))[:_MOST_KEPT]

    def _switch(self, query: str) -> None:
        self.switched.emit(query)
        self._mark()

    def _keep(self) -> None:
        """It is on at once, and no longer typed."""
        query = self.typed
        self.use_kept((query, *self.kept))
        if query not in self.rules.texts:
            self.switched.emit(query)
        self.kept_typed.emit()

    def _forget(self, query: str) -> None:
        self.use_kept(each for each in self.kept if each != query)
        if query in self.rules.texts:
            self.switched.emit(query)


class RulesList(QWidget):
    """Those that are on: their colours, what they find, which wins, and which is gone through."""

    chosen = Signal()
    """Another rule, or all, is listed, or others are on."""
    stepped = Signal(int)
    """By how many hits to go on."""
    all_asked = Signal()

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self.rules = Rules()
        """Those that are listed."""
        self.found: Coloured | None = None
        """What they find."""
        self._is_filling = False
        self.list = _Keyed(self)
        self.list.setToolTip(
            "What several find has the colour of the first: Alt+Up and Alt+Down move one, Del"
            "\nswitches it off. Enter and Shift+Enter go through what the chosen one finds, or all."
        )
        self.list.currentRowChanged.connect(self._on_chosen)
        self.next, self.previous = _button("Next match"), _button("Previous match")
        self.earlier, self.later, self.off = _button("Up"), _button("Down"), _button("Off")
        self.earlier.setToolTip("The chosen rule wins over the one above it")
        self.later.setToolTip("The one below wins over the chosen rule")
        self.off.setToolTip("The chosen rule has no colour any more")
        self.next.clicked.connect(lambda: self.stepped.emit(1))
        self.previous.clicked.connect(lambda: self.stepped.emit(-1))
        self.earlier.clicked.connect(lambda: self.move_chosen(-1))
        self.later.clicked.connect(lambda: self.move_chosen(1))
        self.off.clicked.connect(self.switch_chosen_off)
        buttons = QHBoxLayout()
        arrange(buttons)
        for button in (self.previous, self.next, self.earlier, self.later, self.off):
            buttons.addWidget(button)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        arrange(column)
        column.addWidget(self.list)
        column.addLayout(buttons)
        self.hide()

    @property
    def rule(self) -> Rule | None:
        """The one that is chosen; None where it is all of them."""
        row = self.list.currentRow() - 1
        return self.rules.on[row] if 0 <= row < len(self.rules.on) else None

    def use(self, rules: Rules) -> None:
        """Have others on, or in another order."""
        self._store.matched.colour(rules)
        self.show_rules()
        self.chosen.emit()

    def show_rules(self) -> None:
        """List those that are on; the one that was chosen stays so."""
        chosen = None if self.rule is None else self.rule.text
        store, rules, found = self._store, self._store.matched.rules, None
        if store.answer is not None and rules.on:
            compared = store.compared.of(store.answer)
            found = store.matched.of(store.document, store.answer, compared)
        self.rules, self.found, self._is_filling = rules, found, True
        self.list.clear()
        self.list.addItem("All of them" if found is None else f"All: {found.lit.counted}")
        counts = [""] * len(rules.on) if found is None else [text for _, text in found.legend]
        for rule, text in zip(rules.on, counts, strict=True):
            item = QListWidgetItem(
                _patch(store.theme.inks[rule.tone].colour, self), text or rule.name
            )
            item.setToolTip(rule.text)
            self.list.addItem(item)
        self.list.setCurrentRow(rules.texts.index(chosen) + 1 if chosen in rules.texts else 0)
        self._is_filling = False
        lines = sum(map(self.list.sizeHintForRow, range(self.list.count())))
        self.list.setFixedHeight(lines + 2 * self.list.frameWidth())
        self.setVisible(bool(rules.on))
        self._enable()

    def move_chosen(self, by: int) -> None:
        """Have the chosen one win over others, or not."""
        if self.rule is not None:
            self.use(self.rules.moved(self.rule.text, by))

    def switch_chosen_off(self) -> None:
        """Have no colour for it."""
        if self.rule is not None:
            self.use(self.rules.switched(self.rule.text))

    def _on_chosen(self) -> None:
        if not self._is_filling:
            self._enable()
            self.chosen.emit()

    def _enable(self) -> None:
        at = self.list.currentRow()
        self.earlier.setEnabled(at > 1)
        self.later.setEnabled(0 < at < len(self.rules.on))
        self.off.setEnabled(at > 0)


class _Keyed(NameList):
    """All that can be done with a rule has a key."""

    def __init__(self, rules: RulesList) -> None:
        super().__init__("Rules that are on", rules)
        self._rules = rules

    def keyPressEvent(self, event: QKeyEvent) -> None:
        modifiers, key = event.modifiers(), event.key()
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        if key in steps and modifiers & Qt.KeyboardModifier.AltModifier:
            self._rules.move_chosen(steps[Qt.Key(key)])
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self._rules.switch_chosen_off()
        elif key in _ENTER and modifiers & Qt.KeyboardModifier.ControlModifier:
            self._rules.all_asked.emit()
        elif key in _ENTER:
            is_back = bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
            self._rules.stepped.emit(-1 if is_back else 1)
        else:
            super().keyPressEvent(event)


def _button(text: str) -> QToolButton:
    button = QToolButton()
    button.setText(text)
    button.setAccessibleName(f"{text}, of the rules that are on")
    return button


def _patch(colour: str, of: QWidget) -> QPixmap:
    side = of.fontMetrics().ascent()
    patch = QPixmap(side, side)
    patch.fill(QColor(colour))
    return patch
