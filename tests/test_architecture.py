"""The shape of the source: budgets, what core may not touch, and contracts that do break."""

from __future__ import annotations

import ast
import graphlib
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("core", "gui", "reefpoint")
SOURCES = sorted(
    [*ROOT.glob("*.py"), *(file for name in PACKAGES for file in (ROOT / name).rglob("*.py"))]
)

MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60
MAX_METHODS = 20

# Qt is loaded when a window is asked for, and its absence is told to the user.
LOCAL_IMPORTS = {
    ("main.py", "gui.shell.command_line"),
    ("core/api/sweeps.py", "core.sweep.cluster"),
    ("core/cli/compare.py", "core.cli.originals"),
    ("core/cli/compile.py", "core.api"),
    ("core/cli/defaults.py", "tomllib"),
    ("core/cli/inspect.py", "core.cli"),
    ("core/cli/schedule.py", "core.cli"),
    ("core/cli/together.py", "core.api"),
    ("core/pipeline/adoption.py", "core.pipeline.compiled"),
    ("core/pipeline/run.py", "core.emit.open"),
    ("core/pipeline/scheduled.py", "core.pipeline.best.fronts"),
    ("core/schedule/run.py", "core.schedule.cascading.engine"),
    ("core/schedule/run.py", "core.schedule.first"),
    ("core/schedule/run.py", "core.schedule.pareto"),
    ("gui/shell/bootstrap.py", "gui.shell"),
    ("gui/shell/command_line.py", "core.api"),
    ("gui/shell/command_line.py", "core.cli.edits"),
    ("gui/shell/studios.py", "gui.export.studio"),
    ("gui/jobs/entry.py", "gui.jobs"),
    # An extra that may be absent, and that loads longer than a network is scheduled.
    ("reefpoint/agents_command.py", "reefpoint.agents_server"),
}

# Printing, the environment, the clock and global randomness, by the names that reach them.
IMPURE = re.compile(
    r"print|input|os\.(environ|getenv|putenv|getcwd)|sys\.(std(in|out|err)|argv)|time\..+"
    r"|(datetime\.)?(datetime|date)\.(now|today|utcnow)|random\.(?!Random$).+|uuid\..+|secrets\..+"
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def trees() -> dict[str, ast.Module]:
    """Every source by its path; who only collects tests does not wait for them."""
    return {
        file.relative_to(ROOT).as_posix(): ast.parse(file.read_text("utf-8")) for file in SOURCES
    }


def functions(tree: ast.Module) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def imported(node: ast.AST) -> tuple[str, ...]:
    if isinstance(node, ast.Import):
        return tuple(alias.name for alias in node.names)
    return (node.module or "",) if isinstance(node, ast.ImportFrom) else ()


def dotted(node: ast.AST) -> str:
    """`a.b.c` for a chain of attributes that begins with a name."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (head := dotted(node.value)):
        return f"{head}.{node.attr}"
    return ""


@cache
def names_used(tree: ast.Module) -> tuple[str, ...]:
    return tuple(_names_used(tree))


def _names_used(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif name := dotted(node):
            yield name


def test_files_are_short():
    lengths = {file: len(file.read_text("utf-8").splitlines()) for file in SOURCES}
    assert [f"{file}: {n}" for file, n in lengths.items() if n > MAX_FILE_LINES] == []


def test_functions_are_short():
    spans = [
        (f"{file}:{node.name}", (node.end_lineno or 0) - node.lineno + 1)
        for file, tree in trees().items()
        for node in functions(tree)
    ]
    assert [f"{name}: {n}" for name, n in spans if n > MAX_FUNCTION_LINES] == []


def test_classes_have_few_methods():
    classes = [
        (f"{file}:{node.name}", sum(isinstance(part, Function) for part in node.body))
        for file, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    ]
    assert [f"{name}: {n}" for name, n in classes if n > MAX_METHODS] == []


def test_every_module_says_what_it_is():
    assert [file for file, tree in trees().items() if not ast.get_docstring(tree)] == []


def test_imports_are_at_the_top():
    local = {
        (file, module)
        for file, tree in trees().items()
        for function in functions(tree)
        for node in ast.walk(function)
        for module in imported(node)
    }
    assert local == LOCAL_IMPORTS


def test_no_module_is_in_an_import_cycle():
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    imports = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    tuple(graphlib.TopologicalSorter(imports).static_order())  # a CycleError names the modules


def test_core_neither_prints_nor_asks_its_surroundings():
    impure = {
        f"{file}: {name}"
        for file, tree in trees().items()
        if file.startswith("core/") and not file.startswith("core/cli/")
        for name in names_used(tree)
        if IMPURE.fullmatch(name)
    }
    assert impure == set()


# What a terminal, a browser or a spreadsheet gets goes through one function of its kind. (Sessions
# and preferences are read by the app alone, and a cell of a sweep by its file.)
GATES = {
    "print": {"main.py", "core/cli/output.py", "core/cli/voice.py"},
    "sys.stdout.write": set(),
    "sys.stderr.write": {"gui/export/studio.py", "gui/shell/app.py", "gui/shell/crash.py"},
    "html.escape": {"core/base/harmless.py"},
    "csv.writer": {"core/base/harmless.py"},
    "csv.DictWriter": set(),
    "json.dumps": {
        "core/base/harmless.py",
        "core/base/plain_json.py",
        "core/report/measured/rows.py",
        "core/sweep/file.py",
        "gui/document/session.py",
        "gui/settings/preferences.py",
        "gui/shell/crash.py",
    },
    "json.dump": set(),
}


@pytest.mark.parametrize("name", GATES)
def test_names_of_others_leave_by_one_gate_for_each_reader(name):
    assert {file for file, tree in trees().items() if name in names_used(tree)} == GATES[name]


def test_tuples_with_names_are_made_in_one_way():
    ways = {"typing.NamedTuple", "collections.namedtuple"}
    users = {file for file, tree in trees().items() if ways.intersection(names_used(tree))}
    assert users == {"core/base/frozen.py"}  # which says what a class costs to make


@pytest.mark.parametrize(
    ("source", "is_found"),
    [
        ("print(1)", True),
        ("import os\nos.environ['A']", True),
        ("from os import environ", True),
        ("import time\ntime.perf_counter()", True),
        ("from datetime import datetime\ndatetime.now()", True),
        ("import random\nrandom.choice(x)", True),
        ("import random\nrandom.Random(1).choice(x)", False),
        ("from pathlib import Path\nPath('a').read_bytes()", False),
    ],
)
def test_impure_names_are_recognised(source, is_found):
    assert any(IMPURE.fullmatch(name) for name in names_used(ast.parse(source))) == is_found


# What is planted, and the one contract that it breaks.
PLANTS = [
    ({"core/ir/planted.py": "import PySide6.QtCore"}, "core is headless"),
    ({"core/lower/planted.py": "def f():\n    import core.tflite"}, "core layers"),
    (
        {"core/cost/planted.py": "from core.ir.options import Options"},
        "prices and streams know no options",
    ),
    (
        {"core/cost/planted.py": "from core.cost.ecosystem.bursts import BURSTS"},
        "the ecosystem's estimate has a room of its own",
    ),
    ({"gui/state/__init__.py": "import gui.shell"}, "gui layers"),
    ({"gui/shell/planted.py": "import core.lower"}, "gui reaches core by its front door"),
    ({"gui/state/planted.py": "import reefpoint.models"}, "the package of scripts"),
    ({"reefpoint/planted.py": "import core.lower.run"}, "scripts reach the rest by its doors"),
    (
        {"gui/document/__init__.py": "from PySide6.QtCore import QObject"},
        "only these folders of gui know Qt",
    ),
    (
        {
            "gui/views/__init__.py": "",
            "gui/views/one/__init__.py": "import gui.views.two",
            "gui/views/two/__init__.py": "",
        },
        "views do not know each other",
    ),
]
MORE_PLANTS = [
    ({"core/base/planted.py": "import pyqtgraph"}, "core is headless"),
    ({"core/ir/planted.py": "import core.lower"}, "core layers"),
    ({"core/base/planted.py": "import core.target"}, "core layers"),
    ({"core/elsewhere/__init__.py": ""}, "core layers"),
    ({"gui/elsewhere/__init__.py": ""}, "gui layers"),
]


def broken_contracts(folder: Path, files: dict[str, str]) -> set[str]:
    """Contracts that break in a copy of the source with these files added."""
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package)
    shutil.copy(ROOT / "pyproject.toml", folder)
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(f"{text}\n", encoding="utf-8")
    linter = "from importlinter.cli import lint_imports_command as run; run(['--no-cache'])"
    done = subprocess.run(
        [sys.executable, "-c", linter], cwd=folder, capture_output=True, text=True, check=False
    )
    broken = set(re.findall(r"^(.+) BROKEN", done.stdout, re.MULTILINE))
    assert "Contracts: " in done.stdout, done.stdout + done.stderr
    assert bool(done.returncode) == bool(broken), done.stdout
    return broken


@pytest.mark.long
def test_the_source_keeps_every_contract(tmp_path):
    assert broken_contracts(tmp_path, {}) == set()


@pytest.mark.parametrize(
    ("files", "contract"),
    [*PLANTS, *(pytest.param(*plant, marks=pytest.mark.slow) for plant in MORE_PLANTS)],
)
def test_a_forbidden_import_breaks_its_contract(tmp_path, files, contract):
    assert broken_contracts(tmp_path, files) == {contract}


def test_every_contract_is_seen_to_break():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = {contract["name"] for contract in settings["tool"]["importlinter"]["contracts"]}
    assert contracts == {contract for _, contract in PLANTS}
