"""Files are written whole or not at all, also several that belong together."""

from __future__ import annotations

import itertools
import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from core.base import files
from core.base.errors import OptionError
from core.base.files import demand_place, write_whole


def full_disk(*_: object) -> None:
    raise OSError(28, "No space left on device")


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def test_all_files_are_there_with_what_they_hold(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_bytes(b"before")
    write_whole({first: b"one", second: b""})
    assert (first.read_bytes(), second.read_bytes()) == (b"one", b"")
    assert sorted(tmp_path.iterdir()) == [first, second]


@pytest.mark.parametrize("step", ["write", "fsync", "replace"])
@pytest.mark.parametrize(
    ("failure", "raised"), [(full_disk, OptionError), (interrupted, KeyboardInterrupt)]
)
def test_a_failure_leaves_what_was_there_and_nothing_else(
    step: str, failure: object, raised: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_bytes(b"before")
    match step:
        case "write":
            monkeypatch.setattr(files, "_write_checked", failure)
        case "fsync":
            monkeypatch.setattr(os, "fsync", failure)
        case _:
            monkeypatch.setattr(Path, "replace", failure)
    with pytest.raises(raised):
        write_whole({new: b"new", old: b"after"})
    assert old.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [old]


def test_a_second_file_that_cannot_be_written_keeps_the_first_from_being_there(
    tmp_path: Path,
) -> None:
    first = tmp_path / "a"
    with pytest.raises(OptionError, match="No such file or directory"):
        write_whole({first: b"one", tmp_path / "nowhere" / "b": b"two"})
    assert list(tmp_path.iterdir()) == []


def test_what_reads_back_as_something_else_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "read_bytes", lambda _: b"other")
    with pytest.raises(OptionError, match="reads back as something else"):
        write_whole({tmp_path / "a": b"one"})
    assert list(tmp_path.iterdir()) == []


def test_a_new_file_has_the_rights_that_any_new_file_has(tmp_path: Path) -> None:
    plain, written = tmp_path / "plain", tmp_path / "written"
    plain.write_bytes(b"")
    write_whole({written: b""})
    assert stat.S_IMODE(written.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    link, final = tmp_path / "link", tmp_path / "folder" / "file"
    link.symlink_to(final)
    write_whole({link: b"one"})
    assert link.is_symlink()
    assert final.read_bytes() == b"one"


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", list[bytes]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_whole({pipe: b"one"})
    reader.join(10)
    assert read == [b"one"]
    assert list(tmp_path.iterdir()) == [pipe]


def test_names_as_long_as_a_disk_allows_can_be_written(tmp_path: Path) -> None:
    file = tmp_path / ("n" * 255)
    write_whole({file: b"one"})
    assert file.read_bytes() == b"one"


def test_places_where_nothing_can_be_written_are_refused_at_once(tmp_path: Path) -> None:
    demand_place(tmp_path / "new")
    with pytest.raises(OptionError, match="Is a directory"):
        demand_place(tmp_path)
    with pytest.raises(OptionError, match="No such file or directory"):
        demand_place(tmp_path / "nowhere" / "new")


@pytest.mark.parametrize("failing", range(4))
@pytest.mark.parametrize("failure", [full_disk, interrupted])
def test_files_that_belong_together_are_all_there_or_all_what_they_were(
    failing: int, failure: Callable[[], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever of them cannot take its name."""
    names = ("old", "new", "older", "newer")
    for name in names[::2]:
        (tmp_path / name).write_bytes(b"before")
    replace, count = Path.replace, itertools.count()

    def replaced(path: Path, target: Path) -> Path:
        if next(count) == failing:
            failure()
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", replaced)
    with pytest.raises((OptionError, KeyboardInterrupt)):
        write_whole({tmp_path / name: b"after" for name in names})
    found = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert found == {"old": b"before", "older": b"before"}


def test_without_hard_links_they_are_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "link", full_disk)
    test_files_that_belong_together_are_all_there_or_all_what_they_were(
        2, interrupted, tmp_path, monkeypatch
    )


def test_an_interrupt_when_all_have_their_names_takes_none_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace, files = Path.replace, [tmp_path / "a", tmp_path / "b"]

    def replaced(path: Path, target: Path) -> Path:
        found = replace(path, target)
        if target == files[-1]:
            raise KeyboardInterrupt
        return found

    monkeypatch.setattr(Path, "replace", replaced)
    with pytest.raises(KeyboardInterrupt):
        write_whole(dict.fromkeys(files, b"after"))
    assert sorted(tmp_path.iterdir()) == files


@pytest.mark.skipif(os.name == "nt", reason="nobody can say whether a process is gone")
def test_what_a_killed_process_left_is_taken_away_by_the_next(tmp_path: Path) -> None:
    file, other = tmp_path / "out.tflite", tmp_path / "other"
    script = (
        "import os, signal, sys; from pathlib import Path; from core.base import files;"
        " Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL);"
        " files.write_whole({Path(each): b'half' for each in sys.argv[1:]})"
    )
    done = subprocess.run([sys.executable, "-c", script, file, other], check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(list(tmp_path.iterdir())) == 2
    mine = [".out.tflite.1.2.txt", ".out.tflite", "out.tflite.7.0", f".out.tflite.{os.getpid()}.3"]
    mine += [f".out.tflite.{os.getppid()}.0", ".out.tflite.x.0"]
    for name in mine:
        (tmp_path / name).touch()
    write_whole({file: b"whole"})
    kept = {path.name for path in tmp_path.iterdir() if ".other." not in path.name}
    assert kept == {"out.tflite", *mine}
    write_whole({other: b"whole"})
    assert {path.name for path in tmp_path.iterdir()} == {"out.tflite", "other", *mine}
