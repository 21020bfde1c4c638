"""What lowering does otherwise than the file has it, where it has a choice: what it was for."""

from __future__ import annotations

import enum

from core.base.frozen import Frozen
from core.base.ids import OpRef


class Rewrite(enum.Enum):
    """What is done to operators so that there are fewer or cheaper ones."""

    ONE_TABLE = "one table"
    TABLE_BY_POOLING = "table by pooling"
    COLUMNS_AS_CHANNELS = "columns as channels"
    WRITTEN_IN_PLACE = "written in place"
    COPIED_LATE = "copied late"
    PADDING_TAKEN_OVER = "padding taken over"
    CONSTANT_NEAR = "constant near"
    NUMBERS_NEAR = "numbers near"
    HANDED_OUT_BY_COPY = "handed out by copy"
    SEARCHED_IN_STEPS = "searched in steps"
    COPIED_APART = "copied apart"
    TURNED_BY_PRODUCT = "turned by a product"
    TURNED_LATE = "turned late"
    ENLARGED = "enlarged"
    DILATION_JOINED = "dilation joined"
    LOOKED_UP = "looked up"


class RewriteReason(enum.Enum):
    """Why a rewrite was done, or was not."""

    CHEAPER = "cheaper"
    NOT_CHEAPER = "not cheaper"
    NO_MORE_LIVE = "no more live"
    MORE_LIVE = "more live"
    LESS_LIVE = "less live"
    NOT_LESS_LIVE = "not less live"
    HARDWARE_PADS = "hardware pads"
    OTHER_PADDING = "other padding"
    TOO_MUCH_PADDING = "too much padding"
    COUNTS_IN_RESULT = "counts in the result"
    READ_AGAIN = "read again"
    READ_IN_PIECES = "read in pieces"
    WRITTEN_IN_PIECES = "written in pieces"
    STRIPES_ARE_WORTH_MORE = "stripes are worth more"

    @property
    def speaks_for(self) -> bool:
        """Whether the rewrite was done for it."""
        return self in _FOR


_FOR = frozenset(
    {
        RewriteReason.CHEAPER,
        RewriteReason.NO_MORE_LIVE,
        RewriteReason.LESS_LIVE,
        RewriteReason.HARDWARE_PADS,
        RewriteReason.READ_AGAIN,
        RewriteReason.READ_IN_PIECES,
        RewriteReason.WRITTEN_IN_PIECES,
    }
)


class Measure(enum.Enum):
    """What the two figures of a rewrite count."""

    CYCLES = "cycles"
    """As if memories were as fast as the port."""
    LIVE_BYTES = "live bytes"
    """The most that is live at once, if maps are whole."""
    MOVED_BYTES = "moved bytes"
    MADE_BYTES = "made bytes"
    """That have to exist at once of a map between the operators that do the work of one."""
    BYTES_TOGETHER = "bytes together"
    """That are read or written one after the other."""


class RewriteTried(Frozen):
    """A rewrite that could be done, what would be without and with it, and whether it was done."""

    rewrite: Rewrite
    sources: tuple[OpRef, ...]
    """The operators of the file that it is about."""
    measure: Measure
    figure_without: float
    figure_with: float
    reason: RewriteReason
