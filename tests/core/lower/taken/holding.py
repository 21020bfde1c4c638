"""Whether one operator in some form is on the NPU and computes what LiteRT does."""

from __future__ import annotations

from core.ir.options import Options
from core.pipeline.proof.verify import verify
from core.target.resolve import resolve
from core.tflite import reader
from core.tflite.writer import write
from tests.core.emit.executed import scheduled_and_compiled
from tests.core.lower.legality.cases import Case
from tests.core.lower.taken.variants import Variant


def holds(case: Case) -> bool:
    data = write(Variant(what="of its own", case=case).network)
    # Scales as files have them, in single precision.
    scheduled, compiled = scheduled_and_compiled(
        reader.read(data), resolve("ethos-u55-128"), Options()
    )
    return not scheduled.graph.cpu_ops and verify(compiled.data, data, inputs=3).holds
