"""Which share of faults that are planted into delegates verification catches.

    python -m tests.fuzz planted [N] [BLOB=GRAPH ...]

One bit at a time is another: N of each register that a stream writes, and ten times as many of
weights, of scale records, and of the places of inputs and outputs. A fault is effective if an
output differs for any of those inputs that verification tries, or of 64 others; it is caught if
verification against the graph of TOSA does not say "holds". What is refused, since it cannot be
read or run any more, counts as neither.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from core.base.errors import CoreError
from core.emit.instructions.first_architecture import FIRST_ARCHITECTURE
from core.emit.instructions.instruction_set import WIDE, Reg
from core.emit.payload import accelerator_of, read_payload
from core.emit.words import decode
from core.executorch.blob import read_blob, write_blob
from core.ir.program import ProgramPart
from core.ir.tosa import TosaGraph
from core.pipeline.compiled import read_program
from core.pipeline.proof import delegates
from core.pipeline.proof.delegates import verify_delegates
from core.pipeline.proof.tosa_reference import random_inputs, stored, usual_count
from core.simulate.run import Simulator
from core.tosa import reader
from core.weights.decode import decode_stream
from tests.fuzz.flips import LEAST_SHARE, WORD_BYTES, streams
from tests.shared import need

Values = list[np.ndarray]

OTHER_SEED, OTHER_INPUTS = 977, 64
DELEGATES = (
    "convres_u55-128",
    "convres_int16_u55-128",
    "softmax_u65-256",
    "cpubetween_u55-256",
    "mobilemini_nhwc_u55-256",
)
REGISTERS = "registers"
KINDS = (REGISTERS, "weights", "scales", "offsets")
_COMMANDS, _WEIGHTS = b"cmd_data", b"weight_data"
_ENDS = (b"inputs", b"outputs")
_MORE = 10
_TENSOR_BYTES, _OFFSET_AT = 36, 28


class Case(NamedTuple):
    name: str
    blob: bytes
    graph: bytes


class Place(NamedTuple):
    """Bits of a block: so many from a byte on."""

    block: bytes
    start: int
    bits: int


def cases() -> Iterator[Case]:
    for name in DELEGATES:
        path = need(f"executorch/{name}.delegate0.vela_bin")
        yield Case(name, path.read_bytes(), path.with_suffix(".tosa").read_bytes())


def part_of(blob: bytes) -> ProgramPart:
    read = read_program(blob)
    assert read is not None
    return read.program.parts[0]


def places(blob: bytes) -> Mapping[str, Sequence[Sequence[Place]]]:
    """By kind of fault, groups of places; each group has its faults."""
    blocks = {each.name.rstrip(b"\0"): each.data for each in read_blob(blob).blocks}
    ends = [
        Place(name, 4 + at * _TENSOR_BYTES + _OFFSET_AT, 32)
        for name in _ENDS
        for at in range(int.from_bytes(blocks[name][:4], "little"))
    ]
    brought: dict[str, set[Place]] = {"weights": set(), "scales": set()}
    for kind, bytes_ in streams(part_of(blob)):
        brought[kind].add(Place(_WEIGHTS, bytes_.start, 8 * len(bytes_)))
    return {
        REGISTERS: registers(blocks[_COMMANDS]),
        **{kind: [sorted(found)] for kind, found in brought.items() if found},
        "offsets": [ends],
    }


def registers(commands: bytes) -> list[list[Place]]:
    """For each register the values that a stream writes to it."""
    words = read_payload(commands).stream
    first = commands.index(np.asarray(words, "<u4").tobytes())
    found: dict[Reg, list[Place]] = {}
    for write in decode(words, FIRST_ARCHITECTURE):
        if isinstance(write.name, Reg):
            at = first + WORD_BYTES * write.word
            is_wide = words[write.word] & WIDE
            place = (
                Place(_COMMANDS, at + WORD_BYTES, 32) if is_wide else Place(_COMMANDS, at + 2, 16)
            )
            found.setdefault(write.name, []).append(place)
    return list(found.values())


def planted(blob: bytes, places: Sequence[Place], generator: random.Random) -> bytes:
    """A blob with one other bit."""
    (place,) = generator.choices(places, [each.bits for each in places])
    bit = generator.randrange(place.bits)
    blocks = []
    for each in read_blob(blob).blocks:
        data = bytearray(each.data)
        if each.name.rstrip(b"\0") == place.block:
            data[place.start + bit // 8] ^= 1 << bit % 8
        blocks.append(each._replace(data=bytes(data)))
    return write_blob(tuple(blocks))


@dataclass(slots=True)
class Inputs:
    """Inputs of a seed, and what the whole delegate makes of those asked for so far."""

    graph: TosaGraph
    whole: ProgramPart
    seed: int
    count: int
    known: list[tuple[Values, bytes | None]] = field(default_factory=list)

    def first_difference(self, part: ProgramPart) -> int | None:
        """The first of them of which a delegate makes something else."""
        simulator = simulator_of(part)
        for number in range(self.count):
            if number == len(self.known):
                given = stored(iter(random_inputs(self.graph, self.seed, number)))
                self.known.append((given, made(simulator_of(self.whole), self.whole, given)))
            given, wanted = self.known[number]
            if made(simulator, part, given) != wanted:
                return number
        return None


def simulator_of(part: ProgramPart) -> Simulator:
    accelerator = accelerator_of(part.accelerator)
    assert accelerator is not None
    return Simulator.of(accelerator, decode_stream)


def made(simulator: Simulator, part: ProgramPart, given: Values) -> bytes | None:
    """All outputs; None where the delegate does not come to its end."""
    tensors = {
        item.tensor: value.reshape(-1).view(np.dtype(item.dtype.numpy)).reshape(item.shape)
        for item, value in zip(part.inputs, given, strict=True)
    }
    found = simulator.run(part, tensors)
    if not found.is_complete:
        return None
    return b"".join(found.outputs[item.tensor].tobytes() for item in part.outputs)


def holds(case: Case, blob: bytes, inputs: int | None) -> bool:
    # Which operator is the first that is wrong is looked for at length, and not asked here.
    with patch.object(delegates._Bench, "_where", lambda *_: ""):
        return verify_delegates(blob, {"graph": case.graph}, inputs=inputs).holds


def campaign(case: Case, count: int, others: int = OTHER_INPUTS) -> Counter[str]:
    """What became of so many faults in each group."""
    graph, whole, generator = reader.read(case.graph), part_of(case.blob), random.Random(case.name)
    usual, more = (
        Inputs(graph, whole, seed, number)
        for seed, number in ((0, usual_count(graph)), (OTHER_SEED, others))
    )
    found: Counter[str] = Counter()
    for kind, groups in places(case.blob).items():
        for group in groups:
            for _ in range(count if kind == REGISTERS else _MORE * count):
                blob = planted(case.blob, group, generator)
                try:
                    broken = part_of(blob)
                    first = usual.first_difference(broken)
                    if first is None and more.first_difference(broken) is None:
                        found["without effect"] += 1
                        continue
                    is_caught = not holds(case, blob, None if first is None else first + 1)
                except CoreError:
                    found["refused"] += 1
                    continue
                for what in (kind, "all"):
                    found[what] += 1
                    found[f"{what} caught"] += is_caught
    return found


def is_good(found: Mapping[str, int]) -> bool:
    return found["all"] > 0 and found["all caught"] >= LEAST_SHARE * found["all"]


def main(arguments: list[str]) -> int:
    count = int(arguments.pop(0)) if arguments and arguments[0].isdigit() else 1
    given = [tuple(map(Path, argument.split("="))) for argument in arguments]
    chosen = [Case(blob.stem, blob.read_bytes(), graph.read_bytes()) for blob, graph in given]
    print("Caught of those that are effective.\n")
    print(f"| delegate | without effect | refused | {' | '.join((*KINDS, 'all'))} | share |")
    print("|---|---|---|---|---|---|---|---|---|")
    is_all_good = True
    for case in chosen or cases():
        found = campaign(case, count)
        share = found["all caught"] / found["all"] if found["all"] else 1.0
        left = [str(found[what]) for what in ("without effect", "refused")]
        apart = [f"{found[f'{what} caught']} of {found[what]}" for what in (*KINDS, "all")]
        print(f"| {' | '.join((case.name, *left, *apart, f'{share:.1%}'))} |", flush=True)
        is_all_good &= is_good(found)
    return 0 if is_all_good else 1
