"""What edits ask for, by the ids of one lowered network: what searches read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

from core.base.frozen import Frozen, NamedTuple, replace
from core.base.geometry import Block
from core.base.groups import joined
from core.base.ids import FmId, NpuOpId
from core.ir.edits import Ground, Grouping, Living, Traversal, Value, WeightsAsked, What
from core.target.format import Format

Kind = What | Grouping
"""What is decided; of cascades, in which way."""

Decided = tuple[Kind, tuple[int, ...]]
"""A decision, and the ids of the operators or of the map that it is about."""


class Reserve(NamedTuple):
    """Bytes of fast storage that others need while operators run."""

    first: NpuOpId
    last: NpuOpId
    size_bytes: int


class Precedence(NamedTuple):
    """An operator runs before another, though nothing but somebody's wish says so."""

    first: NpuOpId
    then: NpuOpId
    waits: bool = False
    """The second is put off until the first has run; else the first is drawn before the second."""

    @property
    def decided(self) -> Decided:
        """The decision that it is, with both operators."""
        return (What.AFTER if self.waits else What.BEFORE), (self.first, self.then)


class Pin(NamedTuple):
    """How an operator works, as far as that is fixed."""

    block: Block | None = None
    traversal: Traversal | None = None


class Against(Frozen):
    """Why a decision that was asked for is left out of the search."""

    what: Kind
    ids: tuple[int, ...]
    """Of the map, or of the operators in the order in which they run."""
    ground: Ground
    is_proved: bool = False
    """Whatever else is decided, no schedule has it beside what it is said to be against."""
    needed_bytes: int | None = None
    """No schedule with it, and with what is against it, does without so many."""
    tried_bytes: int | None = None
    """So many were taken by what was found for it."""
    available_bytes: int | None = None
    legal: tuple[Value, ...] = ()
    legal_is_all: bool = False
    """Whether no other value is legal."""
    instead: Value | None = None
    """The next legal value, which the search is given in its place."""
    ops: tuple[NpuOpId, ...] = ()
    maps: tuple[FmId, ...] = ()
    beside: tuple[Decided, ...] = ()
    """Other decisions that stand against it."""
    detail: str = ""

    @property
    def decided(self) -> Decided:
        """What it is about."""
        return self.what, self.ids


class Fixed(Frozen, dict=True):
    """Decisions that searches do not take themselves."""

    living: tuple[tuple[FmId, Living], ...] = ()
    formats: tuple[tuple[FmId, Format], ...] = ()
    addresses: tuple[tuple[FmId, int], ...] = ()
    together: tuple[tuple[NpuOpId, ...], ...] = ()
    """Each in one cascade, in the order in which they run."""
    apart: tuple[tuple[NpuOpId, NpuOpId], ...] = ()
    """Maker and reader, which are not in one cascade."""
    never: frozenset[NpuOpId] = frozenset()
    """In no cascade."""
    heights: tuple[tuple[NpuOpId, int], ...] = ()
    blocks: tuple[tuple[NpuOpId, Block], ...] = ()
    traversals: tuple[tuple[NpuOpId, Traversal], ...] = ()
    rolling: tuple[tuple[FmId, int], ...] = ()
    """Rows in rolling buffers, by the map that goes through."""
    weights: tuple[tuple[NpuOpId, WeightsAsked], ...] = ()
    reserves: tuple[Reserve, ...] = ()
    order: tuple[Precedence, ...] = ()

    def without(self, lost: Container[Decided]) -> Fixed:
        """The same less some decisions."""
        kept: dict[str, Any] = {}
        for kind in _SEARCHED:
            entries = kept.get(kind.field, getattr(self, kind.field))
            kept[kind.field] = type(entries)(
                each for each in entries if _decided(kind, each) not in lost
            )
        return replace(self, **kept)

    @cached_property
    def living_of(self) -> Mapping[FmId, Living]:
        """Where maps live, by map."""
        return MappingProxyType(dict(self.living))

    @cached_property
    def format_of(self) -> Mapping[FmId, Format]:
        """Formats by map."""
        return MappingProxyType(dict(self.formats))

    @cached_property
    def address_of(self) -> Mapping[FmId, int]:
        """Addresses by map."""
        return MappingProxyType(dict(self.addresses))

    @cached_property
    def height_of(self) -> Mapping[NpuOpId, int]:
        """Rows of a stripe, by operator."""
        return MappingProxyType(dict(self.heights))

    @cached_property
    def rolling_of(self) -> Mapping[FmId, int]:
        """Rows in rolling buffers, by map."""
        return MappingProxyType(dict(self.rolling))

    @cached_property
    def pin_of(self) -> Mapping[NpuOpId, Pin]:
        """Blocks and traversals by operator."""
        blocks, traversals = dict(self.blocks), dict(self.traversals)
        ops = blocks.keys() | traversals.keys()
        return MappingProxyType({op: Pin(blocks.get(op), traversals.get(op)) for op in ops})

    @cached_property
    def weights_of(self) -> Mapping[NpuOpId, WeightsAsked]:
        """How weights arrive, by operator."""
        return MappingProxyType(dict(self.weights))


NOTHING_FIXED = Fixed()
_SEARCHED: tuple[Kind, ...] = tuple(each for each in (*What, *Grouping) if each.field)
_RANK = {kind: rank for rank, kind in enumerate(_SEARCHED)}


def fixed_of(asked: Mapping[Decided, Sequence[Value]]) -> Fixed:
    """What is fixed where this is asked for: one value for each decision, but for bytes that are
    reserved, which come on top of each other."""
    found: defaultdict[str, list[Any]] = defaultdict(list)
    for (kind, ids), values in sorted(asked.items(), key=_in_order):
        found[kind.field] += (_entry(kind, ids, value) for value in values)
    fixed = replace(
        NOTHING_FIXED,
        **{name: type(getattr(NOTHING_FIXED, name))(entries) for name, entries in found.items()},
    )
    return replace(fixed, together=joined(fixed.together))


def _in_order(item: tuple[Decided, object]) -> tuple[tuple[int, ...], int]:
    (kind, ids), _ = item
    return ids, _RANK[kind]


def _entry(kind: Kind, ids: tuple[Any, ...], value: Value) -> Any:
    """What a field has of a decision; of one about a single map or operator, this and the value."""
    match kind:
        case Grouping.NEVER:
            return ids[0]
        case Grouping():
            return ids
        case What.RESERVE:
            return Reserve(*ids)
        case What.BEFORE | What.AFTER:
            return Precedence(ids[0], ids[1], waits=kind is What.AFTER)
        case _:
            return ids[0], value


def _decided(kind: Kind, entry: Any) -> Decided:
    """The decision that a field has so."""
    match entry:
        case int():
            return kind, (entry,)
        case Precedence():
            return entry.decided
        case Reserve():
            return kind, entry
        case _:
            return kind, entry if isinstance(kind, Grouping) else entry[:1]
