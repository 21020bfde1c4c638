"""Which share of flipped bits in compiled files verification catches.

    python -m tests.fuzz flips [N] [COMPILED=ORIGINAL ...]

In each file N bits of each kind are flipped, one at a time: in the words of command streams, in
weights, and in scale records. A flip is effective if an output differs for any of those inputs that
verification tries, or of 64 others; it is caught if verification does not say "holds". What is
refused, since it cannot be read or run any more, counts as neither.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from core.api import compiler, schedules, targets
from core.base.errors import CoreError
from core.base.frozen import replace
from core.base.ids import TensorId
from core.emit.open import open_program
from core.emit.payload import read_payload
from core.ir.constdata import ConstData
from core.ir.network import Network
from core.ir.options import Options
from core.ir.program import AddressRange, DmaTransfer, NpuOperation, ProgramPart, RegionRole
from core.pipeline.proof.first_difference import Findings
from core.pipeline.proof.litert import Values
from core.pipeline.proof.random_inputs import random_inputs, usual_count
from core.pipeline.proof.simulate import CompiledModel
from core.pipeline.proof.trial import Trial
from core.pipeline.proof.verify import verify
from core.tflite import reader, writer
from tests.networks.random_networks import random_network

OTHER_SEED, OTHER_INPUTS = 977, 64
EXAMPLES = ("kws_dscnn", "resnet8", "camera_and_motion", "shuffle_with_cpu")
RANDOM = (2, 5, 11, 38, 60, 101)
LEAST_SHARE = 0.97
ROOT = Path(__file__).parents[2]
KINDS = ("registers", "weights", "scales")
WORD_BYTES = 4


class Case(NamedTuple):
    name: str
    compiled: bytes
    original: bytes


def cases() -> Iterator[Case]:
    """Ten networks as we compile them."""
    for name in EXAMPLES:
        original = (ROOT / "resources" / "examples" / f"{name}.tflite").read_bytes()
        yield Case(name, compiled(original), original)
    for seed in RANDOM:
        original = writer.write(random_network(seed))
        yield Case(f"random {seed}", compiled(original), original)


def compiled(original: bytes) -> bytes:
    target = targets.resolve_target("ethos-u55-128")
    return compiler.compile_model(schedules.schedule(original, target, Options())).data


class Place(NamedTuple):
    """Bytes of a tensor."""

    tensor: TensorId
    bytes: range


def places(network: Network) -> Mapping[str, Sequence[Place]]:
    """By kind, where its bits are in a compiled file."""
    found: dict[str, set[Place]] = {kind: set() for kind in KINDS}
    for part in open_program(network).parts:
        payload, constants = network.operator(part.op).inputs[:2]
        assert payload is not None
        assert constants is not None
        data = network.main.tensors[payload].data
        assert data is not None
        size = len(read_payload(data.array.tobytes()).stream) * WORD_BYTES
        found["registers"].add(Place(payload, range(data.array.nbytes - size, data.array.nbytes)))
        for kind, bytes_ in streams(part):
            found[kind].add(Place(constants, bytes_))
    return {kind: sorted(each, key=str) for kind, each in found.items() if each}


def streams(part: ProgramPart) -> Iterator[tuple[str, range]]:
    """Which constants are weights and which scales, wherever these are when they are read."""
    brought: list[DmaTransfer] = []
    for item in part.stream.commands:
        if isinstance(item, DmaTransfer):
            brought.insert(0, item)
        elif isinstance(item, NpuOperation):
            for kind, ranges in (("weights", item.weights), ("scales", item.scales)):
                for each in ranges:
                    start = each.address + distance(part, brought, each)
                    yield kind, range(start, start + each.size_bytes)


def distance(part: ProgramPart, brought: list[DmaTransfer], read: AddressRange) -> int:
    """How far what is read was moved since it was a constant; the last transfer comes first."""
    if part.regions[read.region].role is RegionRole.CONSTANTS:
        return 0
    return next(
        item.source.address - item.destination.address
        for item in brought
        if item.destination.region == read.region
        and 0 <= read.address - item.destination.address < item.size_bytes
    )


def flipped(network: Network, found: Sequence[Place], generator: random.Random) -> bytes:
    """A compiled file with one other bit."""
    (place,) = generator.choices(found, [len(each.bytes) for each in found])
    tensors = list(network.main.tensors)
    tensor = tensors[place.tensor]
    assert tensor.data is not None
    content = bytearray(tensor.data.array.tobytes())
    content[generator.choice(place.bytes)] ^= 1 << generator.randrange(8)
    values = np.frombuffer(bytes(content), tensor.data.array.dtype).reshape(tensor.shape)
    tensors[place.tensor] = replace(tensor, data=ConstData.of(values))
    main = replace(network.main, tensors=tuple(tensors))
    return writer.write(replace(network, subgraphs=(main, *network.subgraphs[1:])))


@dataclass(slots=True)
class Inputs:
    """Inputs in a row from a reset on, and what the whole file makes of those asked for so far."""

    original: Network
    whole: CompiledModel
    seed: int
    count: int
    known: list[tuple[Values, Values]] = field(default_factory=list)

    def first_difference(self, model: CompiledModel) -> int | None:
        """The first of them that a file makes something else of."""
        model.reset()
        for number in range(self.count):
            given, wanted = self._pair(number)
            made = model.run(given).outputs
            if not made or any(made[at].tobytes() != wanted[at].tobytes() for at in wanted):
                return number
        return None

    def _pair(self, number: int) -> tuple[Values, Values]:
        if number == len(self.known):
            graph, drawn = self.whole.network.main, random_inputs(self.original, self.seed, number)
            bound = zip(graph.inputs, self.original.main.inputs, strict=True)
            given = {new: drawn[old].reshape(graph.tensors[new].shape) for new, old in bound}
            self.known.append((given, self.whole.run(given).outputs))
        return self.known[number]


def is_caught(data: bytes, case: Case, first: int | None) -> bool:
    """Whether verification objects; what it does not excuse early it does not excuse later."""
    few = None if first is None else first + 1
    # Where something differs is looked for at length, and not asked here.
    nothing = Findings(suspects=(), found={}, numbers=(), differences={})
    with patch.object(Trial, "_examine", lambda *_: nothing):
        return not verify(data, case.original, inputs=few).holds or (
            few is not None and not verify(data, case.original).holds
        )


def campaign(case: Case, count: int) -> Counter[str]:
    """What became of so many flips of each kind."""
    network, generator = reader.read(case.compiled), random.Random(case.name)
    original = reader.read(case.original)
    tried, others = (
        Inputs(original, CompiledModel.of(network), seed, inputs)
        for seed, inputs in ((0, usual_count(original)), (OTHER_SEED, OTHER_INPUTS))
    )
    found: Counter[str] = Counter()
    for kind, there in places(network).items():
        for _ in range(count):
            data = flipped(network, there, generator)
            try:
                broken = CompiledModel.of(reader.read(data))
                first = tried.first_difference(broken)
                if first is None and others.first_difference(broken) is None:
                    found["without effect"] += 1
                    continue
                caught = is_caught(data, case, first)
            except CoreError:
                found["refused"] += 1
                continue
            except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
                print(f"{case.name}: {error!r}", file=sys.stderr)
                found["crashed"] += 1
                continue
            for what in (kind, "all") if first is None else (kind, "all", "tried"):
                found[what] += 1
                found[f"{what} caught"] += caught
    return found


COLUMNS = (*KINDS, "all", "tried")


def is_good(found: Mapping[str, int]) -> bool:
    return (
        not found["crashed"]
        and found["all caught"] >= LEAST_SHARE * found["all"]
        and found["tried caught"] == found["tried"]
    )


def main(arguments: list[str]) -> int:
    count = int(arguments.pop(0)) if arguments and arguments[0].isdigit() else 40
    given = [argument.split("=") for argument in arguments]
    chosen = [
        Case(Path(made).stem, Path(made).read_bytes(), Path(model).read_bytes())
        for made, model in given
    ]
    print("Caught of those that are effective; of these, those that differ on the inputs tried.\n")
    print(
        "| network | without effect | refused | crashed | registers | weights | scales | all |",
        end="",
    )
    print(" share | differ on the inputs tried |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    is_all_good = True
    for case in chosen or cases():
        found = campaign(case, count)
        share = found["all caught"] / found["all"] if found["all"] else 1.0
        left = [str(found[what]) for what in ("without effect", "refused", "crashed")]
        *apart, tried = [f"{found[f'{what} caught']} of {found[what]}" for what in COLUMNS]
        cells = " | ".join((case.name, *left, *apart, f"{share:.1%}", tried))
        print(f"| {cells} |", flush=True)
        is_all_good &= is_good(found)
    return 0 if is_all_good else 1
