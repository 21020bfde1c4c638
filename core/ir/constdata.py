"""Bytes that do not change: weights, biases, tables, parameters."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from core.base.digest import digest_bytes
from core.base.frozen import Frozen


class ConstData(Frozen, kw_only=False, eq=False):
    """A read-only array that compares by its content.

    The digest covers element type, shape and bytes, so two tensors that hold the same values
    share encodings and addresses wherever they came from.
    """

    UNCOMPARED: ClassVar = frozenset({"array"})

    array: npt.NDArray[Any]
    digest: str

    @classmethod
    def of(cls, array: npt.ArrayLike, *, content_digest: str | None = None) -> ConstData:
        """Freeze an array; a view of read-only memory is kept without a copy.

        A caller who has already digested the bytes alone may say so.
        """
        data = np.asarray(array)
        if data.flags.writeable:
            data = data.copy()
            data.flags.writeable = False
        if content_digest is None:
            packed = np.ascontiguousarray(data)
            content_digest = digest_bytes(packed.reshape(-1).view(np.uint8).data)
        head = f"{data.dtype.str}{data.shape}".encode()
        return cls(data, digest_bytes(head + content_digest.encode()))

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return self.array.shape

    @property
    def size_bytes(self) -> int:
        """Bytes that the elements take."""
        return int(self.array.nbytes)

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same elements in the same shape."""
        return isinstance(other, ConstData) and self.digest == other.digest

    def __hash__(self) -> int:
        """Consistent with equality."""
        return hash(self.digest)
