"""All commands, and all that can be gone to: type letters, choose by arrows, run by Enter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLabel,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from core.base.frozen import NamedTuple
from gui.commands.fuzzy import Match, match
from gui.present.finds import Find, finds_of, other_words
from gui.shell.actions import Actions, shown_keys
from gui.state.store import Store
from gui.theme.scale import Gap, arrange
from gui.theme.tones import Theme

KEYS_ROLE = Qt.ItemDataRole.UserRole
OBSTACLE_ROLE = Qt.ItemDataRole.UserRole + 1
POSITIONS_ROLE = Qt.ItemDataRole.UserRole + 2

_Index = QModelIndex | QPersistentModelIndex
_WIDTH_LETTERS, _ROWS = 80, 14


class RowPainter(QStyledItemDelegate):
    """Draws title, keys, and for what cannot run now the reason."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """One line with some air."""
        del index
        metrics: QFontMetrics = option.fontMetrics
        return QSize(0, metrics.height() + 6)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        theme = self._theme
        rect: QRect = option.rect
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        obstacle = index.data(OBSTACLE_ROLE)
        if is_chosen:
            painter.fillRect(rect, QColor(theme.accent))
        faint = theme.accent_text if is_chosen else theme.faint_text
        plain = theme.accent_text if is_chosen else theme.text
        inner = rect.adjusted(8, 0, -8, 0)
        right = obstacle or index.data(KEYS_ROLE)
        metrics = painter.fontMetrics()
        painter.setPen(QColor(faint))
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, right)
        left = inner.adjusted(0, 0, -metrics.horizontalAdvance(right) - 12, 0)
        painter.setPen(QColor(faint if obstacle else plain))
        self._draw_title(painter, left, index)

    def _draw_title(self, painter: QPainter, rect: QRect, index: _Index) -> None:
        """Letters that were typed are bold; each stretch is drawn after the one before."""
        title = index.data(Qt.ItemDataRole.DisplayRole)
        positions = set(index.data(POSITIONS_ROLE))
        plain = QFont(painter.font())
        bold = QFont(plain)
        bold.setBold(True)
        x = rect.left()
        begin = 0
        while begin < len(title):
            is_hit = begin in positions
            end = begin + 1
            while end < len(title) and (end in positions) == is_hit:
                end += 1
            painter.setFont(bold if is_hit else plain)
            room = QRect(x, rect.top(), max(rect.right() - x, 0), rect.height())
            metrics = painter.fontMetrics()
            part = title[begin:end]
            painter.drawText(
                room,
                Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
                metrics.elidedText(part, Qt.TextElideMode.ElideRight, room.width()),
            )
            x += metrics.horizontalAdvance(part)
            begin = end
        painter.setFont(plain)


class Row(NamedTuple):
    """A command, or something that can be selected, as the list shows it."""

    id: str
    """Empty where it is no command."""
    title: str
    keys: str = ""
    obstacle: str = ""
    usual: str = ""
    """What it is called whatever is selected; it is found by that name as well."""
    positions: tuple[int, ...] = ()
    """Letters of the title that were typed."""
    target: Find | None = None
    """What is gone to, where it is no command."""
    others: str = ""
    """What others would type."""

    def match(self, query: str) -> Match | None:
        """How well a name has what was typed; names that are not seen count only as typed."""
        now, usual = match(query, self.title), match(query, self.usual)
        if now is None or not now.is_whole:
            for hidden in (usual, match(query, f"{self.title} {self.others}")):
                if hidden is not None and hidden.is_whole:
                    length = len(self.title) if hidden is not usual else 0
                    places = tuple(at for at in hidden.positions if at < length)
                    return hidden._replace(positions=places)
        return now if now is not None or usual is None else usual._replace(positions=())


class Rows(QAbstractListModel):
    """Those that have the typed letters."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[Row, ...] = ()

    def show(self, rows: tuple[Row, ...]) -> None:
        """List these."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.rows[index.row()]
        parts: dict[int, Any] = {
            Qt.ItemDataRole.DisplayRole: row.title,
            Qt.ItemDataRole.AccessibleTextRole: f"{row.title} {row.keys} {row.obstacle}".strip(),
            KEYS_ROLE: row.keys,
            OBSTACLE_ROLE: row.obstacle,
            POSITIONS_ROLE: row.positions,
        }
        return parts.get(role)


class Finder(QFrame):
    """All commands, and all that can be gone to; it lies over the window, and goes with the focus.

    What can be gone to is listed as soon as something is typed, or alone where that is asked for.
    """

    def __init__(
        self,
        store: Store,
        actions: Actions,
        parent: QWidget,
        go_to: Callable[[Find], object],
        *,
        has_commands: bool = True,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("finder")
        self.setAccessibleName("All commands" if has_commands else "All that can be gone to")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAutoFillBackground(True)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self._focus_before = QApplication.focusWidget()
        self._go_to = go_to
        self._actions = actions
        self._commands = tuple(_rows_of(actions)) if has_commands else ()
        answer = store.answer
        finds = () if answer is None else finds_of(store.document, answer, store.display)
        self._things = tuple(
            Row("", each.title, target=each, others=f"{each.name} {other_words(each.title)}")
            for each in finds
        )
        self.line = QLineEdit()
        wanted = f"{'a command, ' if has_commands else ''}an operator, a map, a decision"
        self.line.setAccessibleName(f"Find {wanted}")
        self.line.setPlaceholderText(
            f"Type some letters of {wanted}, a cascade, a decision or a setting"
        )
        self.line.installEventFilter(self)
        self.line.textChanged.connect(self._filter)
        self.list = QListView()
        self.list.setAccessibleName("Commands")
        self.list.setUniformItemSizes(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setItemDelegate(RowPainter(store.theme, self.list))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.clicked.connect(self._run)
        self._rows = Rows()
        self.list.setModel(self._rows)
        column = QVBoxLayout(self)
        arrange(column, Gap.MEDIUM, Gap.MEDIUM)
        column.addWidget(self.line)
        column.addWidget(self.list)
        self.nothing = QLabel()
        self.nothing.setAccessibleName("Nothing found")
        self.nothing.setWordWrap(True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column.addWidget(self.nothing, 1)
        self._place(parent)
        self._filter("")
        self.show()
        self.raise_()
        self.line.setFocus()

    @property
    def found(self) -> tuple[Row, ...]:
        """The rows that are listed."""
        return self._rows.rows

    def _place(self, window: QWidget) -> None:
        metrics = self.fontMetrics()
        width = min(_WIDTH_LETTERS * metrics.averageCharWidth(), window.width() - 40)
        height = min((_ROWS + 3) * (metrics.height() + 6), window.height() - 40)
        self.resize(width, height)
        self.move((window.width() - width) // 2, window.height() // 10)

    def _filter(self, query: str) -> None:
        listed = self._commands
        if query.strip() or not self._commands:
            listed = (*self._commands, *self._things)
        hits = [(hit, row) for row in listed if (hit := row.match(query))]
        # Letters here and there count only where nothing has the words.
        has_whole = any(hit.is_whole for hit, _ in hits)
        found = [(hit, row) for hit, row in hits if hit.is_whole or not has_whole]
        found.sort(key=lambda pair: (bool(pair[1].obstacle), -pair[0].score if query else 0))
        self._rows.show(tuple(row._replace(positions=hit.positions) for hit, row in found))
        self.list.setVisible(bool(found))
        self.nothing.setVisible(not found)
        self.nothing.setText(f"Nothing here is called '{query.strip()}'.")
        if found:
            self.list.setCurrentIndex(self._rows.index(0))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The arrows move in the list while letters go into the line."""
        if watched is self.line and isinstance(event, QKeyEvent):
            if event.type() is QEvent.Type.KeyPress:
                return self._on_key(event)
            if event.key() == Qt.Key.Key_Escape:
                # Else it would do what it does in the window.
                event.accept()
                return True
        elif watched is self.line and event.type() is QEvent.Type.FocusOut:
            self.close()
        return super().eventFilter(watched, event)

    def _on_key(self, event: QKeyEvent) -> bool:
        page = max(self.list.height() // max(self.list.sizeHintForRow(0), 1) - 1, 1)
        steps = {
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_PageDown: page,
            Qt.Key.Key_PageUp: -page,
        }
        key = Qt.Key(event.key())
        if key in steps:
            last = self._rows.rowCount() - 1
            row = min(max(self.list.currentIndex().row() + steps[key], 0), last)
            self.list.setCurrentIndex(self._rows.index(row))
            return True
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._run(self.list.currentIndex())
            return True
        if key == Qt.Key.Key_Escape:
            self._leave()
            return True
        return False

    def _leave(self) -> None:
        """Go, and give the focus back."""
        self.close()
        if self._focus_before is not None and isValid(self._focus_before):
            self._focus_before.setFocus()

    def _run(self, index: QModelIndex) -> None:
        """Run the chosen command; one that cannot run now leaves the list open."""
        if not index.isValid() or self._rows.rows[index.row()].obstacle:
            return
        row = self._rows.rows[index.row()]
        # The focus has to be back where it was: some commands are about the view that has it.
        self._leave()
        if row.target is not None:
            self._go_to(row.target)
        else:
            self._actions.run(row.id)


def _rows_of(actions: Actions) -> Iterator[Row]:
    for command in actions.commands:
        action = actions[command.id]
        if action.isVisible():
            title = _title(command.full_title, action.text())
            keys, others = shown_keys(command), other_words(f"{title} {command.title}")
            yield Row(
                command.id,
                title,
                keys,
                action.statusTip(),
                others=others,
                usual=command.full_title,
            )


def _title(full_title: str, title_now: str) -> str:
    menus, _, _ = full_title.rpartition(": ")
    return f"{menus}: {title_now}".replace("&&", "&")
