"""Bytes of constants as the file has them."""

from __future__ import annotations

from core.emit.study import PartStudy
from core.ir.constdata import ConstData


def constant_bytes(study: PartStudy, address: int, size_bytes: int) -> ConstData | None:
    """Some bytes of the region of constants; None where the file does not have all of them."""
    constants = study.part.constants
    if constants is None:
        return None
    data = constants.array.reshape(-1)
    if address < 0 or address + size_bytes > data.nbytes or data.itemsize != 1:
        return None
    return ConstData.of(data[address : address + size_bytes])
