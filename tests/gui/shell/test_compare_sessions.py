"""`compare` opens sessions too: what was asked last of the model that was open."""

from __future__ import annotations

import pytest

import main
from gui.document.document import Document
from gui.document.history import Entry, History
from gui.document.session import Session, encode
from tests.gui.answers import model_path, model_ref
from tests.settings import settings_with

MODEL = model_path("kws_dscnn")


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
    assert "15000 instead of 200000" in told


def test_a_session_without_a_model_is_refused(tmp_path, capsys):
    file = tmp_path / "empty.reefpoint"
    file.write_text(encode(Session()))
    assert main.main(["compare", str(file), str(MODEL)]) == 2
    assert "no model was open" in capsys.readouterr().err
