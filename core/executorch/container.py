"""A flatbuffer with segments of plain bytes after it, as programs and files of data have them.

The extended header says where segments begin: 'eh00' in a program, 'FH01' in a file of data. A
program without segments has none.
"""

from __future__ import annotations

import struct

from core.base.errors import InputError
from core.base.frozen import NamedTuple
from core.executorch.schema import DATA, EXECUTORCH, PROGRAM
from core.flatbuf.view import Source, TableView

_PROGRAM_HEAD = struct.Struct("<4sIQQ")
_DATA_HEAD = struct.Struct("<4sIQQQ")
_HEAD_AT = 8
_NUMBER_BYTES = 8
_SEGMENT = 1
"""Where a delegate is: in the flatbuffer, or in a segment."""


class Segment(NamedTuple):
    """Bytes after the flatbuffer."""

    start: int
    size_bytes: int


class Container(NamedTuple):
    """A file taken apart."""

    root: TableView
    segments: tuple[Segment, ...]
    source: Source
    base: int = 0
    """Where segments begin; 0 where no header says it."""
    total_at: int = 0
    """Where the header has the bytes of all segments; 0 where it does not."""

    def bytes_of(self, number: int, where: str) -> bytes:
        """The bytes of a segment."""
        if not 0 <= number < len(self.segments):
            raise InputError(
                f"there is no segment {number}; the file has {len(self.segments)}", where
            )
        start, size = self.segments[number]
        return self.root.copied_from(start, size, "segments")


class Held(NamedTuple):
    """Where the bytes of a delegate are."""

    place: Segment
    segment: int | None
    """The number of the segment that it is; None where it is in the flatbuffer."""


def held_by(delegate: TableView, container: Container) -> Held:
    """Where the bytes of a delegate are."""
    where = delegate.table("processed")
    if where is None:
        delegate.fail("processed", "nothing says where the delegate's bytes are")
    number = where.scalar("index")
    if where.scalar("location") == _SEGMENT:
        if number >= len(container.segments):
            where.fail("index", f"there is no segment {number} in the file")
        return Held(container.segments[number], number)
    inline = list(container.root.tables("backend_delegate_data"))
    if number >= len(inline):
        where.fail("index", f"there are no bytes {number} of a delegate in the file")
    return Held(Segment(*inline[number].region("data")), None)


def open_program(data: bytes) -> Container:
    """A program."""
    source, root = _root(data, "Program")
    if len(data) >= _HEAD_AT + _PROGRAM_HEAD.size:
        magic, size, flatbuffer_bytes, base = _PROGRAM_HEAD.unpack_from(data, _HEAD_AT)
        if magic == b"eh00":
            _demand_whole(data, flatbuffer_bytes, "program")
            # Headers of older files end before the size of all segments.
            total_at = _HEAD_AT + _PROGRAM_HEAD.size
            is_told = size >= _PROGRAM_HEAD.size + _NUMBER_BYTES
            segments = _segments(root, data, base)
            return Container(root, segments, source, base, total_at if is_told else 0)
    return Container(root, _segments(root, data, 0), source)


def open_data(data: bytes) -> Container:
    """A file of data that stands beside a program."""
    if data[4:8] != DATA:
        raise InputError(f"this is no file of data: its identifier is {data[4:8]!r}")
    source, root = _root(data, "FlatTensor")
    if len(data) >= _HEAD_AT + _DATA_HEAD.size:
        magic, _, start, size, base = _DATA_HEAD.unpack_from(data, _HEAD_AT)
        if magic == b"FH01":
            _demand_whole(data, start + size, "list of data")
            total_at = _HEAD_AT + _DATA_HEAD.size
            return Container(root, _segments(root, data, base), source, base, total_at)
    return Container(root, _segments(root, data, 0), source)


def unbundled(data: bytes) -> bytes:
    """The program in a file that has tests of it as well."""
    start, size = bundle_of(data)
    return data[start : start + size]


def bundle_of(data: bytes) -> Segment:
    """Where the program is in a file: all of it, or a part of one that has tests as well."""
    if data[4:8] == PROGRAM:
        return Segment(0, len(data))
    _, root = _root(data, "BundledProgram")
    start, size = root.region("program")
    if data[start + 4 : start + 8] != PROGRAM:
        root.fail("program", "is no program of ExecuTorch")
    return Segment(start, size)


def _root(data: bytes, kind: str) -> tuple[Source, TableView]:
    if len(data) < _HEAD_AT:
        raise InputError(f"{len(data)} bytes are too few for a file of ExecuTorch")
    source = Source(data, EXECUTORCH)
    return source, source.root(kind)


def _demand_whole(data: bytes, needed_bytes: int, what: str) -> None:
    if needed_bytes > len(data):
        raise InputError(
            f"its header gives the {what} {needed_bytes} bytes, where the file has {len(data)}"
        )


def _segments(root: TableView, data: bytes, base: int) -> tuple[Segment, ...]:
    found = []
    for view in root.tables("segments"):
        start, size = base + view.scalar("offset"), view.scalar("size")
        if size and not base:
            view.fail("offset", "no header of the file says where segments begin")
        if start + size > len(data):
            view.fail("size", f"{size} bytes from byte {start} on, where the file has {len(data)}")
        found.append(Segment(start, size))
    return tuple(found)
