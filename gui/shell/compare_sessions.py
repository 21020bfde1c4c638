"""`compare` with sessions of the app among what it can open, and with pictures in its page."""

from __future__ import annotations

from pathlib import Path

from core import cli
from core.api.comparisons import Comparison, Pictures
from core.base.errors import InputError
from core.cli import compare
from gui.document.session import decode
from gui.shell import bootstrap


def asked_of(data: bytes) -> compare.Asked:
    """The model that was open in a session, and what was asked of it last."""
    try:
        session = decode(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputError("is not text") from error
    if session.model is None:
        raise InputError("is a session in which no model was open")
    asked = session.history.present.document.asked
    return compare.Asked(Path(session.model.path), asked)


def _drawn(found: Comparison, a: compare.Side, b: compare.Side) -> Pictures:
    with cli.progress_line() as progress:
        return bootstrap.compared(found, a.scheduled, b.scheduled, progress)


WORK = compare.work_with(asked_of, _drawn)
