"""What is taken onto the NPU in another form than the file's computes what its original does."""

from __future__ import annotations

import pytest

from core.base.errors import InputError
from core.ir.options import Options
from core.pipeline.proof import litert
from core.pipeline.proof.random_inputs import random_inputs
from core.pipeline.proof.verify import verify
from core.target.resolve import resolve
from core.tflite.writer import write
from tests.core.emit.executed import scheduled_and_compiled
from tests.core.lower.taken.test_table import read
from tests.core.lower.taken.variants import VARIANTS

ROWS = read()
TAKEN = [name for name, row in ROWS.items() if row.ours == "NPU"]
BY_FORM = frozenset(name for name in TAKEN if ROWS[name].older == "CPU")
LONG = "BATCH_MATMUL: 16 heads of 256x64"
CASES = [
    pytest.param(name, id=name, marks=[] if name in BY_FORM - {LONG} else [pytest.mark.slow])
    for name in TAKEN
]


@pytest.mark.parametrize("name", CASES)
def test_what_is_taken_computes_what_its_original_does(name: str) -> None:
    network = VARIANTS[name].network
    try:
        litert.compute(network, random_inputs(network, 1, 0))
    except InputError:
        pytest.skip("LiteRT does not run it")
    _, compiled = scheduled_and_compiled(network, resolve("ethos-u55-128"), Options())
    found = verify(compiled.data, write(network), inputs=1)
    assert found.holds, found.sentences()
