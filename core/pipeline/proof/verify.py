"""The proof by execution: a compiled model beside its original, on the same inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any

from core.base.checked import door
from core.base.errors import InputError, OptionError, about
from core.base.frozen import NamedTuple, replace
from core.base.progress import SILENT, Progress
from core.check.network import demand_consistent
from core.emit.conventions import CUSTOM_CODE, is_raw
from core.emit.open import is_compiled
from core.emit.raw import network_of_raw
from core.ir.network import Network, Tensor
from core.pipeline.open_shapes import with_shapes_settled
from core.pipeline.proof import litert
from core.pipeline.proof.ahead import expected
from core.pipeline.proof.entries import Entry, entries, seen_from, uncalled
from core.pipeline.proof.given import Given, given_inputs
from core.pipeline.proof.litert import Values
from core.pipeline.proof.misread_biases import misread_biases
from core.pipeline.proof.opaque import Opened, is_same, opened, unknown_codes
from core.pipeline.proof.operator_errors import fault_of, operator_errors, unlike_device
from core.pipeline.proof.random_inputs import random_inputs, usual_count
from core.pipeline.proof.signatures import unlike_signatures
from core.pipeline.proof.simulate import CompiledModel, Simulated
from core.pipeline.proof.trial import Trial
from core.pipeline.proof.unnamed import plainly_named
from core.pipeline.proof.variables import KINDS
from core.pipeline.proof.verdict import OutputVerdict, Verification
from core.report.words import counted
from core.tflite import reader


class Names(NamedTuple):
    """What is wrong with a file begins with the file's name, where it has one."""

    compiled: str = ""
    original: str = "the original"


NAMES = Names()
_LEAST_IN_A_ROW, _USUAL_IN_A_ROW = 3, 10
"""Of a network with states, where it is said how many, and where it is left open."""


@door
def verify(
    compiled: bytes,
    model: bytes,
    *,
    inputs: int | None = None,
    seed: int = 0,
    progress: Progress = SILENT,
    names: Names = NAMES,
    data: Mapping[str, bytes] | None = None,
) -> Verification:
    """Whether a compiled model computes what its original does, for so many inputs in a row.

    Where it is left open how many, a small network is tried with more; see `usual_count`. Data are
    files with inputs of the user's own, which are tried in place of others.
    """
    if inputs is not None and inputs < 1:
        raise OptionError(f"{inputs} inputs are none; at least 1 is needed")
    made, original = _read_both(compiled, model, names, progress)
    litert.demand()
    asked = _Asked(inputs, seed, progress, names)
    main, *others = entries(original)
    found = _verified(made, original, main, asked, data)
    if not found.outputs and found.faults:
        return found
    if data is not None:
        left = (f"not tried: {each.title}; data are for the main subgraph" for each in others)
        return replace(found, notes=(*found.notes, *left))
    for each in others:
        found = found.beside(_verified(made, original, each, asked), each.title)
    return replace(found, notes=(*found.notes, *_without_callers(made)))


class _Asked(NamedTuple):
    """How a compiled model is to be tried."""

    inputs: int | None
    seed: int
    progress: Progress
    names: Names


def _verified(
    made: Network,
    original: Network,
    entry: Entry,
    asked: _Asked,
    data: Mapping[str, bytes] | None = None,
) -> Verification:
    """Whether a subgraph that is called by itself computes what the original's does."""
    names, number = asked.names, entry.subgraph
    with about(names.compiled):
        if number >= len(made.subgraphs):
            return Verification(outputs=(), faults=("it is missing",))
        pair = _Pair.of(seen_from(made, number), seen_from(original, number))
        foreign = tuple(_foreign(pair))
        if foreign:
            return Verification(outputs=(), faults=foreign)
        runnable = CompiledModel.of(pair.made.network)
        numbers = pair.original.numbers, pair.made.numbers
        trial = Trial(pair.original.network, runnable, asked.progress, *numbers)
    own = None if data is None else given_inputs(trial.original, data)
    count = _count(trial.original, asked.inputs)
    tried: Sequence[Values] = _Drawn(trial.original, asked.seed, count)
    if own is not None:
        tried = [one.inputs for one in own]
    run = _run_all(trial, tried, names)
    with about(names.compiled):
        unlike = unlike_signatures(made, original) if not number else ()
        found = Verification(
            outputs=tuple(pair.as_read(verdict, entry.role) for verdict in trial.verdicts()),
            faults=(*_unlike(pair), *unlike, *trial.told_faults()),
            notes=(
                *pair.original.sentences(),
                *misread_biases(pair.original.network),
                *run.left_out,
            ),
        )
    if not found.holds:
        with about(names.original):
            trial.demand_repeatable()
    return found if own is None else _with_operators(found, trial, [own[at] for at in run.numbers])


def _without_callers(made: Network) -> Iterator[str]:
    for number in uncalled(made):
        if any(op.custom_code == CUSTOM_CODE for op in made.subgraphs[number].operators):
            yield f"not proved: subgraph {number}, which nothing runs"


def _with_operators(found: Verification, trial: Trial, own: Sequence[Given]) -> Verification:
    """A verification of a user's own inputs, with the error of each operator."""
    network = trial.original
    unlike = unlike_device(
        network, [one.got for one in trial.inferences], [one.device for one in own]
    )
    errors = operator_errors(trial) if all(one.is_computed for one in found.outputs) else ()
    fault = fault_of(
        errors, network.main.outputs, network, holds=found.holds, is_device_right=not unlike
    )
    return replace(found, operators=errors, device=unlike, fault=fault)


@contextmanager
def way_on(text: str) -> Iterator[None]:
    """Let errors that leave something unproved end with what can be done without the proof."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{error.message}; {text}", error.where) from error
    except OptionError as error:
        raise OptionError(f"{error}; {text}") from error


class _Run(NamedTuple):
    """What came of trying inputs."""

    numbers: tuple[int, ...]
    """Of those that the reference can compute."""
    left_out: tuple[str, ...]
    """How many it cannot."""


def _run_all(trial: Trial, inputs: Sequence[Values], names: Names) -> _Run:
    """Try all inputs that the reference can compute."""
    ended: list[litert.Ended] = []
    numbers = []
    with closing(expected(trial.original, inputs)) as computed:
        for number in range(len(inputs)):
            with about(names.original):
                given, coming = next(computed)
            simulated = _attempt(trial, given)
            with about(names.original):
                made = coming.result()
                if isinstance(made, litert.Ended):
                    ended.append(made)
                    if _has_states(trial.original) or len(ended) == len(inputs):
                        raise made
                    continue
            with about(names.compiled):
                if isinstance(simulated, InputError):
                    raise simulated
                trial.keep(given, made, simulated)
            numbers.append(number)
    told = (
        (f"not tried: {len(ended)} of {len(inputs)} inputs; {ended[0].message}",) if ended else ()
    )
    return _Run(tuple(numbers), told)


def _attempt(trial: Trial, given: Values) -> Simulated | InputError:
    """What the compiled model makes of inputs; what is wrong with the original is told first."""
    try:
        return trial.simulate(given)
    except InputError as error:
        return error


class _Drawn(Sequence[Values]):
    """Inputs that are made when they are needed."""

    def __init__(self, network: Network, seed: int, count: int) -> None:
        self._network, self._seed, self._count = network, seed, count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: Any) -> Any:
        if number >= self._count:
            raise IndexError(number)
        return random_inputs(self._network, self._seed, number)


def _count(network: Network, asked: int | None) -> int:
    """How many inputs are tried; states take some to show what is wrong with them."""
    least = 1
    if _has_states(network):
        least = _USUAL_IN_A_ROW if asked is None else _LEAST_IN_A_ROW
    return max(usual_count(network) if asked is None else asked, least)


def _has_states(network: Network) -> bool:
    graph = network.main
    has_variables = any(op.kind in KINDS for op in graph.operators)
    return has_variables or any(tensor.is_variable for tensor in graph.tensors)


class _Pair(NamedTuple):
    """Two networks that can be compared, open where nothing can be computed."""

    made: Opened
    original: Opened

    @classmethod
    def of(cls, made: Network, original: Network) -> _Pair:
        """Two networks as they were read."""
        codes = unknown_codes(original)
        return cls(opened(made, codes), opened(original, codes))

    def as_read(self, verdict: OutputVerdict, role: str) -> OutputVerdict:
        """A verdict that says who reads what it is about."""
        if verdict.name not in self.original.around:
            return replace(verdict, role=role)
        return replace(verdict, role=f"what {' and '.join(sorted(self.original.codes))} is given,")


def _foreign(pair: _Pair) -> Iterator[str]:
    """What leaves nothing to compare: the compiled model was made of another original."""
    if not is_same(*pair):
        yield "its custom operators are not given what those of the original are"
    for what, sides in _interfaces(pair):
        ours, theirs = map(len, sides)
        if ours != theirs:
            yield f"it has {counted(ours, what)}, and the original {theirs}"
            continue
        for number, (here, there) in enumerate(zip(*sides, strict=True)):
            if not _is_same(here, there):
                told = _described(here), _described(there)
                yield f"{what} {number} is {told[0]}, and {told[1]} in the original"


def _unlike(pair: _Pair) -> Iterator[str]:
    """What whoever calls the compiled model would find otherwise than the original has it."""
    for what, sides in _interfaces(pair):
        for number, (here, there) in enumerate(zip(*sides, strict=True)):
            head = f"{what} {number}, '{there.name}',"
            if here.shape != there.shape:
                yield f"{head} is {_described(here)}, and {_described(there)} in the original"
            # As text, in which what is no number equals itself.
            if repr(_scaling(here)) != repr(_scaling(there)):
                own, theirs = _scaling_told(here), _scaling_told(there)
                yield f"{head} has {own}, and {theirs} in the original"


def _read_both(
    compiled: bytes, model: bytes, names: Names, progress: Progress
) -> tuple[Network, Network]:
    """The compiled model and its original; raw output has no other tensors than that one's."""
    made = None
    if not is_raw(compiled):
        with about(names.compiled):
            made = _read_compiled(compiled, progress)
    with about(names.original):
        original = _read_original(model, progress)
    if made is None:
        with about(names.compiled):
            made = network_of_raw(compiled, original.main)
    return made, original


def _read_compiled(data: bytes, progress: Progress) -> Network:
    made = reader.read(data, progress)
    if not is_compiled(made):
        raise InputError("is not a compiled model: no operator of it runs a command stream")
    return plainly_named(made)


def _read_original(data: bytes, progress: Progress) -> Network:
    original = reader.read(data, progress)
    if is_compiled(original):
        raise InputError("has been compiled itself: nothing can be compared with it")
    original = with_shapes_settled(original)
    demand_consistent(original)
    return plainly_named(original)


def _interfaces(pair: _Pair) -> Iterator[tuple[str, tuple[list[Tensor], list[Tensor]]]]:
    """Inputs, then outputs: those of the compiled model, and the original's."""
    made, original = pair.made.network.main, pair.original.network.main
    for what, ours, theirs in (
        ("input", made.inputs, original.inputs),
        ("output", made.outputs, original.outputs),
    ):
        yield what, ([made.tensors[at] for at in ours], [original.tensors[at] for at in theirs])


def _is_same(here: Tensor, there: Tensor) -> bool:
    """Whether two tensors can be one; some compilers add axes of one element."""
    sizes = [[size for size in tensor.shape if size != 1] for tensor in (here, there)]
    return sizes[0] == sizes[1] and (here.name, here.dtype) == (there.name, there.dtype)


def _scaling(tensor: Tensor) -> tuple[tuple[float, ...], tuple[int, ...]]:
    found = tensor.quantization
    if found is None or not found.scales:
        return (), ()
    zeros = found.zero_points or (0,)
    return found.scales, zeros if any(zeros) else ()


def _scaling_told(tensor: Tensor) -> str:
    scales, zeros = _scaling(tensor)
    if not scales:
        return "no scale"
    return f"scale {scales[0]:g} and zero point {zeros[0] if zeros else 0}"


def _described(tensor: Tensor) -> str:
    shape = "x".join(map(str, tensor.shape)) or "scalar"
    return f"'{tensor.name}' {tensor.dtype.name.lower()} {shape}"
