"""The blocks of bytes behind constant tensors: checked once, digested once, never copied."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core.base.digest import digest_bytes
from core.base.dtype import DType
from core.flatbuf.view import Source, TableView
from core.ir.constdata import ConstData

_FIRST_OUTSIDE = 2
"""Offsets 0 and 1 of a buffer are placeholders of the converter and mean 'not outside'."""

_BYTE = np.dtype(np.uint8)

Region = tuple[int, int]
"""Start in the file and number of bytes."""


class Buffers:
    """The buffers of a file, each as a region of it, and what has been made of them so far."""

    __slots__ = ("_constants", "_digests", "_regions", "_source")

    def __init__(self, source: Source, model: TableView) -> None:
        self._source = source
        self._regions = [_region(source, view) for view in model.tables("buffers")]
        self._digests: dict[Region, str] = {}
        self._constants: dict[tuple[Region, np.dtype[Any], tuple[int, ...]], ConstData] = {}

    def raw(self, view: TableView) -> ConstData | None:
        """The bytes that a table refers to, if there are any."""
        _, region = self._lookup(view)
        return self._constant(region, _BYTE, (region[1],)) if region[1] else None

    def typed(self, view: TableView, dtype: DType, shape: tuple[int, ...]) -> ConstData | None:
        """The elements that a tensor refers to, if there are any; their number must be right."""
        index, region = self._lookup(view)
        size = region[1]
        if not size:
            return None
        needed = (math.prod(shape) * dtype.bits + 7) // 8
        if min(shape, default=0) < 0 or needed != size:
            view.fail(
                "",
                f"'{view.string('name')}': buffer {index} has {size} bytes,"
                f" where {dtype.name.lower()} of shape {shape} takes {needed}",
            )
        if dtype.numpy is None:
            return self._constant(region, _BYTE, (region[1],))
        return self._constant(region, np.dtype(dtype.numpy), shape)

    def _lookup(self, view: TableView) -> tuple[int, Region]:
        """Number and region of the buffer that a table refers to."""
        index = view.scalar("buffer")
        if index >= max(len(self._regions), 1):
            view.fail("buffer", f"there is no buffer {index}; the file has {len(self._regions)}")
        # A file without buffers has no constants; its tensors still name the first one.
        return index, self._regions[index] if self._regions else (0, 0)

    def _constant(
        self, region: Region, element: np.dtype[Any], shape: tuple[int, ...]
    ) -> ConstData:
        key = (region, element, shape)
        if key not in self._constants:
            start, size = region
            content = self._digests.get(region)
            if content is None:
                # Charged, so that overlapping regions are not digested over and over.
                self._source.spend(size, None, "buffers")
                block = memoryview(self._source.data)[start : start + size]
                content = self._digests[region] = digest_bytes(block)
            count = size // element.itemsize
            array = np.frombuffer(self._source.data, element, count, start).reshape(shape)
            self._constants[key] = ConstData.of(array, content_digest=content)
        return self._constants[key]


def _region(source: Source, view: TableView) -> Region:
    start, size = view.region("data")
    if size or view.scalar("offset") < _FIRST_OUTSIDE:
        return start, size
    start, size = view.scalar("offset"), view.scalar("size")
    if start + size > len(source.data):
        view.fail("offset", f"{size} bytes from byte {start} on reach beyond the end of the file")
    return start, size
