"""Exports are written whole, or not at all and with a reason; they are what the commands write."""

from __future__ import annotations

import json
import os
from itertools import islice

import pytest

import main
from core import cli
from core.api import compiler, listings, proof
from core.base.forms import Form
from core.base.outputs import Output
from core.base.progress import SILENT, Cancelled
from core.ir.options import Search
from core.pipeline.proof.verdict import OutputVerdict, Verification
from gui.document.answer import Answer
from gui.document.wares import FORMS, Ware
from gui.export.worker import answer
from gui.jobs.desk import Desk
from gui.jobs.exporter import pack_answer
from gui.jobs.messages import Export, Exported, Failed, Stopped
from gui.jobs.wire import pack
from gui.present.operators.rules import Rules
from gui.present.runs.best import front_answered
from gui.theme.tones import LIGHT
from tests.gui.answers import document_of, model_path
from tests.gui.export.orders import export, order

SEARCH = ("--search", "compatible")
"""What documents of tests ask for."""
TARGET = ("--accelerator-config", "ethos-u65-256", "--arena-cache-size", "128K")
SETTINGS = {"accelerator": "ethos-u65-256", "limit_bytes": 128 << 10}


def files(folder) -> list[str]:
    """Everything in a folder, hidden files too."""
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.long
@pytest.mark.parametrize("ware", Ware)
def test_everything_can_be_exported(studio, tmp_path, ware):
    for form in FORMS[ware]:
        path = tmp_path / f"a{form.suffix}"
        end = export(studio, order(ware, path, form))
        assert isinstance(end, Exported)
        assert end.paths == (str(path),)
        assert path.stat().st_size > 100
        assert not Output(path=path, form=form).is_foreign()
        path.unlink()
    assert files(tmp_path) == []


def test_a_model_has_the_bytes_that_compile_writes(studio, tmp_path):
    theirs, ours = tmp_path / "cli.tflite", tmp_path / "app.tflite"
    path = str(model_path("unet_128"))
    assert main.cli.main(["compile", path, "-o", str(theirs), *TARGET, *SEARCH]) == 0
    end = export(studio, order(Ware.MODEL, ours, verifies=False), "unet_128", **SETTINGS)
    assert end.notes == ("it was not verified",)
    assert ours.read_bytes() == theirs.read_bytes()


def test_tables_have_the_bytes_that_the_commands_write(studio, tmp_path):
    path, made = str(model_path("kws_dscnn")), tmp_path / "cli"
    wares = {
        Ware.SCHEDULE: "--schedule-json",
        Ware.SUMMARY: "--summary-csv",
        Ware.LAYERS: "--per-layer-csv",
    }
    reports = [part for ware, name in wares.items() for part in (name, f"{made}-{ware.name}")]
    assert cli.main(["compile", path, "-o", f"{made}.tflite", *reports, *SEARCH]) == 0
    for ware in wares:
        ours = tmp_path / ware.name
        export(studio, order(ware, ours))
        assert ours.read_bytes() == (tmp_path / f"cli-{ware.name}").read_bytes()


def test_an_answer_that_is_shown_is_written_as_it_is(studio, tmp_path, monkeypatch):
    document = document_of("kws_dscnn", search=Search.BEST, effort=40, limit_bytes=24 << 10)
    bench = Desk().bench(document)
    grown = bench.workbench.fronts.growing(document.settings.target(), document.settings.options)
    for _ in islice(grown, 5):
        pass
    found = bench.glance(document.settings, SILENT)
    shown = Answer(
        number=3,
        document=document,
        scheduled=found.scheduled,
        analysis=found.analysis,
        seconds=1.0,
    )
    searches = front_answered(shown).searches
    assert 0 < searches < 40
    monkeypatch.setattr(Desk, "solve", lambda *_: pytest.fail("steps were taken"))
    packed = pack_answer(shown)
    assert len(packed) < len(pack(shown)) / 2
    for ware in (Ware.MODEL, Ware.SCHEDULE):
        message = Export(
            number=7, document=document, order=order(ware, tmp_path / ware.name), shown=packed
        )
        assert isinstance(answer(Desk(), message, studio, SILENT), Exported)
    compiled = compiler.compile_model(found.scheduled)
    assert (tmp_path / Ware.MODEL.name).read_bytes() == compiled.data
    told = json.loads((tmp_path / Ware.SCHEDULE.name).read_text("utf-8"))
    assert [each["searches"] for each in told["decisions"] if "searches" in each] == [searches]


def test_reports_and_pages_have_the_rules_that_are_on(studio, tmp_path):
    rules, told = Rules().switched("kind=conv2d"), {}
    for ware in (Ware.REPORT, Ware.PAGE):
        plain, coloured = tmp_path / f"plain_{ware.name}", tmp_path / f"coloured_{ware.name}"
        export(studio, order(ware, plain, Form.HTML))
        export(studio, order(ware, coloured, Form.HTML, rules=rules.kept))
        told[ware] = [path.read_text("utf-8") for path in (plain, coloured)]
        assert ["kind=conv2d" in text for text in told[ware]] == [False, True]
    colour = LIGHT.inks[rules.on[0].tone].colour
    before, now = (text.count(colour) for text in told[Ware.REPORT])
    assert now > before


def test_a_model_is_verified_and_that_is_told(studio, tmp_path):
    end = export(studio, order(Ware.MODEL, tmp_path / "a.tflite"))
    assert any("head/softmax" in note and "equal" in note for note in end.notes)


def test_a_model_that_does_not_hold_is_not_written(studio, tmp_path, monkeypatch):
    wrong = OutputVerdict(
        name="head/softmax",
        elements=12,
        inputs=1,
        differing=3,
        largest=9.0,
        where="operator 'b/dw'",
    )
    verdict = Verification(outputs=(wrong,), faults=())
    monkeypatch.setattr(proof, "verify", lambda *_, **__: verdict)
    there = tmp_path / "a.tflite"
    there.write_bytes(b"what was there before")
    end = export(studio, order(Ware.MODEL, there, replaces=True))
    assert isinstance(end, Failed)
    assert not end.trace
    assert "nothing was written" in end.message
    assert "operator 'b/dw'" in end.message
    assert there.read_bytes() == b"what was there before"
    assert files(tmp_path) == ["a.tflite"]


def test_a_file_that_is_there_is_replaced_whole(studio, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("old,er\n" * 10_000)
    export(studio, order(Ware.SUMMARY, path))
    assert "old" not in path.read_text("utf-8")
    assert files(tmp_path) == ["a.csv"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")  # noqa: PTH110
def test_a_full_disk_is_told(studio):
    end = export(studio, order(Ware.SUMMARY, "/dev/full"))
    assert isinstance(end, Failed)
    assert end.message == "/dev/full: No space left on device"


def test_a_disk_that_fills_up_leaves_what_was_there(studio, tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text("be,fore\n")

    def full(_: int) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", full)
    end = export(studio, order(Ware.SUMMARY, path))
    assert end.message.endswith("a.csv: No space left on device")
    assert path.read_text("utf-8") == "be,fore\n"
    assert files(tmp_path) == ["a.csv"]


@pytest.mark.parametrize("name", ["missing/a.csv", "file/a.csv", "folder"])
def test_a_place_that_cannot_be_written_to_is_told_before_any_work(
    studio, tmp_path, monkeypatch, name
):
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    monkeypatch.setattr("gui.export.worker.job_of", lambda *_: pytest.fail("work was done"))
    end = export(studio, order(Ware.SUMMARY, tmp_path / name))
    assert isinstance(end, Failed)
    assert name in end.message
    assert not end.trace


def test_a_folder_without_rights_is_told(studio, tmp_path, monkeypatch):
    # An administrator may write everywhere; so the system is asked to say no.
    monkeypatch.setattr(os, "access", lambda *_: False)
    end = export(studio, order(Ware.SUMMARY, tmp_path / "a.csv"))
    assert end.message.endswith("a.csv: Permission denied")


@pytest.mark.long
def test_what_is_cancelled_leaves_nothing(studio, tmp_path):
    for most in range(0, 40, 4):
        progress = Impatient(most)
        end = export(studio, order(Ware.REPORT, tmp_path / "a.html"), progress=progress)
        assert isinstance(end, Stopped) is progress.was_cancelled
        if progress.was_cancelled:
            assert files(tmp_path) == []


class Impatient:
    """Cancels after so many reports."""

    def __init__(self, most: int) -> None:
        self.left = most
        self.was_cancelled = False

    def advance(self, stage: str, done: int, total: int) -> None:
        del stage, done, total
        self.left -= 1
        if self.left < 0:
            self.was_cancelled = True
            raise Cancelled


def test_a_fault_of_ours_is_told_with_its_place(studio, tmp_path, monkeypatch):
    monkeypatch.setattr(listings, "render_summary_csv", lambda *_: 1 / 0)
    end = export(studio, order(Ware.SUMMARY, tmp_path / "a.csv"))
    assert end.message.startswith("internal error: ZeroDivisionError")
    assert "Traceback" in end.trace
    assert files(tmp_path) == []


@pytest.mark.long
@pytest.mark.parametrize("form", [Form.HTML, Form.PDF, Form.PNG, Form.SVG])
def test_the_same_moment_gives_the_same_bytes(studio, tmp_path, form):
    ware = Ware.REPORT if form in FORMS[Ware.REPORT] else Ware.PICTURE
    for name in "ab":
        export(studio, order(ware, tmp_path / name, form))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
