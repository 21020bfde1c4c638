"""Networks with very many inputs or outputs, as users meet them: compiled, proved, opened again."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import reduce
from pathlib import Path

import pytest

from core import cli
from core.ir.network import Network
from core.synth.builder import Builder
from core.synth.windows import window
from core.tflite import writer

MANY = 2000
MOST_SECONDS = 60
"""Several times what each of the commands takes."""


def many_outputs() -> Network:
    b = Builder(1)
    x = b.input((1, 8, 8, 4))
    return b.build(tuple(b.conv(x, 4, window(1)) for _ in range(MANY)), "many_outputs")


def summed_inputs() -> Network:
    b = Builder(1)
    inputs = [b.input((1, 4, 4, 4)) for _ in range(MANY)]
    return b.build((reduce(b.add, inputs),), "summed_inputs")


def joined_inputs() -> Network:
    b = Builder(1)
    inputs = [b.input((1, 4, 4, 4)) for _ in range(MANY)]
    return b.build((b.concat(inputs),), "joined_inputs")


def quickly(*arguments: str) -> int:
    """The exit code of a command that takes no longer than it may."""
    start = time.process_time()
    code = cli.main(arguments)
    assert time.process_time() - start < MOST_SECONDS, arguments[0]
    return code


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "inputs", "outputs"),
    [(many_outputs, 1, MANY), (summed_inputs, MANY, 1), (joined_inputs, MANY, 1)],
)
def test_very_many_ports_are_compiled_proved_and_opened_again(
    make: Callable[[], Network],
    inputs: int,
    outputs: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    model, made, report = (
        tmp_path / name for name in ("model.tflite", "made.tflite", "report.json")
    )
    model.write_bytes(writer.write(make()))
    assert quickly("compile", str(model), "-o", str(made)) == 0
    capsys.readouterr()
    assert quickly("verify", str(made), "--against", str(model)) == 0
    told = capsys.readouterr().out.splitlines()
    assert sum(": equal, " in line for line in told) == outputs
    assert told[-1] == f"holds: {outputs} output{'s' if outputs > 1 else ''}, 0 findings"
    assert quickly("inspect", str(made), "--json", str(report)) == 0
    found = json.loads(report.read_text())
    (stream,) = found["command_streams"]
    assert (len(stream["inputs"]), len(stream["outputs"])) == (inputs, outputs)
    assert stream["problem"] is None
    assert found["cpu_ops"] == []
