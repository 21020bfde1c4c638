"""Work that was broken off is offered, work that was left can be had again, none is lost."""

from __future__ import annotations

import json
import shutil

import pytest
from PySide6.QtWidgets import QFileDialog

from core import cli
from core.api.operator_errors import ErrorFigures, Fault, OperatorError
from core.api.proof import OutputVerdict, Verification
from core.base.frozen import replace
from core.ir.options import Strategy
from gui.document.display import Span, TimeUnit
from gui.document.document import Document
from gui.document.examples import FIRST_EXAMPLE
from gui.document.history import Entry, History
from gui.document.proof import Proof, digest_of
from gui.document.selection import Selection
from gui.document.session import Session, decode, encode
from gui.document.session_versions import VERSION
from gui.jobs.runner import Runner
from gui.present.memory.map import TimeScale
from gui.present.problems import OFFER_KEY
from gui.shell.session_folder import SessionFolder
from gui.views.memory.view import MemoryView
from gui.views.operators.view import OperatorsView
from gui.views.proof.view import ProofView
from gui.views.timeline.view import TimelineView
from tests.gui.answers import EXAMPLES, document_of, model_ref
from tests.gui.running import Oracle, wait_for_answer
from tests.journeys.agreement import check_all
from tests.settings import settings_with

KWS, RESNET = EXAMPLES / "kws_dscnn.tflite", EXAMPLES / "resnet8.tflite"


@pytest.fixture
def folder(tmp_path):
    return SessionFolder(tmp_path / "sessions")


@pytest.fixture
def start(open_app, folder):
    def start(model=KWS, **named):
        named.setdefault("make_runner", Oracle)
        return open_app(model, sessions=folder.path, **named)

    return start


def break_off(folder: SessionFolder, session: Session | str) -> None:
    """Leave a session as a process that was killed leaves it."""
    slot = folder.take()
    text = session if isinstance(session, str) else encode(session)
    slot.file.write_text(text, "utf-8")
    folder.let_go(slot)


def some_work(name: str = "resnet8", **changes: object) -> Session:
    first = document_of(name)
    small = replace(first, settings=settings_with(first.settings, strategy=Strategy.SIZE))
    history = History(present=Entry(first)).edited(small, "strategy").edited(first, "strategy")
    return Session(history=history.undone(), **changes)


def on_disk(folder: SessionFolder) -> list[Session]:
    return [decode(file.read_text("utf-8")) for file in sorted(folder.path.glob("session-*.json"))]


def offers(app) -> list[str]:
    return [told.message for told in app.banner.problems if told.key == OFFER_KEY]


def test_whatever_is_done_is_on_the_disk(start, folder, qtbot):
    app = start()

    def is_kept() -> bool:
        (session,) = on_disk(folder) or [Session()]
        return session.history == app.store.history and (
            (session.selection, session.span, session.display)
            == (app.store.selection, app.store.selected_span, app.store.display)
        )

    qtbot.waitUntil(is_kept)
    steps = (
        lambda: app.actions.run("schedule.strategy"),
        lambda: app.store.select(Selection(op=1)),
        lambda: app.store.mark_span(Span(start_cycle=1, end_cycle=20.5)),
        lambda: app.actions.run("view.microseconds"),
        lambda: app.actions.run("edit.undo"),
        lambda: app.files.open(str(RESNET)),
    )
    for step in steps:
        step()
        qtbot.waitUntil(is_kept, timeout=2000)


def test_where_panels_are_is_kept_too(start, folder, qtbot):
    app = start()
    qtbot.waitUntil(lambda: len(on_disk(folder)) == 1)
    before = on_disk(folder)[0].layout
    app.actions.run("view.panel.summary")
    qtbot.waitUntil(lambda: on_disk(folder)[0].layout not in ("", before))
    geometry = on_disk(folder)[0].geometry
    app.window.resize(1000, 700)
    qtbot.waitUntil(lambda: on_disk(folder)[0].geometry != geometry)


def test_what_was_broken_off_is_offered_and_restored(start, folder):
    display = replace(Session().display, time_unit=TimeUnit.MICROSECONDS)
    span = Span(start_cycle=10, end_cycle=500)
    work = some_work(selection=Selection(op=2), span=span, display=display)
    break_off(folder, work)
    app = start()
    assert app.store.document.model.name == KWS.name
    (offer,) = offers(app)
    assert "resnet8.tflite" in offer
    assert "1 step can be undone" in offer
    restore, dismiss = app.banner.rows[0].buttons
    assert (restore.text(), dismiss.text()) == ("Restore", "Dismiss")
    assert not restore.isHidden()
    restore.click()
    assert app.store.history == work.history
    assert app.store.display == display
    assert (app.store.selection, app.store.selected_span) == (work.selection, span)
    assert app.store.is_current
    assert app.banner.isHidden()
    assert not app.actions["file.restore_session"].isVisible()
    # It is in the file of this process now, and in no other.
    (kept,) = on_disk(folder)
    assert replace(kept, layout="", looks={}, geometry="") == work
    app.actions.run("edit.undo")
    assert app.store.document == document_of("resnet8")
    app.actions.run("edit.redo")
    app.actions.run("edit.redo")
    assert app.store.document == document_of("resnet8")


@pytest.mark.long
def test_views_are_set_as_they_were(start, qtbot):
    app = start()
    timeline, memory = app.view(TimelineView), app.view(MemoryView)
    operators = app.view(OperatorsView)
    timeline.stage.lanes.frame(1_000.0, 9_000.0)
    memory.header.scales[TimeScale.STEPS].click()
    app.actions.run("view.panel.operators")
    operators.filter.setText("conv")
    zoom = timeline.stage.lanes.box.x_range
    app.close()
    again = start()
    assert again.view(TimelineView).stage.lanes.box.x_range != pytest.approx(zoom)
    again.actions.run("file.reopen_session")
    qtbot.waitUntil(lambda: again.store.is_current)
    assert again.view(TimelineView).stage.lanes.box.x_range == pytest.approx(zoom)
    assert again.view(MemoryView).header.scales[TimeScale.STEPS].isChecked()
    assert again.view(OperatorsView).filter.text() == "conv"
    check_all(again)


@pytest.mark.long
def test_a_real_worker_answers_what_was_restored(start, folder, qtbot):
    break_off(folder, some_work(selection=Selection(op=3)))
    app = start(make_runner=Runner)
    app.actions.run("file.restore_session")
    assert app.store.selection.is_empty
    # Should it be killed before the answer is there, what was selected is not lost.
    assert [session.selection for session in on_disk(folder)][-1] == Selection(op=3)
    wait_for_answer(qtbot, app)
    qtbot.waitUntil(lambda: app.store.selection == Selection(op=3))
    check_all(app)


@pytest.mark.long
def test_panels_are_where_they_were(start, folder, qtbot):
    app = start()
    app.actions.run("view.panel.memory")
    # Qt makes it fit the screen, which here is narrower than any window of ours.
    app.window.resize(1000, 640)
    qtbot.waitUntil(lambda: bool(on_disk(folder)))
    qtbot.waitUntil(lambda: on_disk(folder)[0].layout == app.panels.encoded_layout())
    work = on_disk(folder)[0]
    app.close()
    break_off(folder, work)
    again = start()
    assert again.panels.is_panel_shown("memory")
    again.actions.run("file.restore_session")
    qtbot.waitUntil(lambda: not again.panels.is_panel_shown("memory"))
    assert again.window.height() == 640


def test_what_is_dismissed_is_offered_no_more_but_can_be_reopened(start, folder):
    work = some_work()
    break_off(folder, work)
    app = start()
    assert app.actions.run("file.dismiss_session")
    assert app.banner.isHidden()
    assert len(on_disk(folder)) <= 1
    assert app.actions.run("file.reopen_session")
    assert app.store.history == work.history


def test_putting_the_offer_away_is_dismissing_it(start, folder):
    break_off(folder, some_work())
    app = start()
    app.banner.rows[0].close_button.click()
    assert app.sessions.offers == 0
    assert app.banner.isHidden()
    assert app.sessions.has_last


def test_several_are_offered_one_after_the_other(start, folder):
    break_off(folder, some_work("resnet8"))
    break_off(folder, some_work("denoise_int16"))
    app = start()
    assert "denoise_int16" in offers(app)[0]
    assert "1 more" in app.banner.text
    app.actions.run("file.dismiss_session")
    assert "resnet8" in offers(app)[0]
    app.actions.run("file.restore_session")
    assert app.store.document.model.name == "resnet8.tflite"
    assert app.sessions.offers == 0


@pytest.mark.long
def test_what_is_not_decided_is_offered_again(start, folder):
    break_off(folder, some_work())
    start().close()
    assert len(offers(start())) == 1


def test_an_offer_stays_while_other_models_are_opened(start, folder):
    break_off(folder, some_work())
    app = start()
    app.files.open(str(EXAMPLES / "denoise_int16.tflite"))
    assert len(offers(app)) == 1
    # And what was done meanwhile is not lost either.
    app.actions.run("schedule.strategy")
    meanwhile = app.store.history
    app.actions.run("file.restore_session")
    app.actions.run("file.reopen_session")
    assert app.store.history == meanwhile


@pytest.mark.long
def test_a_clean_end_is_the_last_session_and_is_not_offered(start, folder):
    app = start()
    app.actions.run("schedule.strategy")
    history = app.store.history
    app.close()
    assert on_disk(folder) == []
    again = start(RESNET)
    assert offers(again) == []
    assert again.actions["file.reopen_session"].isEnabled()
    again.actions.run("file.reopen_session")
    assert again.store.history == history
    # What was there before can be had by the same command.
    again.actions.run("file.reopen_session")
    assert again.store.document.model.name == RESNET.name


@pytest.mark.long
def test_two_at_once_do_not_know_of_each_other(start, folder, qtbot):
    one, two = start(KWS), start(RESNET)
    assert offers(two) == []
    qtbot.waitUntil(lambda: len(on_disk(folder)) == 2)
    one.actions.run("schedule.strategy")
    two.actions.run("view.bytes")
    qtbot.waitUntil(
        lambda: {session.model.name for session in on_disk(folder)} == {KWS.name, RESNET.name}
    )
    two.close()
    assert [session.model.name for session in on_disk(folder)] == [KWS.name]
    one.close()
    assert decode(folder.last.read_text("utf-8")).model.name == KWS.name


@pytest.mark.long
def test_a_session_is_offered_to_one_of_two(start, folder):
    break_off(folder, some_work())
    one, two = start(KWS), start(KWS)
    assert (len(offers(one)), len(offers(two))) == (1, 0)


@pytest.mark.long
def test_an_example_that_nobody_asked_for_is_not_worth_keeping(start, folder, qtbot):
    app = start("")
    assert app.store.document.model.path == str(FIRST_EXAMPLE)
    app.close()
    assert not app.sessions.has_last
    again = start("")
    again.actions.run("schedule.strategy")
    qtbot.waitUntil(lambda: len(on_disk(folder)) == 1)


@pytest.mark.long
def test_broken_ones_are_set_aside_with_a_message_each(start, folder):
    texts = ("", "{", "[1]", '{"version": 2, "present": 3}', "\0\1")
    for text in texts:
        break_off(folder, text)
    break_off(folder, some_work())
    app = start()
    assert len(offers(app)) == 1
    for number, text in enumerate(texts, start=1):
        aside = folder.path / f"session-{number}.json.broken"
        assert aside.read_text("utf-8") == text
        assert f"set aside as {aside}" in app.banner.text
    app.close()
    assert "set aside" not in start().banner.text


def test_a_last_one_that_is_broken_is_set_aside_when_it_is_asked_for(start, folder):
    folder.leave_text("no session")
    app = start()
    before = app.store.history
    app.actions.run("file.reopen_session")
    assert app.store.history is before
    assert "last.json.broken" in app.banner.text
    assert not app.sessions.has_last


def test_one_of_a_later_version_is_left_where_it_is(start, folder):
    plain = json.loads(encode(some_work())) | {"version": VERSION + 1}
    break_off(folder, json.dumps(plain))
    app = start()
    assert "left where it is" in app.banner.text
    app.close()
    assert (folder.path / "session-1.json").exists()


def test_one_of_an_older_version_is_offered(start, folder, tmp_path):
    model = tmp_path / "net.tflite"
    shutil.copy(RESNET, model)
    fixture = EXAMPLES.parents[1] / "tests" / "gui" / "document" / "sessions" / "version-1.json"
    plain = json.loads(fixture.read_text("utf-8"))
    plain["model"] = {"path": str(model), "digest": model_ref(model).digest}
    break_off(folder, json.dumps(plain))
    app = start()
    app.actions.run("file.restore_session")
    assert app.store.document.settings.limit_bytes == 196_608
    assert app.store.selection == Selection(op=4)
    assert app.actions["edit.undo"].text() == "Undo SRAM limit"


def elsewhere(session: Session, path, digest: str = "") -> Session:
    old = session.model
    new = replace(old, path=str(path), digest=digest or old.digest)
    return replace(session, history=session.history.moved(old.path, new))


@pytest.mark.long
def test_a_model_that_is_gone_is_said_so_and_can_be_shown(
    start, folder, tmp_path, monkeypatch, qtbot
):
    break_off(folder, elsewhere(some_work(), tmp_path / "resnet8.tflite"))
    app = start(make_runner=Runner)
    assert f"resnet8.tflite is not in {tmp_path} any more" in app.banner.text
    app.actions.run("file.restore_session")
    wait_for_answer(qtbot, app)
    assert app.store.answer is None
    assert "resnet8.tflite: No such file" in app.banner.text
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(RESNET), ""))
    assert app.actions.run("file.find_model")
    wait_for_answer(qtbot, app)
    assert app.banner.isHidden()
    assert app.store.history == some_work().history
    check_all(app)
    # Another file is taken too, but not in silence.
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(KWS), ""))
    app.files.find()
    assert "kws_dscnn.tflite has changed" in app.banner.text
    assert app.store.history.undo_label


def test_a_model_that_changed_is_said_so(start, folder):
    break_off(folder, elsewhere(some_work(selection=Selection(op=1)), RESNET, "another"))
    app = start()
    app.actions.run("file.restore_session")
    assert "resnet8.tflite has changed since" in app.banner.text
    assert app.store.history == some_work().history
    # What was selected may be something else now.
    assert app.store.selection.is_empty


def test_work_can_be_kept_as_a_file_and_opened_again(start, tmp_path, monkeypatch):
    app = start(RESNET)
    app.actions.run("schedule.strategy")
    history = app.store.history
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "work"), ""))
    app.actions.run("file.save_session")
    file = tmp_path / "work.reefpoint"
    assert decode(file.read_text("utf-8")).history == history
    app.files.open(str(KWS))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(file), ""))
    app.actions.run("file.open_session")
    assert app.store.history == history
    # What was open is not lost.
    app.actions.run("file.reopen_session")
    assert app.store.document.model.name == KWS.name


def test_what_was_proved_is_shown_again_and_is_of_the_same_schedule(start, tmp_path, folder, qtbot):
    app = start(RESNET)
    off = ErrorFigures(elements=100, differing=7, largest=3.0, mean=0.1)
    error = OperatorError(
        number=0, kind="CONV_2D", name="a", is_on_cpu=False, integer=None, alone=off, real=None
    )
    verdict = OutputVerdict(name="y", elements=10, inputs=2)
    proof = Proof(
        data="/mine/board.npz",
        schedule_digest=digest_of(app.store.answer.scheduled),
        found=Verification(
            outputs=(verdict,), faults=(), operators=(error,), fault=Fault.QUANTISER
        ),
    )
    app.store.proofs.end(proof)
    qtbot.waitUntil(lambda: [each.proof for each in on_disk(folder)] == [proof])
    file = tmp_path / "work.reefpoint"
    file.write_text(encode(on_disk(folder)[0]), "utf-8")
    app.files.open(str(KWS))
    assert app.store.proofs.latest is None
    app.sessions.open_file(file)
    app.panels.show_panel("proof")
    app.store.turns.finish()
    assert app.store.proofs.latest == proof
    assert app.store.proofs.of(app.store.answer) == proof
    assert app.view(ProofView).table.listing.rows[0][1] == "CONV_2D"
    lanes = app.view(TimelineView).stage.lanes
    assert lanes.rows.errors is not None
    # Of another schedule it is told, and not drawn.
    app.actions.run("schedule.strategy")
    app.store.turns.finish()
    assert app.store.proofs.latest == proof
    assert lanes.rows.errors is None


def test_a_model_is_found_beside_the_session_that_came_with_it(start, tmp_path):
    app = start()
    shutil.copy(RESNET, tmp_path)
    file = tmp_path / "work.reefpoint"
    file.write_text(encode(elsewhere(some_work(), "/somewhere/else/resnet8.tflite")), "utf-8")
    app.sessions.open_file(file)
    assert app.store.document.model.path == str(tmp_path / "resnet8.tflite")
    assert app.store.is_current
    assert app.banner.isHidden()


@pytest.mark.long
def test_the_sweep_that_was_shown_is_read_again(start, tmp_path, folder, qtbot):
    file = tmp_path / "s.sqlite"
    words = ["--sram", "16K,32K", "--jobs", "1", "--accelerator-config", "ethos-u55-128"]
    assert cli.main(["sweep", str(KWS), *words, "-o", str(file)]) == 0
    app = start(KWS)
    assert app.files.open_sweep(str(file))
    app.actions.run("schedule.strategy")
    qtbot.waitUntil(lambda: [each.swept for each in on_disk(folder)] == [str(file)])
    cells = app.store.swept.shown.cells
    break_off(folder, replace(some_work(), swept=str(file)))
    again = start()
    again.actions.run("file.restore_session")
    assert again.store.swept.shown.cells == cells
    assert again.store.swept.path == str(file)


def test_a_file_that_is_no_session_is_told_and_left_alone(start, tmp_path):
    app = start()
    before = app.store.history
    file = tmp_path / "work.reefpoint"
    for path in (file, tmp_path / "missing.reefpoint"):
        file.write_bytes(b"\xff\xfe not a session")
        app.sessions.open_file(path)
        assert path.name in app.banner.text
    assert app.store.history is before
    assert file.exists()


def test_what_cannot_be_saved_is_told_and_leaves_what_was_there(start, tmp_path):
    app = start()
    app.sessions.save_file(tmp_path / "missing" / "work.reefpoint")
    assert "was not saved" in app.banner.text
    app.sessions.save_file(tmp_path / "work.reefpoint")
    assert app.problems.count == 1


def test_a_folder_that_cannot_be_is_told_and_nothing_else_suffers(open_app, tmp_path):
    (tmp_path / "file").write_text("", "utf-8")
    app = open_app(KWS, make_runner=Oracle, sessions=tmp_path / "file" / "sessions")
    assert "The session cannot be kept" in app.banner.text
    app.actions.run("schedule.strategy")
    app.actions.run("file.restore_session")
    app.close()


def test_a_disk_that_is_full_is_told_until_it_is_not(start, folder, qtbot):
    app = start()
    qtbot.waitUntil(lambda: len(on_disk(folder)) == 1)
    part = folder.path / ".session-1.json.part"
    part.mkdir()
    app.actions.run("schedule.strategy")
    qtbot.waitUntil(lambda: "cannot be kept" in app.banner.text)
    part.rmdir()
    app.actions.run("schedule.strategy")
    qtbot.waitUntil(app.banner.isHidden)
    assert on_disk(folder)[0].history == app.store.history


def test_without_a_folder_nothing_is_kept(open_app, tmp_path):
    app = open_app(KWS, make_runner=Oracle)
    assert not app.actions["file.reopen_session"].isEnabled()
    app.sessions.save_file(tmp_path / "work.reefpoint")
    assert decode((tmp_path / "work.reefpoint").read_text("utf-8")).history == app.store.history
    assert Document() != app.store.document
