"""Fronts outlive a process: found again whole, or made anew, and never in the way of anybody."""

from __future__ import annotations

import hashlib
import os
import pickle
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.api import networks
from core.base.errors import OptionError
from core.base.frozen import replace
from core.ir.options import Options, Search
from core.pipeline.best import kept as module
from core.pipeline.best.kept import Kept, kept_by_default
from core.pipeline.scheduled import Workbench
from core.target.resolve import resolve

KWS = Path(__file__).parents[4] / "resources" / "examples" / "kws_dscnn.tflite"
TARGET = resolve("ethos-u55-128", "Ethos_U55_High_End_Embedded", "Shared_Sram").with_limit(16 << 10)
BEST = Options(search=Search.BEST, effort=4)
RUN = networks.run(KWS.read_bytes(), TARGET, BEST)


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


def sealed(content: bytes) -> bytes:
    data = zlib.compress(content)
    return hashlib.sha256(data).digest() + data


class Foreign:
    def __reduce__(self):
        return os.mkdir, ("planted",)


def named_as_ours() -> bytes:
    """A call of `os.mkdir` by way of a module of ours."""
    text = b"core.pipeline.best.kept", b"os.mkdir", b"planted"
    module_name, name, argument = (b"\x8c" + bytes([len(each)]) + each for each in text)
    return b"\x80\x04" + module_name + name + b"\x93" + argument + b"\x85R."


@pytest.mark.long
@pytest.mark.parametrize(
    "spoil",
    [
        lambda _: b"",
        lambda data: data[:-1],
        lambda data: data[:100] + bytes([data[100] ^ 1]) + data[101:],
        lambda _: sealed(b"no pickle"),
        lambda _: sealed(pickle.dumps(7)),
        lambda _: sealed(pickle.dumps(Foreign())),
        lambda _: sealed(named_as_ours()),
    ],
    ids=["empty", "short", "flipped", "nonsense", "another value", "foreign", "disguised"],
)
def test_what_is_damaged_is_made_anew(spoil, kept, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    expected = Workbench(RUN, kept=kept).schedule(TARGET, BEST)
    (path,) = files(kept)
    whole = path.read_bytes()
    path.write_bytes(spoil(whole))
    assert Workbench(RUN, kept=kept).schedule(TARGET, BEST) == expected
    assert not Path("planted").exists()
    assert path.read_bytes() == whole


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
    replace(kept, most_bytes=10).put("large", "value " * 1000)
    assert set(files(kept)) == set(sizes) - {oldest}


def test_the_folder_is_the_users(tmp_path):
    def folder(**environment: str) -> Path | None:
        found = kept_by_default(environment)
        return found and found.folder

    assert folder(REEFPOINT_CACHE="off") is None
    assert folder(REEFPOINT_CACHE=str(tmp_path)) == tmp_path
    assert folder(XDG_CACHE_HOME=str(tmp_path)) == tmp_path / "reefpoint" / "fronts"
    assert folder(XDG_CACHE_HOME="not/absolute") == folder()
