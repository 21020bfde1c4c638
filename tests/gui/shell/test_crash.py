"""Errors of our own are told in a dialog with a report to save, and the window stays."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QFileDialog

from core.base.version import VERSION
from gui.document.answer import Failure, FailureKind
from gui.document.job import JobPhase, JobState
from gui.document.problem import Problem
from gui.jobs import worker
from gui.jobs.messages import Failed, Request
from gui.jobs.wire import unpack
from gui.shell.crash import CrashReporter, Fault, anonymous, report
from tests.gui.answers import document_of


@pytest.fixture
def app(app_again):
    app_again.crashes._faults = []
    return app_again


@pytest.fixture
def reporter(app):
    return CrashReporter(app.crashes.tell)


def crash(reporter, message):
    try:
        fail(message)
    except RuntimeError as error:
        reporter.on_exception(type(error), error, error.__traceback__)


def fail(message):
    raise RuntimeError(message)


def told(app) -> str:
    return app.crashes.dialog.browser.toPlainText()


def test_all_crashes_are_told_in_one_dialog(qtbot, app, reporter, capsys):
    crash(reporter, "the first")
    crash(reporter, "the second")
    crash(reporter, "the first")
    qtbot.waitUntil(lambda: app.crashes.dialog is not None)
    qtbot.waitUntil(lambda: "the second" in told(app) and "2 times" in told(app))
    text = told(app)
    assert text.count("RuntimeError: the first") == 1
    assert "Traceback" in text
    assert "test_crash.py" in text
    assert app.window.isVisible()
    app.crashes.dialog.close()
    qtbot.waitUntil(lambda: app.crashes.dialog is None)
    crash(reporter, "the third")
    qtbot.waitUntil(lambda: app.crashes.dialog is not None)
    # What was not saved then can be saved now.
    assert "the first" in told(app)
    assert "the third" in capsys.readouterr().err


def test_a_report_has_what_the_developers_need(app, reporter, qtbot):
    app.problems.add(Problem(key="disk", message="The disk is full."))
    app.actions.run("schedule.strategy")
    crash(reporter, "the fault")
    qtbot.waitUntil(lambda: app.crashes.dialog is not None)
    model = app.store.document.model
    parts = (
        *(f"Reefpoint {VERSION}", "Python 3.", "PySide6-Essentials 6.", "pyqtgraph ", "numpy "),
        *(model.name, model.digest, '"strategy": "Size"', '"accelerator": "ethos-u55-256"'),
        *("The disk is full.", "Traceback", "RuntimeError: the fault"),
    )
    assert [part for part in parts if part not in told(app)] == []
    # Of the model it has neither bytes nor names.
    ops = app.store.answer.scheduled.run.graph.ops
    assert [op.name for op in ops if op.name in told(app)] == []
    assert model.path not in told(app)


def test_a_report_can_be_saved_and_copied(app, tmp_path, monkeypatch):
    app.crashes.tell("Traceback: the fault")
    dialog = app.crashes.dialog
    file = tmp_path / "report.txt"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(file), ""))
    dialog.save_button.click()
    assert file.read_text("utf-8") == told(app)
    assert str(file) in dialog.told.text()
    dialog.copy_button.click()
    assert QApplication.clipboard().text() == told(app)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("", ""))
    file.unlink()
    dialog.save_button.click()
    assert not file.exists()


def test_a_report_that_cannot_be_saved_says_why(app, tmp_path):
    app.crashes.tell("Traceback: the fault")
    app.crashes.dialog.save(tmp_path / "missing" / "report.txt")
    assert "Nothing was written" in app.crashes.dialog.told.text()
    assert "the fault" in told(app)


def test_a_report_can_be_had_without_a_fault(app):
    assert app.actions.run("help.report")
    assert "Nothing went wrong" in app.crashes.dialog.told.text()
    assert "none since the start" in told(app)


def test_a_fault_of_the_worker_is_told_with_its_trace(app):
    failure = Failure(
        document=app.store.document,
        message="internal error: IndexError",
        kind=FailureKind.FAULT,
        trace="Traceback\n  stripes.py, line 3\nIndexError",
    )
    for stage in ("", "again"):
        app.store.set_job(JobState(phase=JobPhase.FAILED, failure=failure, stage=stage))
    assert told(app).count("stripes.py, line 3") == 1
    assert "compiler process" in told(app)
    assert "internal error: IndexError" in app.banner.text
    app.crashes.dialog.close()
    app.banner.rows[0].buttons[0].click()
    assert "stripes.py, line 3" in told(app)


def test_a_worker_that_was_killed_is_no_reason_for_a_dialog_but_has_a_report(app):
    failure = Failure(
        document=app.store.document,
        message="the compiler process ended (signal 9, SIGKILL)",
        kind=FailureKind.ENDED,
    )
    app.store.set_job(JobState(phase=JobPhase.FAILED, failure=failure))
    assert app.crashes.dialog is None
    report_button = app.banner.rows[0].buttons[-1]
    assert report_button.text() == "Report..."
    report_button.click()
    assert "SIGKILL" in told(app)


def test_a_fault_of_an_export_is_told_too(app):
    app.crashes.on_export(Failed(number=1, message="no such folder"))
    assert app.crashes.dialog is None
    app.crashes.on_export(Failed(number=2, message="internal error", trace="Traceback: paper.py"))
    assert "Traceback: paper.py" in told(app)


class Desk:
    """Has a fault."""

    def bench(self, document, progress):
        del document, progress
        return {}["stripes"]


class Line:
    """Remembers what the worker says."""

    def __init__(self):
        self.said = []

    def send(self, data):
        self.said.append(unpack(data))

    def has_more(self):
        return False


def test_the_worker_sends_where_its_faults_happened():
    line = Line()
    worker.answer(Desk(), Request(number=7, document=document_of("kws_dscnn")), line)
    (failed,) = line.said
    assert isinstance(failed, Failed)
    assert failed.message.startswith("internal error: KeyError: 'stripes'")
    assert "Traceback" in failed.trace
    assert "test_crash.py" in failed.trace


def test_a_report_does_not_tell_whose_machine_it_is(monkeypatch, tmp_path):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    trace = f'File "{tmp_path}/reefpoint/core/api/reports.py", line 1'
    text = report([Fault(trace)], document_of("kws_dscnn"), JobState(), [])
    assert str(tmp_path) not in text
    assert "~/reefpoint/core/api/reports.py" in text
    assert anonymous("nothing") == "nothing"


def test_a_crash_in_another_thread_is_told_too(qtbot, reporter, monkeypatch):
    # Both hooks are put back afterwards.
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    reporter.install()
    thread = threading.Thread(target=lambda: {}["missing"])
    with qtbot.waitSignal(reporter.happened) as heard:
        thread.start()
    thread.join()
    assert "KeyError: 'missing'" in heard.args[0]


def test_an_interrupt_is_no_crash(qtbot, reporter, capsys):
    with qtbot.assertNotEmitted(reporter.happened):
        reporter.on_exception(KeyboardInterrupt, KeyboardInterrupt(), None)
    capsys.readouterr()
