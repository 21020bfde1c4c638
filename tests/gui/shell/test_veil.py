"""What answers an older question is dimmed, but not for a blink."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QLabel
from shiboken6 import delete, isValid

from core.base.frozen import replace
from gui.document.answer import Failure
from gui.document.changes import Part
from gui.document.job import JobPhase, JobState
from gui.present.problems import unreadable
from gui.shell.banner import Banner
from gui.shell.veil import Veils
from gui.state.store import Store
from gui.widgets.patient_view import PatientView
from tests.gui.answers import answer_of, document_of, store_with


@pytest.fixture
def store():
    return store_with(answer_of("kws_dscnn"))


class Plain(PatientView):
    """A view that shows a limit."""

    def __init__(self, store: Store) -> None:
        super().__init__(store, "nothing yet")
        self.label = QLabel("a view")
        self.set_page(self.label, self.show_parts)

    def show_parts(self, parts: frozenset[Part]) -> None:
        """Show what was asked."""
        del parts
        answer = self._store.answer
        limit = None if answer is None else answer.document.settings.limit_bytes
        self.label.setText(f"a view, {limit}")


@pytest.fixture
def show(qtbot):
    """`show(store)`: a view of it that is in sight."""

    def make(store: Store) -> Plain:
        plain = Plain(store)
        qtbot.addWidget(plain)
        plain.resize(300, 200)
        plain.show()
        return plain

    return make


@pytest.fixture
def view(show, store):
    return show(store)


def ask_for_less(store: Store) -> None:
    settings = replace(store.document.settings, limit_bytes=20_480)
    store.edit(replace(store.document, settings=settings), "limit")


def test_views_are_dimmed_after_a_while_and_clear_at_once(qtbot, store, view):
    veils = Veils(store, (view,), view)
    ask_for_less(store)
    assert not veils.are_down
    before = view.grab().toImage()
    qtbot.waitUntil(lambda: veils.are_down)
    assert view.grab().toImage() != before
    store.undo()
    assert not veils.are_down
    assert view.grab().toImage() == before


def test_the_veil_goes_when_the_view_shows_what_was_asked(qtbot, store, view):
    veils = Veils(store, (view,), view)
    ask_for_less(store)
    qtbot.waitUntil(lambda: veils.are_down)
    store.set_answer(answer_of("kws_dscnn", limit_bytes=20_480))
    assert veils.are_down
    assert view.is_behind
    qtbot.waitUntil(lambda: not veils.are_down)
    assert view.label.text() == "a view, 20480"


def test_the_veil_stays_where_something_else_was_asked_meanwhile(qtbot, store, view):
    veils = Veils(store, (view,), view)
    ask_for_less(store)
    qtbot.waitUntil(lambda: veils.are_down)
    store.set_answer(answer_of("kws_dscnn", limit_bytes=20_480))
    store.undo()
    store.turns.finish()
    assert view.label.text() == "a view, 20480"
    assert veils.are_down


def test_what_lies_below_is_painted_no_more_while_progress_is_told(qtbot, store, view):
    veils = Veils(store, (view,), view)
    ask_for_less(store)
    qtbot.waitUntil(lambda: veils.are_down)
    QApplication.processEvents()
    painted = []

    class Watch(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
            del watched
            if event.type() is QEvent.Type.Paint:
                painted.append(event)
            return False

    watch = Watch()
    view.label.installEventFilter(watch)
    for done in range(5):
        store.set_job(JobState(phase=JobPhase.RUNNING, stage="search", done=done, total=9))
        QApplication.processEvents()
    assert not painted
    store.set_job(JobState(phase=JobPhase.FAILED))
    QApplication.processEvents()
    assert painted
    view.label.removeEventFilter(watch)


def test_what_is_out_of_sight_holds_no_veil_up(qtbot, store, view):
    veils = Veils(store, (view,), view)
    ask_for_less(store)
    qtbot.waitUntil(lambda: veils.are_down)
    view.hide()
    store.set_answer(answer_of("kws_dscnn", limit_bytes=20_480))
    assert not veils.are_down


def test_an_answer_that_comes_soon_is_shown_without_dimming(qtbot, store, view):
    veils = Veils(store, (view,), view)
    ask_for_less(store)
    store.set_answer(answer_of("kws_dscnn", limit_bytes=20_480))
    with qtbot.assertNotEmitted(veils._timer.timeout, wait=300):
        pass
    assert not veils.are_down


def test_the_veil_is_as_large_as_the_view_and_takes_no_clicks(qtbot, store, view):
    veils = Veils(store, (view,), view)
    ask_for_less(store)
    qtbot.waitUntil(lambda: veils.are_down)
    view.resize(400, 100)
    assert veils._veils[0].size() == view.size()
    assert veils._veils[0].testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)


def test_a_failure_is_told_on_the_veil_and_in_the_banner(qtbot, store, view):
    veils, banner = Veils(store, (view,), view), Banner(store)
    qtbot.addWidget(banner)
    ask_for_less(store)
    qtbot.waitUntil(lambda: veils.are_down)
    failure = Failure(document=store.document, message="no such file")
    store.set_job(JobState(phase=JobPhase.FAILED, failure=failure))
    assert "no schedule" in veils._veils[0].text
    assert not banner.isHidden()
    assert banner.problems[0].message == "no such file."
    banner.rows[0].close_button.click()
    # The same failure is not told twice, and an answer takes it away.
    store.set_job(JobState(phase=JobPhase.FAILED, failure=failure, stage="again"))
    assert banner.isHidden()
    again = Failure(document=store.document, message="still no such file")
    store.set_job(JobState(phase=JobPhase.FAILED, failure=again))
    assert not banner.isHidden()
    store.undo()
    assert store.is_current
    store.set_job(JobState())
    assert banner.isHidden()


def test_what_is_said_of_a_file_stays_over_an_answer(qtbot, store):
    banner = Banner(store)
    qtbot.addWidget(banner)
    banner.add(unreadable("other.tflite", "other.tflite: No such file"))
    store.set_answer(answer_of("kws_dscnn"))
    store.set_job(JobState())
    assert not banner.isHidden()


def test_without_an_answer_views_speak_for_themselves(qtbot, show):
    store = Store(document_of("kws_dscnn"))
    view = show(store)
    veils = Veils(store, (view,), view)
    with qtbot.assertNotEmitted(veils._timer.timeout, wait=300):
        ask_for_less(store)
    assert not veils.are_down


def test_a_veil_that_waits_goes_with_the_window(store, view):
    """Its timer would cover views that are no more."""
    window = QObject()
    veils = Veils(store, (view,), window)
    ask_for_less(store)
    delete(window)
    assert not isValid(veils)
    store.undo()
