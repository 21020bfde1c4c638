"""`compare` with sessions of the app among what it can open, and with pictures in its page."""

from __future__ import annotations

import argparse
from pathlib import Path

from core import cli
from core.api.comparisons import Comparison, Pictures
from core.cli import compare
from gui.document.session import asked_last, session_of
from gui.shell import studios


def asked_of(data: bytes) -> compare.Asked:
    """The model that was open in a session, and what was asked of it last."""
    document = asked_last(session_of(data))
    assert document.model is not None
    return compare.Asked(Path(document.model.path), document.asked)


def side_of(arguments: argparse.Namespace, path: Path) -> compare.Side:
    """What a file tells of a schedule, sessions among them."""
    return compare.side_of(arguments, path, asked_of)


def _drawn(found: Comparison, a: compare.Side, b: compare.Side) -> Pictures:
    with cli.progress_line() as progress:
        return studios.compared(found, a.scheduled, b.scheduled, progress)


WORK = compare.work_with(asked_of, _drawn)
