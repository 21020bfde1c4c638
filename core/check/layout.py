"""Judges a layout: no byte is used twice at one time, addresses are aligned, the height is true."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

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


def verify(
    placed: Sequence[Placed], height_bytes: int, limit_bytes: int | None = None
) -> tuple[Finding, ...]:
    """Everything that is wrong with the layout."""
    return (
        *_alone(placed),
        *_overlaps(placed),
        *_height(placed, height_bytes, limit_bytes),
    )


def _alone(placed: Sequence[Placed]) -> Iterator[Finding]:
    for item in placed:
        if item.address < 0:
            yield Finding(item.name, f"has the address {item.address}")
        elif item.address % item.alignment:
            yield Finding(item.name, f"address {item.address} is no multiple of {item.alignment}")


def _overlaps(placed: Sequence[Placed]) -> Iterator[Finding]:
    """Pairs that meet in address and in time, found along the addresses."""
    below: list[Placed] = []
    for item in sorted(placed, key=lambda each: (each.address, each.size_bytes)):
        if not item.size_bytes:
            continue
        below = [each for each in below if each.address + each.size_bytes > item.address]
        for other in below:
            if _meet_in_time(item, other) and not _are_same(item, other):
                times = max(item.start_time, other.start_time)
                yield Finding(
                    item.name, f"shares byte {item.address} with {other.name} at time {times}"
                )
        below.append(item)


def _meet_in_time(one: Placed, other: Placed) -> bool:
    return max(one.start_time, other.start_time) <= min(one.end_time, other.end_time)


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
