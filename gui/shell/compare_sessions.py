"""`compare` with sessions of the app among what it can open."""

from __future__ import annotations

from pathlib import Path

from core.base.errors import InputError
from core.cli import compare
from gui.document.session import decode


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


WORK = compare.work_with(asked_of)
