"""A file that changes on disk is noticed, however it was written."""

from __future__ import annotations

import pytest

from gui.shell.files import FileWatch

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "net.tflite"
    path.write_bytes(b"one")
    return path


@pytest.fixture
def watch(file):
    watch = FileWatch(quiet_ms=20)
    watch.watch(str(file))
    yield watch
    watch.deleteLater()


def test_a_file_that_is_written_again(qtbot, watch, file):
    with qtbot.waitSignal(watch.changed):
        file.write_bytes(b"two")


def test_a_file_that_is_replaced_again_and_again(qtbot, watch, file):
    for content in (b"two", b"three", b"four"):
        fresh = file.with_suffix(".new")
        fresh.write_bytes(content)
        with qtbot.waitSignal(watch.changed):
            fresh.replace(file)


def test_a_file_that_goes_and_comes_back(qtbot, watch, file):
    with qtbot.waitSignal(watch.changed):
        file.unlink()
    with qtbot.waitSignal(watch.changed):
        file.write_bytes(b"back")
    with qtbot.waitSignal(watch.changed):
        file.write_bytes(b"and changed")


def test_many_writes_are_one_change(qtbot, watch, file):
    heard = []
    watch.changed.connect(lambda: heard.append(1))
    with qtbot.waitSignal(watch.changed):
        for number in range(20):
            file.write_bytes(b"x" * number)
    assert len(heard) == 1


def test_the_file_before_is_watched_no_more(qtbot, watch, file, tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    other = folder / "other.tflite"
    other.write_bytes(b"one")
    watch.watch(str(other))
    with qtbot.assertNotEmitted(watch.changed, wait=100):
        file.write_bytes(b"two")
    with qtbot.waitSignal(watch.changed):
        other.write_bytes(b"two")
