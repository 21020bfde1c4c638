"""What edits ask for, by the ids of one lowered network: what searches read."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from core.base.frozen import Frozen, replace
from core.base.geometry import Block
from core.base.ids import FmId, NpuOpId
from core.ir.edits import Ground, Grouping, Living, Traversal, Value, WeightsAsked, What
from core.target.format import Format

Kind = What | Grouping
"""What is decided; of cascades, in which way."""

Decided = tuple[Kind, tuple[int, ...]]
"""A decision, and the ids of the operators or of the map that it is about."""

_Pair = TypeVar("_Pair", bound=tuple[Any, Any])


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

        def kept(kind: Kind, pairs: Iterable[_Pair]) -> tuple[_Pair, ...]:
            return tuple(pair for pair in pairs if (kind, pair[:1]) not in lost)

        return replace(
            self,
            living=kept(What.REGION, self.living),
            formats=kept(What.FORMAT, self.formats),
            addresses=kept(What.ADDRESS, self.addresses),
            together=tuple(each for each in self.together if (Grouping.TOGETHER, each) not in lost),
            apart=tuple(each for each in self.apart if (Grouping.APART, each) not in lost),
            never=frozenset(op for op in self.never if (Grouping.NEVER, (op,)) not in lost),
            heights=kept(What.STRIPE, self.heights),
            blocks=kept(What.BLOCK, self.blocks),
            traversals=kept(What.TRAVERSAL, self.traversals),
            rolling=kept(What.ROLLING, self.rolling),
            weights=kept(What.WEIGHTS, self.weights),
            reserves=tuple(each for each in self.reserves if (What.RESERVE, each) not in lost),
            order=tuple(each for each in self.order if each.decided not in lost),
        )

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
