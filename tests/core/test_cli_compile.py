"""`reefpoint compile` as its users meet it: the file, reports, proof, refusals, interruption."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core import cli
from core.api import compiler, networks
from core.base.dtype import DType
from core.ir.program import NpuOperation
from core.pipeline.proof import litert
from core.synth.builder import Builder
from core.tflite import writer
from tests.core.pipeline.planted import EXAMPLES, ROOT, compiled, with_commands
from tests.networks.small_networks import five_operators
from tests.processes import interrupts

KWS = str(EXAMPLES / "kws_dscnn.tflite")
TARGET = ("--accelerator-config", "ethos-u55-128")


def test_the_file_is_a_compiled_model_and_nothing_is_amiss(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "out.tflite"
    assert cli.main(["compile", KWS, "-o", str(file), *TARGET]) == 0
    assert capsys.readouterr().err == ""
    assert file.read_bytes() == compiled("kws_dscnn")
    assert list(tmp_path.iterdir()) == [file]
    assert cli.main(["verify", str(file), "--against", KWS]) == 0
    assert cli.main(["inspect", str(file)]) == 0


@pytest.fixture(scope="module")
def five(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A network of five operators, for what does not depend on which it is."""
    path = tmp_path_factory.mktemp("models") / "five.tflite"
    path.write_bytes(five_operators())
    return str(path)


def test_it_says_who_found_the_schedule_and_keeps_the_front(
    five: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REEFPOINT_CACHE", str(tmp_path / "fronts"))
    words = [*TARGET, "--search", "best", "--effort", "4", "--arena-cache-size", "20K"]
    made = []
    for name, more in (("a", []), ("b", ["--use-known"]), ("c", ["--use-known"])):
        assert cli.main(["compile", five, "-o", str(tmp_path / name), *words, *more]) == 0
        said = capsys.readouterr()
        assert said.err == ""
        (line,) = (each for each in said.out.splitlines() if each.startswith("found by"))
        assert "after 4 searches" in line
        assert (tmp_path / "fronts").exists() == (name != "a")
        made.append(((tmp_path / name).read_bytes(), line))
    assert made[0] == made[1] == made[2]


def test_what_others_have_kept_changes_nothing_that_is_written_or_said(
    five: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    best = [*TARGET, "--search", "best", "--arena-cache-size", "12K"]

    def made(*more: str) -> tuple[bytes, str]:
        out = tmp_path / "out.tflite"
        assert cli.main(["compile", five, "-o", str(out), "--effort", "1", *best, *more]) == 0
        return out.read_bytes(), capsys.readouterr().out

    alone = made()
    monkeypatch.setenv("REEFPOINT_CACHE", str(tmp_path / "fronts"))
    told = ["--json", str(tmp_path / "told.json")]
    assert cli.main(["schedule", five, "--effort", "4", *best, *told]) == 0
    before = {path: path.read_bytes() for path in (tmp_path / "fronts").iterdir()}
    assert before
    assert made() == alone
    assert {path: path.read_bytes() for path in (tmp_path / "fronts").iterdir()} == before
    assert "after 4 searches" in made("--use-known")[1]


def test_the_same_input_gives_the_same_bytes_in_another_process(tmp_path: Path) -> None:
    """Also with another seed for Python's own hashes."""
    made = [tmp_path / f"{seed}.tflite" for seed in (1, 2)]
    for seed, file in enumerate(made):
        command = [sys.executable, "main.py", "compile", KWS, "-o", str(file)]
        environment = {"PYTHONHASHSEED": str(seed), "PATH": ""}
        subprocess.run(command, cwd=ROOT, env=environment, check=True)
    assert made[0].read_bytes() == made[1].read_bytes()


def test_reports_stand_beside_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, schedule, summary, layers = (tmp_path / name for name in ("o", "s.json", "s.csv", "l.csv"))
    reports = ["--schedule-json", str(schedule), "--summary-csv", str(summary)]
    reports += ["--per-layer-csv", str(layers)]
    assert cli.main(["compile", KWS, "-o", str(out), *TARGET, *reports]) == 0
    capsys.readouterr()
    assert cli.main(["schedule", KWS, *TARGET, "--json", "-"]) == 0
    assert schedule.read_text() == capsys.readouterr().out
    names, figures = csv.reader(summary.read_text().splitlines())
    assert len(names) == len(figures)
    lines = list(csv.reader(layers.read_text().splitlines()))
    assert len(lines) - 1 == len(json.loads(schedule.read_text())["schedules"][0]["ops"])


def test_verified_means_that_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "out.tflite"
    proof = ["--verify", "--inputs", "2", "--seed", "7"]
    assert cli.main(["compile", KWS, "-o", str(file), *proof]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == [
        "output 'head/softmax': equal, 12 elements for each of 2 inputs",
        "holds: 1 output, 0 findings",
    ]
    assert file.exists()


def faulty(commands: list[object]) -> None:
    at = [at for at, item in enumerate(commands) if isinstance(item, NpuOperation)][2]
    del commands[at]


def test_what_does_not_hold_is_not_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = with_commands(compiled("kws_dscnn"), faulty)
    real = compiler.compile_model

    def compile_wrongly(*arguments: object, **options: object) -> compiler.Compiled:
        return compiler.Compiled(data=broken, network=real(*arguments, **options).network)

    monkeypatch.setattr(compiler, "compile_model", compile_wrongly)
    file, summary = tmp_path / "out.tflite", tmp_path / "summary.csv"
    arguments = ["compile", KWS, "-o", str(file), "--summary-csv", str(summary), "--verify"]
    assert cli.main(arguments) == 1
    captured = capsys.readouterr()
    assert "does not hold: " in captured.out.splitlines()[-1]
    assert captured.err.splitlines()[-1] == f"reefpoint: {file} is not written: it does not hold"
    assert list(tmp_path.iterdir()) == []


def only_real_numbers() -> bytes:
    builder = Builder(1, DType.INT8)
    builder.float_cosine(builder.input((1, 4, 4, 2)))
    return writer.write(builder.build(builder.ends(), "wave"))


def test_a_network_without_anything_for_the_npu_is_said_to_be_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "wave.tflite"
    file.write_bytes(only_real_numbers())
    out = tmp_path / "out.tflite"
    assert cli.main(["compile", str(file), "-o", str(out), "--verify"]) == 0
    assert "no operator of this model runs on the NPU" in capsys.readouterr().err
    assert out.exists()


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert cli.main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("reefpoint: ")
    assert captured.err.count("\n") == 1
    return captured.err


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("", "Is a directory"),
        ("nowhere/out.tflite", "nowhere/out.tflite: No such file or directory"),
        ("model.tflite", "which is read and would be lost"),
        ("link.tflite", "which is read and would be lost"),
    ],
)
def test_places_are_refused_before_any_work(
    place: str,
    line: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(networks, "run", lambda *_: pytest.fail("work was done"))
    model = tmp_path / "model.tflite"
    model.write_bytes(Path(KWS).read_bytes())
    (tmp_path / "link.tflite").symlink_to(model)
    assert line in refused(["compile", str(model), "-o", str(tmp_path / place)], capsys)
    assert model.read_bytes() == Path(KWS).read_bytes()


def test_what_is_missing_or_asked_for_twice_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / "out")
    assert "-o" in refused(["compile", KWS], capsys)
    twice = ["compile", KWS, "-o", file, "--summary-csv", file]
    assert "is asked for twice" in refused(twice, capsys)
    assert "-: is not a file" in refused(["compile", KWS, "-o", "-"], capsys)
    assert "'many' is not a whole number" in refused(
        ["compile", KWS, "-o", file, "--verify", "--inputs", "many"], capsys
    )
    assert list(tmp_path.iterdir()) == []


def test_a_compiled_model_is_not_compiled_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "compiled.tflite"
    file.write_bytes(compiled("kws_dscnn"))
    said = refused(["compile", str(file), "-o", str(tmp_path / "out")], capsys)
    assert f"{file}: has been compiled already" in said
    assert list(tmp_path.iterdir()) == [file]


def test_without_litert_nothing_is_written_unproved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(litert, "is_available", lambda: False)
    file = tmp_path / "out.tflite"
    said = refused(["compile", KWS, "-o", str(file), "--verify"], capsys)
    assert "LiteRT, which is not installed" in said
    assert cli.main(["compile", KWS, "-o", str(file)]) == 0
    assert file.exists()


def test_litert_is_not_loaded_unless_something_is_verified(tmp_path: Path) -> None:
    script = (
        "import sys; from core import cli; cli.main(sys.argv[1:]);"
        "sys.exit(any(name.startswith('ai_edge_litert') for name in sys.modules))"
    )
    command = [sys.executable, "-c", script, "compile", KWS, "-o", str(tmp_path / "out")]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0


SLOW = """
import os, sys
from core import cli
os.fsync = lambda _: (print("writing", flush=True), sys.stdin.readline())
sys.exit(cli.main(sys.argv[1:]))
"""
"""The command line on a slow machine, whose disk waits to be told that it is done."""


@contextmanager
def writing(folder: Path, *, are_heard: bool) -> Iterator[subprocess.Popen[str]]:
    """A compilation whose file is half there."""
    with interrupts(are_heard=are_heard):
        process = subprocess.Popen(
            [sys.executable, "-c", SLOW, "compile", KWS, "-o", str(folder / "out")],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "writing\n"
        assert len(list(folder.iterdir())) == 1
        yield process


SENDS_SIGNALS = pytest.mark.skipif(os.name == "nt", reason="Ctrl-C cannot be sent there")


@SENDS_SIGNALS
def test_an_interrupt_while_it_is_written_leaves_no_file(tmp_path: Path) -> None:
    with writing(tmp_path, are_heard=True) as process:
        process.send_signal(signal.SIGINT)
        _, told = process.communicate()
        assert told == "reefpoint: interrupted\n"
        assert process.returncode == 130
    assert list(tmp_path.iterdir()) == []


@SENDS_SIGNALS
def test_a_job_that_ignores_interrupts_from_its_start_goes_on(tmp_path: Path) -> None:
    with writing(tmp_path, are_heard=False) as process:
        process.send_signal(signal.SIGINT)
        _, told = process.communicate("done\n" * 9)
        assert (process.returncode, told) == (0, "")
    assert list(tmp_path.iterdir()) == [tmp_path / "out"]


def test_what_was_made_is_said_in_a_few_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.tflite"
    assert cli.main(["compile", KWS, "-o", str(out)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("kws_dscnn.tflite: ")
    assert any(line.endswith("an inference") for line in told)
    assert told[-1] == f"{out}: {out.stat().st_size:,} bytes"
