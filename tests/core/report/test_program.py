"""A compiled model as text and as JSON, and how the command line tells one."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import cli
from core.api import programs
from core.base.dtype import DType
from core.base.frozen import replace
from core.base.geometry import Shape4
from core.base.ids import TensorId
from core.emit.study import study
from core.ir.network import Network
from core.ir.program import (
    BoundTensor,
    CommandStream,
    DmaPlace,
    DmaTransfer,
    Engine,
    MapUse,
    NpuOperation,
    Program,
    ProgramPart,
    ScalarUse,
    Wait,
)
from core.report import program_json, program_text
from core.report.calls import calls_of
from core.target.resolve import resolve
from core.target.target import Target
from tests.conftest import Golden
from tests.core.emit.programs import compiled_file, part_of
from tests.core.emit.streams import U55, assemble, disassemble, flat, pool, repeating, rows, stream
from tests.shared import need

SHAPE = Shape4(1, 4, 4, 8)
A, B, C = (flat(SHAPE, address) for address in (0, 256, 512))
FOUND = stream(
    DmaTransfer(source=DmaPlace(0, 0), destination=DmaPlace(1, 0), size_bytes=128),
    Wait(engine=Engine.DMA, outstanding=0),
    *(
        op
        for first in (0, 2)
        for op in (
            pool(rows(A, first, 2), rows(B, first, 2)),
            pool(rows(B, first, 2), rows(C, first, 2)),
        )
    ),
)
WORDS = assemble(FOUND, U55)
TARGET = resolve("ethos-u55-128")
NO_NETWORK = Network(subgraphs=())


def program_of(part: ProgramPart) -> Program:
    return Program(parts=(part,), compiler="")


INPUT = BoundTensor(
    tensor=TensorId(0), name="in", shape=(1, 4), dtype=DType.INT8, size_bytes=4, arena_address=0
)
SHARED = "peer/compiled/person_detect_vela.tflite"


def file_of(folder: Path, words: tuple[int, ...]) -> Path:
    file = folder / "compiled.tflite"
    file.write_bytes(compiled_file(words))
    return file


def test_the_text_has_commands_cascades_and_live_ranges(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
):
    assert cli.main(["inspect", str(file_of(tmp_path, WORDS))]) == 0
    golden.check("inspect_compiled.txt", capsys.readouterr().out)


def test_the_json_has_every_register_of_an_operation():
    part = part_of(FOUND)
    program = Program(parts=(part,), compiler="a test")
    found = json.loads(program_json.render("x", NO_NETWORK, program, (study(part, TARGET),)))
    (part_found,) = found["command_streams"]
    assert [item["command"] for item in part_found["commands"]] == [
        type(command).__name__ for command in FOUND.commands
    ]
    op = part_found["commands"][2]
    assert op["ifm"]["bases"] == [0, 0, 0, 0]
    assert op["ifm"]["tiles"] == {"height0": 2, "height1": 2, "width0": 4}
    assert op["job"] == "average pool"
    assert op["estimated_cycles"] > 0
    assert part_found["cascades"] == [{"layers": [0, 1], "first": 2, "last": 5}]
    assert [life["address"] for life in part_found["live_ranges"]] == [0, 256, 512]


def told_of(found: Any, use: MapUse | ScalarUse | None) -> bool:
    """Whether what is told of an operand is where it lies, or else its value."""
    if use is None:
        return found is None
    if isinstance(use, ScalarUse):
        return found["value"] == use.value
    return found["bases"] == list(use.bases) and found["strides"] == use.strides._asdict()


@pytest.mark.long
@given(repeating(), st.sampled_from((None, TARGET)))
def test_each_operation_is_told_at_its_own_place(found: CommandStream, target: Target | None):
    part = part_of(disassemble(assemble(found, U55)))
    shown = study(part, target)
    program = Program(parts=(part,), compiler="a test")
    text = program_json.render("x", NO_NETWORK, program, (shown,))
    assert text == json.dumps(json.loads(text), indent=1) + "\n"
    (told,) = json.loads(text)["command_streams"]
    assert [each["word"] for each in told["commands"]] == list(part.stream.positions)
    for each, op in zip(told["commands"], found.commands, strict=True):
        if isinstance(op, NpuOperation):
            for role in ("ifm", "ofm", "ifm2"):
                assert told_of(each[role], getattr(op, role))
            assert each["weights"] == [item._asdict() for item in op.weights]
            assert each["scales"] == [item._asdict() for item in op.scales]
            assert each["job"] == op.job.value
            assert each["kernel"]["stride_w"] == op.kernel.stride_w


def test_no_name_is_taken_for_a_place_to_put_something_in():
    names = ('"commands": null', 'commands": null', "100 % \0 %s", "\u0000")
    parts = tuple(replace(part_of(stream()), inputs=(replace(INPUT, name=name),)) for name in names)
    program = Program(parts=parts, compiler='"commands": null')
    text = program_json.render("x", NO_NETWORK, program, [study(part, TARGET) for part in parts])
    found = json.loads(text)["command_streams"]
    assert [part["inputs"][0]["name"] for part in found] == list(names)
    assert [[item["command"] for item in part["commands"]] for part in found] == [["Stop"]] * 4


def test_a_stream_without_commands_has_an_empty_list():
    part = part_of(CommandStream(commands=()))
    text = program_json.render("x", NO_NETWORK, program_of(part), (study(part, TARGET),))
    assert '   "commands": [],\n   "layers": [],\n' in text


def test_a_stream_that_cannot_be_read_is_shown_as_far_as_it_goes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = file_of(tmp_path, (*WORDS[:-1], 0x0155, WORDS[-1]))
    assert cli.main(["inspect", str(file)]) == 2
    captured = capsys.readouterr()
    assert f"NOT READ FURTHER than word {len(WORDS) - 1}" in captured.out
    assert captured.out.count("average pool") >= 4
    read = len(FOUND.commands) - 1
    place = f"{file}: command stream 0, command {read}, word {len(WORDS) - 1}"
    assert captured.err == f"reefpoint: {place}: there is no command 0x0155\n"


def test_a_broken_payload_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "compiled.tflite"
    file.write_bytes(compiled_file(WORDS).replace(b"COP1", b"COP7"))
    assert cli.main(["inspect", str(file)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"reefpoint: {file}: subgraph 0, operator 0: its payload begins")


def test_the_accelerator_is_the_files_and_the_memories_are_the_users(
    capsys: pytest.CaptureFixture[str],
):
    file = str(need(SHARED))
    arguments = ["--accelerator-config", "ethos-u65-512", "--memory-mode", "Sram_Only"]
    assert cli.main(["inspect", file, *arguments, "--json", "-"]) == 0
    (part,) = json.loads(capsys.readouterr().out)["command_streams"]
    assert part["target"]["accelerator_config"] == "ethos-u55-256"
    assert part["target"]["memory_mode"] == "Sram_Only"
    assert len(part["commands"]) == 87 + 55 + len(
        [item for item in part["commands"] if item["command"] in {"Wait", "Stop"}]
    )


def test_an_old_file_of_another_compiler_as_text(capsys: pytest.CaptureFixture[str]):
    assert cli.main(["inspect", str(need(SHARED))]) == 0
    out = capsys.readouterr().out
    assert "made by: Vela 3.11.0 Optimised (vela 3.11.0)" in out
    assert "for ethos-u55-256 (256 MACs, 48 KiB of shared buffer), architecture 1.0.6" in out
    assert "3x2 stride 2x1 pad 0,0,1,1" in out


def test_a_part_for_an_unknown_accelerator_has_no_estimates():
    part = part_of(FOUND, U55._replace(product=5))
    text = program_text.render("x", NO_NETWORK, program_of(part), (study(part, None),))
    assert "for an unknown product 5" in text
    assert "cycles of operations" not in text


def test_calls_of_a_program_are_told_in_their_order_with_what_is_handed_over(capsys):
    path = need("executorch/cpubetween_u65-256.pte")
    assert cli.main(["inspect", str(path)]) == 0
    told = capsys.readouterr().out
    lines = told.split("Calls, in their order\n\n")[1].split("\n\n")[0].splitlines()[2:]
    titles = [line.split(None, 2)[2].split("  ")[0] for line in lines if line[:2].strip()]
    assert titles[:7] == [
        "quantized_decomposed::quantize_per_tensor.out",
        "copy into delegate 0",
        "delegate 0",
        "copy out of delegate 0",
        "quantized_decomposed::dequantize_per_tensor.out",
        "aten::sort.values",
        "quantized_decomposed::quantize_per_tensor.out",
    ]


@pytest.mark.parametrize("name", ["cpubetween_u65-256", "real/unet_u55-128", "convres_io8_u55-128"])
def test_what_a_call_takes_was_made_before_or_comes_from_outside(name):
    path = need(f"executorch/{name}.pte")
    read = programs.read_program(path.read_bytes())
    plans = {graph.name: graph for graph in read.network.subgraphs}
    made = {(plan.name, plan.tensors[each].name) for plan in plans.values() for each in plan.inputs}
    unmade = set()
    for call in calls_of(read.network, read.program):
        for each in call.takes:
            if (call.method, each.name) not in made:
                unmade.add(each.name)
        made |= {(call.method, each.name) for each in call.gives}
        for each in (*call.takes, *call.gives):
            assert each.size_bytes == math.prod(each.shape) * each.dtype.size_bytes
    # The ecosystem's compiler left one of the first delegate's two outputs out.
    assert unmade == ({"value 7"} if "unet" in name else set())
