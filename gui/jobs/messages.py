"""What the app and the worker process say to each other; no Qt."""

from __future__ import annotations

from dataclasses import dataclass

from core.api import advices, networks, schedules
from core.ir.edits import EditOutcome
from core.ir.settings import Settings
from gui.document.document import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A question; exactly one of `Done`, `Failed` and `Stopped` follows."""

    number: int
    document: Document
    known_runs: frozenset[str] = frozenset()
    """Keys of the runs that need not be sent again: they are large, and seldom change."""
    adopts: Settings | None = None
    """What these find is decided first; the answer is to the document with these decisions."""
    grows: bool = True
    """Once it is answered, the front goes on to better answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What do the edits of a document cost, and is there anything better? `Priced` and `Improved`
    follow, unless something else is asked."""

    number: int
    document: Document
    grows: bool = True
    """The front goes on, and not only prices are asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel:
    """The answer is not wanted any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quit:
    """The process is not wanted any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """Files to be made of a document; exactly one of `Exported`, `Failed` and `Stopped` follows."""

    number: int
    document: Document
    order: object
    """What is to be made, as who makes it knows it."""
    shown: bytes = b""
    """The answer that it is to be made of, packed; without it, of what all steps find."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advise:
    """What would help? `Advised` follows, again with each tip and once in the end, unless
    something else is asked."""

    number: int
    document: Document


Question = Request | Price | Cancel | Quit
ExportQuestion = Export | Cancel | Quit
AdviceQuestion = Advise | Cancel | Quit


@dataclass(frozen=True, slots=True, kw_only=True)
class RunMade:
    """A lowered network, to which the answers that follow refer by its key."""

    key: str
    run: networks.Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Advanced:
    """How far the running request is."""

    number: int
    stage: str
    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A request's answer."""

    number: int
    document: Document
    """What it is an answer to."""
    scheduled: schedules.Scheduled
    analysis: schedules.Analysis
    unlimited_bytes: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """What edits of the last answer cost, and ways out: it comes later, unless more is asked."""

    number: int
    edits: tuple[EditOutcome, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Improved:
    """A better schedule than the last answer's, or more of the front that it was taken from."""

    number: int
    scheduled: schedules.Scheduled
    analysis: schedules.Analysis
    seconds: float
    """Since the front went on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """Files were written whole."""

    number: int
    paths: tuple[str, ...]
    notes: tuple[str, ...] = ()
    """What is worth knowing about them, such as that a model was verified."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advised:
    """All that is known to help so far; each was tried."""

    number: int
    tips: tuple[advices.Tip, ...]
    is_done: bool = False
    message: str = ""
    """Why no more can be tried, where that is so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """Why a request has no answer, in one line that a user can act on."""

    number: int
    message: str
    trace: str = ""
    """Of a fault of ours: where it happened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """A request was given up because something else was asked."""

    number: int


News = RunMade | Advanced | Done | Priced | Improved | Exported | Failed | Stopped
End = Done | Failed | Stopped
"""The last that is said about a request."""
ExportEnd = Exported | Failed | Stopped
"""The last that is said about an export."""
