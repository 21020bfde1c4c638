"""Which share of flipped bits in compiled files verification catches.

    python -m tests.fuzz flips [N] [COMPILED=ORIGINAL ...]

N bits are flipped in each file, one at a time: half of them in registers, half among weights,
scales and tables. A flip is effective if an output differs for any of 64 inputs, none of which
verification tries; it is caught if verification does not say "holds".
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.api import compiler, schedules, targets
from core.base.errors import CoreError
from core.emit.open import open_program
from core.ir.constdata import ConstData
from core.ir.network import Network
from core.ir.options import Options
from core.pipeline.random_inputs import random_inputs, usual_count
from core.pipeline.simulate import CompiledModel
from core.pipeline.verify import verify
from core.synth.random_networks import random_network
from core.tflite import reader, writer

OTHER_SEED, OTHER_INPUTS = 977, 64
EXAMPLES = ("kws_dscnn", "resnet8", "camera_and_motion", "shuffle_with_cpu")
RANDOM = (2, 5, 11, 38, 60, 101)
LEAST_SHARE = 0.97
ROOT = Path(__file__).parents[2]


class Case(NamedTuple):
    name: str
    compiled: bytes
    original: bytes


class Outputs(NamedTuple):
    """What a compiled file makes of an input; None where it comes to no end."""

    values: tuple[bytes, ...] | None
    faults: int


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


def flipped(data: bytes, generator: random.Random) -> bytes:
    """A compiled file with one other bit."""
    network = reader.read(data)
    part = generator.choice(open_program(network).parts)
    registers, constants = network.operator(part.op).inputs[:2]
    number = generator.choice([registers, constants])
    assert number is not None
    tensor = network.main.tensors[number]
    assert tensor.data is not None
    content = bytearray(tensor.data.array.tobytes())
    if not content:
        return flipped(data, generator)
    content[generator.randrange(len(content))] ^= 1 << generator.randrange(8)
    values = np.frombuffer(bytes(content), tensor.data.array.dtype).reshape(tensor.shape)
    tensors = list(network.main.tensors)
    tensors[number] = replace(tensor, data=ConstData.of(values))
    main = replace(network.main, tensors=tuple(tensors))
    return writer.write(replace(network, subgraphs=(main, *network.subgraphs[1:])))


def outputs(model: CompiledModel, original: Network, seed: int, count: int) -> Iterator[Outputs]:
    model.reset()
    for number in range(count):
        drawn = random_inputs(original, seed, number)
        bound = zip(model.network.main.inputs, original.main.inputs, strict=True)
        given = {
            new: drawn[old].reshape(model.network.main.tensors[new].shape) for new, old in bound
        }
        found = model.run(given)
        made = tuple(value.tobytes() for value in found.outputs.values())
        yield Outputs(made or None, len(found.faults))


def campaign(case: Case, count: int) -> Mapping[str, int]:
    """What became of so many flips."""
    original, generator = reader.read(case.original), random.Random(case.name)
    whole, tried = CompiledModel.of(reader.read(case.compiled)), usual_count(original)
    wanted = [
        [one.values for one in outputs(whole, original, *where)]
        for where in ((0, tried), (OTHER_SEED, OTHER_INPUTS))
    ]
    found: Counter[str] = Counter(flips=count)
    for _ in range(count):
        data = flipped(case.compiled, generator)
        try:
            broken = CompiledModel.of(reader.read(data))
            on_tried = differs(broken, original, 0, wanted[0])
            is_effective = on_tried or differs(broken, original, OTHER_SEED, wanted[1])
            is_caught = not verify(data, case.original).holds
        except CoreError:
            found["refused"] += 1
            continue
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
            print(f"{case.name}: {error!r}", file=sys.stderr)
            found["crashed"] += 1
            continue
        found["effective"] += is_effective
        found["caught"] += is_effective and is_caught
        found["differ on the inputs tried"] += on_tried
        found["of these caught"] += on_tried and is_caught
    return found


def differs(
    model: CompiledModel, original: Network, seed: int, wanted: list[tuple[bytes, ...] | None]
) -> bool:
    made = outputs(model, original, seed, len(wanted))
    return any(one.values != values for one, values in zip(made, wanted, strict=True))


COLUMNS = (
    "flips", "refused", "crashed", "effective", "caught", "differ on the inputs tried",
    "of these caught",
)  # fmt: skip


def is_good(found: Mapping[str, int]) -> bool:
    return (
        not found["crashed"]
        and found["caught"] >= LEAST_SHARE * found["effective"]
        and found["of these caught"] == found["differ on the inputs tried"]
    )


def main(arguments: list[str]) -> int:
    count = int(arguments.pop(0)) if arguments and arguments[0].isdigit() else 100
    given = [argument.split("=") for argument in arguments]
    chosen = [
        Case(Path(made).stem, Path(made).read_bytes(), Path(model).read_bytes())
        for made, model in given
    ]
    print(f"| network | {' | '.join(COLUMNS)} | share |")
    print(f"|---|{'---|' * (len(COLUMNS) + 1)}")
    is_all_good = True
    for case in chosen or cases():
        found = campaign(case, count)
        share = found["caught"] / found["effective"] if found["effective"] else 1.0
        cells = " | ".join(str(found[column]) for column in COLUMNS)
        print(f"| {case.name} | {cells} | {share:.1%} |", flush=True)
        is_all_good &= is_good(found)
    return 0 if is_all_good else 1
