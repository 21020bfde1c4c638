"""How the command line behaves: help on one screen, completion, how much it says, and defaults."""

from __future__ import annotations

import contextlib
import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

import main as program
from core import cli
from core.cli.run import parser_of
from core.cli.table import COMMANDS

EXAMPLES = Path(__file__).parents[2] / "resources" / "examples"
KWS = str(EXAMPLES / "kws_dscnn.tflite")
ALL = {each.name: each for each in (*COMMANDS, program._REPORT)}
TIGHT = ("--arena-cache-size", "2K")


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What is printed by a command that ends there."""
    with contextlib.suppress(SystemExit):
        assert program.main(words) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("name", ALL)
def test_help_is_one_screen_with_examples_and_says_where_the_rest_is(name, capsys):
    lines = told(capsys, name, "--help").splitlines()
    assert len(lines) <= 30
    assert len([line for line in lines if line.startswith(f"  reefpoint {name} ")]) >= 1
    assert f"reefpoint {name} --help all" in lines[-1]
    assert all(len(line) <= 100 for line in lines)


@pytest.mark.parametrize("name", ALL)
def test_all_of_help_has_each_option_in_a_group_and_the_examples_at_its_end(name, capsys):
    text = told(capsys, name, "--help", "all")
    actions = parser_of(ALL[name])._actions
    assert [
        each.dest for each in actions if (each.option_strings or [each.dest])[0] not in text
    ] == []
    assert "\nin general:\n" in text
    assert text.rstrip().endswith(ALL[name].examples[-1])


@pytest.mark.parametrize("name", ALL)
def test_examples_and_options_of_help_are_taken_by_the_parser(name):
    parser = parser_of(ALL[name])
    for words in ALL[name].examples:
        given = shlex.split(words.split(" > ")[0])
        if name != "calibrate":
            parser.parse_args(given)
    known = {option for each in parser._actions for option in each.option_strings}
    assert set(ALL[name].most_used) <= known


def test_the_list_of_commands_is_one_screen(capsys):
    lines = told(capsys, "--help").splitlines()
    assert len(lines) <= 30
    assert {line.split()[0] for line in lines if line.startswith("  ")} >= ALL.keys()


def test_a_command_that_is_not_there_has_a_near_one(capsys):
    assert cli.main(["shedule", KWS]) == 2
    assert "did you mean 'schedule'?" in capsys.readouterr().err


def test_results_are_the_same_however_much_is_said_beside_them(capsys):
    assert cli.main(["schedule", KWS, *TIGHT]) == 0
    usual = capsys.readouterr()
    assert "warning: limit exceeded" in usual.err
    assert cli.main(["schedule", KWS, *TIGHT, "--quiet"]) == 0
    quiet = capsys.readouterr()
    assert (quiet.out, quiet.err) == (usual.out, "")
    assert cli.main(["schedule", KWS, *TIGHT, "-v"]) == 0
    verbose = capsys.readouterr()
    assert verbose.out == usual.out
    assert "scheduling" in verbose.err
    assert all(line.startswith("reefpoint: ") for line in verbose.err.splitlines())


def test_what_goes_wrong_is_said_to_those_who_want_quiet(tmp_path, capsys):
    assert cli.main(["schedule", str(tmp_path / "none.tflite"), "-q"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_log_has_what_was_asked_what_was_said_and_how_long_it_took(tmp_path, capsys):
    log = tmp_path / "r.log"
    assert cli.main(["schedule", KWS, *TIGHT, "-q", "--log", str(log)]) == 0
    assert capsys.readouterr().err == ""
    head, *lines, last = log.read_text().splitlines()
    assert head.startswith("# Reefpoint log of ")
    assert head.endswith(f"schedule {KWS} {' '.join(TIGHT)} -q --log {log}")
    assert any("warning: limit exceeded" in line for line in lines)
    assert any("scheduling" in line and line.endswith(" s") for line in lines)
    assert last.endswith(" s")
    assert cli.main(["schedule", "none", "--log", str(log)]) == 2
    assert "none" in log.read_text().splitlines()[1]


def test_programs_read_progress_as_json_beside_the_result(capsys):
    assert cli.main(["schedule", KWS, "--progress", "json", "--json", "-"]) == 0
    done = capsys.readouterr()
    assert json.loads(done.out)["core"] == "reefpoint"
    lines = [json.loads(line) for line in done.err.splitlines()]
    assert lines
    assert all(
        list(line) == ["reefpoint", "version", "progress", "done", "total"] for line in lines
    )


def test_nothing_is_said_of_progress_where_there_is_no_terminal(monkeypatch, capsys):
    monkeypatch.setattr("core.report.progress_line.PATIENCE_S", 0)
    assert cli.main(["schedule", KWS]) == 0
    assert capsys.readouterr().err == ""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with defaults, and a network some folders below."""
    models = tmp_path / "models" / "audio"
    models.mkdir(parents=True)
    shutil.copy(KWS, models / "kws.tflite")
    (tmp_path / "reefpoint.toml").write_text(
        'accelerator-config = "ethos-u65-256"\nmemory-mode = "Dedicated_Sram"\n'
        'arena-cache-size = "96K"\neffort = 0\nforce-symmetric-int-weights = true\n'
    )
    return models / "kws.tflite"


def scheduled(model: Path, *words: str) -> list[str]:
    """What a command asks for in the end, as its JSON tells it."""
    out = model.with_suffix(".json")
    assert cli.main(["schedule", str(model), "--json", str(out), *words]) == 0
    return json.loads(out.read_text())["options"]


def test_defaults_above_the_model_are_what_would_have_been_typed(project, capsys):
    found = scheduled(project)
    said = capsys.readouterr().err
    assert said.startswith(f"reefpoint: defaults of {project.parents[2] / 'reefpoint.toml'}: ")
    words = said.split(": ", 2)[2].split()
    assert words[:2] == ["--accelerator-config", "ethos-u65-256"]
    assert "--force-symmetric-int-weights" in words
    assert scheduled(project, "--no-defaults", *words) == found
    assert capsys.readouterr().err == ""
    assert scheduled(project, "--no-defaults") != found


def test_what_is_typed_goes_before_defaults_with_all_that_belongs_to_it(project, capsys):
    found = scheduled(project, "--accelerator-config", "ethos-u55-64")
    assert "ethos-u55-64" in found
    words = capsys.readouterr().err.split(": ", 2)[2].split()
    assert words == ["--arena-cache-size", "96K", "--effort", "0", "--force-symmetric-int-weights"]
    scheduled(project, "--search", "direct", "--arena-cache-size", "64K")
    words = capsys.readouterr().err.split(": ", 2)[2].split()
    assert words == [
        *("--accelerator-config", "ethos-u65-256", "--memory-mode", "Dedicated_Sram"),
        "--force-symmetric-int-weights",
    ]


def test_the_nearest_file_of_defaults_counts_alone(project, capsys):
    (project.parent / "reefpoint.toml").write_text("effort = 0\n")
    scheduled(project)
    assert capsys.readouterr().err.split(": ", 2)[2].split() == ["--effort", "0"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("acelerator-config = 'x'", "did you mean 'accelerator-config'?"),
        ("cascading = 1", "cascading has to be true or false"),
        ("effort = true", "effort has to be a text or a whole number"),
        ("config = 3", "config has to be the name of a file"),
        ("effort =", "is no file of defaults"),
        ("accelerator-config = 'u1'", "unknown accelerator"),
    ],
)
def test_what_is_wrong_with_defaults_is_one_line(text, said, project, capsys):
    (project.parent / "reefpoint.toml").write_text(text)
    assert cli.main(["schedule", str(project), "--quiet"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


def completed(shell: str, script: Path, line: str) -> list[str]:
    """What a shell offers at the end of a line."""
    words = line.split(" ")
    programs = {
        "bash": f'source "{script}"; COMP_WORDS=({" ".join(words[:-1])} "{words[-1]}");'
        f" COMP_CWORD={len(words) - 1}; _reefpoint; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        "fish": f"source '{script}'; complete -C '{line}'",
    }
    done = subprocess.run(
        [shell, "-c", programs[shell]], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return [each.split("\t")[0] for each in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what is printed for each shell."""
    folder = tmp_path_factory.mktemp("shells")
    for shell in ("bash", "zsh", "fish"):
        with pytest.MonkeyPatch.context() as patch:
            texts: list[str] = []
            patch.setattr("core.cli.completion.show", texts.append)
            assert program.main(["completion", shell]) == 0
        (folder / shell).write_text(texts[0])
    return folder


@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_a_shell_completes_commands_options_and_their_values(shell, scripts):
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    script = scripts / shell
    assert set(completed(shell, script, "reefpoint ")) >= ALL.keys()
    assert completed(shell, script, "reefpoint sche") == ["schedule"]
    offered = completed(shell, script, "reefpoint schedule --arena")
    assert offered == ["--arena-cache-size"]
    offered = completed(shell, script, "reefpoint schedule --accelerator-config ethos-u65")
    assert offered == ["ethos-u65-256", "ethos-u65-512"]
    assert set(completed(shell, script, "reefpoint completion ")) >= {"bash", "zsh", "fish"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_takes_its_script(shell, scripts):
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    subprocess.run([shell, "-n", scripts / shell], check=True)
