"""What differs between two schedules: figures, operators, ranges of bytes, and the first cause."""

from __future__ import annotations

import enum
from functools import cached_property

from core.base.frozen import Frozen
from core.base.geometry import Block
from core.compare.account import Account, AccountOp, AccountRange
from core.ir.titles import telling
from core.target.family import Family
from core.target.registry import ACCELERATORS

Value = Block | tuple[int, ...] | int | str | None


class Aspect(enum.Enum):
    """What can be decided otherwise; what comes first is the cause of what follows."""

    PRESENCE = "operator"
    MEMORY = "memory"
    CASCADE = "cascade"
    FORMAT = "format"
    STRIPE = "stripe"
    BLOCK = "block"
    TRAVERSAL = "traversal"
    SLICES = "slices"
    BUFFERS = "weight buffers"
    PREFETCH = "early weights"
    ORDER = "order"


class Difference(Frozen):
    """A decision that is another one."""

    aspect: Aspect
    before: Value
    after: Value
    about: str = ""
    """The map that it is about, where it is about one."""


class OpPair(Frozen):
    """An operator on both sides; one side is None where it has no partner."""

    a: AccountOp | None
    b: AccountOp | None
    before_cycles: float
    after_cycles: float
    """0 where it is not there."""
    differences: tuple[Difference, ...]

    @property
    def name(self) -> str:
        """As A calls it, or else B."""
        op = self.a or self.b
        assert op is not None
        return op.told.sign.name

    @property
    def cycles(self) -> float:
        """What B takes more."""
        return self.after_cycles - self.before_cycles

    @property
    def is_equal(self) -> bool:
        """Whether nothing is to be told of it."""
        return not self.differences and not self.cycles


class Fate(enum.Enum):
    """What became of a range of bytes."""

    SAME = "same"
    NEW = "new"
    GONE = "gone"
    EVICTED = "evicted"
    RETURNED = "returned"
    GROWN = "grown"
    SHRUNK = "shrunk"
    MOVED = "moved"


class RangePair(Frozen):
    """A range of bytes on both sides."""

    a: AccountRange | None
    b: AccountRange | None
    fate: Fate

    @property
    def name(self) -> str:
        """As A calls it, or else B."""
        found = self.a or self.b
        assert found is not None
        return found.name

    @property
    def size_bytes(self) -> int:
        """What B holds more."""
        return (self.b.size_bytes if self.b else 0) - (self.a.size_bytes if self.a else 0)


class CascadePair(Frozen):
    """Operators that are in one cascade, by their pairs."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    """Empty where there is none."""


class Figure(Frozen):
    """A figure of the whole."""

    name: str
    before: float | None
    after: float | None

    @property
    def change(self) -> float | None:
        """What B has more."""
        if self.before is None or self.after is None:
            return None
        return self.after - self.before


class Cause(Frozen):
    """Decisions of one aspect, and how much of the difference follows from them."""

    difference: Difference | None
    """The one with most cycles; None where operators differ in cycles alone, by what others do."""
    pairs: tuple[int, ...]
    """The operators that it is about."""
    cycles: float
    """What B takes more in them."""
    share: float | None
    """Of the whole difference; None where there is none in cycles."""


class Proof(Frozen):
    """What the execution of one side comes to, held against the model that it was made from."""

    side: str
    """A or B."""
    model: str
    """What the model is called."""
    holds: bool | None
    """None where it could not be executed."""
    told: tuple[str, ...]
    """Of each output, and each finding; or why it was not executed."""


class Comparison(Frozen, dict=True):
    """B held against A."""

    a: Account
    b: Account
    figures: tuple[Figure, ...]
    operators: tuple[OpPair, ...]
    """In the order in which they run."""
    ranges: tuple[RangePair, ...]
    cascades: tuple[CascadePair, ...]
    """Those that differ."""
    causes: tuple[Cause, ...]
    """All that operators differ in, what most of it follows from first; nothing where one side does
    not tell its operators."""
    has_whole_cycles: bool
    """Operators are compared with all that they wait for; else the accelerator's own cycles are."""
    proofs: tuple[Proof, ...] = ()
    """Of both sides, where they were executed."""

    @property
    def is_totals_alone(self) -> bool:
        """Whether only figures can be compared: operators of one side are not told."""
        return self.a.is_totals_alone or self.b.is_totals_alone

    @property
    def cause(self) -> Cause | None:
        """What most of the difference follows from."""
        return next(iter(self.causes), None)

    @cached_property
    def parts(self) -> dict[str, str]:
        """By the name of an operator or a map: what of it tells most."""
        ops = [pair.name for pair in self.operators]
        sides = [side for pair in self.ranges for side in (pair.a, pair.b) if side is not None]
        names = list(dict.fromkeys((*ops, *(name for side in sides for name in side.tensors))))
        return dict(zip(names, telling(names), strict=True))

    def figure(self, name: str) -> Figure:
        """A figure by its name; without values where neither side tells it."""
        found = (each for each in self.figures if each.name == name)
        return next(found, Figure(name=name, before=None, after=None))

    @property
    def family(self) -> Family | None:
        """Whose estimates both sides are; None where that is not one family, or not told."""
        names = {dict(side.target).get("accelerator_config", "") for side in (self.a, self.b)}
        families = {ACCELERATORS[name].family for name in names if name in ACCELERATORS}
        is_one = names <= ACCELERATORS.keys() and len(families) == 1
        return families.pop() if is_one else None

    @property
    def tells_cycles_apart(self) -> bool:
        """Whether the cycles of both sides differ by more than the error of their estimate."""
        found = self.figure("total_cycles")
        if found.before is None or found.after is None or self.family is None:
            return bool(found.change)
        return self.family.tells_apart(found.before, found.after)

    @property
    def is_equal(self) -> bool:
        """Whether nothing differs."""
        return (
            not any(each.change for each in self.figures)
            and all(pair.is_equal for pair in self.operators)
            and all(pair.fate is Fate.SAME for pair in self.ranges)
            and not self.cascades
            and sorted(self.a.cpu_ops) == sorted(self.b.cpu_ops)
        )
