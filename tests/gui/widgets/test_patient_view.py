"""Answers are shown in turn, all else at once, and nothing out of sight."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel

from core.base.frozen import replace
from gui.document.changes import Part
from gui.document.selection import Selection
from gui.state.store import Store
from gui.widgets.patient_view import PatientView
from tests.gui.answers import answer_of, document_of, store_with


class Noting(PatientView):
    """Notes what it is to show."""

    def __init__(self, store: Store) -> None:
        super().__init__(store, "nothing yet")
        self.shown: list[frozenset[Part]] = []
        self.set_page(QLabel("a page"), self.show_parts)

    def show_parts(self, parts: frozenset[Part]) -> None:
        """Note it."""
        self.shown.append(parts)


@pytest.fixture
def store():
    return store_with(answer_of("kws_dscnn"))


@pytest.fixture
def show(qtbot):
    """`show(store)`: a view in sight that has nothing left to show."""

    def make(store: Store) -> Noting:
        view = Noting(store)
        qtbot.addWidget(view)
        view.show()
        view.shown.clear()
        return view

    return make


def test_views_show_another_schedule_one_after_the_other(qtbot, store, show):
    views = [show(store) for _ in range(3)]
    seen = []
    for view in views:
        view.caught_up.connect(lambda: seen.append([view.is_behind for view in views]))
    store.set_answer(answer_of("kws_dscnn", limit_bytes=20_480))
    assert not seen
    assert all(view.is_behind for view in views)
    qtbot.waitUntil(lambda: store.turns.are_taken)
    assert seen == [[False, True, True], [False, False, True], [False, False, False]]
    assert [view.shown for view in views] == [[frozenset({Part.ANSWER})]] * 3


def test_what_is_picked_is_shown_at_once_with_all_that_waits(store, show):
    view = show(store)
    store.set_answer(answer_of("kws_dscnn", limit_bytes=20_480))
    store.select(Selection(op=1))
    assert view.shown == [{Part.ANSWER, Part.SELECTION}]
    store.turns.finish()
    assert len(view.shown) == 1


def test_another_graph_is_shown_at_once(store, show):
    view = show(store)
    store.set_answer(answer_of("resnet8"))
    assert not view.is_behind
    store.resume(store.history)
    assert not view.is_behind
    assert len(view.shown) == 2


def test_the_first_answer_can_wait(show):
    store = Store(document_of("kws_dscnn"))
    view = show(store)
    store.set_answer(answer_of("kws_dscnn"))
    assert view.is_behind
    store.turns.finish()
    assert not view.is_behind


def test_out_of_sight_there_is_nothing_to_do_until_it_is_in_sight_or_asked_for(store, show):
    view = show(store)
    view.hide()
    answer = answer_of("kws_dscnn", limit_bytes=20_480)
    store.set_answer(answer)
    store.turns.finish()
    assert not view.shown
    assert not view.is_behind
    view.catch_up()
    assert view.shown == [{Part.ANSWER}]
    store.set_answer(replace(answer))
    view.show()
    assert view.shown == [{Part.ANSWER}] * 2


def test_a_view_that_goes_out_of_sight_gives_its_turn_up(store, show):
    view = show(store)
    store.set_answer(answer_of("kws_dscnn", limit_bytes=20_480))
    view.hide()
    store.turns.finish()
    assert not view.shown
    view.show()
    assert view.shown == [{Part.ANSWER}]
