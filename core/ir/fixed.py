"""What edits ask for, by the ids of one lowered network: what searches read."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from core.base.frozen import Frozen
from core.base.geometry import Block
from core.base.ids import FmId, NpuOpId
from core.ir.edits import Ground, Living, Traversal, Value, WeightsAsked, What
from core.target.format import Format


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


class Pin(NamedTuple):
    """How an operator works, as far as that is fixed."""

    block: Block | None = None
    traversal: Traversal | None = None


Decided = tuple[What, tuple[int, ...]]
"""A decision, and the ids of the operators or of the map that it is about."""


class Against(Frozen):
    """Why a decision that was asked for is left out of the search."""

    what: What
    ids: tuple[int, ...]
    """Of the map, or of the operators in the order in which they run."""
    ground: Ground
    is_proved: bool = True
    needed_bytes: int | None = None
    available_bytes: int | None = None
    legal: tuple[Value, ...] = ()
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
