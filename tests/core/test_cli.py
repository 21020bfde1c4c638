"""The command line as its users meet it: texts, files, exit codes, one clear line for errors."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from core import cli
from core.api import targets
from core.base.version import VERSION
from core.ir.options import Allocator, EvictionPolicy, Search, Strategy
from tests.conftest import Golden

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "resources" / "examples"
KWS = str(EXAMPLES / "kws_dscnn.tflite")


def test_inspect_prints_tensors_operators_and_what_they_become(
    capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    assert cli.main(["inspect", KWS]) == 0
    golden.check("inspect_kws_dscnn.txt", capsys.readouterr().out)


def test_inspect_says_why_an_operator_stays_on_the_cpu(
    capsys: pytest.CaptureFixture[str],
) -> None:
    model = str(EXAMPLES / "shuffle_with_cpu.tflite")
    assert cli.main(["inspect", model, "--accelerator-config", "ethos-u65-512"]) == 0
    out = capsys.readouterr().out
    assert "2 command streams" in out
    assert "Why operators stay on the CPU\n\nGATHER 8: " in out


def test_help_names_every_choice_that_a_target_has(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "500")  # Narrow ones break names at their hyphens.
    with pytest.raises(SystemExit):
        cli.main(["inspect", "--help", "all"])
    words = capsys.readouterr().out.replace(",", " ").replace(";", " ").split()
    presets = targets.load_configs()
    choices = [*targets.ACCELERATORS, *presets.system_configs, *presets.memory_modes]
    choices += [choice.value for choice in (*Strategy, *Allocator, *EvictionPolicy, *Search)]
    assert [choice for choice in choices if choice not in words] == []


def test_json_holds_every_operator_with_its_way_there_and_back(tmp_path: Path) -> None:
    file = tmp_path / "kws.json"
    assert cli.main(["inspect", KWS, "--json", str(file)]) == 0
    report = json.loads(file.read_text())
    assert report["model"] == "kws_dscnn.tflite"
    assert report["target"]["accelerator_config"] == "ethos-u55-256"
    npu_ops = report["schedules"][0]["ops"]
    for index, op in enumerate(npu_ops):
        assert all(index in report["operators"][number]["npu_ops"] for _, number in op["sources"])
    placed = {op["fate"] for op in report["operators"]}
    assert placed <= {"npu", "cpu", "fused", "removed"}
    assert list(tmp_path.iterdir()) == [file]


def test_json_can_go_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["inspect", KWS, "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["cpu_ops"] == []


def test_the_same_input_gives_the_same_bytes_in_another_process(tmp_path: Path) -> None:
    """Also with another seed for Python's own hashes."""
    files = [tmp_path / f"{seed}.json" for seed in (1, 2)]
    for seed, file in enumerate(files):
        command = [sys.executable, "main.py", "inspect", KWS, "--json", str(file)]
        environment = {"PYTHONHASHSEED": str(seed), "PATH": ""}
        subprocess.run(command, cwd=ROOT, env=environment, check=True)
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["inspect", "nowhere.tflite"], "nowhere.tflite: No such file or directory"),
        (["inspect", str(ROOT)], f"{ROOT}: Is a directory"),
        (["inspect", str(ROOT / "README.md")], f"{ROOT / 'README.md'}: this is a text file"),
        (["inspect", KWS, "--accelerator-config", "ethos-u55-265"], "did you mean 'ethos-u55-256'"),
        (["inspect", KWS, "--memory-mode", "Shared_Ram"], "did you mean 'Shared_Sram'"),
        (["inspect", KWS, "--system-config", "Ethos_U55"], "did you mean 'Ethos_U"),
        (["inspect", KWS, "--config", "nowhere.ini"], "nowhere.ini"),
        (["inspect", KWS, "--arena-cache-size", "many"], "many"),
        (["inspect", KWS, "--optimise", "Speed"], "unknown strategy 'Speed'"),
        (["inspect", KWS, "--tensor-allocator", "Hillclimb2"], "did you mean 'HillClimb'"),
        (["inspect", KWS, "--spilling", "components"], "did you mean 'component'"),
        (["inspect", KWS, "--search", "bests"], "did you mean 'best'"),
        (["inspect", KWS, "--search", "monotone"], "--search best is better"),
        (["inspect", KWS, "--json", "nowhere/at/all.json"], "nowhere/at/all.json"),
        (["inspect"], "MODEL"),
        (["inspcet", KWS], "inspcet"),
        ([], "command"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_exit_code_2(
    arguments: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("reefpoint: ")
    assert captured.err.count("\n") == 1
    assert line in captured.err


@pytest.mark.parametrize("command", ["inspect", "schedule"])
def test_what_is_wrong_inside_a_file_names_the_file(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "half.tflite"
    whole = Path(KWS).read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    assert cli.main([command, str(file)]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"reefpoint: {file}: ")
    assert captured.err.count("\n") == 1


def test_a_reader_that_stops_reading_is_no_error() -> None:
    command = [sys.executable, "main.py", "inspect", KWS]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read().decode() == ""
        assert process.wait() == 0


def test_the_version_is_the_projects() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == VERSION
