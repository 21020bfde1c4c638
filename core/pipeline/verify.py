"""The proof by execution: a compiled model beside its original, on the same inputs."""

from __future__ import annotations

from typing import NamedTuple

from core.base.errors import InputError, OptionError, about
from core.base.progress import SILENT, Progress
from core.emit.open import is_compiled
from core.ir.network import Network, Tensor
from core.pipeline import litert
from core.pipeline.random_inputs import random_inputs
from core.pipeline.simulate import CompiledModel
from core.pipeline.trial import Trial
from core.pipeline.verdict import Verification
from core.tflite import reader


class Names(NamedTuple):
    """What is wrong with a file begins with the file's name, where it has one."""

    compiled: str = ""
    original: str = "the original"


NAMES = Names()


def verify(
    compiled: bytes,
    model: bytes,
    *,
    inputs: int = 1,
    seed: int = 0,
    progress: Progress = SILENT,
    names: Names = NAMES,
) -> Verification:
    """Whether a compiled model computes what its original does, for so many random inputs."""
    if inputs < 1:
        raise OptionError(f"{inputs} inputs are none; at least 1 is needed")
    with about(names.compiled):
        made = _read_compiled(compiled, progress)
    with about(names.original):
        original = _read_original(model, progress)
    with about(names.compiled):
        _demand_pair(made, original)
        litert.demand()
        trial = Trial(original, CompiledModel.of(made), progress)
    for number in range(inputs):
        with about(names.original):
            given = random_inputs(original, seed, number)
            expected = litert.compute(original, given)
        with about(names.compiled):
            trial.run(given, expected)
    with about(names.compiled):
        return Verification(outputs=tuple(trial.verdicts()), faults=tuple(trial.told_faults()))


def _read_compiled(data: bytes, progress: Progress) -> Network:
    made = reader.read(data, progress)
    if not is_compiled(made):
        raise InputError("is not a compiled model: no operator of it runs a command stream")
    return made


def _read_original(data: bytes, progress: Progress) -> Network:
    original = reader.read(data, progress)
    if is_compiled(original):
        raise InputError("has been compiled itself: nothing can be compared with it")
    return original


def _demand_pair(made: Network, original: Network) -> None:
    """Refuse a compiled model of another original, before anything is computed."""
    for what, ours, theirs in (
        ("input", _interface(made, is_output=False), _interface(original, is_output=False)),
        ("output", _interface(made, is_output=True), _interface(original, is_output=True)),
    ):
        if len(ours) != len(theirs):
            raise InputError(
                f"has {len(ours)} {what}s where the original has {len(theirs)}:"
                " it was compiled from another model"
            )
        for number, (here, there) in enumerate(zip(ours, theirs, strict=True)):
            if not _is_same(here, there):
                raise InputError(
                    f"{what} {number} is {_described(here)}, and {_described(there)} in the"
                    " original: it was compiled from another model"
                )


def _interface(network: Network, *, is_output: bool) -> list[Tensor]:
    graph = network.main
    return [graph.tensors[number] for number in (graph.outputs if is_output else graph.inputs)]


def _is_same(here: Tensor, there: Tensor) -> bool:
    """Whether two tensors can be one; some compilers add axes of one element."""
    sizes = [[size for size in tensor.shape if size != 1] for tensor in (here, there)]
    return sizes[0] == sizes[1] and (here.name, here.dtype) == (there.name, there.dtype)


def _described(tensor: Tensor) -> str:
    shape = "x".join(map(str, tensor.shape)) or "scalar"
    return f"'{tensor.name}' {tensor.dtype.name.lower()} {shape}"
