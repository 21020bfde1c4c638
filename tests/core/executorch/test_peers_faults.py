"""Faults of the peer that its own streams show, asked of it on the spot."""

from __future__ import annotations

import subprocess
from pathlib import Path

from core.api import proof
from core.base.frozen import replace
from core.flatbuf.decode import decode
from core.flatbuf.view import Source
from core.ir.network import Table
from core.ir.npugraph import Rounding
from core.ir.program import NpuOperation
from core.pipeline.compiled import read_program
from core.tosa.schema import TOSA
from tests.core.peer import NEEDS_PEER, peer_python
from tests.core.tosa.graphs import changed, written
from tests.shared import need

pytestmark = NEEDS_PEER
SHIFTS = "executorch/ops/shift_right_logical.tosa"


def arithmetic_shift(*, rounds: bool) -> bytes:
    """A graph of one shift of 32 bits by as many numbers."""
    codes = TOSA.numbers_of("Op")

    def other(operator: Table) -> Table:
        kept = {name: dict(operator.fields)[name] for name in ("inputs", "outputs")}
        attribute = Table(kind="ArithmeticRightShiftAttribute", fields=(("round", rounds),))
        fields = {"op": codes["ARITHMETIC_RIGHT_SHIFT"], "attribute": attribute} | kept
        return replace(operator, fields=tuple(fields.items()))

    root = decode(Source(need(SHIFTS).read_bytes(), TOSA).root("TosaGraph"))
    return written(changed(root, "TosaOperator", other))


def compiled(graph: bytes, folder: Path) -> bytes:
    path = folder / "graph.tosa"
    path.write_bytes(graph)
    command = [peer_python(), "-m", "ethosu.vela", str(path), "--output-dir", str(folder)]
    asked = [*command, "--accelerator-config", "ethos-u55-128"]
    subprocess.run(asked, check=True, capture_output=True, cwd=folder)
    return (folder / "graph_vela.tflite").read_bytes()


def test_a_shift_that_rounds_down_is_asked_to_round_to_the_nearest(tmp_path: Path):
    """The register has three roundings, and down is none of them.

    The peer's optimiser asks for down (TRUNCATE_TO_LOWER), which its registers for U55 lack, and
    writes 0. That 0 rounds to the nearest in a shift as well is what its first core counts on,
    whose softmax of 16 bits has such shifts where LiteRT adds a half before it shifts.
    """
    for rounds, found in ((True, Rounding.NATURAL), (False, Rounding.DOUBLE)):
        graph = arithmetic_shift(rounds=rounds)
        made = compiled(graph, tmp_path)
        read = read_program(made)
        assert read is not None
        (shift,) = (
            each for each in read.program.parts[0].stream.commands if isinstance(each, NpuOperation)
        )
        assert shift.rounding is found
        verdict = proof.verify_delegates(made, {"graph": graph}, inputs=2)
        assert verdict.holds is rounds
        if not rounds:
            assert "first at ARITHMETIC_RIGHT_SHIFT" in verdict.outputs[0].where
            assert verdict.outputs[0].largest == 1
