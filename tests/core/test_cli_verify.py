"""`reefpoint verify` as its users meet it: sentences, exit codes, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from core import cli
from core.base.frozen import replace
from core.ir.program import NpuOperation
from core.tflite import reader, writer
from tests.core.pipeline.planted import EXAMPLES, compiled, with_operation
from tests.shared import need

KWS = str(EXAMPLES / "kws_dscnn.tflite")


@pytest.fixture
def whole(tmp_path: Path) -> str:
    file = tmp_path / "whole.tflite"
    file.write_bytes(compiled("kws_dscnn"))
    return str(file)


def test_what_holds_is_told_and_exit_code_0(whole: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", whole, "--against", KWS, "--inputs", "3", "--seed", "5"]) == 0
    captured = capsys.readouterr()
    assert all(line.endswith("%") for line in captured.err.splitlines())
    assert captured.out.splitlines() == [
        "output 'head/softmax': equal, 12 elements for each of 3 inputs",
        "holds: 1 output, 0 findings",
    ]


def test_what_does_not_hold_is_told_with_its_place_and_exit_code_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def shift(op: NpuOperation) -> NpuOperation:
        return replace(op, ifm=replace(op.ifm, zero_point=op.ifm.zero_point + 3))

    broken = tmp_path / "broken.tflite"
    broken.write_bytes(with_operation(compiled("kws_dscnn"), 2, shift))
    assert cli.main(["verify", str(broken), "--against", KWS]) == 1
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("output 'head/softmax': ")
    assert "; first at CONV_2D 2 ('block1/" in first
    assert last == "does not hold: 1 output, 0 findings"


def test_what_was_compiled_from_another_model_does_not_hold_and_exit_code_1(
    whole: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["verify", whole, "--against", str(EXAMPLES / "resnet8.tflite")]) == 1
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first.startswith("finding: input 0 is 'input' int8 1x49x10x1, and ")
    assert last == "does not hold: 0 outputs, 2 findings"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["nowhere.tflite", "--against", KWS], "nowhere.tflite: No such file"),
        ([KWS, "--against", "nowhere.tflite"], "nowhere.tflite: No such file"),
        ([KWS, "--against", KWS], f"{KWS}: is not a compiled model"),
        ([KWS], "--against is needed"),
        (["WHOLE", "--against", "WHOLE"], "has been compiled itself"),
        (["WHOLE", "--against", KWS, "--inputs", "0"], "at least 1 is needed"),
        (["WHOLE", "--against", KWS, "--seed", "-1"], "--seed"),
    ],
)
def test_what_cannot_be_compared_is_one_line_and_exit_code_2(
    arguments: list[str], line: str, whole: str, capsys: pytest.CaptureFixture[str]
) -> None:
    named = [whole if text == "WHOLE" else text for text in arguments]
    assert cli.main(["verify", *named]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("reefpoint: ")
    assert captured.err.count("\n") == 1
    assert line in captured.err


@pytest.fixture
def half(tmp_path: Path) -> str:
    """The first half of a model that is none of ours."""
    file = tmp_path / "half.tflite"
    content = Path(KWS).read_bytes()
    file.write_bytes(content[: len(content) // 2])
    return str(file)


@pytest.fixture
def refused(tmp_path: Path) -> str:
    """A model that can be read, but has weights and biases the wrong way round."""
    network = reader.read(Path(KWS).read_bytes())
    first, *others = network.main.operators
    given, weights, biases = first.inputs
    first = replace(first, inputs=(given, biases, weights))
    spoilt = replace(network.main, operators=(first, *others))
    file = tmp_path / "refused.tflite"
    file.write_bytes(writer.write(replace(network, subgraphs=(spoilt,))))
    return str(file)


def refusal(capsys: pytest.CaptureFixture[str], made: str, original: str) -> str:
    """How `verify` refuses a pair."""
    assert cli.main(["verify", made, "--against", original]) == 2
    return capsys.readouterr().err


def test_a_refusal_begins_with_the_file_that_is_at_fault(
    whole: str, half: str, refused: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "copy.tflite"
    copy.write_bytes(Path(whole).read_bytes())
    for made, original, at_fault in (
        (half, KWS, half),
        (whole, half, half),
        (KWS, half, KWS),
        (whole, str(copy), str(copy)),
        (whole, refused, refused),
    ):
        told = refusal(capsys, made, original)
        assert told.startswith(f"reefpoint: {at_fault}: ")
        assert told.count(".tflite") == 1


PROGRAM = "executorch/cpubetween_u65-256"


def test_a_program_of_executorch_is_held_against_a_folder_of_graphs(capsys, tmp_path):
    for number in (0, 1):
        graph = need(f"{PROGRAM}.delegate{number}.tosa")
        (tmp_path / graph.name).write_bytes(graph.read_bytes())
    program = str(need(f"{PROGRAM}.pte"))
    assert cli.main(["verify", program, "--against", str(tmp_path), "--inputs", "2"]) == 0
    told = capsys.readouterr().out
    assert told.count("equal, 2048 elements for each of 2 inputs") == 2
    assert told.rstrip().endswith("holds: 2 outputs, 0 findings")


def test_a_program_of_executorch_is_judged_alone_and_by_kept_values(capsys):
    program = str(need(f"{PROGRAM}.pte"))
    assert cli.main(["verify", program]) == 0
    assert "no values were compared" in capsys.readouterr().out
    assert cli.main(["verify", program, "--against", str(need(f"{PROGRAM}.reference.npz"))]) == 0
    assert capsys.readouterr().out.count("equal, 2048 elements for 1 input") == 2


def test_an_output_that_a_blob_lacks_does_not_hold(capsys):
    program = need("executorch/real/unet_u55-128.pte")
    graph = program.with_name("unet_u55-128.delegate0.tosa")
    named = ["verify", str(program), "--against", str(graph), "--inputs", "1"]
    assert cli.main(named) == 1
    assert "output 0 of delegate 0, int8 1x8x64x64, is made by nobody" in capsys.readouterr().out


def test_a_folder_without_graphs_is_refused(capsys, tmp_path):
    program = str(need(f"{PROGRAM}.pte"))
    assert cli.main(["verify", program, "--against", str(tmp_path)]) == 2
    assert "has no .tosa files" in capsys.readouterr().err
