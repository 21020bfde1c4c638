"""What a delegate for Ethos-U was compiled to: blocks with a name each, read and written.

Each block has a name of 16 bytes, its length, and a mark that its bytes are elsewhere, in which
case it holds the name of an entry of a file of data. Facts of ExecuTorch's runtime.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping

from core.base.errors import InputError
from core.base.frozen import NamedTuple
from core.executorch.beside import Beside, nothing_beside
from core.executorch.schema import is_blob

_HEAD = struct.Struct("<16sIB11s")
_ALIGNMENT = 16
_FIRST, _LAST = "vela_bin_stream", "vela_end_stream"
_COMMANDS, _WEIGHTS = "cmd_data", "weight_data"
_SCRATCH_SIZE = "scratch_size"
_SCRATCH_ZEROS = "scratch_data"
"""Instead of the size, up to 0.6: so many zeros."""
_INPUTS, _OUTPUTS = "inputs", "outputs"
_NEEDED = (_COMMANDS, _WEIGHTS, _INPUTS, _OUTPUTS)
_NAMES = frozenset({*_NEEDED, _FIRST, _LAST, _SCRATCH_SIZE, _SCRATCH_ZEROS})
_TENSOR = struct.Struct("<9i")
_ELEMENT_BYTES = frozenset({1, 2, 4, 8})
_KEY_BYTES = 64
_MOST_BYTES = 1 << 31
_SCRATCH_REGION = 1


class Block(NamedTuple):
    """A named piece of a blob, as it is written."""

    name: bytes
    data: bytes
    external: int = 0
    reserved: bytes = bytes(11)


class BlobTensor(NamedTuple):
    """An input or output, and where it is in scratch memory."""

    shape: tuple[int, ...]
    """Six dimensions, whatever the tensor has."""
    element_bytes: int
    offset_bytes: int
    region: int

    @property
    def size_bytes(self) -> int:
        """Bytes of all elements."""
        return math.prod(self.shape) * self.element_bytes


class Blob(NamedTuple):
    """A blob taken apart."""

    blocks: tuple[Block, ...]
    commands: bytes
    """With what the driver is told."""
    weights: bytes
    scratch_bytes: int
    inputs: tuple[BlobTensor, ...]
    outputs: tuple[BlobTensor, ...]


def read_blob(data: bytes, beside: Beside = nothing_beside) -> Blob:
    """The blob in some bytes; `beside` knows what files of data hold."""
    blocks = tuple(_blocks(data))
    found = {_name(block): block for block in blocks}
    for name in _NEEDED:
        if name not in found:
            raise InputError(f"has no block '{name}'")
    scratch_bytes = _scratch_bytes(found)
    return Blob(
        blocks=blocks,
        commands=_content(found[_COMMANDS], beside),
        weights=_content(found[_WEIGHTS], beside),
        scratch_bytes=scratch_bytes,
        inputs=tuple(_tensors(_content(found[_INPUTS], beside), "input", scratch_bytes)),
        outputs=tuple(_tensors(_content(found[_OUTPUTS], beside), "output", scratch_bytes)),
    )


def write_blob(blocks: tuple[Block, ...]) -> bytes:
    """The bytes of blocks, each padded to a multiple of 16."""
    return b"".join(
        _HEAD.pack(block.name, len(block.data), block.external, block.reserved)
        + block.data
        + bytes(-len(block.data) % _ALIGNMENT)
        for block in blocks
    )


def _name(block: Block) -> str:
    return block.name.rstrip(b"\0").decode("ascii", "backslashreplace")


def _blocks(data: bytes) -> Iterator[Block]:
    """Blocks one after the other, from the first to the last that must be there."""
    if not is_blob(data):
        raise InputError(f"does not begin with '{_FIRST}'")
    at = 0
    while at + _HEAD.size <= len(data):
        name, size, external, reserved = _HEAD.unpack_from(data, at)
        start = at + _HEAD.size
        if start + size > len(data):
            left = len(data) - start
            raise InputError(
                f"takes {size} bytes, of which {left} are there", f"block at byte {at}"
            )
        block = Block(name, data[start : start + size], external, reserved)
        told = _name(block)
        if told not in _NAMES:
            raise InputError(f"'{told}' is no block that the runtime knows", f"block at byte {at}")
        if told == _FIRST and at:
            raise InputError(f"'{told}' is there once more", f"block at byte {at}")
        yield block
        at = start + size + -size % _ALIGNMENT
        if told == _LAST:
            if data[at:].strip(b"\0"):
                raise InputError(f"has {len(data) - at} bytes after '{_LAST}'")
            return
    raise InputError(f"does not end with '{_LAST}'")


def _content(block: Block, beside: Beside) -> bytes:
    """The bytes of a block, wherever they are."""
    if not block.external:
        return block.data
    key = block.data.rstrip(b"\0").decode("ascii", "backslashreplace")
    if len(block.data) != _KEY_BYTES:
        raise InputError(f"'{_name(block)}' is elsewhere, by a name of {len(block.data)} bytes")
    found = beside(key)
    if found is None:
        raise InputError(
            f"its {_name(block)} is in a file of data that is not beside it (.ptd, entry"
            f" {key[:16]}...)"
        )
    return found


def _scratch_bytes(found: Mapping[str, Block]) -> int:
    size = found.get(_SCRATCH_SIZE)
    if size is not None:
        if len(size.data) != 4:
            raise InputError(f"'{_SCRATCH_SIZE}' has {len(size.data)} bytes, where 4 are needed")
        needed = int.from_bytes(size.data, "little")
        if needed >= _MOST_BYTES:
            raise InputError(f"asks for {needed} bytes of scratch memory")
        return needed
    zeros = found.get(_SCRATCH_ZEROS)
    if zeros is None:
        raise InputError(f"has neither a block '{_SCRATCH_SIZE}' nor '{_SCRATCH_ZEROS}'")
    return len(zeros.data)


def _tensors(data: bytes, what: str, scratch_bytes: int) -> Iterator[BlobTensor]:
    count = int.from_bytes(data[:4], "little", signed=True)
    if len(data) < 4 or count < 0 or 4 + count * _TENSOR.size > len(data):
        raise InputError(f"its list of {what}s has {len(data)} bytes for {count} of them")
    for number in range(count):
        *shape, element, offset, region = _TENSOR.unpack_from(data, 4 + number * _TENSOR.size)
        tensor = BlobTensor(tuple(shape), element, offset, region)
        where = f"{what} {number}"
        if min(shape) < 1:
            # Nothing of it would be in scratch memory, however large its other dimensions are.
            raise InputError(f"has no elements, by its shape {tensor.shape}", where)
        if element not in _ELEMENT_BYTES:
            raise InputError(f"has {element} bytes for each element of {tensor.shape}", where)
        if region != _SCRATCH_REGION:
            raise InputError(
                f"is in region {region}, where runtimes look for it in {_SCRATCH_REGION}", where
            )
        if offset < 0 or offset + tensor.size_bytes > scratch_bytes:
            raise InputError(
                f"takes {tensor.size_bytes} bytes from byte {offset} on, of {scratch_bytes} of"
                " scratch memory",
                where,
            )
        yield tensor
