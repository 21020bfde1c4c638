"""Files of sessions: nobody has another's, and what a process left behind can be had."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from gui.shell.session_folder import FileLock, SessionFolder, put_aside, write_text

ROOT = Path(__file__).parents[3]

# Takes a file, writes something into it, and waits to be killed.
HOLDER = """
import sys
from pathlib import Path
from gui.shell.session_folder import SessionFolder, write_text
slot = SessionFolder(Path(sys.argv[1])).take()
write_text(slot.file, sys.argv[2], is_durable=False)
print(slot.file, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path):
    return SessionFolder(tmp_path / "deep" / "sessions")


def hold(folder: SessionFolder, text: str) -> tuple[subprocess.Popen, Path]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder.path), text],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    return process, Path(process.stdout.readline().strip())


def end(process: subprocess.Popen) -> None:
    process.kill()
    process.communicate()


def test_a_lock_is_held_once(tmp_path):
    first = FileLock.take(tmp_path / "a.lock")
    assert first is not None
    assert FileLock.take(tmp_path / "a.lock") is None
    first.let_go()
    first.let_go()
    again = FileLock.take(tmp_path / "a.lock")
    assert again is not None
    again.remove()
    assert not (tmp_path / "a.lock").exists()


def test_everyone_has_a_file_of_their_own(folder):
    slots = [folder.take() for _ in range(3)]
    assert [slot.file.name for slot in slots] == [f"session-{n}.json" for n in (1, 2, 3)]
    folder.drop(slots[1])
    assert folder.take().file == slots[1].file


def test_what_a_killed_process_leaves_is_found_and_nobody_else_finds_it(folder):
    process, file = hold(folder, "its work")
    assert folder.abandoned() == ()
    end(process)
    (slot,) = folder.abandoned()
    assert slot.file == file
    assert slot.file.read_text("utf-8") == "its work"
    # Another app that starts now would not be offered it as well, nor write over it.
    assert SessionFolder(folder.path).abandoned() == ()
    assert folder.take().file != file
    folder.let_go(slot)
    assert [found.file for found in folder.abandoned()] == [file]


def test_the_latest_is_first(folder):
    slots = [folder.take() for _ in range(3)]
    for slot, when in zip(slots, (200, 300, 100), strict=True):
        slot.file.write_text("work", "utf-8")
        os.utime(slot.file, (when, when))
        folder.let_go(slot)
    names = [slot.file.name for slot in folder.abandoned()]
    assert names == ["session-2.json", "session-1.json", "session-3.json"]


def test_what_is_left_on_purpose_is_the_last_and_not_abandoned(folder):
    slot = folder.take()
    slot.file.write_text("work", "utf-8")
    folder.leave(slot)
    assert folder.last.read_text("utf-8") == "work"
    assert folder.abandoned() == ()
    # Where nothing was done, the last one stays.
    folder.leave(folder.take())
    assert folder.last.read_text("utf-8") == "work"
    folder.leave_text("other work")
    assert folder.last.read_text("utf-8") == "other work"
    assert {file.name for file in folder.path.iterdir()} == {"guard.lock", "last.json"}


@pytest.mark.parametrize(("when", "left"), [(100, "the last"), (300, "what was broken off")])
def test_what_is_dismissed_is_the_last_unless_that_is_later(folder, when, left):
    folder.leave_text("the last")
    os.utime(folder.last, (200, 200))
    slot = folder.take()
    slot.file.write_text("what was broken off", "utf-8")
    os.utime(slot.file, (when, when))
    folder.leave_if_later(slot)
    assert folder.last.read_text("utf-8") == left
    assert not slot.file.exists()


def test_broken_files_are_set_aside_without_losing_any(folder):
    for number in range(3):
        slot = folder.take()
        slot.file.write_text(f"broken {number}", "utf-8")
        folder.set_aside(slot)
    kept = sorted(folder.path.glob("*.broken"))
    assert [file.name for file in kept] == [
        "session-1.json.2.broken",
        "session-1.json.3.broken",
        "session-1.json.broken",
    ]
    assert {file.read_text("utf-8") for file in kept} == {"broken 0", "broken 1", "broken 2"}
    with pytest.raises(FileNotFoundError):
        put_aside(folder.last)


def test_many_that_start_at_once_have_different_files(folder):
    slots = []
    threads = [threading.Thread(target=lambda: slots.append(folder.take())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({slot.file for slot in slots}) == 8


def test_a_folder_that_another_process_holds_for_long_is_given_up(folder, monkeypatch):
    monkeypatch.setattr("gui.shell.session_folder._PATIENCE_S", 0.05)
    folder.path.mkdir(parents=True)
    guard = FileLock.take(folder.path / "guard.lock")
    with pytest.raises(TimeoutError):
        folder.take()
    guard.let_go()
    folder.take()


def test_a_folder_that_cannot_be_is_an_os_error(tmp_path):
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(OSError, match="file"):
        SessionFolder(tmp_path / "file" / "sessions").take()


def test_nobody_sees_half_a_file(tmp_path, monkeypatch):
    file = tmp_path / "a.json"
    write_text(file, "before", is_durable=True)
    seen = []
    replace = Path.replace

    def watched(self, target):
        seen.append(Path(target).read_text("utf-8"))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", watched)
    write_text(file, "after\n" * 10_000, is_durable=True)
    assert seen == ["before"]
    assert file.read_text("utf-8") == "after\n" * 10_000
    assert list(tmp_path.iterdir()) == [file]
