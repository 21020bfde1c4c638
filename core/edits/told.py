"""A schedule as its JSON tells it, whoever wrote it: operators and what was decided for each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from core.base.errors import InputError
from core.base.frozen import Frozen
from core.base.geometry import Block, Shape4, round_up
from core.ir.held import Spot
from core.target.format import ALIGNMENT_BYTES, Format
from core.target.region import Region

Plain = Any

_MOST = 1 << 40
_KERNEL_NUMBERS = 6
_COPY = "Memcpy"
"""The type of an operator that moves bytes."""


class Sign(Frozen):
    """What an operator is known by in another schedule of the network."""

    name: str
    made: str
    """The name of the map that it makes."""
    kernel: tuple[int, ...]
    """Width, height, strides, dilation."""
    ifm: tuple[Shape4, ...]
    """The shape of what it reads; also of the part that it touches, where that is known."""
    ofm: tuple[Shape4, ...]
    """The same of what it makes; of a copy, also the bytes that it moves."""
    has_weights: bool


def moved_bytes(shape: Shape4, bits: int) -> Shape4:
    """What a copy moves, as its command has it: no elements, and all up to the next alignment."""
    return Shape4(c=round_up(shape.elements * bits // 8, ALIGNMENT_BYTES))


class ToldOp(Frozen):
    """An operator, and what was decided for it; None where nothing is told."""

    sign: Sign
    island: int
    cascade: int | None
    """A number that the operators of one cascade of an island share."""
    stripe_rows: int
    block: Block | None
    is_part_kernel: bool
    depths: tuple[int, ...]
    buffers: int
    is_prefetched: bool | None
    lead_steps: int | None
    """How many operators or cascades before its own its first buffer may be filled."""
    format: Format | None
    """This and those below are of the map that it makes."""
    region: Region | None
    rolling_rows: int | None
    address: int | None
    buffer_spots: tuple[Spot, ...] = ()
    """Where its weight buffers are, as far as that is told."""


class ToldMap(Frozen):
    """Where a map lies, by its name."""

    name: str
    is_fast: bool
    spot: Spot


def told_maps(plain: Plain) -> tuple[ToldMap, ...]:
    """Where a schedule has its maps, those too that no operator makes."""
    found = []
    for part, item in _live_ranges(plain):
        is_fast = Region.SCRATCH_FAST.value in _list(part.get("mem_types", []), "mem_types")
        if item.get("purpose") == "FeatureMap" and isinstance(item.get("address"), int):
            spot = Spot(item["address"], _number(item.get("bytes", 0), "live_ranges.bytes"))
            names = _list(item.get("tensors", []), "name")
            found += [ToldMap(name=str(name), is_fast=is_fast, spot=spot) for name in names]
    return tuple(found)


def told_ops(plain: Plain) -> tuple[ToldOp, ...]:
    """The operators of a schedule in the order in which they run.

    An InputError tells where it is no schedule.
    """
    if not isinstance(plain, dict) or "schedules" not in plain:
        kind = plain.get("reefpoint") if isinstance(plain, dict) else None
        lack = "it has no 'schedules'" if kind is None else f"it calls itself {str(kind)[:20]!r}"
        raise InputError(f"is no schedule: {lack}")
    addresses = {each.name: each.spot.address for each in told_maps(plain)}
    starts = dict(_starts(plain))
    return tuple(
        _op(op, f"schedules[{at}].ops[{place}]", at, rolling.get(place), addresses, starts)
        for at, part in enumerate(_list(plain["schedules"], "schedules"))
        for rolling in (_rolling(part, f"schedules[{at}]"),)
        for place, op in enumerate(_list(_get(part, "ops", f"schedules[{at}]"), "ops"))
    )


def _op(
    plain: Plain,
    where: str,
    island: int,
    rolling: int | None,
    addresses: Mapping[str, int],
    starts: Mapping[tuple[str, int], int],
) -> ToldOp:
    maps = _get(plain, "feature_maps", where)
    ofm, ifm = _get(maps, "ofm", where), _get(maps, "ifm", where)
    has_weights = plain.get("encoded_weight_bytes") is not None
    buffers = _list(plain.get("weight_buffers", []), f"{where}.weight_buffers")
    block = _shape(_get(plain, "ofm_block", where), f"{where}.ofm_block")
    made = str(_get(ofm, "name", where))
    shape = _shape(_get(ofm, "shape", where), f"{where}.ofm")
    is_copy = plain.get("type") == _COPY and "bits" in ofm
    moved = (moved_bytes(shape, _number(ofm["bits"], f"{where}.ofm")),) if is_copy else ()
    address = ofm.get("address", addresses.get(made))
    return ToldOp(
        sign=Sign(
            name=str(_get(plain, "name", where)),
            made=made,
            kernel=_numbers(_get(plain, "kernel", where), f"{where}.kernel", _KERNEL_NUMBERS),
            ifm=(_shape(_get(ifm, "shape", where), f"{where}.ifm"),),
            ofm=(shape, *moved),
            has_weights=has_weights,
        ),
        island=island,
        cascade=_number(plain.get("cascade") or 0, f"{where}.cascade") or None,
        stripe_rows=_shape(_get(plain, "stripe", where), f"{where}.stripe").h,
        block=Block(*block[1:]) if all(block) else None,
        is_part_kernel=bool(plain.get("is_partkernel")),
        depths=_numbers(plain.get("depth_slices", []), f"{where}.depth_slices"),
        buffers=len(buffers),
        is_prefetched=any(isinstance(each, dict) and each.get("pre_buffer") for each in buffers),
        lead_steps=_lead_steps(buffers, where),
        format=next((each for each in Format if each.value == ofm.get("format")), None),
        region=next((each for each in Region if each.value == ofm.get("mem_type")), None),
        rolling_rows=rolling,
        address=None if address is None else _number(address, f"{where}.address"),
        buffer_spots=tuple(_spots(plain, buffers, starts)),
    )


def _lead_steps(buffers: Sequence[object], where: str) -> int | None:
    """Of the first buffer, where that is told."""
    first = buffers[0] if buffers else None
    told = first.get("lead_steps") if isinstance(first, dict) else None
    return None if told is None else _number(told, f"{where}.lead_steps")


def _spots(
    plain: Plain, buffers: Iterable[Plain], starts: Mapping[tuple[str, int], int]
) -> Iterator[Spot]:
    """Where weight buffers are, and how long before their operator they are kept free."""
    name, time = str(plain.get("name")), plain.get("time_index")
    for each in buffers:
        told = each if isinstance(each, dict) else {}
        address, size = told.get("address"), told.get("bytes")
        if not isinstance(address, int) or not isinstance(size, int):
            return
        start = starts.get((name, address))
        ahead = time - start if isinstance(time, int) and start is not None else 0
        yield Spot(address, size, max(ahead, 0))


def _rolling(part: Plain, where: str) -> dict[int, int]:
    """By the place of an operator, the rows of the buffer through which its output goes."""
    found: dict[int, int] = {}
    cascades = part.get("cascades", []) if isinstance(part, dict) else []
    for cascade in _list(cascades, f"{where}.cascades"):
        buffers = _get(cascade, "buffers", f"{where}.cascades")
        if not isinstance(buffers, dict):
            raise InputError("are no buffers by their readers", f"{where}.cascades")
        for reader, shape in buffers.items():
            if not str(reader).isdecimal():
                raise InputError(f"'{reader}' is no operator", f"{where}.cascades")
            found[int(reader) - 1] = _shape(shape, f"{where}.cascades").h
    return found


def _live_ranges(plain: Mapping[str, Plain]) -> Iterator[tuple[Plain, Plain]]:
    """Ranges of bytes, each with the range of addresses that it is in."""
    for part in _list(plain.get("allocations", []), "allocations"):
        for item in _list(_get(part, "live_ranges", "allocations"), "live_ranges"):
            _get(item, "address", "live_ranges")
            yield part, item


def _starts(plain: Mapping[str, Plain]) -> Iterator[tuple[tuple[str, int], int]]:
    """By operator and address: since when a weight buffer has its bytes."""
    for _, item in _live_ranges(plain):
        name, address, start = (item.get(key) for key in ("name", "address", "start"))
        if item.get("purpose") == "Weights" and isinstance(start, int):
            yield (str(name).partition(": weight buffer")[0], address), start


def _get(plain: Plain, name: str, where: str) -> Plain:
    if not isinstance(plain, dict) or name not in plain:
        raise InputError(f"has no '{name}'", where)
    return plain[name]


def _list(plain: Plain, where: str) -> list[Plain]:
    if not isinstance(plain, list):
        raise InputError("is no list", where)
    return plain


def _shape(plain: Plain, where: str) -> Shape4:
    return Shape4(*_numbers(plain, where, len(Shape4._fields)))


def _numbers(plain: Plain, where: str, count: int | None = None) -> tuple[int, ...]:
    found: Iterable[Plain] = _list(plain, where)
    numbers = tuple(_number(each, where) for each in found)
    if count is not None and len(numbers) != count:
        raise InputError(f"has {len(numbers)} numbers, and {count} are expected", where)
    return numbers


def _number(plain: Plain, where: str) -> int:
    if isinstance(plain, bool) or not isinstance(plain, int) or not 0 <= plain <= _MOST:
        raise InputError("is no whole number from 0 up", where)
    return plain
