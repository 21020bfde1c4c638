"""`reefpoint schedule` as its users meet it: table, JSON, limits, progress, and Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from core import cli
from tests.conftest import Golden
from tests.core.lower.test_like_the_peer import comparison
from tests.peer import load
from tests.processes import interrupts
from tests.shared import need

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "resources" / "examples"
KWS = str(EXAMPLES / "kws_dscnn.tflite")
LARGE = str(EXAMPLES / "mobilenet_v2_035_96.tflite")
DEDICATED = (
    *("--accelerator-config", "ethos-u65-256", "--system-config", "Ethos_U65_High_End"),
    *("--memory-mode", "Dedicated_Sram_384KB"),
)


def test_schedule_prints_operators_cascades_memory_and_totals(
    capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    assert cli.main(["schedule", KWS, *DEDICATED]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    golden.check("schedule_kws_dscnn.txt", captured.out)


def test_json_goes_to_a_file_and_nothing_to_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "kws.json"
    assert cli.main(["schedule", KWS, *DEDICATED, "--json", str(file)]) == 0
    assert capsys.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == [file]
    report = json.loads(file.read_text())
    assert report["core"] == "reefpoint"
    assert len(report["schedules"][0]["ops"]) == 43
    assert float(report["summary"]["sram_memory_used"]) * 1024 <= 393216


def test_json_can_go_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["schedule", KWS, "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["cpu_ops"] == []


@pytest.mark.parametrize(
    "options",
    [
        ["--optimise", "Size"],
        ["--spill-policy", "over-limit"],
        ["--spill-policy", "lifetime"],
        ["--tensor-allocator", "Greedy"],
        ["--arena-cache-size", "16K"],
    ],
)
def test_what_the_options_say_is_in_the_report(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["schedule", KWS, *DEDICATED, *options, "--json", "-"]) == 0
    said = json.loads(capsys.readouterr().out)["options"]
    name, value = options
    assert said[said.index(name) + 1] == {"16K": "16384"}.get(value, value)


@pytest.mark.long
def test_the_best_search_says_how_it_found_its_schedule(
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = ["schedule", KWS, *DEDICATED, "--arena-cache-size", "16K", "--json", "-"]
    said = {}
    for words in (["direct"], ["best", "--effort", "8"]):
        assert cli.main([*arguments, "--search", *words]) == 0
        said[words[0]] = json.loads(capsys.readouterr().out)
    kind = "front-answered"
    assert all(each["kind"] != kind for each in said["direct"]["decisions"])
    (found,) = (each for each in said["best"]["decisions"] if each["kind"] == kind)
    assert found["limit_bytes"] == 16384
    assert found["searches"] >= 8
    (taken,) = (each for each in said["best"]["front"] if each["is_taken"])
    assert (taken["engine"], taken["searched_bytes"]) == (found["engine"], found["searched_bytes"])
    assert found["cycles"] == taken["cycles"] <= found["direct_cycles"]


def test_a_limit_that_cannot_be_held_is_a_warning_and_a_result(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The best schedule that was found, marked with what it requires."""
    shared = ["--memory-mode", "Shared_Sram", "--arena-cache-size", "4096"]
    assert cli.main(["schedule", KWS, *shared]) == 0
    captured = capsys.readouterr()
    assert captured.err.startswith("reefpoint: warning: limit exceeded by ")
    assert captured.err.count("\n") == 1
    assert "Limit exceeded by " in captured.out


def test_what_would_fit_does(capsys: pytest.CaptureFixture[str]) -> None:
    shared = ["--memory-mode", "Shared_Sram", "--arena-cache-size"]
    assert cli.main(["schedule", KWS, *shared, "4096", "--json", "-"]) == 0
    (region, *_) = json.loads(capsys.readouterr().out)["regions"]
    assert region["required"] == region["limit"] + region["excess"] > 4096
    assert cli.main(["schedule", KWS, *shared, str(region["required"])]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "exceeded" not in captured.out


def test_the_same_input_gives_the_same_bytes_in_another_process(tmp_path: Path) -> None:
    """Also with another seed for Python's own hashes."""
    files = [tmp_path / f"{seed}.json" for seed in (1, 2)]
    for seed, file in enumerate(files):
        command = [sys.executable, "main.py", "schedule", KWS, *DEDICATED, "--json", str(file)]
        environment = {"PYTHONHASHSEED": str(seed), "PATH": ""}
        subprocess.run(command, cwd=ROOT, env=environment, check=True)
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize(
    "path",
    [
        "u55-32-shared-64k/person_detect",
        "u55-256-shared-size/kws_dscnn_int8",
        "u65-512-dedicated-128k/resnet8_int8",
    ],
)
def test_a_report_can_be_held_against_another_compilers(path: str, tmp_path: Path) -> None:
    peer = load(need(f"peer/schedules/{path}.json"))
    pairs = zip(peer["options"][::2], peer["options"][1::2], strict=True)
    target = [word for pair in pairs if pair[0] != "--config" for word in pair]
    model, file = need(f"models/{peer['model']}"), tmp_path / "ours.json"
    compatible = ["--search", "compatible"]
    assert cli.main(["schedule", str(model), *target, *compatible, "--json", str(file)]) == 0
    ours = json.loads(file.read_text())
    rows = comparison().exact_rows(peer, ours, verbose=False)
    assert [row for row in rows if row[1] != row[2] and not row[0].startswith("(")] == []
    assert list(ours["summary"]) == [*peer["summary"], "cycles_ecosystem"]


@pytest.mark.skipif(os.name == "nt", reason="other systems have no such signal for one process")
def test_an_interrupt_is_one_line_and_leaves_no_file(tmp_path: Path) -> None:
    file = tmp_path / "large.json"
    command = [
        sys.executable,
        "main.py",
        "schedule",
        LARGE,
        "--progress",
        "json",
        "--json",
        str(file),
    ]
    with interrupts(are_heard=True):
        process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    with process:
        assert process.stderr is not None
        while '"progress": "scheduling' not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        *progress, last = process.stderr.readlines()
        assert last == "reefpoint: interrupted\n"
        assert all(json.loads(line)["progress"] for line in progress)
        assert process.wait() == 130
    assert list(tmp_path.iterdir()) == []


def test_the_pareto_engine_is_asked_for_by_name_and_its_front_is_in_the_report(
    capsys: pytest.CaptureFixture[str],
) -> None:
    free = ("--engine", "pareto", "--search", "direct")
    arguments = ["schedule", KWS, *DEDICATED, *free, "--json", "-"]
    assert cli.main(arguments) == 0
    report = json.loads(capsys.readouterr().out)
    words, front = report["options"], report["front"]
    assert words[words.index("--engine") + 1] == "pareto"
    assert words[words.index("--pareto-metric") + 1] == "BwCycMem"
    assert len(front) > 2
    for point in front:
        assert max(point["cycles_by_bound"].values()) <= point["cycles"]
        assert point["cycles"] <= sum(point["cycles_by_bound"].values())
        assert sum(point["traffic_bytes"].values()) > 0
    assert [point["is_taken"] for point in front] == [False] * (len(front) - 1) + [True]
    chosen = front[1]["fast_storage_peak_usage"]
    assert cli.main([*arguments, "--pareto-point", str(chosen)]) == 0
    other = json.loads(capsys.readouterr().out)
    assert other["front"][1] == front[1] | {"is_taken": True}
    assert other["schedules"][0]["fast_storage_peak_usage"] == chosen
    assert other["options"][other["options"].index("--pareto-point") + 1] == str(chosen)


def test_the_front_is_a_table_in_the_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["schedule", KWS, *DEDICATED, "--engine", "pareto"]) == 0
    assert "Schedules that were found" in capsys.readouterr().out
    assert cli.main(["schedule", KWS, *DEDICATED]) == 0
    assert "Schedules that were found" not in capsys.readouterr().out


def test_more_is_told_where_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["schedule", KWS, *DEDICATED, "--engine", "pareto"]
    titles = ("Stripes, blocks and slices", "Addresses", "What schedules that were found cost")
    titles += ("What operators compute with what they move",)
    for names, told in (
        ((), ()),
        (("--verbose", "allocation"), titles[1:2]),
        (("--verbose", "schedule,allocation,front,roofline"), titles),
    ):
        assert cli.main([*asked, *names]) == 0
        out = capsys.readouterr().out
        assert tuple(title for title in titles if f"\n{title}\n" in out) == told
    assert cli.main([*asked, "--verbose", "weights"]) == 2
    assert "'weights' is none of schedule, allocation, front" in capsys.readouterr().err


@pytest.mark.parametrize("switch", ["--no-cascading", "--no-ifm-ofm-overlap", "--no-ifm-streaming"])
def test_switches_of_the_pareto_engine(switch: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["schedule", KWS, "--engine", "pareto", switch, "--json", "-"]
    assert cli.main(asked) == 0
    assert switch in json.loads(capsys.readouterr().out)["options"]
    assert cli.main(["schedule", KWS, switch]) == 2
    assert "--engine pareto" in capsys.readouterr().err


def test_the_best_search_is_not_for_one_engine(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["schedule", KWS, "--engine", "pareto", "--search", "best"]
    assert cli.main(asked) == 2
    said = capsys.readouterr()
    assert "--search best asks for --engine front" in said.err
    assert said.out == ""
    assert cli.main(["schedule", KWS, "--engine", "pareto", "--search", "direct"]) == 0


@pytest.mark.parametrize(
    ("engine", "told"),
    [
        ((), "Performance, HillClimb, front, effort 0"),
        (("--engine", "cascading"), "Performance, HillClimb, cascading engine"),
        (("--engine", "pareto"), "Performance, HillClimb, Pareto engine"),
        (
            ("--engine", "pareto", "--pareto-point", "16K"),
            "Performance, HillClimb, Pareto engine, the fastest within 16,384 bytes",
        ),
    ],
)
def test_the_heading_names_the_engine(
    engine: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["schedule", KWS, *engine]) == 0
    assert capsys.readouterr().out.splitlines()[1].endswith(f"; {told}")


def test_a_robust_schedule_says_what_it_loses_at_worst(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "out.json"
    small = ("--accelerator-config", "ethos-u55-64", "--memory-mode", "Sram_Only")
    assert cli.main(["schedule", KWS, *small, "--robust", "--json", str(file)]) == 0
    told = json.loads(file.read_text("utf-8"))
    (record,) = (each for each in told["decisions"] if each["kind"] == "robust-taken")
    worst = {finalist: regret for finalist, _, regret, _ in record["finalists"]}
    assert worst[record["taken"]] == min(worst.values())
    assert cli.main(["schedule", KWS, *small, "--robust"]) == 0
    assert f"the schedule of {record['taken']} is taken" in capsys.readouterr().out.lower()
