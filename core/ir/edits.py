"""Decisions that a user has taken: who decides what, and what becomes of it.

Subjects have names of the network, and not ids, so that edits survive another target, another
limit, another engine, and mostly another version of the model.
"""

from __future__ import annotations

import enum
from typing import Annotated, Any, Self

from core.base.checked import Bounds, Checked, Count, demand, kind_of
from core.base.errors import OptionError
from core.base.frozen import Frozen
from core.base.geometry import Block
from core.base.named import Named
from core.target.format import Format
from core.target.region import Region

_TWO = 2


class OpNamed(Checked, kw_only=False, order=True):
    """An operator by its name; of several that share it, by its place among them."""

    name: str
    ordinal: Count = 0


class MapNamed(Checked, kw_only=False, order=True):
    """A feature map by its name; of several that share it, by its place among them."""

    name: str
    ordinal: Count = 0


class EdgeNamed(Checked, kw_only=False):
    """What an operator hands to another."""

    maker: OpNamed
    reader: OpNamed


class OpsNamed(Checked, kw_only=False):
    """Operators, in the order in which they run."""

    ops: tuple[OpNamed, ...]


class SpanNamed(Checked, kw_only=False):
    """Fast storage while operators run, from the first to the last of them."""

    first: OpNamed
    last: OpNamed


Subject = OpNamed | MapNamed | EdgeNamed | OpsNamed | SpanNamed


class Living(enum.Enum):
    """Where a map lives, whatever the regions of a target are called."""

    FAST = "fast"
    SLOW = "slow"

    @classmethod
    def of(cls, region: Region) -> Living:
        """The word for a region."""
        return cls.FAST if region is Region.SCRATCH_FAST else cls.SLOW


class Grouping(enum.Enum):
    """Which operators run stripe by stripe with others."""

    TOGETHER = "together"
    """These, in one cascade, with or without further ones."""
    APART = "apart"
    """No two of these are in one cascade."""
    NEVER = "never"
    """None of these is in a cascade."""

    @property
    def field(self) -> str:
        """The field of `Fixed` by which searches know it."""
        return self.value


class Traversal(enum.Enum):
    """The order in which a convolution takes its weights, by its name in files."""

    DEPTH_FIRST = "depth first"
    PART_KERNEL = "part kernel"

    @classmethod
    def of(cls, is_part_kernel: bool) -> Traversal:  # noqa: FBT001 - one fact, as blocks have it
        """The word for what a block says."""
        return cls.PART_KERNEL if is_part_kernel else cls.DEPTH_FIRST


class Processor(enum.Enum):
    """What runs an operator, where it need not be the NPU."""

    CPU = "cpu"


class WeightsAsked(Checked):
    """How weights reach an operator; None leaves a part of that open."""

    buffers: Annotated[int, Bounds(most=2)] | None = None
    """None of them, one, or two."""
    depths: tuple[Count, ...] | None = None
    """Where slices begin, and the end: 0, ..., depth."""
    prefetch: bool | None = None
    """The first buffer is filled while operators before run."""
    lead_steps: Count | None = None
    """How many operators or cascades before its own that may begin beside; as it pays where it is
    left open."""

    @property
    def is_early(self) -> bool | None:
        """Whether the first buffer is to be filled before the operator runs."""
        return self.prefetch if self.lead_steps is None else self.lead_steps > 0

    @property
    def is_cut(self) -> bool:
        """Whether several slices are asked for."""
        return self.depths is not None and len(self.depths) > _TWO

    @property
    def is_all(self) -> bool:
        """Whether nothing about them is left open."""
        return self.buffers == 0 or None not in (self.buffers, self.depths, self.is_early)

    @property
    def wants_slices(self) -> bool:
        """Whether weights are to come as they do to no operator in a cascade."""
        return self.is_cut or self.buffers == _TWO or bool(self.is_early)


Value = Living | Format | Grouping | Block | Traversal | Processor | WeightsAsked | OpNamed | int


_Rows = Annotated[int, Bounds(least=1)]


class What(Named):
    """Which decision is taken: its name in files, whom it can be about, what it can be, and the
    field of `Fixed` that it becomes."""

    REGION = "region", (MapNamed,), Living, "living"
    FORMAT = "format", (MapNamed,), Format, "formats"
    ADDRESS = "address", (MapNamed,), Count, "addresses"
    CASCADE = "cascade", (OpsNamed, EdgeNamed, OpNamed), Grouping
    """Of each `Grouping`, searches know by a field of its own."""
    STRIPE = "stripe", (OpNamed, OpsNamed), _Rows, "heights"
    BLOCK = "block", (OpNamed,), Block, "blocks"
    TRAVERSAL = "traversal", (OpNamed,), Traversal, "traversals"
    """The order in which a convolution takes its weights."""
    ROLLING = "rolling", (MapNamed,), _Rows, "rolling"
    """Rows of a map that its rolling buffer holds."""
    WEIGHTS = "weights", (OpNamed,), WeightsAsked, "weights"
    BEFORE = "before", (OpNamed,), OpNamed, "order"
    """An operator runs before another, and is drawn there."""
    AFTER = "after", (OpNamed,), OpNamed, "order"
    """An operator runs after another, and waits for it."""
    RESERVE = "reserve", (SpanNamed,), Count, "reserves"
    PROCESSOR = "processor", (OpNamed,), Processor
    """What runs an operator of the file: lowering obeys it, and no search."""

    _value_: str
    subjects: tuple[type, ...]
    values: Any
    field: str

    def __new__(cls, name: str, subjects: tuple[type, ...], values: Any, field: str = "") -> Self:
        """A row: files, digests and other processes know it by its name alone."""
        row = object.__new__(cls)
        row._value_, row.subjects, row.values, row.field = name, subjects, values, field
        return row

    @property
    def is_of_maps(self) -> bool:
        """Whether it is about a map; else it is about operators."""
        return MapNamed in self.subjects

    @property
    def is_of_file(self) -> bool:
        """Whether it is about operators of the file, as lowering obeys it; else searches do."""
        return self is What.PROCESSOR


class Edit(Checked):
    """A decision of the user's."""

    subject: Subject
    what: What
    value: Value
    is_on: bool = True
    note: str = ""
    rule: str = ""
    """The query of the rule that it was made by, with others."""

    def __post_init__(self) -> None:
        Checked.__post_init__(self)
        what = self.what
        if type(self.subject) not in what.subjects:
            known = " or ".join(kind.__name__ for kind in what.subjects)
            said = f"the subject of '{what.value}' has to be {known}"
            raise OptionError(f"{said}, not {self.subject!r}")
        demand(f"the value of '{what.value}'", kind_of(what.values), self.value)

    @property
    def kind(self) -> What | Grouping:
        """What it decides; of cascades, in which way."""
        return self.value if isinstance(self.value, Grouping) else self.what


class Rule(Checked):
    """One decision about all operators or maps that a query finds in a network."""

    query: str
    what: What
    value: Value
    is_on: bool = True
    note: str = ""


class EditFate(enum.Enum):
    """What became of an edit; the value is its name in files."""

    HONOURED = "honoured"
    CHANGED = "changed"
    """The next legal value was taken."""
    REFUSED = "refused"
    ORPHAN = "orphan"
    """The network has no such subject."""
    OFF = "off"


class Ground(enum.Enum):
    """Why an edit was not honoured as it stands."""

    NO_SUBJECT = "no such subject"
    NO_EDGE = "no such edge"
    """The second operator does not read what the first one makes."""
    ITSELF = "itself"
    """An operator would have to run before or after itself."""
    CONTRADICTED = "contradicted"
    """Other edits ask for what cannot be beside it; none of them wins."""
    NOT_LEGAL = "not legal"
    """The hardware or the operator does not allow the value."""
    ONE_MEMORY = "one memory"
    """The target has no other memory for maps."""
    CANNOT_STRIPE = "cannot run in stripes"
    CANNOT_LINK = "cannot hand on rows"
    DEPENDS = "depends"
    """The one that is to run first needs what the other makes, directly or through others."""
    NO_ADDRESS = "no address"
    """It is a constant, or nothing that has bytes of its own."""
    NO_ROOM = "no room"
    HELD = "held"
    """What is shown stands against it, which was to stay as it is."""
    NOT_FOUND = "not found"
    """It may be possible, and the search did not find how."""


class EditReason(Frozen):
    """One reason why an edit was not honoured, with what stands against it."""

    ground: Ground
    is_proved: bool
    """No schedule honours it; else none was found."""
    needed_bytes: int | None = None
    """No schedule does without so many that has it beside the edits against it."""
    tried_bytes: int | None = None
    """What was found for it takes so many; another schedule may take less."""
    available_bytes: int | None = None
    edits: tuple[int, ...] = ()
    """Places of other edits that stand against it."""
    maps: tuple[MapNamed, ...] = ()
    ops: tuple[OpNamed, ...] = ()
    legal: tuple[Value, ...] = ()
    """Values that could be asked for instead."""
    legal_is_all: bool = False
    """Whether no other value could be."""
    instead: Value | None = None
    """The next legal value, which was asked for in its place."""
    detail: str = ""
    """By the name that the decision log has for it, as why an operator is not striped."""
    near: tuple[str, ...] = ()
    """Names that the network has, of which one may have been meant."""


class EditPrice(Frozen):
    """A schedule with an edit, and without it."""

    cycles: float
    cycles_without: float
    fast_bytes: int
    fast_bytes_without: int
    evicted_bytes: int
    evicted_bytes_without: int


class Way(enum.Enum):
    """What lets an edit be that is refused; the value is its name in files."""

    WITHOUT = "without other edits"
    VALUE = "another value"
    LIMIT = "a higher limit"
    MOVED = "other maps moved out"


class WayOut(Frozen):
    """What was tried and lets a refused edit be, with the schedule that it gives."""

    way: Way
    edits: tuple[int, ...] = ()
    """Places of those that are left out."""
    value: Value | None = None
    limit_bytes: int | None = None
    moved: tuple[MapNamed, ...] = ()
    """Maps that leave fast storage for it."""
    cycles: float
    fast_bytes: int
    evicted_bytes: int
    is_within_limits: bool
    lost: tuple[int, ...] = ()
    """Places of other edits that are honoured now, and would not be then."""


class EditOutcome(Frozen):
    """What became of an edit in a schedule."""

    edit: Edit
    fate: EditFate
    applied: Value | None = None
    """What the schedule has at the subject."""
    reasons: tuple[EditReason, ...] = ()
    price: EditPrice | None = None
    """Where it was tried without it."""
    ways: tuple[WayOut, ...] = ()
    """Where it is refused and that was tried: what lets it be."""
