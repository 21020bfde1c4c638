"""The Why panel in a window: it follows the selection, and its links select."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QGuiApplication

from core.base.ids import IslandId, NpuOpId
from gui.document.changes import Part
from gui.document.display import ByteUnit, Display
from gui.document.selection import NOTHING_SELECTED, CascadeRef, Selection
from gui.present.why.edits import Fold
from gui.present.why.html import link_text
from gui.present.why.text import explanation_of
from gui.state.store import Store
from gui.theme.tones import DARK
from gui.views.why.view import WhyView
from tests.gui.answers import answer_of, arrive, store_with

TIGHT = {"accelerator": "ethos-u65-256", "limit_bytes": 60_000}


@pytest.fixture
def store():
    return store_with(answer_of("unet_128", **TIGHT))


@pytest.fixture
def view(qtbot, store):
    made = WhyView(store)
    qtbot.addWidget(made)
    made.resize(360, 600)
    made.show()
    return made


def told(view):
    return view.text.toPlainText()


def test_without_an_answer_it_says_so(qtbot):
    store = Store()
    view = WhyView(store)
    qtbot.addWidget(view)
    view.show()
    assert not view.text.isVisible()
    view.copy()
    arrive(store, answer_of("kws_dscnn"))
    assert view.text.isVisible()
    assert "The whole schedule" in told(view)


def test_it_follows_the_selection(view, store):
    picks = [
        Selection(op=NpuOpId(3)),
        Selection(cascade=CascadeRef(IslandId(0), 1)),
        Selection(fm=store.answer.scheduled.run.graph.ops[3].ofm.fm),
        NOTHING_SELECTED,
    ]
    for pick in picks:
        store.select(pick, "elsewhere")
        expected = explanation_of(store.answer, pick, store.display)
        view.open_all()
        text = told(view)
        assert text.startswith(expected.title)
        for topic in (*expected.own, *expected.topics):
            for line in topic.sentences:
                assert "".join(piece.text for piece in line) in text
        assert view.whole_button.isEnabled() == (pick != NOTHING_SELECTED)
        assert view.text.accessibleDescription() == expected.title


def test_a_link_is_one_change_and_the_text_follows(view, store):
    changes = []
    store.changed.connect(changes.append)
    target = Selection(op=NpuOpId(1))
    view.text.anchorClicked.emit(QUrl(link_text(target)))
    assert store.selection == target
    assert [(change.parts, change.initiator) for change in changes] == [
        (frozenset({Part.SELECTION}), WhyView.NAME)
    ]
    assert told(view).startswith("1 conv2d · ")
    view.whole_button.click()
    assert store.selection == NOTHING_SELECTED
    assert told(view).startswith("The whole schedule")
    assert len(changes) == 2


FOLDED = "\N{BLACK RIGHT-POINTING SMALL TRIANGLE}"


def tab_to(view, qtbot, is_wanted) -> None:
    """Go from link to link until one is wanted."""
    for _ in range(80):
        qtbot.keyClick(view.text, Qt.Key.Key_Tab)
        if is_wanted(view.text.textCursor().selectedText()):
            return


def test_links_are_reached_by_key(view, store, qtbot):
    with qtbot.waitActive(view):
        view.activateWindow()
    view.text.setFocus(Qt.FocusReason.TabFocusReason)
    store.select(Selection(op=NpuOpId(2)))
    tab_to(view, qtbot, lambda text: " output · " in text)
    qtbot.keyClick(view.text, Qt.Key.Key_Return)
    assert store.selection.fm is not None


def test_what_is_folded_opens_by_mouse_and_stays_open(view, store):
    store.select(Selection(op=NpuOpId(2)))
    topic = explanation_of(store.answer, store.selection, store.display).topics[-1]
    sentence = "".join(piece.text for piece in topic.sentences[0])
    assert sentence not in told(view)
    view.text.anchorClicked.emit(QUrl(link_text(Fold(topic.title))))
    assert sentence in told(view)
    store.select(Selection(op=NpuOpId(3)))
    store.select(Selection(op=NpuOpId(2)))
    assert sentence in told(view)
    view.text.anchorClicked.emit(QUrl(link_text(Fold(topic.title))))
    assert sentence not in told(view)


def test_what_is_folded_opens_by_key(view, store, qtbot):
    store.select(Selection(op=NpuOpId(2)))
    with qtbot.waitActive(view):
        view.activateWindow()
    view.text.setFocus(Qt.FocusReason.TabFocusReason)
    before = told(view)
    tab_to(view, qtbot, lambda text: text.startswith(FOLDED))
    qtbot.keyClick(view.text, Qt.Key.Key_Return)
    assert len(told(view)) > len(before)


def test_the_copy_is_the_explanation(view, store):
    store.select(Selection(op=NpuOpId(2)))
    view.copy_button.click()
    expected = explanation_of(store.answer, store.selection, store.display)
    assert QGuiApplication.clipboard().text() == expected.text


def test_units_and_theme_are_followed(view, store):
    assert "KiB" in told(view)
    store.set_display(Display(byte_unit=ByteUnit.BYTES))
    assert "KiB" not in told(view)
    store.set_theme(DARK)
    assert DARK.text in view.text.toHtml()
    assert DARK.accent in view.text.toHtml()


def test_the_same_lines_stay_in_sight_while_answers_come(view, store):
    store.select(Selection(op=NpuOpId(1)))
    bar = view.text.verticalScrollBar()
    view.resize(300, 200)
    view.grab()
    bar.setValue(bar.maximum() // 2)
    before = bar.value()
    assert before > 0
    arrive(store, answer_of("unet_128", accelerator="ethos-u65-256", limit_bytes=62_000))
    assert bar.value() == before
    store.select(Selection(op=NpuOpId(2)))
    assert bar.value() == 0


@pytest.mark.parametrize("width", [200, 360, 900])
def test_nothing_is_wider_than_the_panel(view, store, width):
    view.resize(width, 400)
    for pick in (NOTHING_SELECTED, Selection(op=NpuOpId(0))):
        store.select(pick)
        view.grab()
        assert view.text.horizontalScrollBar().maximum() == 0


def test_everything_that_takes_the_focus_has_a_name(view):
    for widget in (view.text, view.copy_button, view.whole_button):
        assert widget.accessibleName()


def test_a_picture_has_nothing_that_is_followed_or_unfolded(view, store):
    store.select(Selection(op=NpuOpId(3)))
    assert "Help" in told(view)
    view.be_pictured()
    assert "href" not in view.text.toHtml()
    text = told(view)
    assert "Help" not in text
    for topic in view._told.topics:
        assert f"{topic.title}\n{''.join(piece.text for piece in topic.sentences[0])}" in text
