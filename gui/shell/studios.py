"""What is drawn where there is no window: reports, PDF and pictures of comparisons."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from core.api.comparisons import Comparison, Pictures
from core.api.reports import document
from core.api.schedules import Scheduled
from core.base.errors import OptionError
from core.base.forms import Form
from core.base.frozen import replace
from core.base.progress import Progress
from gui.export.comparison import pictures
from gui.export.folder import FolderRequest, write_folder
from gui.export.make import Studio
from gui.present.exports import moment_text
from gui.shell.bootstrap import explain


def report(request: FolderRequest, progress: Progress) -> tuple[str, ...]:
    """Write a report; what it does without, because Qt cannot be loaded."""
    studio, obstacle = _studio()
    if studio is None and request.report_form is Form.PDF:
        raise OptionError(f"{request.output}: PDF cannot be made: {obstacle}")
    write_folder(replace(request, made_at=moment(os.environ)), studio, progress)
    return (f"there are no pictures: {obstacle}",) if obstacle else ()


def paper(report: document.Document, output: Path) -> bytes:
    """A report as PDF; an OptionError where Qt cannot be loaded."""
    studio, obstacle = _studio()
    if studio is None:
        raise OptionError(f"{output}: PDF cannot be made: {obstacle}")
    return studio.paper(report, moment(os.environ))


def compared(
    found: Comparison, a: Scheduled | None, b: Scheduled | None, progress: Progress
) -> Pictures:
    """Pictures of a comparison; why there are none, where that is so."""
    studio, obstacle = _studio()
    return (
        Pictures(obstacle=obstacle) if studio is None else pictures(studio, found, a, b, progress)
    )


def _studio() -> tuple[Studio | None, str]:
    """Where pictures are drawn; where they cannot be, why."""
    try:
        from gui.export.studio import QtStudio  # Qt again, for those who want pictures
    except ImportError as error:
        return None, explain(error, "what draws them")
    return QtStudio(), ""


def moment(env: Mapping[str, str]) -> str:
    """When it is now; where somebody wants the same bytes again, what they say that it is."""
    seconds = env.get("SOURCE_DATE_EPOCH", "")
    frozen = datetime.fromtimestamp(int(seconds), UTC) if seconds.isdecimal() else None
    return moment_text(frozen or datetime.now(UTC))
