"""A schedule that somebody has seen, and what edits around it change."""

from __future__ import annotations

import enum

from core.base.frozen import Frozen
from core.ir.edits import Edit, MapNamed, OpNamed, OpsNamed, Value, What


class At(Frozen):
    """Where a map lies, or a weight buffer of an operator."""

    fm: MapNamed | None = None
    op: OpNamed | None = None
    buffer: int = 0
    """Which of the operator's it is."""
    is_fast: bool
    """In fast storage; else in the memory beside it."""
    address: int
    size_bytes: int
    ahead_times: int = 0
    """How long before its operator a weight buffer is kept free."""


class Shown(Frozen, cache_hash=True):
    """All that a schedule decides, by names: what edits are around."""

    decisions: tuple[Edit, ...]
    places: tuple[At, ...] = ()


class Cause(enum.Enum):
    """Why something follows from an edit; the value is its name in files."""

    SAME_OPERATOR = "same operator"
    """The operator is edited, and what else is decided for it cannot be beside that."""
    SAME_BYTES = "same bytes"
    """The map shares its bytes with the one that is edited."""
    TOUCHES = "touches the map"
    """The operator makes or reads the map that is edited."""
    RING = "ring"
    """Rows are handed on in a cascade of which an operator is edited."""
    REGROUPED = "regrouped"
    """It is, or was, in a cascade that the edit makes, joins or cuts."""
    BESIDE = "beside"
    """It runs right before or after operators that are decided anew."""
    ORDER = "order"
    """It stands beside an operator that runs at another time."""
    ROOM = "room"
    """Its address makes room."""


Aspect = tuple[What, MapNamed | OpNamed]
"""One decision: what is decided, and for whom."""
Decided = Value | OpsNamed | None
"""What was decided; of an operator in a cascade, all that are in it."""


class Followed(Frozen):
    """What an edit has carried along."""

    what: What
    subject: MapNamed | OpNamed
    before: Decided
    now: Decided
    cause: Cause


class Sum(Frozen):
    """What a whole schedule takes."""

    cycles: float
    fast_bytes: int
    evicted_bytes: int
    is_within_limits: bool


class Around(Frozen):
    """How a schedule came from one that was shown."""

    shown: Shown
    ground: Sum
    """What that takes."""
    followed: tuple[Followed, ...]
    anew: Sum | None = None
    """What the rest comes to where it is searched anew, if that was tried."""
