"""Fronts outlive a process: found again whole, or made anew, and never in the way of anybody."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import pickle
import tracemalloc
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.api import edits, networks
from core.base.errors import OptionError
from core.base.frozen import replace
from core.cli.cache import kept_of
from core.ir.edits import Edit
from core.ir.front import Point
from core.ir.options import Options, Search
from core.ir.scheduled import Run
from core.pipeline.best import kept as module
from core.pipeline.best.kept import Kept, kept_by_default
from core.pipeline.best.packed import most_bytes, pack, unpack
from core.pipeline.best.problem import Problem
from core.pipeline.scheduled import Workbench
from core.report import schedule_json
from core.target.resolve import resolve
from tests.networks.small_networks import five_operators

EXAMPLES = Path(__file__).parents[4] / "resources" / "examples"
TARGET = resolve("ethos-u55-128", "Ethos_U55_High_End_Embedded", "Shared_Sram").with_limit(16 << 10)
BEST = Options(search=Search.BEST, effort=4)
RUN = networks.run(five_operators(), TARGET, BEST)
OTHER = networks.run((EXAMPLES / "resnet8.tflite").read_bytes(), TARGET, BEST)


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(folder=tmp_path / "fronts")


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Options]]:
    asked: list[Options] = []
    search = Workbench._found

    def counted(self, target, options, progress):
        asked.append(options)
        return search(self, target, options, progress)

    monkeypatch.setattr(Workbench, "_found", counted)
    return asked


def files(kept: Kept) -> list[Path]:
    return sorted(kept.folder.iterdir()) if kept.folder.is_dir() else []


def test_the_next_start_begins_where_the_last_one_ended(kept, searches):
    first = Workbench(RUN, kept=kept).schedule(TARGET, BEST)
    done = len(searches)
    again = Workbench(RUN, kept=kept)
    assert again.schedule(TARGET, BEST) == first
    assert len(searches) == done
    *_, last = again.fronts.growing(TARGET, replace(BEST, effort=6))
    assert len(last.tried) == 6


def test_what_a_front_depends_on_is_in_its_name(kept, searches, monkeypatch):
    Workbench(RUN, kept=kept).schedule(TARGET, BEST)
    for target, options in (
        (
            resolve("ethos-u55-128", "Ethos_U55_Deep_Embedded", "Shared_Sram").with_limit(16 << 10),
            BEST,
        ),
        (TARGET, replace(BEST, cpu_alignment=64)),
    ):
        before = len(searches)
        Workbench(RUN, kept=kept).schedule(target, options)
        assert len(searches) > before
    monkeypatch.setattr(module, "program_digest", lambda: "another version")
    before = len(searches)
    Workbench(RUN, kept=kept).schedule(TARGET, BEST)
    assert len(searches) > before
    assert len(files(kept)) == 4


class Foreign:
    def __reduce__(self):
        return os.mkdir, ("planted",)


def sealed(path: Path, content: bytes) -> bytes:
    """A file as whoever knows how they are sealed can write it."""
    data = zlib.compress(content)
    return hashlib.sha256(path.name.encode() + b"\0" + data).digest() + data


def as_it_once_was(content: bytes) -> bytes:
    data = zlib.compress(content)
    return hashlib.sha256(data).digest() + data


def content_of(path: Path) -> bytes:
    return zlib.decompress(path.read_bytes()[hashlib.sha256().digest_size :])


@pytest.mark.long
@pytest.mark.parametrize(
    "spoil",
    [
        lambda _: b"",
        lambda path: path.read_bytes()[:-1],
        lambda path: path.read_bytes()[:100] + b"\xc1" + path.read_bytes()[101:],
        lambda path: sealed(path, b"nonsense"),
        lambda path: sealed(path, pickle.dumps(Foreign())),
        lambda _: as_it_once_was(pickle.dumps(Foreign())),
        lambda path: sealed(path, content_of(path)[:-1]),
    ],
    ids=[
        "empty", "short", "flipped", "nonsense", "a pickle", "as it once was", "less"
    ],
)  # fmt: skip
def test_what_is_damaged_is_made_anew(spoil, kept, searches, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    expected = Workbench(RUN, kept=kept).schedule(TARGET, BEST)
    (path,) = files(kept)
    path.write_bytes(spoil(path))
    done = len(searches)
    assert Workbench(RUN, kept=kept).schedule(TARGET, BEST) == expected
    assert len(searches) == 2 * done
    assert not Path("planted").exists()
    # Now it is whole again: nobody has to search.
    assert Workbench(RUN, kept=kept).schedule(TARGET, BEST) == expected
    assert len(searches) == 2 * done


def test_a_front_is_taken_for_what_it_was_made_for_alone(kept, searches):
    """A file under another front's name, as it is and sealed anew, is no front of that."""
    other = replace(BEST, cpu_alignment=64)
    expected = Workbench(RUN, kept=kept).schedule(TARGET, other)
    (mine,) = files(kept)
    Workbench(OTHER, kept=kept).schedule(TARGET, BEST)
    (theirs,) = set(files(kept)) - {mine}
    for data in (theirs.read_bytes(), sealed(mine, content_of(theirs))):
        mine.write_bytes(data)
        before = len(searches)
        assert Workbench(RUN, kept=kept).schedule(TARGET, other) == expected
        assert len(searches) > before


def test_what_is_kept_of_a_front_is_all_of_it(kept):
    for run, options in ((RUN, BEST), (RUN, replace(BEST, edits=edits_of(RUN))), (OTHER, BEST)):
        first = Workbench(run, kept=kept)
        first.schedule(TARGET, options)
        problem = Problem.of(TARGET, options)
        known = first.fronts._known[problem]
        found = unpack(pack(known.by_plan, known.by_limits), run, problem)
        for each, original in zip(found, (known.by_plan, known.by_limits), strict=True):
            assert (each.tried, each.is_done) == (original.tried, original.is_done)
            assert [shown(point) for point in each.points] == [*map(shown, original.points)]


def shown(point: Point) -> tuple[object, ...]:
    """All that anybody is told of a point, to whom its options are those that he has asked for."""
    report = schedule_json.describe(replace(point.scheduled, options=BEST))
    return point.ask, point.changes, json.dumps(report), repr(point.scheduled.schedule)


def edits_of(run: Run) -> tuple[Edit, ...]:
    """Some decisions of each kind, of which not all can be had."""
    scheduled = Workbench(run).schedule(TARGET.with_limit(100_000), Options())
    return edits.decode(edits.decisions(scheduled).encode()).edits[::3]


@pytest.mark.parametrize("start", [b"", b"\xdd\x0f\xff\xff\xfb"], ids=["zeros", "a list"])
def test_no_file_makes_more_of_itself_than_a_front_can_be(start, kept):
    """Zeros are a thousand times as many as what they are packed into."""
    kept.put("key", b"", 0)
    (path,) = files(kept)
    path.write_bytes(sealed(path, start + bytes(1 << 28)))
    tracemalloc.start()
    assert kept.find("key", most_bytes(RUN)) is None
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 64 << 20


@pytest.mark.long
def test_where_nothing_can_be_written_nothing_is_lost_but_time(kept, tmp_path, monkeypatch):
    expected = Workbench(RUN).schedule(TARGET, BEST)
    (tmp_path / "file").write_text("in the way")
    assert Workbench(RUN, kept=Kept(folder=tmp_path / "file")).schedule(TARGET, BEST) == expected

    def full(contents):
        raise OptionError(f"{next(iter(contents))}: No space left on device")

    monkeypatch.setattr(module, "write_whole", full)
    assert Workbench(RUN, kept=kept).schedule(TARGET, BEST) == expected
    assert files(kept) == []


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o1777, 0o720])
def test_where_others_can_write_nothing_is_taken_and_nothing_put(mode, kept):
    kept.put("key", b"front", 1000)
    names = files(kept)
    kept.folder.chmod(mode)
    assert kept.find("key", 1000) is None
    kept.put("other", b"front", 1000)
    assert files(kept) == names
    assert kept.refusal == f"{kept.folder}: others can write there"


def test_commands_say_where_nothing_is_kept(kept, monkeypatch, capsys):
    monkeypatch.setenv("REEFPOINT_CACHE", str(kept.folder))
    for mode, told in ((0o755, ""), (0o777, f"no fronts are kept: {kept.folder}: others")):
        kept.folder.mkdir(exist_ok=True)
        kept.folder.chmod(mode)
        kept_of(argparse.Namespace(no_cache=False))
        assert told in (said := capsys.readouterr().err)
        assert said.count("\n") == bool(told)


def test_folders_and_files_are_the_users_alone(kept):
    assert kept.refusal == ""
    before = os.umask(0)
    try:
        replace(kept, folder=kept.folder / "deep" / "er").put("key", b"front", 1000)
    finally:
        os.umask(before)
    for path in kept.folder, *kept.folder.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0


def test_what_is_no_file_of_the_users_is_not_read(kept, tmp_path):
    kept.put("key", b"front", 1000)
    (path,) = files(kept)
    whole = path.read_bytes()
    assert kept.find("key", 1000) == b"front"
    path.chmod(0o666)
    assert kept.find("key", 1000) is None
    path.unlink()
    (tmp_path / "elsewhere").write_bytes(whole)
    path.symlink_to(tmp_path / "elsewhere")
    assert kept.find("key", 1000) is None
    path.unlink()
    # Whoever opens a pipe that nobody writes to waits for ever.
    os.mkfifo(path, 0o600)
    assert kept.find("key", 1000) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give away what it has")
def test_what_belongs_to_another_is_not_read(kept):
    kept.put("key", b"front", 1000)
    (path,) = files(kept)
    for each in (path, kept.folder):
        os.chown(each, 65534, 65534)
        assert kept.find("key", 1000) is None
        os.chown(each, 0, 0)
    assert kept.find("key", 1000) == b"front"


def test_of_two_processes_the_one_that_knows_more_stays(kept):
    short, long = Workbench(RUN, kept=kept), Workbench(RUN, kept=kept)
    within = TARGET.with_limit(17 << 10)
    for bench in (short, long):
        bench.fronts.look_up(TARGET, replace(BEST, effort=0))
    expected = long.schedule(TARGET, replace(BEST, effort=8))
    short.schedule(within, BEST)
    third = Workbench(RUN, kept=kept)
    found = third.fronts.look_up(TARGET, replace(BEST, effort=8))
    assert (found.layout, found.total) == (expected.layout, expected.total)
    assert list(third.fronts.growing(within, replace(BEST, effort=8))) == []


def test_what_was_used_longest_ago_goes(kept):
    for at in range(4):
        Workbench(RUN, kept=kept).schedule(TARGET, replace(BEST, cpu_alignment=16 << at))
        newest = max(files(kept), key=lambda path: path.stat().st_mtime_ns)
        os.utime(newest, (at * 10_000, at * 10_000))
    sizes = {path: path.stat().st_size for path in files(kept)}
    oldest = min(sizes, key=lambda path: path.stat().st_mtime_ns)
    abandoned = kept.folder / ".a.front.1.0"
    abandoned.write_bytes(b"half")
    os.utime(abandoned, (0, 0))
    small = replace(kept, most_bytes=sum(sizes.values()) - 1)
    small._make_room()
    assert set(files(kept)) == set(sizes) - {oldest}
    replace(kept, most_bytes=10).put("large", bytes(1000), 1000)
    kept.put("large", bytes(1000), 999)
    assert set(files(kept)) == set(sizes) - {oldest}


def test_the_folder_is_the_users(tmp_path):
    def folder(**environment: str) -> Path | None:
        found = kept_by_default(environment)
        return found and found.folder

    assert folder(REEFPOINT_CACHE="off") is None
    assert folder(REEFPOINT_CACHE=str(tmp_path)) == tmp_path
    assert folder(XDG_CACHE_HOME=str(tmp_path)) == tmp_path / "reefpoint" / "fronts"
    assert folder(XDG_CACHE_HOME="not/absolute") == folder()
