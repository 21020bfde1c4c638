"""Addresses that are asked for: which ranges can have theirs, and why others cannot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from core.base.frozen import Frozen, replace
from core.base.geometry import round_up
from core.base.ids import FmId
from core.ir.edits import Ground, What
from core.ir.fixed import Against
from core.ir.npugraph import FeatureMap
from core.liveness.lives import Life
from core.memory.packing import Range, Trail
from core.target.format import ALIGNMENT_BYTES


class Given(Frozen):
    """Ranges, some of which are where they have to be, and why others are not."""

    ranges: tuple[Range, ...]
    against: tuple[Against, ...]


class _Wish(Frozen, kw_only=False):
    """A map that is asked to be at an address, in its range."""

    fm: FmId
    index: int
    item: Range
    address: int

    @property
    def end(self) -> int:
        return self.address + self.item.size_bytes

    def meets(self, other: _Wish) -> bool:
        """Whether only one of them can be so."""
        if self.index == other.index:
            return self.address != other.address
        one, two = self.item, other.item
        is_apart = one.end_time < two.start_time or two.end_time < one.start_time
        return not is_apart and self.address < other.end and other.address < self.end

    def trails(self, other: _Wish, leads: Mapping[tuple[int, int], int]) -> bool:
        """Whether it may be filled while the other is given up."""
        lead = leads.get((self.index, other.index))
        return lead is not None and self.address + lead <= other.address


def with_addresses(
    lives: Sequence[Life],
    ranges: Sequence[Range],
    asked: Mapping[FmId, int],
    most_bytes: int,
    trails: Iterable[Trail] = (),
) -> Given:
    """The addresses that are asked for, as far as they are within the memory and do not meet, but
    as trails say.

    Of those that meet none is taken; one that is not aligned becomes the next that is.
    """
    against: list[Against] = []
    possible: list[_Wish] = []
    for wish in _wishes(lives, ranges, asked):
        aligned = _aligned(wish, most_bytes)
        if aligned.end > most_bytes:
            against.append(_too_high(wish, most_bytes))
            continue
        possible.append(aligned)
        if aligned.address != wish.address:
            against.append(_not_aligned(wish, aligned))
    given: dict[int, int] = {}
    leads = {(trail.lower, trail.upper): trail.lead_bytes for trail in trails}
    for wish in possible:
        others = [
            other
            for other in possible
            if wish.meets(other) and not wish.trails(other, leads) and not other.trails(wish, leads)
        ]
        if others:
            against.append(_met(wish, others))
        else:
            given[wish.index] = wish.address
    return Given(
        ranges=tuple(replace(item, address=given.get(index)) for index, item in enumerate(ranges)),
        against=tuple(against),
    )


def _wishes(
    lives: Sequence[Life], ranges: Sequence[Range], asked: Mapping[FmId, int]
) -> Iterator[_Wish]:
    for index, (life, item) in enumerate(zip(lives, ranges, strict=True)):
        yield from (_Wish(fm, index, item, asked[fm]) for fm in life.fms if fm in asked)


def _aligned(wish: _Wish, most_bytes: int) -> _Wish:
    """At the next address that is aligned; at the one before where that is too high."""
    above = replace(wish, address=round_up(wish.address, wish.item.alignment))
    return above if above.end <= most_bytes else replace(wish, address=_below(wish))


def _below(wish: _Wish) -> int:
    return wish.address // wish.item.alignment * wish.item.alignment


def _not_aligned(wish: _Wish, aligned: _Wish) -> Against:
    return Against(
        what=What.ADDRESS,
        ids=(wish.fm,),
        ground=Ground.NOT_LEGAL,
        is_proved=wish.address % ALIGNMENT_BYTES != 0,
        legal=tuple(dict.fromkeys((aligned.address, _below(wish)))),
        instead=aligned.address,
    )


def _too_high(wish: _Wish, most_bytes: int) -> Against:
    return Against(
        what=What.ADDRESS,
        ids=(wish.fm,),
        ground=Ground.NO_ROOM,
        # In another format or region it may be possible.
        tried_bytes=wish.end,
        available_bytes=most_bytes,
    )


def _met(wish: _Wish, others: Sequence[_Wish]) -> Against:
    """With other schedules they may live at other times."""
    return Against(
        what=What.ADDRESS,
        ids=(wish.fm,),
        ground=Ground.CONTRADICTED,
        maps=tuple(other.fm for other in others),
        beside=tuple((What.ADDRESS, (other.fm,)) for other in others),
    )


def without_address(fms: Sequence[FeatureMap]) -> tuple[Against, ...]:
    """What is said of maps that nobody finds an address for: constants, and what is never used."""
    return tuple(
        Against(
            what=What.ADDRESS,
            ids=(fm.id,),
            ground=Ground.NO_ADDRESS,
            is_proved=fm.data is not None,
        )
        for fm in fms
    )
