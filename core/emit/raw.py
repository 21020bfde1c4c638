"""What the ecosystem's compiler writes as raw output: streams and memory as arrays of a `.npz`.

It has what a compiled model has for one `ethos-u` operator, but for names and types of tensors. So
it is read as such a model, with those of its original where that is known.
"""

from __future__ import annotations

import io
import math
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from core.base.dtype import DType
from core.base.errors import InputError
from core.base.frozen import replace
from core.base.ids import TensorId
from core.emit.container.memory import RegionSizes, bytes_tensor, shared_tensors
from core.emit.container.metadata import places_of
from core.emit.container.subgraph import npu_operator
from core.emit.conventions import RAW_COMMANDS, UNPLACED
from core.ir.network import Network, Subgraph, Tensor

_WEIGHTS = "weight_data"
_BYTES = (RAW_COMMANDS, _WEIGHTS)
_ENDS = ("input", "output")
_NUMBERS = (
    *("weight_region", "scratch_region", "scratch_size", "scratch_fast_size"),
    *(f"{end}_{what}" for end in _ENDS for what in ("shape", "elem_size", "region", "offset")),
)
_REGIONS = (0, 1)
"""Of constants and of scratch memory."""
_BY_WIDTH = {1: DType.INT8, 2: DType.INT16, 4: DType.INT32, 8: DType.INT64}
_MOST_BYTES = (1 << 31) - 1
_DESCRIPTION = "raw output"

Array = npt.NDArray[Any]


def network_of_raw(data: bytes, original: Subgraph | None = None) -> Network:
    """The compiled network in raw output, with the tensors of its original if it is known."""
    arrays = _arrays(data)
    regions = tuple(_number(arrays, name) for name in ("weight_region", "scratch_region"))
    if regions != _REGIONS:
        raise InputError(f"has constants and scratch memory in regions {regions}, not {_REGIONS}")
    scratch, fast = (_number(arrays, f"{name}_size") for name in ("scratch", "scratch_fast"))
    sizes = RegionSizes(constants=0, scratch=scratch, scratch_fast=fast or scratch)
    memory = shared_tensors(sizes, arrays[_WEIGHTS].tobytes())
    tensors: list[Tensor] = [
        bytes_tensor("command_stream", arrays[RAW_COMMANDS].tobytes()),
        *memory,
    ]
    addresses = [UNPLACED if tensor.data is not None else 0 for tensor in tensors]
    numbers: dict[str, tuple[TensorId, ...]] = {}
    for end in _ENDS:
        known = None if original is None else _known(original, end)
        found = list(_ends(arrays, end, known))
        first = len(tensors)
        tensors += [tensor for tensor, _ in found]
        addresses += [address for _, address in found]
        numbers[end] = tuple(TensorId(at) for at in range(first, len(tensors)))
    before = tuple(TensorId(at) for at in range(1 + len(memory)))
    subgraph = Subgraph(
        name="" if original is None else original.name,
        tensors=tuple(tensors),
        operators=(npu_operator((*before, *numbers["input"]), numbers["output"]),),
        inputs=numbers["input"],
        outputs=numbers["output"],
    )
    return Network(
        subgraphs=(subgraph,), description=_DESCRIPTION, metadata=(places_of([addresses]),)
    )


def _arrays(data: bytes) -> Mapping[str, Array]:
    """The arrays that are needed; those of objects, which code could hide in, are left alone."""
    found = {}
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as given:
            for name in (*_BYTES, *_NUMBERS):
                if name not in given:
                    raise InputError(f"is raw output without '{name}'")
                found[name] = np.asarray(given[name])
    except (
        *(ValueError, OSError, EOFError, KeyError, MemoryError, struct.error),
        *(zipfile.BadZipFile, zlib.error, NotImplementedError),
    ) as error:
        raise InputError("is raw output that cannot be read: an array of it is damaged") from error
    for name in _NUMBERS:
        if found[name].size and found[name].dtype.kind not in "iu":
            raise InputError(f"'{name}' holds no whole numbers")
        if found[name].size and not 0 <= found[name].min() <= found[name].max() <= _MOST_BYTES:
            raise InputError(
                f"'{name}' has numbers from {found[name].min()} to {found[name].max()}"
            )
    return found


def _number(arrays: Mapping[str, Array], name: str) -> int:
    if arrays[name].size != 1:
        raise InputError(f"'{name}' has {arrays[name].size} numbers, where 1 is needed")
    return int(arrays[name].reshape(-1)[0])


def _ends(
    arrays: Mapping[str, Array], end: str, known: Sequence[Tensor] | None
) -> list[tuple[Tensor, int]]:
    """Inputs or outputs, each with its place in the arena if it is there."""
    widths, regions, offsets = (
        arrays[f"{end}_{what}"].reshape(-1).tolist() for what in ("elem_size", "region", "offset")
    )
    count = len(widths)
    shapes = arrays[f"{end}_shape"].reshape(count, -1).tolist() if count else []
    if not len(regions) == len(offsets) == count:
        raise InputError(f"has {count} {end}s, {len(regions)} regions and {len(offsets)} offsets")
    if known is not None and len(known) != count:
        raise InputError(f"has {count} {end}s, and its original {len(known)}")
    found = []
    for at, (shape, width) in enumerate(zip(shapes, widths, strict=True)):
        if width not in _BY_WIDTH:
            raise InputError(f"has {width} bytes for each element", f"{end} {at}")
        own = Tensor(name=f"{end} {at}", shape=tuple(shape), dtype=_BY_WIDTH[width])
        if known is not None:
            told = replace(known[at], data=None, shape_signature=())
            if _size(told) != _size(own):
                raise InputError(
                    f"has {_size(own)} bytes, and {_size(told)} in the original", f"{end} {at}"
                )
            own = told
        found.append((own, offsets[at] if regions[at] == _REGIONS[1] else UNPLACED))
    return found


def _size(tensor: Tensor) -> int:
    return math.prod(tensor.shape) * tensor.dtype.bits // 8


def _known(original: Subgraph, end: str) -> list[Tensor]:
    numbers = original.inputs if end == "input" else original.outputs
    return [original.tensors[number] for number in numbers]
