"""A flatbuffer with segments of plain bytes after it, as programs and files of data have them.

The extended header says where segments begin: 'eh00' in a program, 'FH01' in a file of data. A
program without segments has none.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from core.base.errors import InputError
from core.executorch.schema import DATA, EXECUTORCH, PROGRAM
from core.flatbuf.view import Source, TableView

_PROGRAM_HEAD = struct.Struct("<4sIQQ")
_DATA_HEAD = struct.Struct("<4sIQQQ")
_HEAD_AT = 8
_WITH_SIZE = 32
"""Of a program's header; shorter ones, of older files, end before the size of all segments."""


class Segment(NamedTuple):
    """Bytes after the flatbuffer."""

    start: int
    size_bytes: int


class Container(NamedTuple):
    """A file taken apart."""

    root: TableView
    segments: tuple[Segment, ...]
    source: Source

    def bytes_of(self, number: int, where: str) -> bytes:
        """The bytes of a segment."""
        if not 0 <= number < len(self.segments):
            raise InputError(
                f"there is no segment {number}; the file has {len(self.segments)}", where
            )
        start, size = self.segments[number]
        return self.root.copied_from(start, size, "segments")


def open_program(data: bytes) -> Container:
    """A program."""
    source, root = _root(data, "Program")
    base = 0
    if len(data) >= _HEAD_AT + _PROGRAM_HEAD.size:
        magic, _, flatbuffer_bytes, segments_at = _PROGRAM_HEAD.unpack_from(data, _HEAD_AT)
        if magic == b"eh00":
            base = segments_at
            _demand_whole(data, flatbuffer_bytes, "program")
    return Container(root, _segments(root, data, base), source)


def open_data(data: bytes) -> Container:
    """A file of data that stands beside a program."""
    if data[4:8] != DATA:
        raise InputError(f"this is no file of data: its identifier is {data[4:8]!r}")
    source, root = _root(data, "FlatTensor")
    base = 0
    if len(data) >= _HEAD_AT + _DATA_HEAD.size:
        magic, _, start, size, segments_at = _DATA_HEAD.unpack_from(data, _HEAD_AT)
        if magic == b"FH01":
            base = segments_at
            _demand_whole(data, start + size, "list of data")
    return Container(root, _segments(root, data, base), source)


def unbundled(data: bytes) -> bytes:
    """The program in a file that has tests of it as well."""
    if data[4:8] == PROGRAM:
        return data
    _, root = _root(data, "BundledProgram")
    program = root.copied("program")
    if program[4:8] != PROGRAM:
        root.fail("program", "is no program of ExecuTorch")
    return program


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
