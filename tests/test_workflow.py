"""What others copy into their repositories: the action and the workflow, linted and run.

The rules are those of GitHub's own pages on the syntax of workflows and of metadata of actions.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "resources" / "examples"
ACTION = ROOT / "action.yml"
WORKFLOW = ROOT / "resources" / "ci" / "workflow.yml"
HOOKS = ROOT / ".pre-commit-hooks.yaml"
OURS = "OWNER/reefpoint@REVISION"
_EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}")
_CONTEXTS = {"github", "env", "vars", "secrets", "inputs", "steps", "runner", "matrix", "needs"}
_STEP_KEYS = {"name", "id", "if", "uses", "with", "run", "shell", "env", "working-directory"}
_WORKFLOW_KEYS = {"name", "run-name", "on", "permissions", "env", "defaults", "concurrency", "jobs"}
_JOB_KEYS = {"name", "runs-on", "needs", "if", "permissions", "env", "strategy", "steps"}
NEEDS_TOOLS = pytest.mark.skipif(
    not (shutil.which("git") and shutil.which("bash")), reason="there is no git, or no bash"
)


def read(text: str) -> Any:
    """YAML by version 1.2, in which `on` is a word."""
    found = yaml.safe_load(text)
    return {("on" if key is True else key): value for key, value in found.items()}


def step_faults(step: dict[str, Any], *, composite: bool) -> Iterator[str]:
    """What is wrong with a step of a job, or of an action."""
    yield from (f"unknown key {key}" for key in step.keys() - _STEP_KEYS)
    if ("uses" in step) == ("run" in step):
        yield "a step either uses something or runs something"
    if "uses" in step and not re.fullmatch(r"[\w.-]+/[\w.-]+(/[\w./-]+)?@[\w.-]+", step["uses"]):
        yield f"{step['uses']} names no revision"
    if "run" in step:
        if composite and "shell" not in step:
            yield "a step of an action names its shell"
        if _EXPRESSION.search(step["run"]):
            yield "what others wrote gets into a shell: it has to come by the environment"
        checked = subprocess.run(
            ["bash", "-n", "-c", step["run"]], capture_output=True, check=False
        )
        if checked.returncode:
            yield checked.stderr.decode()
    if "with" in step and "uses" not in step:
        yield "nothing takes what is given"


def expression_faults(text: str, inputs: set[str]) -> Iterator[str]:
    """Expressions of what there is not."""
    for expression in _EXPRESSION.findall(text):
        context, _, name = expression.strip().partition(".")
        if context not in _CONTEXTS or not re.fullmatch(r"[\w.-]+", name):
            yield f"{expression}: no such context"
        if context == "inputs" and name not in inputs:
            yield f"{expression}: no such input"


def action_faults(text: str) -> Iterator[str]:
    found = read(text)
    yield from (f"there is no {key}" for key in {"name", "description", "runs"} - found.keys())
    inputs = found.get("inputs", {})
    yield from (
        f"{name} has no description" for name, each in inputs.items() if not each["description"]
    )
    if found["runs"].get("using") != "composite":
        yield "runs in no known way"
    for step in found["runs"]["steps"]:
        yield from step_faults(step, composite=True)
    yield from expression_faults(text, set(inputs))


def workflow_faults(text: str, action: dict[str, Any]) -> Iterator[str]:
    found = read(text)
    yield from (f"unknown key {key}" for key in found.keys() - _WORKFLOW_KEYS)
    yield from (f"there is no {key}" for key in {"on", "jobs"} - found.keys())
    for job in found["jobs"].values():
        yield from (f"unknown key {key}" for key in job.keys() - _JOB_KEYS)
        yield from (f"there is no {key}" for key in {"runs-on", "steps"} - job.keys())
        for step in job["steps"]:
            yield from step_faults(step, composite=False)
            if step.get("uses") == OURS:
                given = step.get("with", {}).keys()
                needed = {name for name, each in action["inputs"].items() if each.get("required")}
                yield from (f"no such input: {name}" for name in given - action["inputs"].keys())
                yield from (f"{name} is not given" for name in needed - given)
    yield from expression_faults(text, set())


def test_the_action_and_the_workflow_have_no_fault():
    assert list(action_faults(ACTION.read_text())) == []
    assert list(workflow_faults(WORKFLOW.read_text(), read(ACTION.read_text()))) == []
    assert OURS in WORKFLOW.read_text()


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (ACTION, "      shell: bash\n", ""),
        (ACTION, "inputs.budgets", "inputs.budget"),
        (ACTION, '"$BUDGETS"', "${{ inputs.budgets }}"),
        (ACTION, "reefpoint check", "if reefpoint check"),
        (ACTION, "using: composite", "using: composit"),
        (WORKFLOW, "budgets: budgets.toml", "budget: budgets.toml"),
        (WORKFLOW, "checkout@v4", "checkout"),
        (WORKFLOW, "runs-on:", "run-on:"),
        (WORKFLOW, "github.base_ref", "githb.base_ref"),
        (
            WORKFLOW,
            "        with:\n          budgets",
            "        run: 'true'\n        with:\n          budgets",
        ),
    ],
)
def test_a_planted_fault_is_found(file, old, new):
    text = file.read_text()
    assert old in text
    broken = text.replace(old, new)
    action = read(ACTION.read_text())
    faults = action_faults(broken) if file == ACTION else workflow_faults(broken, action)
    assert list(faults)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Somebody's repository with a network, budgets, and a branch that is about to be merged."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    shutil.copy(EXAMPLES / "kws_dscnn.tflite", folder / "net.tflite")
    (folder / "budgets.toml").write_text(
        'options = "--accelerator-config ethos-u55-128"\n'
        '[[model]]\npath = "net.tflite"\n'
        'limits = ["cycles +1 %", "sram +0", "no new operator on the CPU", "fits"]\n'
    )
    git(folder, "init", "-q", "-b", "main")
    commit(folder)
    git(folder, "checkout", "-q", "-b", "change")
    return folder


def git(folder: Path, *words: str) -> None:
    known = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", "-C", folder, *known, *words], check=True, capture_output=True)


def commit(folder: Path) -> None:
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "a change")


def run_action(folder: Path, tools: Path) -> tuple[int, str]:
    """The step of the action that checks, with what the workflow gives it, in a runner's shell."""
    (check,) = (
        each for each in read(ACTION.read_text())["runs"]["steps"] if each["name"] == "check"
    )
    (uses,) = (
        each["with"]
        for each in read(WORKFLOW.read_text())["jobs"]["reefpoint"]["steps"]
        if each.get("uses") == OURS
    )
    # What GitHub puts in the place of expressions; the base is a branch of this repository here.
    given = {
        name: text.replace("origin/${{ github.base_ref }}", "main") for name, text in uses.items()
    }
    env = {
        name: _EXPRESSION.sub(lambda found: given[found[1].strip().removeprefix("inputs.")], text)
        for name, text in check["env"].items()
    }
    tools.mkdir(exist_ok=True)
    command = tools / "reefpoint"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{ROOT / "main.py"}" "$@"\n')
    command.chmod(0o755)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    summary = {"GITHUB_STEP_SUMMARY": str(tools / "summary.md")}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", check["run"]],
        cwd=folder,
        env=os.environ | env | summary | {"PATH": path},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, done.stdout


@NEEDS_TOOLS
def test_a_planted_regression_is_red_and_says_why(repository, tmp_path):
    shutil.copy(EXAMPLES / "shuffle_with_cpu.tflite", repository / "net.tflite")
    commit(repository)
    code, told = run_action(repository, tmp_path / "tools")
    assert code == 1
    assert "FAILS  net.tflite  sram +0 " in told
    assert "and A has" in told
    assert "::error file=budgets.toml,title=net.tflite%3A no new operator on the CPU::" in told
    comment = (repository / "reefpoint.md").read_text()
    assert comment.startswith("### Reefpoint: 2 of 4 limits not met\n")
    assert (tmp_path / "tools" / "summary.md").read_text() == comment
    assert 'failures="2"' in (repository / "reefpoint.xml").read_text()


@NEEDS_TOOLS
def test_a_change_of_something_else_is_green(repository, tmp_path):
    (repository / "README").write_text("nothing of the network\n")
    commit(repository)
    code, told = run_action(repository, tmp_path / "tools")
    assert (code, told.splitlines()[-1]) == (0, "4 limits met")
    assert "::error" not in told


def test_the_hook_names_a_command_that_there_is():
    (hook,) = yaml.safe_load(HOOKS.read_text())
    assert {"id", "name", "entry", "language"} <= hook.keys()
    assert hook["entry"].split()[0] == "reefpoint"
    assert re.search(hook["files"], "models/net.tflite")
