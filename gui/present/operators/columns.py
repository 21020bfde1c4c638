"""The columns of the operator table: what each holds, and how it is told."""

from __future__ import annotations

import enum

from core.base.frozen import NamedTuple


class Kind(enum.Enum):
    """What the values of a column are."""

    TEXT = "text"
    COUNT = "count"
    CYCLES = "cycles"
    BYTES = "bytes"
    SHARE = "share"


class Column(NamedTuple):
    """A column; numbers are aligned to the right, text to the left."""

    id: str
    title: str
    kind: Kind
    tip: str
    has_bar: bool = False
    """A bar in each cell tells the share of the greatest value, or of the limit."""
    is_signed: bool = False
    """A difference: it is written with its sign, and sorted by its size."""
    most_characters: int = 24
    """Text that is longer is shortened until the column is made wider."""


COLUMNS = (
    Column("index", "#", Kind.TEXT, "Number of the operator, in order of execution"),
    Column(
        "change",
        "difference",
        Kind.CYCLES,
        "Cycles that it takes more than in A; all of them where A has it not",
        is_signed=True,
    ),
    Column("name", "name", Kind.TEXT, "Name of the operator in the model", most_characters=40),
    Column("kind", "kind", Kind.TEXT, "What the NPU or the CPU computes"),
    Column("reason", "why CPU", Kind.TEXT, "Why it stays on the CPU", most_characters=36),
    Column("cycles", "cycles", Kind.CYCLES, "Until its slowest part is done", has_bar=True),
    Column(
        "measured",
        "measured",
        Kind.CYCLES,
        "Cycles that were measured, as they were imported",
        has_bar=True,
    ),
    Column("deviation", "of estimate", Kind.SHARE, "Measured cycles as a part of the estimate"),
    Column(
        "ecosystem",
        "ecosystem's estimate",
        Kind.CYCLES,
        "Cycles that the ecosystem's compiler would estimate; not known of a compiled model",
    ),
    Column("cycles_a", "cycles in A", Kind.CYCLES, "What the same operator takes in A"),
    Column(
        "decided",
        "decided otherwise",
        Kind.TEXT,
        "What is decided otherwise than in A",
        most_characters=36,
    ),
    Column("share", "share", Kind.SHARE, "Part of the cycles of all operators"),
    Column("bound", "waits for", Kind.TEXT, "What bounds it: a memory, or a part of the NPU"),
    Column("decides", "decides", Kind.TEXT, "What it is slow for, as a share of its cycles"),
    Column("next", "next", Kind.TEXT, "What would decide if that were faster"),
    Column("utilisation", "utilisation", Kind.SHARE, "Part of the MACs possible in its cycles"),
    Column("cascade", "cascade", Kind.COUNT, "Number of the cascade that it runs in"),
    Column(
        "stripe", "stripe", Kind.COUNT, "Rows that it makes at once, where it is cut into stripes"
    ),
    Column(
        "block", "block", Kind.TEXT, "Rows, columns and channels that the MAC array makes at once"
    ),
    Column(
        "ifm_stripe", "input stripe", Kind.TEXT, "What one stripe of its output needs of its input"
    ),
    Column("ifm_block", "input block", Kind.TEXT, "Rows, columns and channels read for a block"),
    Column("live", "SRAM live", Kind.BYTES, "Fast storage in use while it runs", has_bar=True),
    Column("weights", "weights", Kind.BYTES, "Encoded weights and scales"),
    Column("buffering", "buffering", Kind.TEXT, "How its weights reach fast storage"),
    Column(
        "streams",
        "streams",
        Kind.TEXT,
        "What passes through fast storage in parts, where the Pareto engine has decided it",
    ),
    Column("slices", "slices", Kind.COUNT, "Slices that the weights arrive in"),
    Column("buffers", "weight buffers", Kind.TEXT, "Bytes of fast storage that weights go through"),
    Column("sram", "SRAM moved", Kind.BYTES, "Read from and written to SRAM", has_bar=True),
    Column("dram", "DRAM moved", Kind.BYTES, "Read from and written to DRAM", has_bar=True),
    Column(
        "flash", "flash moved", Kind.BYTES, "Read from flash, on chip and off chip", has_bar=True
    ),
    Column(
        "evicted", "evicted maps", Kind.TEXT, "Its maps that could be in fast storage and are not"
    ),
    Column("evicted_bytes", "evicted", Kind.BYTES, "Size of these maps"),
    Column("ifm", "input", Kind.TEXT, "What it reads of its first input"),
    Column("ifm2", "input 2", Kind.TEXT, "What it reads of its second input"),
    Column("ofm", "output", Kind.TEXT, "What it writes"),
    Column("memory", "output in", Kind.TEXT, "The memory that its output lies in"),
    Column("format", "output as", Kind.TEXT, "Rows, or bricks of 16 channels"),
    Column(
        "folded", "instead of", Kind.TEXT, "The file's shape, where it sees its maps in another"
    ),
    Column("macs", "MACs", Kind.COUNT, "Multiplications"),
    Column("sources", "from", Kind.TEXT, "Operators of the model whose work it does"),
    Column("time", "step", Kind.COUNT, "When it runs, as live ranges count time"),
    Column("start", "start", Kind.CYCLES, "Cycles from the start of the inference"),
)
DECIDED = frozenset({"cascade", "stripe", "block", "buffering", "slices", "memory", "format"})
"""Columns of decisions that a user can take: a double click lists the values."""
POSITIONS = {column.id: position for position, column in enumerate(COLUMNS)}
TEXT_COLUMNS = tuple(column for column in COLUMNS if column.kind is Kind.TEXT)
