"""`compare` opens sessions too: what was asked last of the model that was open."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import main
from gui.document.document import Document
from gui.document.history import Entry, History
from gui.document.session import Session, encode
from tests.gui.answers import model_path, model_ref
from tests.settings import settings_with

MODEL = model_path("kws_dscnn")
ROOT = Path(main.__file__).parent


@pytest.fixture
def session(tmp_path):
    """A session file, in which the model was asked for within some limit."""

    def write(limit, model=MODEL):
        document = Document(model=model_ref(model), settings=settings_with(limit_bytes=limit))
        file = tmp_path / f"{limit}.reefpoint"
        file.write_text(encode(Session(history=History(present=Entry(document)))))
        return str(file)

    return write


def test_a_session_is_what_was_asked_last(session, capsys):
    asked = ["compare", session(20_000), str(MODEL), "--arena-cache-size", "20000"]
    assert main.main(asked) == 0
    assert "Both are the same" in capsys.readouterr().out


def test_two_sessions_differ(session, capsys):
    assert main.main(["compare", session(200_000), session(15_000)]) == 1
    told = capsys.readouterr().out
    assert "15,000 bytes instead of 200,000 bytes" in told


def test_a_session_without_a_model_is_refused(tmp_path, capsys):
    file = tmp_path / "empty.reefpoint"
    file.write_text(encode(Session()))
    assert main.main(["compare", str(file), str(MODEL)]) == 2
    assert "no model was open" in capsys.readouterr().err


def page_of(folder, *sides):
    """The page of a comparison, made by a process of its own, and what was said beside it."""
    file = folder / "found.html"
    command = [sys.executable, str(ROOT / "main.py"), "compare", *map(str, sides)]
    done = subprocess.run(
        [*command, "--html", str(file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    return file.read_text(), done.stderr


@pytest.mark.long
def test_the_page_has_the_pictures_of_the_app_with_a_in_them(session, tmp_path):
    page, _ = page_of(tmp_path, session(200_000), session(15_000))
    for when in ("light", "dark"):
        assert page.count(f'class="drawing in-{when}"') == len(("timeline", "map", "network"))
    # What these say is text that can be found, and lanes of A are named so.
    assert ">A: MAC<" in page
    assert "faster than A, as fast, or slower" in page
    assert "://" not in page


@pytest.mark.long
def test_a_schedule_without_times_is_drawn_as_a_and_said_to_be_none_as_b(session, tmp_path):
    told = tmp_path / "told.json"
    assert main.main(["schedule", str(MODEL), "--json", str(told)]) == 0
    page, said = page_of(tmp_path, told, session(15_000))
    assert "drawing in-light" in page
    assert "A: MAC" not in page
    assert "there are no pictures" not in said
    page, said = page_of(tmp_path, session(15_000), told)
    assert "drawing" not in page.partition("</style>")[2].partition("<script>")[0]
    assert "there are no pictures: B is a schedule as JSON, which has no times to draw" in said
