"""The command line that a report tells makes it again, with what was written beside it."""

from __future__ import annotations

import html
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.api import edits, networks, notes, schedules
from core.base.errors import OptionError
from core.base.forms import Form
from core.ir.edits import Edit, Living, What
from core.ir.notes import Note
from core.ir.options import Options
from core.target.resolve import resolve
from gui.document.examples import EXAMPLES
from gui.document.wares import Ware
from gui.export.beside import files_beside
from tests.gui.answers import answer_of, document_of
from tests.gui.export.orders import order

ROOT = Path(__file__).parents[3]
TARGET = ("--accelerator-config", "ethos-u65-256", "--arena-cache-size", "12288", "--effort", "1")
REPORT = "kws_dscnn_report"


def ran(folder: Path, *words: str) -> None:
    subprocess.run(
        [sys.executable, str(ROOT / "main.py"), *words],
        cwd=folder,
        env=os.environ | {"SOURCE_DATE_EPOCH": "1795257000", "PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
        timeout=300,
    )


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A folder with a model, one edit, and one note."""
    folder = tmp_path_factory.mktemp("asked")
    shutil.copy(EXAMPLES / "kws_dscnn.tflite", folder)
    model = (folder / "kws_dscnn.tflite").read_bytes()
    target = resolve("ethos-u65-256").with_limit(12_288)
    done = schedules.Workbench(networks.run(model, target, Options())).schedule(target, Options())
    name = edits.Names.of(done.graph).maps[done.schedule.evicted[0].fms[0]]
    edit = Edit(subject=name, what=What.REGION, value=Living.SLOW)
    (folder / "mine.json").write_text(edits.encode(edits.EditsFile(edits=(edit,))))
    (folder / "said.json").write_text(notes.encode([Note(subject=name, text="too large")]))
    return folder


def test_it_repeats_edits_and_notes_where_what_it_names_is(asked, tmp_path):
    first, second = asked / "first", tmp_path
    first.mkdir()
    own = ("--edits", "mine.json", "--notes", "said.json")
    output = f"first/{REPORT}.html"
    ran(asked, "report", "kws_dscnn.tflite", *TARGET, *own, "-o", output)
    page = (first / f"{REPORT}.html").read_text("utf-8")
    (told,) = re.findall(r"reefpoint report [^<]*", page)
    command = shlex.split(html.unescape(told))
    beside = sorted(path.name for path in first.iterdir() if path.suffix == ".json")
    assert [name.split("-")[0] for name in beside] == [f"{REPORT}.edits", f"{REPORT}.notes"]
    shutil.copy(asked / "kws_dscnn.tflite", second)
    for name in beside:
        shutil.copy(first / name, second)
    ran(second, *command[1:])
    assert (second / f"{REPORT}.html").read_text("utf-8") == page


def test_files_beside_a_report_are_named_by_what_they_say(tmp_path):
    """Other edits are another file, so that an older report's are not lost."""
    path = tmp_path / "r.html"
    wanted = order(Ware.REPORT, path, Form.HTML)
    names = edits.Names.of(answer_of("kws_dscnn").scheduled.graph)
    found = {}
    for value in (Living.FAST, Living.SLOW):
        edit = Edit(subject=names.maps[-1], what=What.REGION, value=value)
        document = document_of("kws_dscnn").with_edits((edit,))
        (own,) = files_beside(document, wanted, path)
        found[own] = files_beside(document, wanted, path)[own]
        own.write_bytes(found[own])
        assert not files_beside(document, wanted, path)
        assert edits.decode(own.read_bytes()).edits == (edit,)
        own.write_text("{}")
        with pytest.raises(OptionError, match="says something else"):
            files_beside(document, wanted, path)
    assert len(found) == 2
    assert not files_beside(document_of("kws_dscnn"), wanted, path)


def test_models_in_the_same_device_are_told_with_who_fits_and_the_line_repeats_it(asked, tmp_path):
    """One limit, one verdict, and the arenas of all."""
    shutil.copy(EXAMPLES / "shuffle_with_cpu.tflite", asked)
    words = ("report", "kws_dscnn.tflite", "--with", "shuffle_with_cpu.tflite", "--effort", "0")
    first, second = asked / "beside.html", tmp_path / f"{REPORT}.html"
    ran(asked, *words, "--calls", "nested", "--arena-cache-size", "64K", "-o", first.name)
    page = first.read_text("utf-8")
    assert "Fit together" in page
    assert re.search(r"SRAM: [0-9,]+ bytes for 2 models; they fit 65,536", page)
    (told,) = re.findall(r"reefpoint report [^<]*", page)
    assert "--with shuffle_with_cpu.tflite" in told
    assert "--calls nested" in told
    for name in ("kws_dscnn.tflite", "shuffle_with_cpu.tflite"):
        shutil.copy(asked / name, tmp_path)
    ran(tmp_path, *shlex.split(html.unescape(told))[1:])
    assert second.read_text("utf-8") == page
    ran(asked, *words, "--calls", "nested", "--arena-cache-size", "8K", "-o", "small.html")
    small = (asked / "small.html").read_text("utf-8")
    assert "Do not fit together" in small
    assert "more than the 8,192 that they may use together" in small
    ran(asked, *words, "--interactive", "-o", "page.html")
    assert "called in-turn" in (asked / "page.html").read_text("utf-8")
