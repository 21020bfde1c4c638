"""Judges a layout: no byte is used twice at one time, addresses are aligned, the height is true."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence

from core.base.frozen import NamedTuple
from core.check.finding import Finding


class Placed(NamedTuple):
    """A range with its address; both times are included."""

    name: str
    address: int
    size_bytes: int
    start_time: int
    end_time: int
    alignment: int = 1
    content: str | None = None
    """Ranges that hold the same constant bytes may lie on each other."""


MayShare = Callable[[Placed, Placed], bool]
"""Whether two ranges that meet, the lower one first, never have the same byte in use."""


def verify(
    placed: Sequence[Placed],
    height_bytes: int,
    limit_bytes: int | None = None,
    may_share: MayShare | None = None,
) -> tuple[Finding, ...]:
    """Everything that is wrong with the layout."""
    return (
        *_alone(placed),
        *(_overlaps(placed) if may_share is None else _clashes(placed, may_share)),
        *_height(placed, height_bytes, limit_bytes),
    )


def _alone(placed: Sequence[Placed]) -> Iterator[Finding]:
    for item in placed:
        if item.address < 0:
            yield Finding(item.name, f"has the address {item.address}")
        elif item.address % item.alignment:
            yield Finding(item.name, f"address {item.address} is no multiple of {item.alignment}")


def _overlaps(placed: Sequence[Placed]) -> Iterator[Finding]:
    """Ranges that meet others which are live when they begin; such do not count as live."""
    full = [item for item in placed if item.size_bytes]
    events = [(item.start_time, 1, number) for number, item in enumerate(full)]
    events += [(item.end_time + 1, 0, number) for number, item in enumerate(full)]
    live: list[tuple[int, int]] = []
    for _, is_start, number in sorted(events):
        key = (full[number].address, number)
        at = bisect_left(live, key)
        if not is_start:
            if at < len(live) and live[at] == key:
                del live[at]
            continue
        others = [other for other in _near(full, live, at, number) if not _are_same(*other)]
        for low, high in others:
            time = max(low.start_time, high.start_time)
            yield Finding(high.name, f"shares byte {high.address} with {low.name} at time {time}")
        if not others:
            live.insert(at, key)


def _clashes(placed: Sequence[Placed], may_share: MayShare) -> Iterator[Finding]:
    """The same where some may meet, each held against all that are live when it begins."""
    full = sorted((item for item in placed if item.size_bytes), key=lambda item: item.start_time)
    live: list[Placed] = []
    for item in full:
        live = [other for other in live if other.end_time >= item.start_time]
        for other in live:
            low, high = sorted((item, other), key=lambda each: each.address)
            is_apart = low.address + low.size_bytes <= high.address
            if not is_apart and not _are_same(low, high) and not may_share(low, high):
                text = f"shares byte {high.address} with {low.name} at time {item.start_time}"
                yield Finding(high.name, text)
        live.append(item)


def _near(
    full: Sequence[Placed], live: Sequence[tuple[int, int]], at: int, number: int
) -> Iterator[tuple[Placed, Placed]]:
    """A range with each that meets it among those, by address, into which it comes: lower first.

    As no two of them meet but the same, whatever is farther away than one that does not, does not.
    """
    item = full[number]
    for _, other in map(live.__getitem__, range(at - 1, -1, -1)):
        below = full[other]
        if below.address + below.size_bytes <= item.address:
            break
        yield below, item
    for address, other in map(live.__getitem__, range(at, len(live))):
        if address >= item.address + item.size_bytes:
            break
        yield item, full[other]


def _are_same(one: Placed, other: Placed) -> bool:
    return (
        one.content is not None
        and one.content == other.content
        and (one.address, one.size_bytes) == (other.address, other.size_bytes)
    )


def _height(
    placed: Sequence[Placed], height_bytes: int, limit_bytes: int | None
) -> Iterator[Finding]:
    top = max((item.address + item.size_bytes for item in placed), default=0)
    if top != height_bytes:
        yield Finding("height", f"is {top}, but {height_bytes} is said")
    if limit_bytes is not None and top > limit_bytes:
        yield Finding("height", f"{top} is above the limit {limit_bytes}")
