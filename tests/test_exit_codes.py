"""The exit code is that of the work, whoever reads what is said of it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import main
from core.cli import exits
from tests.core.pipeline.planted import compiled, with_commands
from tests.core.test_cli_compile import faulty
from tests.networks.small_networks import five_operators

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "resources" / "examples"
KWS = EXAMPLES / "kws_dscnn.tflite"
TIGHT = ("--accelerator-config", "ethos-u55-256", "--arena-cache-size", "1K")
NEEDS_A_SHELL = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
NEEDS_A_FULL_DISK = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")


def shell(line: str, *arguments: object, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a line in which `reefpoint` is ours and $1, $2... are arguments; the code is its own."""
    script = f'set -o pipefail; reefpoint() {{ "$PYTHON" main.py "$@"; }}; {line}'
    done = subprocess.run(
        ["bash", "-c", script, "bash", *map(str, arguments)],
        cwd=ROOT,
        env=os.environ | {"PYTHON": sys.executable} | env,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    # What Qt says depends on the machine.
    done.stderr = re.sub(r"(?s)^Detected locale .*?for more information\.\n", "", done.stderr)
    return done


@pytest.mark.long
@NEEDS_A_SHELL
@pytest.mark.parametrize("pipe", ["| true", "2>&1 | true", ">&-", ">&- 2>&-", "| head -c 1"])
def test_what_does_not_hold_does_not_hold_unheard(pipe: str, tmp_path: Path) -> None:
    bad = tmp_path / "bad.tflite"
    bad.write_bytes(with_commands(compiled("kws_dscnn"), faulty))
    done = shell(f'reefpoint verify "$1" --against "$2" --inputs 1 {pipe}', bad, KWS)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.long
@NEEDS_A_SHELL
@pytest.mark.parametrize("pipe", ["| true", "2>&1 | true", ">&- 2>&-"])
def test_a_model_is_written_although_nobody_reads_of_it(pipe: str, tmp_path: Path) -> None:
    out = tmp_path / "out.tflite"
    done = shell(f'reefpoint compile "$1" -o "$2" --verify --inputs 1 {pipe}', KWS, out)
    assert (done.returncode, done.stderr) == (0, "")
    assert out.stat().st_size > 1000


@pytest.mark.long
@NEEDS_A_SHELL
@pytest.mark.parametrize(
    ("command", "code"),
    [('compile "$1" -o "$2"', 0), ('compile "$1" -o "$2" --strict', 3), ('schedule "$1"', 0)],
)
def test_warnings_that_nobody_reads_change_nothing(command: str, code: int, tmp_path: Path) -> None:
    out = tmp_path / "out.tflite"
    done = shell(f"reefpoint {command} {' '.join(TIGHT)} 2>&1 | true", KWS, out)
    assert (done.returncode, done.stderr) == (code, "")
    assert out.exists() is ("-o" in command and not code)


HELLO = (
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
    '"capabilities":{},"clientInfo":{"name":"a","version":"1"}}}'
)


@pytest.mark.long
@NEEDS_A_SHELL
@NEEDS_A_FULL_DISK
@pytest.mark.parametrize(
    ("pipes", "code", "told"),
    [
        ('<<< "$1" > /dev/null', 0, ""),
        ('<<< "$1" | true', 0, ""),
        ("<<< garbage > /dev/null", 0, ""),
        ('<<< "$1" > /dev/full', 2, "reefpoint: standard output: No space left on device\n"),
        ("<&-", 2, "reefpoint: standard input is closed, and questions come from there\n"),
    ],
)
def test_agents_that_leave_or_cannot_be_answered_end_the_server_in_order(
    pipes: str, code: int, told: str
) -> None:
    done = shell(f"reefpoint mcp {pipes}", HELLO)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", told)


@pytest.mark.long
@NEEDS_A_SHELL
@NEEDS_A_FULL_DISK
@pytest.mark.parametrize(
    "command", ['schedule "$1"', 'inspect "$1" --json -', "--help", "schedule --help", "--version"]
)
def test_a_full_disk_behind_standard_output_is_one_sentence(command: str) -> None:
    done = shell(f"reefpoint {command} > /dev/full", KWS)
    told = "reefpoint: standard output: No space left on device\n"
    assert (done.returncode, done.stderr) == (2, told)


@NEEDS_A_SHELL
@NEEDS_A_FULL_DISK
def test_a_full_disk_does_not_make_a_wrong_model_hold(tmp_path: Path) -> None:
    bad = tmp_path / "bad.tflite"
    bad.write_bytes(with_commands(compiled("kws_dscnn"), faulty))
    done = shell('reefpoint verify "$1" --against "$2" --inputs 1 > /dev/full', bad, KWS)
    assert done.returncode == 1


@NEEDS_A_SHELL
@NEEDS_A_FULL_DISK
def test_a_file_behind_which_the_disk_is_full_is_one_sentence() -> None:
    done = shell('reefpoint inspect "$1" --json /dev/full', KWS)
    told = "reefpoint: /dev/full: No space left on device\n"
    assert (done.returncode, done.stderr) == (2, told)


@pytest.mark.long
@NEEDS_A_SHELL
@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "C"},
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "command",
    [
        'schedule "$1"',
        'inspect "$1"',
        'compile "$1" -o "$2/o" --summary-csv "$2/s" --per-layer-csv "$2/l" --schedule-json "$2/j"',
        'report "$1" -o "$2/new" --format html,csv,json,trace',
    ],
)
def test_names_in_other_scripts_can_be_told_by_every_terminal(
    command: str, env: dict[str, str], tmp_path: Path
) -> None:
    model = tmp_path / "модель.tflite"
    model.write_bytes(five_operators())
    done = shell(f"reefpoint {command}", model, tmp_path, **env)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="nothing is closed to this user")
@pytest.mark.parametrize(
    "arguments", [("schedule", "--json", "{}/a.json"), ("report", "-o", "{}/new")]
)
def test_a_folder_that_is_closed_is_one_sentence(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    tmp_path.chmod(0o500)
    given = [part.format(tmp_path) for part in (arguments[0], str(KWS), *arguments[1:])]
    done = shell('reefpoint "$@"', *given)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.endswith("Permission denied\n")


CODES = {"missing": 2, "fault": 70, "interrupt": 130}
RAISED = {
    "missing": "raise ModuleNotFoundError('x', name='nowhere')",
    "fault": "raise RuntimeError('\\x1b[2J')",
    "interrupt": "raise KeyboardInterrupt",
}


@pytest.mark.parametrize("ending", CODES)
@pytest.mark.parametrize(
    "module", ["core.cli", "numpy", "core.cli.inspect", "core.lower.run", "gc"]
)
def test_whatever_ends_a_command_while_modules_load_or_later_has_a_code_of_its_own(
    module: str, ending: str, tmp_path: Path
) -> None:
    """Never 1: a script would take it for a proof that fails."""
    if module == "gc":
        hook = f"import core.api.networks\ndef run(*_, **__):\n    {RAISED[ending]}\n"
        hook += "core.api.networks.run = run\n"
        hook = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n" + hook
    else:
        hook = (
            "import sys\nclass Ending:\n    def find_spec(self, name, *_):\n"
            f"        if name == {module!r}:\n            {RAISED[ending]}\n"
            "sys.meta_path.insert(0, Ending())\n"
        )
    (tmp_path / "sitecustomize.py").write_text(hook)
    done = subprocess.run(
        [sys.executable, "main.py", "inspect", KWS],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == CODES[ending]
    assert done.stdout == ""
    *_, last = done.stderr.splitlines()
    assert last.startswith("reefpoint: ")
    assert "\x1b" not in done.stderr
    assert ("Traceback" in done.stderr) is (ending == "fault")


def test_codes_are_one_table() -> None:
    assert (main._MISSING, main._FAULT, main._INTERRUPTED) == (
        exits.REFUSED,
        exits.FAULT,
        exits.INTERRUPTED,
    )
    readme = (ROOT / "README.md").read_text("utf-8")
    known = [value for name, value in vars(exits).items() if name.isupper()]
    assert [f"| {code} |" in readme for code in known] == [True] * len(known)
