"""What edits ask for, by the ids of one lowered network: what searches read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from core.base.geometry import Block
from core.base.ids import FmId, NpuOpId
from core.ir.edits import Living, WeightsAsked
from core.target.format import Format


class Reserve(NamedTuple):
    """Bytes of fast storage that others need while operators run."""

    first: NpuOpId
    last: NpuOpId
    size_bytes: int


@dataclass(frozen=True, kw_only=True)
class Fixed:
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
    weights: tuple[tuple[NpuOpId, WeightsAsked], ...] = ()
    reserves: tuple[Reserve, ...] = ()

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
    def block_of(self) -> Mapping[NpuOpId, Block]:
        """Blocks by operator."""
        return MappingProxyType(dict(self.blocks))

    @cached_property
    def weights_of(self) -> Mapping[NpuOpId, WeightsAsked]:
        """How weights arrive, by operator."""
        return MappingProxyType(dict(self.weights))


NOTHING_FIXED = Fixed()
