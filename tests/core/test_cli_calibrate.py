"""`calibrate` from the shell: logs in, a system config out that schedules use, or nothing."""

from __future__ import annotations

import json
import subprocess

import pytest

from core.api import programs, targets
from core.cli.run import main
from core.target.config import load
from tests.core.peer import NEEDS_PEER, peer_python
from tests.shared import need

KWS = "kws_micronet_m__ethos-u55-128"
"""Measured by Arm's FVP with memory timing: 405,050 cycles."""
LOG = """INFO - NPU AXI0_RD_DATA_BEAT_RECEIVED beats: 132130
INFO - NPU AXI0_WR_DATA_BEAT_WRITTEN beats: 48252
INFO - NPU AXI1_RD_DATA_BEAT_RECEIVED beats: 17544
INFO - NPU TOTAL cycles: {cycles}
"""


@pytest.fixture(name="kws")
def _kws(tmp_path):
    model, log = tmp_path / "kws=1.tflite", tmp_path / "kws.log"
    model.write_bytes(need(f"measured/programs/{KWS}.tflite").read_bytes())
    log.write_text(LOG.format(cycles=405050), encoding="utf-8")
    return model, log


def run(capsys, *argv):
    code = main(["calibrate", *map(str, argv)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_board_as_assumed_is_written_with_its_evidence(kws, tmp_path, capsys):
    model, log = kws
    ini = tmp_path / "my board.ini"
    code, out, err = run(capsys, f"{model}={log}", "-o", ini)
    assert (code, err) == (0, "")
    assert "external bytes a cycle: 1 as assumed; " in out
    text = ini.read_text("utf-8")
    assert "# mean error: " in text
    assert (
        load([ini]).system_config("my_board").axi1
        == load().system_config("Ethos_U55_High_End_Embedded").axi1
    )
    # It says what it is: it may be written again without a word.
    assert run(capsys, f"{model}={log}", "-o", ini)[0] == 0


def test_what_is_written_is_what_programs_are_then_priced_by(kws, tmp_path, capsys):
    model, _ = kws
    rnnoise = need("measured/programs/rnnoise_INT8__ethos-u55-128.tflite")
    ini, found = tmp_path / "board.ini", tmp_path / "found.json"
    # What they take where the flash brings half as much.
    measured = {rnnoise: 221_344, model: 450_074}
    pairs = [f"{path}={cycles}" for path, cycles in measured.items()]
    assert run(capsys, *pairs, "-o", ini, "--json", found)[0] == 0
    rows = json.loads(found.read_text("utf-8"))["measurements"]
    target = targets.resolve_target("ethos-u55-128", "board", "Shared_Sram", config_files=[ini])
    for (path, cycles), row in zip(measured.items(), rows, strict=True):
        opened = programs.open_compiled(path.read_bytes(), lambda _: target)
        priced = programs.read_back(opened).scheduled.total.total_cycles
        assert row["measured_cycles"] == cycles
        assert priced == pytest.approx(row["cycles_after"], 1e-4)


def test_a_model_is_scheduled_by_what_is_asked_for(tmp_path, capsys):
    model = need("measured/networks/kws_micronet_m.tflite")
    options = ["--accelerator-config", "ethos-u55-128", "--search", "compatible"]
    ini = tmp_path / "board.ini"
    assert run(capsys, f"{model}=405050 cycles", "-o", ini, *options)[0] == 0
    assert load([ini]).system_config("board").core_clock_hz == 500e6


def test_where_no_board_fits_nothing_is_written(kws, tmp_path, capsys):
    model, _ = kws
    ini = tmp_path / "board.ini"
    # Faster than its multiplications alone.
    code, out, err = run(capsys, f"{model}=100000", "-o", ini)
    assert code == 1
    assert "does not fit: kws=1.tflite=100000" in out
    assert err == f"reefpoint: {ini}: is not written: the measurements do not fit one board\n"
    assert not ini.exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\xff\xfe", "line 1: is not text in UTF-8"),
        (b"hello world\n", "has no cycles and no time of an inference, such as 'NPU TOTAL"),
        (b"NPU TOTAL: many cycles\n", "line 1: 'many cycles' is no count"),
        (b"name,cycles\nconv,12\n", "line 2: 'conv' no operator has this name"),
        (b"id,cycles\n0,12\n", "has cycles of 1 operators, and of "),
        (b'{"cycles": ', "line 1: is not JSON"),
    ],
)
def test_damaged_logs_are_refused_in_one_sentence(content, message, kws, tmp_path, capsys):
    model, log = kws
    log.write_bytes(content)
    code, out, err = run(capsys, f"{model}={log}", "-o", tmp_path / "board.ini")
    assert (code, out) == (2, "")
    assert err.startswith(f"reefpoint: {log}: {message}")
    assert err.count("\n") == 1


def test_what_is_no_pair_is_refused(kws, tmp_path, capsys):
    model, log = kws
    ini = tmp_path / "board.ini"
    # The name of the model itself has an equals sign.
    for pair, message in (
        (str(model.with_name("kws.log")), "is not MODEL=LOG"),
        ("=5", "is not MODEL=LOG"),
        (f"{model}=nowhere.log", "reefpoint: nowhere.log: No such file or directory"),
        (f"{model}=0", "reefpoint: 0: has an inference of 0 cycles"),
        (f"{log}={log}", "this is a text file, not a TensorFlow Lite file"),
    ):
        code, out, err = run(capsys, pair, "-o", ini)
        assert (code, out, err.count("\n")) == (2, "", 1), err
        assert message in err


@pytest.mark.parametrize("at", [0, 1])
def test_neither_side_of_a_pair_is_written_over(kws, at, capsys):
    before = [path.read_bytes() for path in kws]
    code, _, err = run(capsys, f"{kws[0]}={kws[1]}", "-o", kws[at], "--force")
    assert code == 2
    assert "which is read and would be lost" in err
    assert [path.read_bytes() for path in kws] == before


class TestWithThePeer:
    pytestmark = NEEDS_PEER

    @pytest.mark.parametrize("core", ["--debug-force-regor", "--debug-force-legacy-core"])
    def test_its_tools_read_what_is_written(self, core, kws, tmp_path, capsys):
        model, _ = kws
        ini = tmp_path / "board.ini"
        assert run(capsys, f"{model}=3ms@200MHz", "-o", ini)[0] == 0
        network = need("measured/networks/kws_micronet_m.tflite")
        options = ["--config", str(ini), "--system-config", "board", "--memory-mode", "Shared_Sram"]
        command = [peer_python(), "-m", "ethosu.vela", str(network), core, *options]
        command += ["--accelerator-config", "ethos-u55-128", "--output-dir", str(tmp_path / "out")]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        assert "200.00 MHz" in done.stdout or "200 MHz" in done.stdout
