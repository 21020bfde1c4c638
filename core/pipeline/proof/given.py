"""Inputs of a user's own, as arrays of NumPy: files and what is in them to values of a network.

An array belongs to the input whose name it has, or to the one in its place where no array has a
name of the network. It has the input's shape, or one axis more, or more pictures than a batch has:
then it is several inputs, one after the other. Real numbers for an integer input are quantised as
the input is. Arrays with names of outputs are what a device has made of the same inputs.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from core.base.dtype import DType
from core.base.errors import InputError, about
from core.base.files import read_bytes
from core.base.fixedpoint import quantised
from core.base.frozen import NamedTuple
from core.base.ids import TensorId
from core.ir.network import Network, Tensor
from core.pipeline.proof.litert import Array

ARRAYS = (".npz", ".npy")
_UNREADABLE = (ValueError, OSError, EOFError, KeyError, RuntimeError)
_SINGLE = ""
"""The name of the one array of a .npy file."""


class Given(NamedTuple):
    """One inference: its inputs, and the outputs that a device has made of them, if given."""

    inputs: Mapping[TensorId, Array]
    device: Mapping[TensorId, Array]


def data_files(path: Path) -> dict[str, bytes]:
    """Files of inputs, by name: one, or all of a folder."""
    if not path.is_dir():
        return {str(path): read_bytes(path)}
    found = sorted(each for each in path.iterdir() if each.suffix in ARRAYS)
    if not found:
        raise InputError("has no .npz or .npy files", str(path))
    return {str(each): read_bytes(each) for each in found}


def given_inputs(network: Network, files: Mapping[str, bytes]) -> tuple[Given, ...]:
    """All that files say, file by file; an InputError where it does not suit the network."""
    found: list[Given] = []
    for name, data in files.items():
        with about(name):
            found += _of_file(network, _arrays(data))
    return tuple(found)


def _arrays(data: bytes) -> dict[str, Array]:
    try:
        loaded = np.load(io.BytesIO(data), allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return {_SINGLE: loaded}
        with loaded as arrays:
            return {name: np.asarray(arrays[name]) for name in arrays}
    except (*_UNREADABLE, zipfile.BadZipFile, zlib.error) as error:
        raise InputError("is no .npz or .npy file that can be read") from error


def _of_file(network: Network, arrays: Mapping[str, Array]) -> Iterator[Given]:
    graph = network.main
    inputs = {TensorId(at): graph.tensors[at] for at in dict.fromkeys(graph.inputs)}
    outputs = {TensorId(at): graph.tensors[at] for at in dict.fromkeys(graph.outputs)}
    given = _paired(inputs, outputs, arrays)
    told = {tensor.name: at for at, tensor in outputs.items()}
    made = {told[name]: array for name, array in arrays.items() if name in told}
    every = {
        **{at: _each(inputs[at], array, is_read=True) for at, array in given.items()},
        **{at: _each(outputs[at], array, is_read=False) for at, array in made.items()},
    }
    counts = {len(values) for values in every.values()}
    if len(counts) > 1:
        told_counts = ", ".join(
            f"{len(values)} of '{graph.tensors[at].name}'" for at, values in every.items()
        )
        raise InputError(f"has not as many of each: {told_counts}")
    for number in range(counts.pop()):
        yield Given({at: every[at][number] for at in given}, {at: every[at][number] for at in made})


def _paired(
    inputs: Mapping[TensorId, Tensor],
    outputs: Mapping[TensorId, Tensor],
    arrays: Mapping[str, Array],
) -> dict[TensorId, Array]:
    """By input, its array."""
    names = {tensor.name: at for at, tensor in inputs.items()}
    own = {name: array for name, array in arrays.items() if name in names}
    rest = [name for name in arrays if name not in names]
    others = {tensor.name for tensor in outputs.values()}
    unknown = [name for name in rest if name not in others]
    if not own and len(unknown) == len(inputs):
        return dict(zip(inputs, (arrays[name] for name in unknown), strict=True))
    if unknown:
        known = ", ".join(f"'{name}'" for name in names)
        raise InputError(f"has '{unknown[0]}', which is no input of the model: these are {known}")
    missing = [name for name in names if name not in own]
    if missing:
        raise InputError(f"has no '{missing[0]}', which is an input of the model")
    return {names[name]: array for name, array in own.items()}


def _each(tensor: Tensor, array: Array, *, is_read: bool) -> Sequence[Array]:
    """The values of one tensor, one for each inference."""
    values = _typed(tensor, array, is_read=is_read)
    shape = tuple(tensor.shape)
    if values.shape == shape:
        return (values,)
    if values.ndim and values.shape[1:] == shape and len(values):
        return tuple(values)
    if shape[:1] == (1,) and values.shape[1:] == shape[1:] and len(values):
        return tuple(values[at : at + 1] for at in range(len(values)))
    told, wanted = ("x".join(map(str, each)) or "a number" for each in (values.shape, shape))
    raise InputError(f"'{tensor.name}' has the shape {told}, and {wanted} is needed, or several")


def _typed(tensor: Tensor, array: Array, *, is_read: bool) -> Array:
    if tensor.dtype.numpy is None:
        raise InputError(f"'{tensor.name}' has elements that no array has")
    wanted = np.dtype(tensor.dtype.numpy)
    if array.dtype == wanted:
        return array
    scaling = tensor.quantization
    is_scaled = scaling is not None and len(scaling.scales) == 1 and tensor.dtype.is_integer
    if is_read and array.dtype.kind == "f" and is_scaled and scaling is not None:
        if not np.isfinite(array).all():
            raise InputError(f"'{tensor.name}' has values that are no numbers")
        zero = scaling.zero_points[0] if scaling.zero_points else 0
        real = array.astype(np.float32)
        return quantised(real, scaling.scales[0], zero, tensor.dtype.limits).astype(wanted)
    if array.dtype.kind == "f" and tensor.dtype is DType.FLOAT32:
        return array.astype(np.float32)
    raise InputError(
        f"'{tensor.name}' has elements of type {array.dtype}, and {wanted} is needed"
        + (", or real numbers" if is_read and is_scaled else "")
    )
