"""Raw output of the ecosystem's compiler: arrays that hold what a compiled model does."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import main as program
from core.base.errors import InputError
from core.emit.conventions import is_raw
from core.emit.open import open_program
from core.emit.raw import network_of_raw
from core.ir.options import Options
from core.pipeline.proof.verify import verify
from core.target.resolve import resolve
from core.tflite import reader
from tests.core.emit.executed import scheduled_and_compiled

EXAMPLE = Path(__file__).parents[3] / "resources" / "examples" / "kws_dscnn.tflite"
Arrays = dict[str, Any]


def made() -> tuple[bytes, Arrays]:
    """A compiled model, and what the other compiler would write of it."""
    target = resolve("ethos-u55-128")
    _, compiled = scheduled_and_compiled(reader.read(EXAMPLE.read_bytes()), target, Options())
    network = reader.read(compiled.data)
    tensors, (part,) = network.main.tensors, open_program(network).parts
    commands, weights, scratch, *_ = (tensors[at] for at in network.main.operators[0].inputs)
    arrays: Arrays = {
        "cmd_data": commands.data.array,
        "weight_data": weights.data.array,
        "weight_region": 0,
        "scratch_region": 1,
        "scratch_size": scratch.elements,
        "scratch_fast_size": 0,
    }
    for end, bound in (("input", part.inputs), ("output", part.outputs)):
        arrays |= {
            f"{end}_shape": [(*[1] * (6 - len(item.shape)), *item.shape) for item in bound],
            f"{end}_elem_size": [item.dtype.bits // 8 for item in bound],
            f"{end}_region": [1 for _ in bound],
            f"{end}_offset": [item.arena_address for item in bound],
        }
    return compiled.data, arrays


COMPILED, ARRAYS = made()


def packed(arrays: Arrays) -> bytes:
    file = io.BytesIO()
    np.savez(file, **{name: np.asarray(value) for name, value in arrays.items()})
    return file.getvalue()


RAW = packed(ARRAYS)


def test_raw_output_computes_what_its_original_does() -> None:
    assert is_raw(RAW)
    assert not is_raw(packed({"x": 1}))
    assert not is_raw(COMPILED)
    found = verify(RAW, EXAMPLE.read_bytes(), inputs=3)
    assert found.holds, found.sentences()


def test_raw_output_with_other_weights_does_not() -> None:
    weights = ARRAYS["weight_data"].copy()
    weights[:4000:40] ^= 1
    found = verify(packed({**ARRAYS, "weight_data": weights}), EXAMPLE.read_bytes(), inputs=3)
    assert not found.holds


def test_it_is_priced_and_compared_like_the_file_that_it_was(tmp_path: Path) -> None:
    raw, compiled, told = (tmp_path / name for name in ("a.npz", "b.tflite", "told.json"))
    raw.write_bytes(RAW)
    compiled.write_bytes(COMPILED)
    cycles = []
    for file in (raw, compiled):
        assert program.main(["schedule", str(file), "--json", str(told), "--force"]) == 0
        cycles.append(json.loads(told.read_text("utf-8"))["totals"]["total_cycles"])
    assert cycles[0] == pytest.approx(cycles[1])
    assert program.main(["inspect", str(raw)]) == 0
    assert program.main(["verify", str(raw), "--against", str(EXAMPLE), "--inputs", "1"]) == 0


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"weight_region": 3}, r"in regions \(3, 1\)"),
        ({"scratch_size": [1, 2]}, "'scratch_size' has 2 numbers"),
        ({"scratch_size": -1}, "'scratch_size' has numbers from -1 to -1"),
        ({"input_offset": [0.5]}, "'input_offset' holds no whole numbers"),
        ({"input_elem_size": [3]}, "input 0: has 3 bytes for each element"),
        ({"input_region": [1, 1]}, "1 inputs, 2 regions"),
        ({"input_shape": np.array([{}], object)}, "an array of it is damaged"),
        ({"output_shape": [[1, 1, 1, 1, 1, 7]]}, "output 0: has 7 bytes, and 12 in the original"),
    ],
)
def test_what_is_odd_is_refused_in_one_sentence(changed: Arrays, told: str) -> None:
    original = reader.read(EXAMPLE.read_bytes()).main
    with pytest.raises(InputError, match=told) as caught:
        network_of_raw(packed({**ARRAYS, **changed}), original)
    assert "\n" not in str(caught.value)


def test_what_is_missing_is_named() -> None:
    for name in ARRAYS:
        rest = {each: value for each, value in ARRAYS.items() if each != name}
        if name == "cmd_data":
            continue
        with pytest.raises(InputError, match=f"without '{name}'"):
            network_of_raw(packed(rest))


@given(at=st.integers(0, len(RAW) - 1), value=st.integers(0, 255), length=st.integers(0, len(RAW)))
def test_damaged_files_are_read_or_refused(at: int, value: int, length: int) -> None:
    damaged = bytearray(RAW)
    damaged[at] = value
    for data in (bytes(damaged), RAW[:length]):
        with contextlib.suppress(InputError):
            open_program(network_of_raw(data))
