"""What is compared with what is shown: A, where the answer that is shown is B."""

from __future__ import annotations

from core.api.schedules import Scheduled
from core.base.frozen import Frozen
from gui.document.document import Document


class Kept(Frozen, eq=False):
    """A schedule that was kept, or a file that tells one."""

    title: str
    document: Document | None = None
    """What asks for it, where that is known: swapping goes back to it."""
    scheduled: Scheduled | None = None
    """None where it has to be read or scheduled first."""
    path: str = ""
    """A schedule as JSON."""
