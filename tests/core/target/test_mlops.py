"""Projects of CMSIS-Toolbox as targets: what it writes, held against a whole reader of YAML."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import reefpoint
from core import cli
from core.base.errors import CoreError
from core.target import mlops

KWS = str(Path(__file__).parents[3] / "resources" / "examples" / "kws_dscnn.tflite")
INI = """; memories of a device, as a pack brings them
[System_Config.RTSS_HP]
core_clock=400e6
axi0_port=Sram
axi1_port=OffChipFlash
Sram_clock_scale=1.0
Sram_burst_length=32
Sram_read_latency=16
Sram_write_latency=16
OffChipFlash_clock_scale=0.25
OffChipFlash_burst_length=128
OffChipFlash_read_latency=64
OffChipFlash_write_latency=64

[Memory_Mode.Shared_Sram]
const_mem_area=Axi1
arena_mem_area=Axi0
cache_mem_area=Axi0
"""
TEXT = """cbuild-mlops:
  generated-by: csolution version 2.15.1
  description: detector for the Ethos-U55, "high performance": 256 MACs  # one
  processor:
    type: Cortex-M55
  npu:
    type: Ethos-U55
    macs: 256
  vela:
    ini: .cmsis/device_vela.ini
    options: >-
      --accelerator-config ethos-u55-256
      --system-config RTSS_HP --memory-mode=Shared_Sram --verbose-all
  model:
    clayer: ai_layer/ai_layer.clayer.yml
    name: TinyCNN
  simulator:
    active: SSE-300-U55
    output:
      - file: out/app.axf
        type: elf
"""


@pytest.fixture(name="project")
def _project(tmp_path):
    """`project(text)`: the path of a project with its ini."""
    (tmp_path / ".cmsis").mkdir()
    (tmp_path / ".cmsis" / "device_vela.ini").write_text(INI)

    def written(text=TEXT):
        path = tmp_path / "app.cbuild-mlops.yml"
        path.write_text(text)
        return path

    return written


def asked(tmp_path, *words):
    out = tmp_path / "s.json"
    assert cli.main(["schedule", KWS, "--json", str(out), *words]) == 0
    return json.loads(out.read_text())["target"]


def test_a_project_is_what_its_options_are(project, tmp_path, capsys):
    path = project()
    ini = tmp_path / ".cmsis" / "device_vela.ini"
    told = asked(tmp_path, "--board", str(path))
    first, *rest = capsys.readouterr().err.splitlines()
    assert "--accelerator-config ethos-u55-256 --system-config RTSS_HP" in first
    assert rest == []
    words = ["--accelerator-config", "ethos-u55-256", "--system-config", "RTSS_HP"]
    words += ["--memory-mode", "Shared_Sram", "--config", str(ini)]
    assert told == asked(tmp_path, *words)
    assert reefpoint.target(str(path)).system_config == "RTSS_HP"
    assert reefpoint.target(str(path), limit="64K").limit_bytes == 65_536
    (tmp_path / "reefpoint.toml").write_text('board = "app.cbuild-mlops.yml"\n')
    model = tmp_path / "net.tflite"
    model.write_bytes(Path(KWS).read_bytes())
    out = tmp_path / "s.json"
    assert cli.main(["schedule", str(model), "--json", str(out), "--force"]) == 0
    assert json.loads(out.read_text())["target"] == told


def test_all_texts_are_those_of_a_whole_reader():
    def flat(node, path=()):
        if isinstance(node, dict):
            return {k: v for key, each in node.items() for k, v in flat(each, (*path, key)).items()}
        if isinstance(node, list):
            return {k: v for each in node for k, v in flat(each, path).items()}
        return {"/".join(path): str(node)}

    found = {key: text for key, text in mlops._texts(TEXT).items() if text}
    assert found == flat(yaml.safe_load(TEXT.replace(": 256 MACs", " 256 MACs"))) | {
        "cbuild-mlops/description": found["cbuild-mlops/description"]
    }
    assert found["cbuild-mlops/description"].endswith("256 MACs")


def test_other_macs_than_the_device_has_are_a_warning(project, tmp_path, capsys):
    path = project(TEXT.replace("macs: 256", "macs: 128"))
    assert asked(tmp_path, "--board", str(path))
    told = capsys.readouterr().err
    assert "the device's NPU is ethos-u55-128, and --accelerator-config is ethos-u55-256" in told
    # Without the option, the device says it.
    path = project(TEXT.replace("--accelerator-config ethos-u55-256", ""))
    assert mlops.read_project(path).target["accelerator_config"] == "ethos-u55-256"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("Ethos-U55", "Ethos-U85", "Ethos-U85, which is not compiled for"),
        ("ethos-u55-256", "ethos-u55-257", "unknown accelerator"),
        ("cbuild-mlops:", "cbuild-run:", "no project of CMSIS-Toolbox"),
        ("    macs: 256", "\tmacs: 256", "line 8: is indented by a tab"),
        ("  npu:", "  npu", "line 6: is neither"),
        ("--verbose-all", '"', "vela: options"),
    ],
)
def test_what_is_broken_is_said_in_a_line(project, capsys, old, new, words):
    text = TEXT.replace("Ethos-U55,", "device,").replace(old, new)
    assert cli.main(["schedule", KWS, "--board", str(project(text))]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "app.cbuild-mlops.yml: " in line
    assert words in line


def test_a_project_is_not_written_over(project, capsys):
    path = project()
    assert cli.main(["schedule", KWS, "--board", str(path), "--json", str(path), "--force"]) == 2
    assert path.read_text() == TEXT
    assert "app.cbuild-mlops.yml" in capsys.readouterr().err


def test_a_project_that_is_missing_is_said(capsys):
    assert cli.main(["schedule", KWS, "--board", "no.cbuild-mlops.yml"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "no.cbuild-mlops.yml" in line


@given(st.integers(0, len(TEXT)), st.text("abc:-#'\" \t\n>|", max_size=6))
def test_whatever_a_file_is_the_reader_answers_or_refuses(at, more):
    try:
        mlops._project(Path("x.cbuild-mlops.yml"), mlops._texts(TEXT[:at] + more + TEXT[at:]))
    except CoreError as error:
        told = str(error)
    else:
        told = "a target"
    assert len(told.splitlines()) == 1
