"""All decisions about what is selected: what is so, who decided it, and what else can be had."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QGridLayout,
    QLabel,
    QLineEdit,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.base.errors import OptionError
from core.base.frozen import NamedTuple
from core.base.sentences import capitalised
from gui.document.changes import Part
from gui.document.decisions import Deed
from gui.document.look import LookPart
from gui.document.selection import Selection
from gui.present.decide.form import KINDS, Kind, as_rule, form_of, matches, typed
from gui.present.edits import deeds
from gui.present.edits.deeds import Asked, Obstacle, asked_of
from gui.state.store import Store
from gui.theme.scale import Gap, Type, arrange, make_hint, set_type
from gui.views.decide.value_line import ValueLine
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.empty_state import no_schedule
from gui.widgets.offer_menu import OfferMenu
from gui.widgets.patient_view import PatientView

_NOTHING = "Select operators or a map in any view, or type a rule that finds them."
_RULE = (
    "Enter selects all operators that this finds; what is decided then is one row of the edits:\n"
    "kind=depthwise    bytes>=64K not kind=add\n"
    "fields: name, title, kind, number, is, shape, bytes"
)


class Row(NamedTuple):
    """A decision in the form."""

    title: QLabel
    value: ValueLine
    who: ElidedLabel
    free: QToolButton

    @classmethod
    def of(cls, kind: Kind) -> Row:
        """An empty row."""
        title, value, free = QLabel(kind.title), ValueLine(kind.title), QToolButton()
        title.setBuddy(value)
        who = ElidedLabel(f"Who has decided: {kind.title}")
        free.setText("\N{MULTIPLICATION SIGN}")
        free.setAutoRaise(True)
        free.setAccessibleName(f"Let the search decide: {kind.title}")
        free.setToolTip("Let the search decide it")
        return cls(title, value, who, free)


class DecideView(PatientView):
    """A row for each decision; of several operators or maps, for all of them at once."""

    NAME = "decide"
    TITLE = "Decisions"
    PARTS: ClassVar = PatientView.PARTS | {Part.DOCUMENT, Part.PRICES}

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(
            store, no_schedule("Decisions appear here as soon as there is one."), parent
        )
        self.title, self.hint = ElidedLabel("What is selected"), QLabel(_NOTHING)
        self.rule, self.problem = QLineEdit(), QLabel()
        self.rows = {kind.id: Row.of(kind) for kind in KINDS}
        self._ruled: tuple[str, Selection] | None = None
        """The rule that has found what is selected."""
        self._lay_out()
        self.rule.returnPressed.connect(self._find)
        for kind in KINDS:
            row = self.rows[kind.id]
            row.value.typed.connect(partial(self._take_typed, kind))
            row.value.list_asked.connect(partial(self._offer, kind))
            row.free.clicked.connect(partial(self._free, kind))

    def _lay_out(self) -> None:
        set_type(self.title, Type.HEADING)
        make_hint(self.hint)
        self.rule.setAccessibleName("Rule")
        self.rule.setPlaceholderText("Rule: kind=depthwise, bytes>=64K")
        self.rule.setToolTip(_RULE)
        self.rule.setClearButtonEnabled(True)
        self.problem.setAccessibleName("Why that cannot be")
        self.problem.setWordWrap(True)
        self.problem.hide()
        form = QWidget()
        grid = QGridLayout(form)
        arrange(grid, between=(Gap.MEDIUM, Gap.SMALL))
        for place, row in enumerate(self.rows.values()):
            for column, part in enumerate(row):
                grid.addWidget(part, place, column)
        grid.setColumnStretch(1, 3)
        grid.setColumnStretch(2, 2)
        grid.setRowStretch(len(self.rows), 1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setAccessibleName("Decisions")
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(form)
        page = QWidget()
        lines = QVBoxLayout(page)
        arrange(lines, Gap.SMALL)
        for part in (self.rule, self.title, self.problem, self.hint):
            lines.addWidget(part)
        lines.addWidget(area, 1)
        self.set_page(page, self.show_parts, {"rule": LookPart(self.rule.text, self.rule.setText)})

    def show_parts(self, parts: frozenset[Part]) -> None:
        """Show what is so of what is selected now."""
        if parts & {Part.SELECTION, Part.DOCUMENT}:
            self._say("")
        asked = self._asked()
        if isinstance(asked, str):
            self.title.show_text(capitalised(asked))
            fields = {}
        else:
            form = form_of(asked)
            fields = {field.kind.id: field for field in form.fields}
            self.title.show_text(form.title or "Nothing is selected")
        self.hint.setVisible(not fields)
        for kind_id, row in self.rows.items():
            field = fields.get(kind_id)
            for part in row:
                part.setVisible(field is not None)
            if field is not None:
                row.value.show_value(field.value, field.obstacle)
                row.who.show_text(field.who)
                row.free.setEnabled(field.free is not None)

    def _asked(self) -> Asked | Obstacle:
        store = self._store
        return asked_of(store.document, store.answer, store.selection)

    def _find(self) -> None:
        """Select what the rule finds."""
        answer, query = self._store.answer, self.rule.text().strip()
        if answer is None or not query:
            return
        try:
            found = matches(answer, query)
        except OptionError as error:
            self._say(str(error))
            return
        if found.is_empty:
            self._say("no operator is like that")
            return
        self._ruled = query, found
        self._store.select(found)
        self._say("")

    def _take_typed(self, kind: Kind, text: str) -> None:
        asked = self._asked()
        self._decide(asked if isinstance(asked, str) else typed(asked, kind, text))

    def _free(self, kind: Kind) -> None:
        asked = self._asked()
        self._decide(asked if isinstance(asked, str) else deeds.let_decide(asked, *kind.whats))

    def _offer(self, kind: Kind) -> None:
        """List what can be had, each with what it would come to."""
        asked = self._asked()
        found = asked if isinstance(asked, str) else kind.offers(asked)
        if isinstance(found, str):
            self._say(found)
            return
        ruled = [each._replace(deed=self._as_ruled(each.deed)) for each in found]
        line = self.rows[kind.id].value
        menu = OfferMenu(kind.title, ruled, self._store, self)
        menu.popup(line.mapToGlobal(QPoint(0, line.height())))

    def _decide(self, deed: Deed | Obstacle) -> None:
        if isinstance(deed, str):
            self._say(deed)
        else:
            self._store.decide(self._as_ruled(deed))

    def _as_ruled(self, deed: Deed) -> Deed:
        """About all that the rule finds, where that is what is selected."""
        answer = self._store.answer
        if self._ruled is None or answer is None or self._ruled[1] != self._store.selection:
            return deed
        return as_rule(answer, deed, self._ruled[0]) if deed.new else deed

    def _say(self, problem: str) -> None:
        end = "" if problem.endswith("?") or not problem else "."
        self.problem.setText(capitalised(problem) + end)
        self.problem.setVisible(bool(problem))
