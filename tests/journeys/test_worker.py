"""The worker may be stopped, and may die, without hurting the window."""

from __future__ import annotations

import os
import sys

import pytest

from gui.document.examples import EXAMPLES, FIRST_EXAMPLE
from gui.document.job import JobPhase
from tests.gui.running import is_failed, wait_for_answer
from tests.journeys.agreement import check_all
from tests.processes import kill


@pytest.fixture
def app(open_app):
    return open_app(EXAMPLES / "kws_dscnn.tflite")


def wait_until_it_runs(qtbot, app) -> None:
    qtbot.waitUntil(lambda: app.store.job.phase is JobPhase.RUNNING)


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals")
def test_a_worker_that_is_killed_in_mid_compile(app, qtbot):
    app.files.open(str(FIRST_EXAMPLE))
    wait_until_it_runs(qtbot, app)
    kill(app.runner.worker_pid)
    wait_for_answer(qtbot, app)
    assert is_failed(app)
    assert "SIGKILL" in app.banner.text
    assert app.window.isVisible()
    assert app.actions.run("schedule.again")
    qtbot.waitUntil(lambda: app.store.is_current, timeout=60_000)
    assert app.banner.isHidden()
    check_all(app)


@pytest.mark.long
def test_a_run_that_is_cancelled(app, qtbot):
    assert not app.actions["schedule.cancel"].isEnabled()
    app.actions.run("file.example.mobilenet_v2_035_96")
    wait_until_it_runs(qtbot, app)
    assert app.actions["schedule.cancel"].isEnabled()
    assert app.actions.run("schedule.cancel")
    wait_for_answer(qtbot, app)
    assert is_failed(app)
    assert not app.actions["schedule.cancel"].isEnabled()
    app.actions.run("schedule.again")
    qtbot.waitUntil(lambda: app.store.is_current, timeout=60_000)
    check_all(app)


def test_the_worker_ends_with_the_window(app):
    pid = app.runner.worker_pid
    assert pid
    app.close()
    assert app.runner.worker_pid == 0
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_closing_in_mid_compile_does_not_wait_for_it(app, qtbot):
    app.files.open(str(FIRST_EXAMPLE))
    wait_until_it_runs(qtbot, app)
    app.close()
    assert not app.window.isVisible()
    assert app.runner.worker_pid == 0
