"""What the app and the worker process say to each other; no Qt."""

from __future__ import annotations

from core.api import advices, boards, calibrations, networks, proof, schedules, together
from core.base.frozen import Frozen
from core.ir.edits import EditOutcome
from core.ir.layout import MemoryLayout
from core.ir.settings import Settings
from core.ir.shown import Sum
from gui.document.calibrated import CalibrationOrder
from gui.document.document import Document
from gui.document.trial import Trial


class Request(Frozen):
    """A question; exactly one of `Done`, `Failed` and `Stopped` follows."""

    number: int
    document: Document
    known_runs: frozenset[str] = frozenset()
    """Keys of the runs that need not be sent again: they are large, and seldom change."""
    adopts: Settings | None = None
    """What these find is decided first; the answer is to the document with these decisions."""
    grows: bool = True
    """Once it is answered, the front goes on to better answers."""


class Price(Frozen):
    """What is the range of a document's answer, what do its edits cost, and is there anything
    better? `Ranged`, `Priced` and `Improved` follow, unless something else is asked."""

    number: int
    document: Document
    grows: bool = True
    """The front goes on, and not only prices are asked for."""
    trials: tuple[Document, ...] = ()
    """What is tried first of all: choices that the user looks at."""


class Cancel(Frozen):
    """The answer is not wanted any more."""


class Quit(Frozen):
    """The process is not wanted any more."""


class Export(Frozen):
    """Files to be made of a document; exactly one of `Exported`, `Failed` and `Stopped` follows."""

    number: int
    document: Document
    order: object
    """What is to be made, as who makes it knows it."""
    shown: bytes = b""
    """The answer that it is to be made of, packed; without it, of what all steps find."""


class Calibrate(Frozen):
    """A board to be fitted; exactly one of `Calibrated`, `Failed` and `Stopped` follows."""

    number: int
    order: CalibrationOrder


class TryBoards(Frozen):
    """On which boards does a model fit? One of `BoardsTried`, `Failed` and `Stopped` follows."""

    number: int
    model: str
    """Its path."""


class Prove(Frozen):
    """Does what is compiled of an answer compute what the original does, on inputs of the user's
    own? One of `Proved`, `Failed` and `Stopped` follows."""

    number: int
    document: Document
    shown: bytes
    """The answer, packed."""
    data: str
    """The path of the file or folder with the inputs."""
    original: str = ""
    """The path of what a model was compiled from that was compiled before; of others nothing."""


class Advise(Frozen):
    """What would help? `Advised` follows, again with each tip and once in the end, unless
    something else is asked."""

    number: int
    document: Document


Question = Request | Price | Cancel | Quit
ErrandQuestion = Export | Calibrate | TryBoards | Prove | Cancel | Quit
AdviceQuestion = Advise | Cancel | Quit


class RunMade(Frozen):
    """A lowered network, to which the answers that follow refer by its key."""

    key: str
    run: networks.Run


class Advanced(Frozen):
    """How far the running request is."""

    number: int
    stage: str
    done: int
    total: int


class Done(Frozen):
    """A request's answer."""

    number: int
    scheduled: schedules.Scheduled
    analysis: schedules.Analysis
    unlimited_bytes: int
    seconds: float
    adopted: Document | None = None
    """What it is an answer to, where that was to be found by what was adopted."""
    together: together.Together | None = None
    """Where other models in the same device lie."""


class Priced(Frozen):
    """What edits of the last answer cost, and ways out: it comes later, unless more is asked."""

    number: int
    edits: tuple[EditOutcome, ...]


class SearchedAnew(Frozen):
    """What it would come to if all that edits leave open were searched anew; it comes later."""

    number: int
    anew: Sum | None


class Tried(Frozen):
    """What a choice would come to; it comes before prices."""

    number: int
    place: int
    """Among those that were asked for."""
    trial: Trial | None
    """None where it has no answer."""
    layout: MemoryLayout | None = None
    """Where everything would lie."""


class Ranged(Frozen):
    """What the last answer would take with somewhat other memories; it comes later as well."""

    number: int
    spread: schedules.Spread | None


class Improved(Frozen):
    """A better schedule than the last answer's, or more of the front that it was taken from."""

    number: int
    scheduled: schedules.Scheduled
    analysis: schedules.Analysis
    seconds: float
    """Since the front went on."""
    together: together.Together | None = None
    spread: schedules.Spread | None = None


class Exported(Frozen):
    """Files were written whole."""

    number: int
    paths: tuple[str, ...]
    notes: tuple[str, ...] = ()
    """What is worth knowing about them, such as that a model was verified."""


class Calibrated(Frozen):
    """A board was fitted; whether that holds is in it."""

    number: int
    board: calibrations.Board


class BoardsTried(Frozen):
    """What a model takes on each board, the fastest where it fits first."""

    number: int
    fits: tuple[boards.BoardFit, ...]


class Proved(Frozen):
    """A compiled model was executed; whether it holds is in it."""

    number: int
    found: proof.Verification


class Advised(Frozen):
    """All that is known to help so far; each was tried."""

    number: int
    tips: tuple[advices.Tip, ...]
    is_done: bool = False
    message: str = ""
    """Why no more can be tried, where that is so."""


class Failed(Frozen):
    """Why a request has no answer, in one line that a user can act on."""

    number: int
    message: str
    trace: str = ""
    """Of a fault of ours: where it happened."""


class Stopped(Frozen):
    """A request was given up because something else was asked."""

    number: int


Later = Tried | Ranged | Priced | SearchedAnew | Improved
"""What follows an answer, unless something else is asked."""
News = RunMade | Advanced | Done | Later | Exported | Failed | Stopped
End = Done | Failed | Stopped
"""The last that is said about a request."""
ErrandEnd = Exported | Calibrated | BoardsTried | Proved | Failed | Stopped
"""The last that is said about an export."""
