"""Streams that the peer makes of TOSA compute what TOSA's reference model computes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.base.frozen import replace
from core.emit.payload import accelerator_of
from core.ir.npugraph import Rounding
from core.ir.program import CommandStream, NpuOperation
from core.simulate.run import Simulator
from core.weights.decode import decode_stream
from tests.core.emit.blobs import part_of
from tests.shared import files, need

OPS = "executorch/ops"
THEIR_FAULTS = {
    "attention_scores": "all heads are computed with the query of the first",
    "cast_32_8": "the stream saturates where TOSA takes the low byte",
}
"""Graphs whose streams say something else than the graphs."""

BLOBS = [
    path
    for family in ("u55", "u65")
    for path in files(f"{OPS}/*_{family}-*.vela_bin")
    if path.stem.rpartition("_")[0] not in THEIR_FAULTS
]


def values(arrays: dict[str, np.ndarray], kind: str) -> list[np.ndarray]:
    """The inputs or outputs of a reference; a truth value is a byte."""
    found = [arrays[name] for name in sorted(arrays) if name.startswith(kind)]
    return [each.astype(np.int8) if each.dtype == np.bool_ else each for each in found]


def differences(path: Path, *, rounds_twice: bool = False) -> int:
    """How many elements of the outputs a blob computes otherwise than its reference says."""
    graph = path.stem.rpartition("_")[0]
    with np.load(need(f"{OPS}/{graph}.reference.npz")) as arrays:
        given, wanted = (values(arrays, kind) for kind in ("in", "out"))
    part = part_of(need(path), given, wanted)
    assert part.stream.problem is None
    if rounds_twice:
        commands = tuple(
            replace(each, operand_rounding=Rounding.DOUBLE)
            if isinstance(each, NpuOperation)
            else each
            for each in part.stream.commands
        )
        part = replace(part, stream=CommandStream(commands=commands))
    accelerator = accelerator_of(part.accelerator)
    assert accelerator is not None
    simulator = Simulator.of(accelerator, decode_stream)
    tensors = {item.tensor: value for item, value in zip(part.inputs, given, strict=True)}
    outcome = simulator.run(part, tensors)
    assert outcome.faults == ()
    made = (outcome.outputs[item.tensor] for item in part.outputs)
    return sum(int((one != other).sum()) for one, other in zip(made, wanted, strict=True))


@pytest.mark.long
@pytest.mark.parametrize("path", BLOBS, ids=lambda path: path.stem)
def test_each_graph_is_computed_to_the_last_bit(path: Path):
    assert differences(path) == 0


@pytest.mark.parametrize("graph", ["add_ties", "sub_ties"])
@pytest.mark.parametrize("accelerator", ["u55-128", "u65-256"])
def test_a_scaled_operand_is_rounded_once_where_it_is_told_so(graph: str, accelerator: str):
    assert differences(need(f"{OPS}/{graph}_{accelerator}.vela_bin")) == 0


@pytest.mark.parametrize("accelerator", ["u55-128", "u65-256"])
def test_two_roundings_would_be_seen(accelerator: str):
    assert differences(need(f"{OPS}/sub_ties_{accelerator}.vela_bin"), rounds_twice=True)
