"""Sessions are written soon, the newest always, and never by the window's thread."""

from __future__ import annotations

import threading

import pytest

from core.ir.settings import Settings
from gui.document.document import Document
from gui.document.history import History
from gui.document.session import Session, decode
from gui.shell import session_keeper
from gui.shell.session_keeper import SessionWriter


def work(number: int) -> Session:
    return Session(
        history=History().edited(Document(settings=Settings(limit_bytes=number)), "limit")
    )


pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def writer(tmp_path):
    writer = SessionWriter(tmp_path / "session-1.json")
    yield writer
    writer.close()


def on_disk(tmp_path) -> Session:
    return decode((tmp_path / "session-1.json").read_text("utf-8"))


def test_what_is_handed_over_is_on_the_disk_soon(qtbot, writer, tmp_path):
    with qtbot.waitSignal(writer.kept, timeout=5000) as kept:
        writer.put(work(1))
    assert kept.args == [work(1)]
    assert on_disk(tmp_path) == work(1)


def test_of_many_the_last_is_there_and_few_are_written(qtbot, writer, tmp_path):
    told = []
    writer.kept.connect(told.append)
    for number in range(100):
        writer.put(work(number))
    qtbot.waitUntil(lambda: told[-1:] == [work(99)])
    assert on_disk(tmp_path) == work(99)
    assert len(told) <= 3


def test_closing_and_flushing_wait_for_the_last(writer, tmp_path):
    writer.put(work(1))
    writer.flush()
    assert on_disk(tmp_path) == work(1)
    writer.flush()
    writer.put(work(2))
    writer.close()
    assert on_disk(tmp_path) == work(2)


def test_it_is_not_the_window_that_writes(qtbot, writer, monkeypatch):
    threads = []
    real = session_keeper.write_text

    def watched(*given, **named):
        threads.append(threading.current_thread())
        real(*given, **named)

    monkeypatch.setattr(session_keeper, "write_text", watched)
    with qtbot.waitSignal(writer.kept, timeout=5000):
        writer.put(work(1))
    assert threads
    assert threading.main_thread() not in threads


def test_what_cannot_be_written_is_told_and_the_next_is_tried(qtbot, writer, tmp_path):
    obstacle = tmp_path / ".session-1.json.part"
    obstacle.mkdir()
    with qtbot.waitSignal(writer.failed, timeout=5000) as failed:
        writer.put(work(1))
    assert str(tmp_path) in failed.args[0]
    obstacle.rmdir()
    with qtbot.waitSignal(writer.kept, timeout=5000):
        writer.put(work(2))
    assert on_disk(tmp_path) == work(2)
