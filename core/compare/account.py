"""What a schedule's JSON tells of it, whoever wrote it, as far as two can be held together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from core.base.errors import InputError
from core.base.frozen import Frozen, field, replace
from core.base.geometry import Shape4, round_up
from core.edits.told import ToldOp, told_ops
from core.edits.whole import pieces
from core.ir.layout import Purpose
from core.target.format import ALIGNMENT_BYTES

Plain = Any

_KIB = 1024
_MOST = 1 << 60
"""No schedule has as many of anything."""
_PERMANENT = "Permanent"
_MEMORIES = ("sram", "dram", "on_chip_flash", "off_chip_flash")
_ROLES = ("ifm", "ifm2", "ofm")
_FROM_SUMMARY: Mapping[str, tuple[str, float]] = {
    "total_cycles": ("cycles_total", 1),
    "npu_cycles": ("cycles_npu", 1),
    "inference_seconds": ("inference_time", 1),
    "macs": ("nn_macs", 1),
    **{f"{name}_bytes": (f"{name}_memory_used", _KIB) for name in _MEMORIES},
    **{f"{name}_moved_bytes": (f"{name}_total_bytes", 1) for name in _MEMORIES},
}
"""Where those that have no `totals` tell the same, and how many of ours one of theirs is."""


class ToldMap(Frozen):
    """A map that an operator reads or writes, and the memory that it is in."""

    role: str
    name: str
    memory: str


class AccountOp(Frozen):
    """An operator, what was decided for it, and what that costs."""

    told: ToldOp
    places: tuple[int, ...]
    """Its position among all operators as they run; several, where its rows stand apart."""
    numbers: tuple[int, ...]
    """What its schedule calls these, whenever they run."""
    kind: str
    cycles: float | None
    """With all that it waits for; None where that is not told."""
    own_cycles: float
    """Of the accelerator alone."""
    time: int
    """When it runs, as live ranges count."""
    maps: tuple[ToldMap, ...]


class AccountRange(Frozen):
    """Bytes with an address, from one time to another; both are included."""

    name: str
    tensors: tuple[str, ...]
    purpose: str
    memory: str
    address: int
    size_bytes: int
    start: int
    end: int
    op: int | None
    """The number of the operator whose weights or table it holds."""
    buffer: int
    is_evicted: bool | None
    """None where the file does not tell what was evicted."""


class Account(Frozen):
    """A schedule as it is told."""

    title: str
    """What users know it by."""
    target: tuple[tuple[str, str], ...] = ()
    """What it was made for, by the names of options."""
    totals: Mapping[str, float] = field(default_factory=dict)
    ops: tuple[AccountOp, ...] = ()
    ranges: tuple[AccountRange, ...] = ()
    cpu_ops: tuple[str, ...] = ()

    def within(self, limit_bytes: int) -> Account:
        """The same held against a limit of fast storage, which a compiled file does not tell."""
        held = self.totals.get("fast_storage_bytes", self.totals.get("sram_bytes", 0))
        excess = {"excess_bytes": max(0.0, held - limit_bytes)}
        target = dict(self.target) | {"arena_cache_size": str(limit_bytes)}
        return replace(self, target=tuple(target.items()), totals={**self.totals, **excess})

    @property
    def is_totals_alone(self) -> bool:
        """Whether nothing is told of its operators, though there may be some."""
        return not self.ops and self.totals.get("npu_operators") != 0

    @property
    def cascades(self) -> dict[tuple[int, int], tuple[int, ...]]:
        """By island and number, the positions of the operators of each cascade."""
        found: dict[tuple[int, int], tuple[int, ...]] = {}
        for at, op in enumerate(self.ops):
            if op.told.cascade is not None:
                key = op.told.island, op.told.cascade
                found[key] = (*found.get(key, ()), at)
        return found


def account_of(plain: Plain, title: str = "") -> Account:
    """What a schedule's JSON tells; an InputError says where it is none."""
    if not isinstance(plain, dict) or not {"schedules", "summary", "totals"} & plain.keys():
        raise InputError("is no schedule: it has no 'schedules', 'totals' or 'summary'")
    told = told_ops(plain) if "schedules" in plain else ()
    try:
        return _account(plain, told, title)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise InputError(f"is no schedule that can be read ({error!r})") from error


def _account(plain: Plain, told: Sequence[ToldOp], title: str) -> Account:
    return Account(
        title=title or str(plain.get("model", "")),
        target=tuple(_target(plain)),
        totals=dict(_totals(plain)),
        ops=tuple(_ops(plain, told)),
        ranges=tuple(_joined(_ranges(plain))),
        cpu_ops=tuple(map(str, plain.get("cpu_ops", ()))),
    )


def _target(plain: Plain) -> Iterator[tuple[str, str]]:
    for name, value in _mapping(plain, "target").items():
        if value is not None:
            yield str(name), str(value)


def _totals(plain: Plain) -> Iterator[tuple[str, float]]:
    """Figures by the names that ours have; those that are not told are left out."""
    own, summary = _mapping(plain, "totals"), _mapping(plain, "summary")
    for name, value in own.items():
        if isinstance(value, int | float):
            yield str(name), _number(value, f"totals.{name}")
    if own:
        return
    for name, (theirs, factor) in _FROM_SUMMARY.items():
        if theirs in summary:
            yield name, _number(summary[theirs], f"summary.{theirs}") * factor
    evicted = _evicted(plain)
    if evicted is not None:
        yield "evicted_bytes", sum(each["bytes"] for each in evicted)
        yield "evicted_maps", len(evicted)
    islands = plain.get("schedules", ())
    if "schedules" in plain:
        yield "npu_operators", sum(len(island["ops"]) for island in islands)
        yield "cascades", sum(len(island.get("cascades", ())) for island in islands)
    yield "cpu_operators", len(plain.get("cpu_ops", ()))


def _ops(plain: Plain, told: Sequence[ToldOp]) -> Iterator[AccountOp]:
    """Operators; rows that a stream makes apart count with the operator that they belong to."""
    written = [op for island in plain.get("schedules", ()) for op in island["ops"]]
    for op, places in pieces(told):
        parts = [written[place] for place in places]
        # Commands that bring weights of a cascade stand early, whoever was to wait for them.
        is_early = bool(plain.get("compiled_by")) and op.cascade is not None
        sign = replace(op.sign, ofm=(*op.sign.ofm, *_touched(parts)))
        costs = [_mapping(part, "cost").get("total_cycles") for part in parts]
        yield AccountOp(
            told=replace(op, sign=sign, is_prefetched=None if is_early else op.is_prefetched),
            places=places,
            numbers=tuple(_numbered(written[place], place) for place in places),
            kind=str(parts[0].get("type", "")),
            cycles=None if None in costs else sum(_number(cost, "cost") for cost in costs),
            own_cycles=sum(_number(part.get("op_cycles", 0), "op_cycles") for part in parts),
            time=int(_number(parts[0].get("time_index", 0), "time_index")),
            maps=tuple(_maps(parts[0])),
        )


def _numbered(part: Plain, place: int) -> int:
    """Those that do not tell a number are counted."""
    return int(_number(part.get("number", place), "number"))


def _touched(parts: Sequence[Plain]) -> Iterator[Shape4]:
    """The shape of what is made of a map, where others make the rest of it."""
    shape = parts[0]["feature_maps"]["ofm"].get("touched")
    if shape is not None and len(parts) == 1:
        yield Shape4(*map(int, shape))


def _maps(op: Plain) -> Iterator[ToldMap]:
    told = op["feature_maps"]
    for role in _ROLES:
        if role in told:
            memory = str(told[role].get("mem_area", ""))
            yield ToldMap(role=role, name=str(told[role]["name"]), memory=memory)


def _evicted(plain: Plain) -> list[Plain] | None:
    """What could be in fast storage and is not; None where a file does not tell."""
    islands = plain.get("schedules", ())
    if not islands or not all("evicted" in island for island in islands):
        return None
    return [each for island in islands for each in island["evicted"]]


def _ranges(plain: Plain) -> Iterator[AccountRange]:
    known = _evicted(plain)
    evicted = {name for each in known or () for name in each.get("tensors", (each.get("name"),))}
    for area in plain.get("allocations", ()):
        # What never changes is the same bytes wherever it lies: its size is a figure.
        if all(str(region).startswith(_PERMANENT) for region in area.get("mem_types", ("",))):
            continue
        memory = str(area.get("mem_area", ""))
        for item in area["live_ranges"]:
            tensors = tuple(map(str, item.get("tensors") or (item["name"],)))
            # What a stream touches may end before what was set aside for it does.
            size = round_up(int(_number(item["bytes"], "live_ranges")), ALIGNMENT_BYTES)
            yield AccountRange(
                name=str(item["name"]),
                tensors=tensors,
                purpose=str(item.get("purpose", "")),
                memory=memory,
                address=int(_number(item["address"], "live_ranges")),
                size_bytes=size,
                start=int(_number(item["start"], "live_ranges")),
                end=int(_number(item["end"], "live_ranges")),
                op=None if item.get("op") is None else int(_number(item["op"], "live_ranges")),
                buffer=int(item.get("buffer") or 0),
                is_evicted=None if known is None else not evicted.isdisjoint(tensors),
            )


def _joined(ranges: Iterable[AccountRange]) -> Iterator[AccountRange]:
    """Ranges in their order, where a stream's fills of a weight buffer are one.

    Buffers are numbered in the order in which they are filled first.
    """
    buffers: dict[tuple[int, str, int], AccountRange] = {}
    for each in ranges:
        if each.op is None or each.purpose != Purpose.WEIGHTS.value:
            yield each
            continue
        key = each.op, each.memory, each.address
        known = buffers.setdefault(key, each)
        buffers[key] = replace(
            known,
            size_bytes=max(known.size_bytes, each.size_bytes),
            start=min(known.start, each.start),
            end=max(known.end, each.end),
        )
    count: Counter[tuple[int, str]] = Counter()
    for (op, memory, _), each in sorted(
        buffers.items(), key=lambda item: (item[1].start, item[1].buffer)
    ):
        yield replace(each, buffer=count[op, memory])
        count[op, memory] += 1


def _mapping(plain: Plain, name: str) -> dict[str, Plain]:
    found = plain.get(name) or {}
    if not isinstance(found, dict):
        raise InputError("is no object", name)
    return found


def _number(value: Plain, where: str) -> float:
    try:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        number: float = value if is_number else float(value)
    except (OverflowError, TypeError, ValueError) as error:
        raise InputError(f"'{value}' is no number", where) from error
    # What is no number at all is in no range either.
    if not -_MOST < number < _MOST:
        raise InputError("is no number that a schedule has", where)
    return number
