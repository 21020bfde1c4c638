"""Maps that no arena has addresses for end in one sentence, whatever makes or reads them."""

from __future__ import annotations

from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.api import compiler, schedules, targets
from core.base.errors import CoreError, DoesNotFit
from core.cli import exits
from core.cli.run import main
from core.ir.network import MOST_BYTES, Network
from core.ir.options import Options
from core.tflite import writer
from tests.core.lower.legality.cases import GOOD, INT8, INT16, Case
from tests.core.lower.legality.shaped import CONV, DENSE, DEPTHWISE, TRANSPOSED, turned
from tests.effort import some_of

TARGETS = [targets.resolve_target(name) for name in ("ethos-u55-128", "ethos-u65-256")]
HUGE = (65535, 65535, 65535, 65535)
Shape = tuple[int, int, int, int]


def paired(kind: str, shape: Shape) -> Case:
    return GOOD[kind].input(0, shape=shape).input(1, shape=shape).output(shape=shape)


def enlarged(shape: Shape) -> Case:
    n, height, width, _ = shape
    twice = (n, 2 * height, 2 * width, 6)
    made = TRANSPOSED.input(2, shape=(*shape[:3], 4)).output(shape=twice)
    return made.input(0, values=tuple(min(dim, 1 << 30) for dim in twice))


ALIKE = (
    *("ABS", "EXP", "GELU", "HARD_SWISH", "LEAKY_RELU", "LOG", "LOGISTIC", "QUANTIZE", "RELU"),
    *("RELU6", "RSQRT", "SOFTMAX", "TANH"),
)
PAIRS = ("ADD", "SUB", "MUL", "MINIMUM", "MAXIMUM", "SQUARED_DIFFERENCE")
SHAPED = {
    **{kind: lambda shape, kind=kind: GOOD[kind].both(shape=shape) for kind in ALIKE},
    **{kind: lambda shape, kind=kind: paired(kind, shape) for kind in PAIRS},
    "CONV_2D": lambda shape: CONV.input(0, shape=(*shape[:3], 4)).output(shape=(*shape[:3], 6)),
    "DEPTHWISE": lambda shape: DEPTHWISE.both(shape=(*shape[:3], 4)),
    "TRANSPOSE_CONV": enlarged,
    "FULLY_CONNECTED": lambda shape: DENSE.input(0, shape=(shape[2], 12)).output(
        shape=(shape[2], 5)
    ),
    "TRANSPOSE": lambda shape: turned((0, 2, 1, 3), *shape),
}
"""An operator of a kind over a map of some shape."""


def network(case: Case) -> Network:
    return Network(subgraphs=(case.subgraph(),))


@pytest.mark.parametrize("kind", sorted(GOOD))
def test_a_map_beyond_64_bits_is_refused_with_its_name(kind: str) -> None:
    case = GOOD[kind]
    at = next(i for i, tensor in enumerate(case.inputs) if tensor and tensor.data is None)
    made = network(case.input(at, shape=HUGE))
    given = case.inputs[at]
    needed = prod(HUGE) * given.dtype.size_bytes
    said = f"needs {needed} bytes where {MOST_BYTES} are allowed (because of {given.name})"
    with pytest.raises(DoesNotFit) as caught:
        schedules.schedule(writer.write(made), TARGETS[0], Options())
    assert str(caught.value) == said


LENGTHS = st.sampled_from((1, 2, 255, 8000, 30000, 32768, 65535, 65536, (1 << 31) - 1))


@settings(max_examples=some_of(80))
@given(
    st.sampled_from(sorted(SHAPED)),
    st.sampled_from((1, 1, 1, 65535)),
    st.sampled_from((1, 2, 7, 16, (1 << 31) - 1)),
    LENGTHS,
    LENGTHS,
    st.sampled_from((INT8, INT16)),
    st.sampled_from(TARGETS),
)
def test_whatever_a_map_measures_it_is_compiled_or_refused(kind, n, h, w, c, dtype, target):
    case = SHAPED[kind]((n, h, w, c))
    if case.inputs[0].data is None:
        case = case.input(0, dtype=dtype)
    try:
        found = schedules.schedule(writer.write(network(case)), target, Options())
        assert compiler.compile_model(found).data
    except CoreError:
        pass


def test_what_fits_alone_is_refused_where_all_of_it_has_no_addresses() -> None:
    model = writer.write(network(paired("ADD", (1, 1, 65535, 32767))))
    found = schedules.schedule(model, TARGETS[0], Options())
    with pytest.raises(DoesNotFit, match=r"^needs 4294770720 bytes where 2147483647 "):
        compiler.compile_model(found)


@pytest.mark.parametrize("command", ["inspect", "schedule", "compile"])
def test_commands_say_it_in_one_line(command, tmp_path, capsys) -> None:
    path = tmp_path / "huge.tflite"
    path.write_bytes(writer.write(network(paired("ADD", HUGE))))
    output = ["-o", str(tmp_path / "out.tflite")] if command == "compile" else []
    assert main([command, str(path), *output]) == exits.REFUSED
    (line,) = capsys.readouterr().err.splitlines()
    assert "are allowed (because of a)" in line
