"""Inputs of a user's own: who is given what, the error of each operator, and whose fault it is."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest

from core import cli
from core.base.errors import InputError
from core.base.frozen import replace
from core.ir.operator_error import ErrorFigures, Fault, OperatorError, Span
from core.pipeline.proof.given import given_inputs
from core.pipeline.proof.real_network import RealNetwork, real_values
from core.pipeline.proof.reference import Reference
from core.pipeline.proof.verify import verify
from core.report.operator_errors import timeline
from core.synth.builder import Builder
from core.tflite import reader

MODEL = Path(__file__).parents[3] / "resources" / "examples" / "shuffle_with_cpu.tflite"
NETWORK = reader.read(MODEL.read_bytes())
SHAPE = (1, 64, 64, 3)
INPUT = NETWORK.main.tensors[NETWORK.main.inputs[0]]
OUTPUT = NETWORK.main.tensors[NETWORK.main.outputs[0]]


def saved(*unnamed: np.ndarray, **named: np.ndarray) -> dict[str, bytes]:
    file = io.BytesIO()
    np.savez(file, *unnamed, **named)
    return {"mine.npz": file.getvalue()}


def pictures(count: int) -> np.ndarray:
    drawn = np.random.default_rng(1)
    return drawn.uniform(-1.2, 1.2, (count, *SHAPE[1:])).astype(np.float32)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    out = tmp_path_factory.mktemp("made") / "made.tflite"
    assert cli.main(["compile", str(MODEL), "-o", str(out), "--effort", "0"]) == 0
    return out


def test_real_numbers_are_quantised_and_pictures_counted():
    given = given_inputs(NETWORK, saved(pictures(3)) | {"b.npz": saved(pictures(1))["mine.npz"]})
    assert len(given) == 4
    values = given[0].inputs[NETWORK.main.inputs[0]]
    assert (values.shape, values.dtype) == (SHAPE, np.int8)
    scale = INPUT.quantization.scales[0]
    wanted = np.clip(np.round(pictures(3)[0] / np.float32(scale)), -128, 127)
    assert np.abs(values[0] - wanted).max() <= 1


@pytest.mark.parametrize("count", [None, 1, 2])
def test_shapes_may_have_an_axis_more(count):
    shape = SHAPE if count is None else (count, *SHAPE)
    assert len(given_inputs(NETWORK, saved(np.zeros(shape, np.int8)))) == (count or 1)


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"mine.npz": b"no"}, "mine.npz: is no .npz or .npy file"),
        (saved(inputs=pictures(1)), None),
        (saved(inputs=pictures(1), more=pictures(1)), "has 'inputs', which is no input"),
        (saved(input=pictures(1), more=pictures(1)), "has 'more', which is no input"),
        (saved(**{OUTPUT.name: np.zeros((1, 10), np.int8)}), "has no 'input', which is an input"),
        (saved(pictures(1)[..., :2]), "'input' has the shape 1x64x64x2, and 1x64x64x3 is needed"),
        (saved(np.zeros(SHAPE, np.int16)), "elements of type int16, and int8 is needed"),
        (saved(np.full(SHAPE, np.nan, np.float32)), "values that are no numbers"),
        (saved(np.zeros((0, *SHAPE), np.int8)), "has the shape 0x1x64x64x3"),
        (
            saved(input=pictures(2), **{OUTPUT.name: np.zeros((3, 1, 10), np.int8)}),
            "has not as many of each: 2 of 'input', 3 of",
        ),
    ],
)
def test_what_does_not_suit_is_refused_in_one_sentence(files, told):
    if told is None:
        assert len(given_inputs(NETWORK, files)) == 1
        return
    with pytest.raises(InputError) as refused:
        given_inputs(NETWORK, files)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


def test_real_operators_compute_what_numpy_does():
    b = Builder(0)
    net = b.build([b.relu(b.input((1, 4, 4, 8)))], "net")
    real, at = RealNetwork.of(net), net.main.inputs[0]
    stored = {at: np.arange(128, dtype=np.int8).reshape(1, 4, 4, 8) - 64}
    (found,) = real.run(stored).values()
    assert np.array_equal(found, np.maximum(real_values(net.main.tensors[at], stored[at]), 0))


def test_what_depends_on_bits_has_no_real_numbers():
    assert RealNetwork.of(NETWORK) is not None
    cast = tuple(replace(op, kind="CAST") for op in NETWORK.main.operators)
    other = replace(NETWORK, subgraphs=(replace(NETWORK.main, operators=cast),))
    assert RealNetwork.of(other) is None


def test_figures_add_up():
    one = ErrorFigures(elements=2, differing=1, largest=4.0, mean=2.0)
    other = ErrorFigures(elements=6, differing=0, largest=1.0, mean=0.0)
    both = ErrorFigures(elements=8, differing=1, largest=4.0, mean=0.5)
    assert one.and_of(other) == other.and_of(one) == both


def test_each_operator_is_told_and_a_right_model_has_no_fault(compiled):
    found = verify(compiled.read_bytes(), MODEL.read_bytes(), data=saved(pictures(2)))
    assert (found.holds, found.fault) == (True, Fault.NOBODY)
    ops = NETWORK.main.operators
    assert [(each.number, each.kind) for each in found.operators] == [
        (at, op.kind) for at, op in enumerate(ops)
    ]
    assert [each.kind for each in found.operators if each.is_on_cpu] == ["GATHER"]
    seen = [each.integer for each in found.operators if each.integer is not None]
    assert len(seen) > 10
    assert not any(each.differing or each.largest for each in seen)
    # What is rounded to the nearest is off by half a step, and by no more where it is not clamped.
    softmax = found.operators[-1].alone
    assert 0 < softmax.mean < softmax.largest <= 1


def test_a_devices_outputs_that_differ_are_the_runtimes_fault(compiled):
    given = given_inputs(NETWORK, saved(pictures(2)))
    out = NETWORK.main.outputs[0]
    right = np.stack([Reference(NETWORK).run(each.inputs)[out] for each in given])
    for off, fault in ((0, Fault.NOBODY), (1, Fault.RUNTIME)):
        wrong = right.copy()
        wrong[1, 0, 3] ^= off
        files = saved(input=pictures(2), **{OUTPUT.name: wrong})
        found = verify(compiled.read_bytes(), MODEL.read_bytes(), data=files)
        assert (found.holds, found.fault) == (True, fault)
        assert len(found.device) == off
    assert "1 of 20 elements differ" in found.device[0]


def test_a_compiled_model_of_other_weights_is_the_compilers_fault(compiled):
    data = bytearray(MODEL.read_bytes())
    weights = NETWORK.main.tensors[NETWORK.main.operators[0].inputs[1]].data.array.tobytes()
    at = data.find(weights)
    assert at > 0
    data[at] ^= 0x40
    found = verify(compiled.read_bytes(), bytes(data), data=saved(pictures(1)))
    assert (found.holds, found.fault) == (False, Fault.COMPILER)
    off = [each.number for each in found.operators if each.integer and each.integer.differing]
    assert off[0] == 0
    assert "first at CONV_2D 0" in found.outputs[0].sentence


def test_the_command_tells_it_and_writes_it(compiled, tmp_path, capsys):
    data, told, comment = (tmp_path / name for name in ("d.npz", "d.json", "d.md"))
    data.write_bytes(saved(pictures(1))["mine.npz"])
    words = ["verify", str(compiled), "--against", str(MODEL), "--data"]
    assert cli.main([*words, str(data)]) == 0
    shown = capsys.readouterr().out
    assert "from the start: up to" in shown
    assert "whose fault: nobody's" in shown
    assert cli.main([*words, str(tmp_path), "--json", str(told), "--md", str(comment)]) == 0
    plain = json.loads(told.read_text("utf-8"))
    assert (plain["reefpoint"], plain["version"], plain["fault"]) == (
        "operator errors",
        1,
        "nobody",
    )
    assert len(plain["operators"]) == len(NETWORK.main.operators)
    assert comment.read_text("utf-8").startswith("### Reefpoint: ")


def test_what_goes_with_data_alone_is_said(compiled, tmp_path, capsys):
    words = ["verify", str(compiled), "--against", str(MODEL)]
    assert cli.main([*words, "--json", str(tmp_path / "a.json")]) == 2
    assert "go with --data" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    assert cli.main([*words, "--data", str(tmp_path / "empty")]) == 2
    assert "has no .npz or .npy files" in capsys.readouterr().err


def test_operators_have_their_time_in_the_compiled_model(compiled):
    errors = verify(compiled.read_bytes(), MODEL.read_bytes(), data=saved(pictures(1))).operators
    spans = [each.span for each in errors if each.span is not None]
    assert spans
    assert all(0 <= span.begin_cycles < span.end_cycles for span in spans)
    assert all(each.span is None for each in errors if each.is_on_cpu)
    of_convolutions = [
        each.span for each in errors if each.kind == "CONV_2D" and each.span is not None
    ]
    assert of_convolutions == sorted(of_convolutions, key=lambda span: span.begin_cycles)


def test_the_timeline_tells_how_far_off_the_worst_is_at_each_time():
    def off(mean, begin=None, end=None):
        figures = ErrorFigures(elements=1, differing=1, largest=mean, mean=mean)
        span = None if begin is None else Span(begin_cycles=begin, end_cycles=end)
        return OperatorError(
            number=0,
            kind="CONV_2D",
            name="a",
            is_on_cpu=False,
            integer=None,
            alone=figures,
            real=None,
            span=span,
        )

    errors = (off(0.0, 0, 320), off(100.0), off(0.001, 320, 480), off(0.1, 480, 640))
    head, compiled, quantised, real, _ = timeline(errors)
    assert "of 640 cycles" in head
    assert compiled.endswith(f"|{'.' * 64}|")
    assert quantised.endswith(f"|{'0' * 32}{'9' * 16}{'3' * 16}|")
    assert real == f"{'from the start':14}  |{'.' * 64}|"
    assert timeline((off(1.0),)) == ()
