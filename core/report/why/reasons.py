"""What every reason of the decision log is called: the one place where reasons become words.

A phrase has room for what it is about, {it}, and for the numbers of its decision.
"""

from __future__ import annotations

from collections.abc import Mapping

from core.ir.decisions import (
    CascadeEnd,
    ConstantReason,
    FormatReason,
    UnstripedReason,
    WeightsReason,
    WholeReason,
)
from core.ir.npugraph import FoldReason, LinearReason
from core.ir.rewritten import RewriteReason

Reason = (
    FoldReason
    | FormatReason
    | LinearReason
    | WholeReason
    | UnstripedReason
    | CascadeEnd
    | WeightsReason
    | ConstantReason
    | RewriteReason
)

_PHRASES: Mapping[Reason, str] = {
    FoldReason.CHEAPER: "the bytes are the same, and their blocks are fuller",
    FoldReason.STRIPES_ARE_WORTH_MORE: "{it} could then no longer pass in stripes",
    RewriteReason.CHEAPER: "it takes fewer cycles",
    RewriteReason.NOT_CHEAPER: "it would take no fewer cycles",
    RewriteReason.NO_MORE_LIVE: "no more is live at once",
    RewriteReason.MORE_LIVE: "more would be live at once",
    RewriteReason.LESS_LIVE: "less is live",
    RewriteReason.NOT_LESS_LIVE: "no less would be live",
    RewriteReason.HARDWARE_PADS: "the hardware pads what it reads",
    RewriteReason.OTHER_PADDING: "it pads with something else, or in a form that is not taken over",
    RewriteReason.TOO_MUCH_PADDING: "a side is longer than the hardware pads for such a window",
    RewriteReason.COUNTS_IN_RESULT: "what it adds would count otherwise in the result",
    RewriteReason.READ_AGAIN: "it is read again for each place",
    RewriteReason.READ_IN_PIECES: "each would wait for that memory anew",
    RewriteReason.WRITTEN_IN_PIECES: "a slow memory takes as long for a few bytes as for many",
    RewriteReason.STRIPES_ARE_WORTH_MORE: "its input could then no longer pass in stripes",
    FormatReason.NOTHING_AGAINST_BRICKS: "nothing speaks against bricks",
    FormatReason.OUTSIDE: "{it} is read or written outside its NPU subgraph",
    FormatReason.CONSTANT: "{it} is a constant",
    FormatReason.KEPT: "{it} keeps its elements from one inference to the next",
    FormatReason.NOT_MADE: "no NPU operator makes {it}",
    FormatReason.INSIDE_BRICK: "an operator touches {it} from channel {channel} on",
    FormatReason.OTHER_SHAPE: "an operator sees {it} in another shape",
    FormatReason.DMA: "DMA moves rows",
    FormatReason.CHANNEL_SUM: "the sum over channels reads rows",
    FormatReason.LIES_ON_ROWS: "{it} can lie on an input that is stored in rows",
    FormatReason.FEWER_CYCLES: "operators that touch {it} then take fewer cycles",
    FormatReason.LESS_MEMORY: "{it} then takes less memory",
    FormatReason.NO_DIFFERENCE: "the other format takes as many bytes and cycles",
    FormatReason.ASKED: "your edit asks for that",
    FormatReason.SHOWN: "it was so when your edits began",
    FormatReason.NEIGHBOURS: "{it} shares its bytes with maps for which that is better",
    LinearReason.WRITTEN_BY_COLUMNS: "{it} is written by columns",
    LinearReason.WRITTEN_BACKWARDS: "{it} is written backwards",
    LinearReason.BORDERS_BACKWARDS: "its borders are written backwards",
    LinearReason.WRITTEN_IN_STEPS: "every second row and column is written at a time",
    LinearReason.READ_IN_STEPS: "every second row or column is read from {it}",
    LinearReason.VARIABLE: "{it} is a variable, whose bytes an interpreter may read or reset",
    WholeReason.MADE_OUTSIDE: "{it} comes from outside the NPU subgraph",
    WholeReason.READ_OUTSIDE: "{it} is read outside the NPU subgraph",
    WholeReason.IN_ROWS: "{it} is stored in rows",
    WholeReason.OUT_OF_ORDER: "its rows are not made and read from top to bottom",
    WholeReason.KEPT: "{it} keeps its elements from one inference to the next",
    WholeReason.IN_PARTS: "the operator makes a part of it",
    WholeReason.SEVERAL_READERS: "several operators read it",
    UnstripedReason.NO_ROWS: "a fully connected operator has no rows to be cut along",
    UnstripedReason.CHANNEL_SUM: "a sum over channels cannot be cut into rows",
    UnstripedReason.DMA: "DMA copies a map as a whole",
    UnstripedReason.TRANSPOSED: "a transpose convolution does not work on rows",
    UnstripedReason.EDGE_PADDING: "its padding repeats the edge of the whole input",
    UnstripedReason.READS_PART: "it reads a part of a map",
    UnstripedReason.FIRST_INPUT_NOT_MADE: "its first input is no map that an operator makes",
    UnstripedReason.FIRST_INPUT_REPEATED: (
        "its first input is repeated to the shape of its output"
    ),
    UnstripedReason.TWO_MAPS: "it reads two maps at once",
    CascadeEnd.LAST: "{it} is the last operator, or its output is read elsewhere too",
    CascadeEnd.NEXT_IS_ELSEWHERE: "what reads the output of {it} is not the next operator",
    CascadeEnd.CANNOT: "the operator behind {it} cannot run in stripes",
    CascadeEnd.WHOLE_MAP: "the map behind {it} must exist whole",
    CascadeEnd.SHAPES_DIFFER: "the reader sees the output of {it} in another shape",
    CascadeEnd.FITS_WHOLE: "{it} fits without a cascade",
    CascadeEnd.TOO_LARGE: "with {it} the buffers would take more than they save",
    CascadeEnd.ASKED: "your edit ends it behind {it}",
    CascadeEnd.NO_MAP_IN_COMMON: "{it} has no map in common with the others",
    WeightsReason.NEAR: "weights are stored near enough",
    WeightsReason.USED_ONCE: "a fully connected operator uses each weight once",
    WeightsReason.USED_IN_EVERY_STRIPE: "a cascade uses all weights in every stripe",
    WeightsReason.NO_ROOM_BESIDE_CASCADE: "all weights together have no room beside the cascade",
    WeightsReason.FITS_WHOLE: "it fits whole",
    WeightsReason.FASTEST: "that is the fastest way",
    WeightsReason.WHOLE_AHEAD: "they come while operators before it run",
    WeightsReason.ONE_SLICE: "one slice holds all its channels",
    WeightsReason.SLICE_BY_SLICE: "it is fetched slice by slice while the operator runs",
    WeightsReason.NO_ROOM: "it has no room",
    WeightsReason.NO_ROOM_FOR_BUFFER: "there is no room for a buffer",
    WeightsReason.NO_ROOM_FOR_SLICE: "not even the smallest slice fits",
    WeightsReason.ASKED: "your edit asks for that",
    WeightsReason.SHOWN: "it was so when your edits began",
    WeightsReason.IN_BLOCKS: "they pass in slices as deep as a block",
    WeightsReason.INPUT_PASSES: "all are kept while the input passes in rows of blocks",
    WeightsReason.NOTHING_BETTER: ("no buffer that the search tried is better for so much memory"),
    WeightsReason.LARGER_THAN_PRICED: (
        "it has no room, being larger than the search took it to be"
    ),
    ConstantReason.LOOKED_UP: "the output unit looks values up in the shared buffer",
    ConstantReason.IN_COMMAND: "a scalar is part of the command",
    ConstantReason.READ_IN_PLACE: "read where it is stored",
}


def because(reason: Reason, it: str = "it", *, channel: int | None = None) -> str:
    """A reason as the part of a sentence that follows "since"."""
    return _PHRASES[reason].format(it=it, channel=channel)
