"""The proof of a program by its delegates: each against a graph of TOSA, kept values, or nothing.

TOSA says to the last bit what a graph makes, so an output is equal or it is wrong. Without either
the simulator alone judges: regions, hazards, and reads of what was never written.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from core.base.errors import InputError, OptionError, about
from core.base.frozen import Changing, field, replace
from core.base.progress import SILENT, Progress
from core.emit.payload import accelerator_of
from core.executorch.beside import Beside, nothing_beside
from core.ir.program import NpuOperation, Program, ProgramPart
from core.ir.tosa import TosaGraph
from core.pipeline.compiled import read_program
from core.pipeline.delegates import LaterAcceleratorError
from core.pipeline.proof import tosa_reference as tosa
from core.pipeline.proof.layer_outputs import Difference, layer_outputs
from core.pipeline.proof.litert import Array
from core.pipeline.proof.random_inputs import as_integers, drawn
from core.pipeline.proof.tosa_reference import TosaOriginal
from core.pipeline.proof.verdict import OutputVerdict, Verification
from core.report.words import counted
from core.simulate.hazards import hazards
from core.simulate.run import Outcome, Simulator
from core.tosa import reader
from core.tosa.call import Unpredictable
from core.tosa.run import demand_known, run
from core.weights.decode import decode_stream

_ALONE = 4
"""Inputs where nothing says what is to come out."""
_KEPT = re.compile(r"^(?:call(?P<call>\d+)_delegate\d+_)?(?P<what>in|out)(?P<at>\d+)$")


def verify_delegates(
    compiled: bytes,
    graphs: Mapping[str, bytes] | None = None,
    kept: bytes | None = None,
    *,
    inputs: int | None = None,
    seed: int = 0,
    progress: Progress = SILENT,
    beside: Beside = nothing_beside,
) -> Verification:
    """Whether the delegates of a program compute what graphs or kept values say."""
    if inputs is not None and inputs < 1:
        raise OptionError(f"{inputs} inputs are none; at least 1 is needed")
    originals = tuple(_originals(graphs or {}))
    try:
        read = read_program(compiled, progress, beside)
    except LaterAcceleratorError as later:
        if not originals:
            raise
        told = _read_alone(originals, later)
        raise InputError(f"{later.message}; {told}", later.where) from later
    if read is None:
        raise InputError("is not a compiled model: no operator of it runs a command stream")
    values = None if kept is None else _kept_values(kept)
    found = []
    for number, part in enumerate(read.program.parts):
        bench = _Bench(number, read.program, part, progress)
        if values is not None:
            found.append(bench.against_values(values.get(number, {})))
        elif graphs is not None:
            found.append(bench.against_best(originals, inputs, seed))
        else:
            found.append(bench.alone(inputs or _ALONE, seed))
    return Verification(
        outputs=tuple(each for one in found for each in one.outputs),
        faults=(*read.program.misfits, *(each for one in found for each in one.faults)),
        notes=tuple(each for one in found for each in one.notes),
    )


def _originals(graphs: Mapping[str, bytes]) -> Iterator[TosaOriginal]:
    for name, data in graphs.items():
        with about(name):
            graph = reader.read(data)
            demand_known(graph)
        yield TosaOriginal(name, graph)


def _read_alone(originals: Sequence[TosaOriginal], later: LaterAcceleratorError) -> str:
    """What is known of the graph of a delegate that is not read itself."""
    for name, graph in originals:
        takes = [tosa.size_bytes(graph, number) for number in graph.inputs]
        gives = [tosa.size_bytes(graph, number) for number in graph.outputs]
        if (takes, gives) == (later.input_bytes, later.output_bytes):
            return (
                f"the graph {name} is read, and takes and gives as many bytes:"
                f" {counted(len(graph.operators), 'operator')}, which nothing was held against"
            )
    return "no graph that it was to be held against takes and gives as many bytes"


def _kept_values(data: bytes) -> dict[int, dict[tuple[str, int], Array]]:
    """By delegate's turn: inputs and outputs that were kept of one inference."""
    found: dict[int, dict[tuple[str, int], Array]] = {}
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            for name in arrays:
                told = _KEPT.match(name)
                if told is not None:
                    turn = found.setdefault(int(told["call"] or 0), {})
                    turn[told["what"], int(told["at"])] = np.asarray(arrays[name])
    except (ValueError, OSError, EOFError, KeyError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError("the kept values are no .npz file that can be read") from error
    return found


class _Bench(Changing):
    """One delegate on the simulator."""

    number: int
    program: Program
    part: ProgramPart
    progress: Progress
    faults: dict[str, None] = field(default_factory=dict)
    _simulator: Simulator | None = None

    def run(self, given: Sequence[Array], written: dict[int, Array] | None = None) -> Outcome:
        """One inference; what it must not have done is kept."""
        accelerator = accelerator_of(self.part.accelerator)
        if accelerator is None:
            raise InputError(f"no accelerator is known with {self.part.accelerator.macs} MACs")
        if self._simulator is None:
            self._simulator = Simulator.of(accelerator, decode_stream)
        tensors = {
            item.tensor: _shaped(value, item.shape, np.dtype(item.dtype.numpy))
            for item, value in zip(self.part.inputs, given, strict=True)
        }

        def watch(command: int, _: NpuOperation, values: Array) -> None:
            if written is not None:
                written[command] = values

        found = self._simulator.run(self.part, tensors, watch=watch, progress=self.progress)
        told = [f"delegate {self.number}, {fault}" for fault in found.faults]
        if found.is_complete and not self.faults:
            order = hazards(self.part.stream, accelerator)
            told += [f"delegate {self.number}, {fault}" for fault in order]
        self.faults |= dict.fromkeys(told)
        return found

    def alone(self, count: int, seed: int) -> Verification:
        """Only what no program should do."""
        for number in range(count):
            draw = drawn(seed, number)
            self.run(
                [
                    as_integers(draw(item.shape), *item.dtype.limits).astype(item.dtype.numpy)
                    for item in self.part.inputs
                ]
            )
        head = f"delegate {self.number}: {len(self.part.stream.commands)} commands"
        note = f"{head} were executed for {counted(count, 'input')}; no values were compared"
        return Verification(outputs=(), faults=tuple(self.faults), notes=(note,))

    def against_values(self, values: Mapping[tuple[str, int], Array]) -> Verification:
        """Bit by bit what was kept."""
        given = [values[each] for each in sorted(values) if each[0] == "in"]
        wanted = [values[each] for each in sorted(values) if each[0] == "out"]
        sizes = [item.size_bytes for item in self.part.inputs]
        if [each.nbytes for each in given] != sizes:
            return self._foreign("the kept values have other inputs")
        outcome = self.run(given)
        verdicts, left = [], tosa.stored(iter(wanted))
        for at, item in enumerate(self.part.outputs):
            while len(left) > len(self.part.outputs) - at and left[0].nbytes != item.size_bytes:
                left.pop(0)
            if not left or left[0].nbytes != item.size_bytes:
                return self._foreign(f"the kept values have no output {at}")
            expected = left.pop(0)
            verdict = self._verdict(item.name, expected.size, 1)
            if not outcome.is_complete:
                verdicts.append(replace(verdict, is_computed=False))
                continue
            found = Difference.between(_like(outcome.outputs[item.tensor], expected), expected)
            verdicts.append(replace(verdict, differing=found.differing, largest=found.largest))
        return Verification(outputs=tuple(verdicts), faults=tuple(self.faults))

    def against_best(
        self, originals: Sequence[TosaOriginal], count: int | None, seed: int
    ) -> Verification:
        """The graph among those that fit which holds; where none does, the first one's verdict."""
        fitting = [each for each in originals if tosa.pairs_of(self.part, each.graph) is not None]
        mine = f"delegate{self.number}"
        fitting.sort(key=lambda each: mine not in each.name)
        first: Verification | None = None
        for original in fitting:
            found = _Bench(self.number, self.program, self.part, self.progress).against(
                original, count, seed
            )
            if found.holds:
                return found
            first = first or found
        return first or self._foreign("no graph has its inputs and outputs")

    def against(self, original: TosaOriginal, count: int | None, seed: int) -> Verification:
        """What a graph makes of random inputs."""
        graph, worst = original.graph, dict[int, tuple[Difference, int]]()
        pairs, ended = tosa.pairs_of(self.part, graph) or (), list[str]()
        is_complete, tried = True, tosa.usual_count(graph) if count is None else count
        for number in range(tried):
            given = tosa.random_inputs(graph, seed, number)
            try:
                values = run(graph, given, self.progress)
            except Unpredictable as error:
                ended.append(str(error))
                continue
            outcome = self.run(tosa.stored(iter(given)))
            is_complete = is_complete and outcome.is_complete
            for item, out in pairs if outcome.is_complete else ():
                (expected,) = tosa.stored(iter([values[out]]))
                found = Difference.between(_like(outcome.outputs[item.tensor], expected), expected)
                if found.differing and found.severity > worst.get(out, _NOTHING)[0].severity:
                    worst[out] = found, number
        done = tried - len(ended)
        if not done:
            return self._foreign(f"no input could be computed: {ended[0]}")
        notes = [f"delegate {self.number} was held against {original.name}"]
        if ended:
            notes.append(f"not tried: {len(ended)} of {counted(tried, 'input')}; {ended[0]}")
        verdicts = []
        for item, out in pairs:
            verdict = self._verdict(item.name, int(np.prod(graph.tensors[out].shape)), done)
            if out in worst:
                found, number = worst[out]
                verdict = replace(
                    verdict,
                    differing=found.differing,
                    largest=found.largest,
                    where=self._where(graph, out, seed, number),
                )
            verdicts.append(replace(verdict, is_computed=is_complete))
        made = {out for _, out in pairs}
        lacking = [
            f"delegate {self.number}: output {at} of {original.name}, made by"
            f" {_maker(graph, out)}, is not in the blob"
            for at, out in enumerate(graph.outputs)
            if out not in made
        ]
        return Verification(
            outputs=tuple(verdicts), faults=(*lacking, *self.faults), notes=tuple(notes)
        )

    def _where(self, graph: TosaGraph, output: int, seed: int, number: int) -> str:
        """The first operator that is wrong, for the input for which most is."""
        given, written = tosa.random_inputs(graph, seed, number), dict[int, Array]()
        values = run(graph, given)
        self.run(tosa.stored(iter(given)), written)
        sizes = frozenset(values[op.outputs[0]].size for op in graph.operators)
        numbers = range(self.part.op.op + 1)
        only = replace(self.program, parts=(self.part,))
        by_command = {(self.part.op, at): each for at, each in written.items()}
        seen = layer_outputs(only, by_command, sizes, numbers)
        return tosa.first_wrong(graph, values, seen, output)

    def _verdict(self, name: str, elements: int, inputs: int) -> OutputVerdict:
        told = name if name.startswith("delegate") else f"delegate {self.number} {name}"
        return OutputVerdict(name=told, elements=elements, inputs=inputs)

    def _foreign(self, why: str) -> Verification:
        """Nothing can be compared."""
        return Verification(outputs=(), faults=(f"delegate {self.number}: {why}",))


_NOTHING = Difference(0, 0, 0.0), 0


def _maker(graph: TosaGraph, output: int) -> str:
    made = (at for at, op in enumerate(graph.operators) if output in op.outputs)
    return next((graph.title(at) for at in made), "nothing")


def _like(found: Array, expected: Array) -> Array:
    """Bytes as the type in which they are compared."""
    return np.ascontiguousarray(found).reshape(-1).view(expected.dtype)


def _shaped(value: Array, shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> Array:
    (whole,) = tosa.stored(iter([value]))
    return np.ascontiguousarray(whole).reshape(-1).view(dtype).reshape(shape)
