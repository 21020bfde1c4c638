"""Programs and files of data written again, with other bytes where delegates and weights are.

What does not change stays where it was, so that a file that is given its own bytes is the same
file. What follows a segment of another size moves to the next place that is aligned as all were.
"""

from __future__ import annotations

import functools
import operator
import struct
from collections.abc import Mapping, Sequence

from core.base.errors import InputError
from core.executorch.container import Container, bundle_of, held_by, open_data, open_program
from core.flatbuf.view import TableView

_NUMBER = struct.Struct("<Q")
_ALIGNMENT = 128
"""Of segments, where an exporter is not told another."""


def with_blobs(data: bytes, blobs: Sequence[bytes]) -> bytes:
    """A program whose delegates, plan by plan, were compiled to these bytes."""
    start, size = bundle_of(data)
    program = _with_blobs(data[start : start + size], blobs)
    if size < len(data):
        program = _as_long(program, size, "the program in a bundle")
    return data[:start] + program + data[start + size :]


def _with_blobs(program: bytes, blobs: Sequence[bytes]) -> bytes:
    container = open_program(program)
    held = [
        held_by(delegate, container)
        for plan in container.root.tables("execution_plan")
        for delegate in plan.tables("delegates")
    ]
    data, segments = bytearray(program), dict[int, bytes]()
    for number, ((place, segment), blob) in enumerate(zip(held, blobs, strict=True)):
        what = f"delegate {number}"
        if segment is None:
            inline = _as_long(blob, place.size_bytes, what)
            data[place.start : place.start + place.size_bytes] = inline
        elif segments.setdefault(segment, blob) != blob:
            raise InputError("shares its bytes with another, which gets others", what)
    return _with_segments(container, bytes(data), segments)


def with_entries(data: bytes, entries: Mapping[str, bytes]) -> bytes:
    """A file of data that has these bytes by their keys, and its own by all others."""
    container = open_data(data)
    numbers = {
        view.string("key"): int(view.scalar("segment_index"))
        for view in container.root.tables("named_data")
    }
    for key in entries:
        if key not in numbers:
            raise InputError(f"there is no entry '{key}'")
    return _with_segments(container, data, {numbers[key]: each for key, each in entries.items()})


def _as_long(data: bytes, size_bytes: int, what: str) -> bytes:
    if len(data) != size_bytes:
        raise InputError(
            f"{len(data)} bytes cannot take the place of {size_bytes}: tables are around them", what
        )
    return data


def _with_segments(container: Container, data: bytes, changed: Mapping[int, bytes]) -> bytes:
    """A file with other bytes in some segments."""
    if not changed:
        return data
    own, base = container.segments, container.base
    step = _alignment([base, *(each.start for each in own if each.size_bytes)])
    head, rest = bytearray(data), bytearray()
    views = list(container.root.tables("segments"))
    is_pushed = False
    for number in sorted(range(len(own)), key=lambda number: own[number].start):
        start, size = own[number].start - base, own[number].size_bytes
        held = changed.get(number, data[base + start : base + start + size])
        if not held and not size:
            continue
        if is_pushed:
            start = len(rest) + -len(rest) % step
        _put(head, views[number], "offset", start)
        _put(head, views[number], "size", len(held))
        rest += bytes(max(0, start - len(rest)))
        rest[start : start + len(held)] = held
        is_pushed = is_pushed or len(held) != size
    if not is_pushed:
        rest += data[base + len(rest) :]
    elif container.total_at:
        _NUMBER.pack_into(head, container.total_at, len(rest))
    return bytes(head[:base] + rest)


def _alignment(starts: Sequence[int]) -> int:
    """The exporter's, or the greatest power of two below it of which all starts are multiples."""
    joined = functools.reduce(operator.or_, starts, _ALIGNMENT)
    return joined & -joined


def _put(head: bytearray, view: TableView, name: str, number: int) -> None:
    at = view.place_of(name)
    if at:
        _NUMBER.pack_into(head, at, number)
    elif number:
        view.fail(name, f"cannot become {number}, as the file leaves it out")
