"""Sizes come from one scale and one grid: no view sets its own."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QApplication,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QWidget,
)

from gui.theme import fonts
from gui.theme.qpalette import palette_of
from gui.theme.scale import Gap, Type, arrange, follow_font, pad, set_type
from gui.theme.tones import THEMES
from gui.widgets.empty_state import EmptyState

pytestmark = pytest.mark.usefixtures("qtbot")
GUI = Path(__file__).parents[3] / "gui"
# What a size of its own would be set with; files have points of paper.
OWN = re.compile(
    r"\.setContentsMargins\(\s*-?\d*[1-9]|\.set(Horizontal|Vertical)?Spacing\("
    r"|\.setMargin\(|\.setPointSize|\.setPixelSize|\.setBold\(|font-size:|font-weight:|margin-\w+:\d"
)
PLACES = ("theme/", "export/")
OTHERS = {
    "shell/finder.py",  # letters that were typed, within a title
}


def test_no_view_sets_sizes_of_its_own():
    found = [
        f"{name}:{number}: {line.strip()}"
        for path in sorted(GUI.rglob("*.py"))
        if not (name := path.relative_to(GUI).as_posix()).startswith(PLACES) and name not in OTHERS
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if OWN.search(line)
    ]
    assert found == []


def test_every_layout_is_arranged():
    """What nobody arranges has the gaps of the style."""
    made = re.compile(r"^\s+([\w.]+) = Q(?:VBox|HBox|Grid|Form)Layout\(", re.MULTILINE)
    for path in sorted(GUI.rglob("*.py")):
        text = path.read_text("utf-8")
        left = {name for name in made.findall(text) if f"arrange({name}" not in text}
        assert not left, path


def test_gaps_grow_and_are_never_lost():
    sizes = [gap.px for gap in Gap]
    assert sizes[0] == 0
    assert all(one < other for one, other in itertools.pairwise(sizes))


def test_a_layout_has_the_gaps_that_it_was_given():
    page, grid_page = QWidget(), QWidget()
    row, grid = QHBoxLayout(page), QGridLayout(grid_page)
    arrange(row, (Gap.LARGE, Gap.SMALL), Gap.MEDIUM)
    margins = row.contentsMargins()
    assert (margins.left(), margins.right()) == (Gap.LARGE.px, Gap.LARGE.px)
    assert (margins.top(), margins.bottom()) == (Gap.SMALL.px, Gap.SMALL.px)
    assert row.spacing() == Gap.MEDIUM.px
    arrange(grid, between=(Gap.MEDIUM, Gap.NONE))
    assert (grid.horizontalSpacing(), grid.verticalSpacing()) == (Gap.MEDIUM.px, 0)


def test_types_are_shares_of_the_font_of_the_app():
    for kind in Type:
        label = QLabel("a")
        set_type(label, kind)
        assert label.font().bold() is kind.value.is_bold
        share = label.font().pointSizeF() / QApplication.font().pointSizeF()
        assert abs(share - kind.value.share) < 0.02


def test_an_empty_state_has_a_heading_and_a_hint(qtbot):
    state = EmptyState("Nothing is noted.\n\nPress N.")
    qtbot.addWidget(state)
    state.resize(300, 200)
    state.show()
    assert (state.heading.text(), state.hint.text()) == ("Nothing is noted.", "Press N.")
    assert state.heading.font().bold()
    assert min(state.heading.x(), 300 - state.heading.geometry().right()) >= Gap.LARGE.px - 1
    for theme in THEMES.values():
        state.setPalette(palette_of(theme))
        ink = state.hint.palette().color(state.hint.foregroundRole())
        assert ink.name() == theme.faint_text.lower()
    state.set_text("One sentence.")
    assert state.text() == "One sentence."
    assert not state.hint.isVisible()


def test_texts_follow_the_font_of_the_app_also_within_a_style_sheet(qtbot, qapp):
    page, row = QWidget(), QHBoxLayout()
    qtbot.addWidget(page)
    page.setLayout(row)
    arrange(row)
    page.setStyleSheet("QLabel[role='faint'] { color: gray; }")
    labels = {kind: QLabel("a") for kind in Type}
    code = QPlainTextEdit()
    code.setFont(fonts.mono())
    for kind, label in labels.items():
        row.addWidget(label)
        set_type(label, kind)
    row.addWidget(code)
    page.show()
    before = qapp.font()
    try:
        larger = QFont(before)
        larger.setPointSizeF(before.pointSizeF() * 1.5)
        qapp.setFont(larger)
        follow_font()
        for kind, label in labels.items():
            share = label.font().pointSizeF() / larger.pointSizeF()
            assert abs(share - kind.value.share) < 0.02, kind
            assert label.font().bold() is kind.value.is_bold
        assert abs(code.font().pointSizeF() - larger.pointSizeF()) < 0.1
    finally:
        qapp.setFont(before)


def test_gaps_follow_the_font_of_the_app(qtbot, qapp):
    page, inner, label = QWidget(), QGridLayout(), QLabel("a")
    qtbot.addWidget(page)
    outer = QHBoxLayout(page)
    arrange(outer, (Gap.LARGE, Gap.SMALL), Gap.MEDIUM)
    arrange(inner, between=(Gap.MEDIUM, Gap.TIGHT))
    outer.addLayout(inner)
    outer.addWidget(label)
    pad(label, Gap.MEDIUM)
    before = qapp.font()
    try:
        larger = QFont(before)
        larger.setPointSizeF(before.pointSizeF() * 2)
        small = Gap.MEDIUM.px
        qapp.setFont(larger)
        follow_font()
        assert Gap.MEDIUM.px > small
        assert outer.contentsMargins().left() == Gap.LARGE.px
        assert outer.contentsMargins().top() == Gap.SMALL.px
        assert outer.spacing() == Gap.MEDIUM.px
        assert (inner.horizontalSpacing(), inner.verticalSpacing()) == (
            Gap.MEDIUM.px,
            Gap.TIGHT.px,
        )
        assert label.contentsMargins().right() == Gap.MEDIUM.px
    finally:
        qapp.setFont(before)
        follow_font()
