"""What is installed: one package, in which nothing is imported by the names that a clone has."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hatch_build import MOVED, PACKAGE, assemble, renamed

ROOT = Path(__file__).parents[1]
KWS = ROOT / "resources" / "examples" / "kws_dscnn.tflite"
OURS = {Path(name).stem for name in MOVED}
SLOW = pytest.mark.slow
"""Continuous integration does the same with a wheel."""
MODULES = frozenset({"core", "core.cli", "core.cli.compare", "gui", "main"})


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package, as site-packages is."""
    return assemble(ROOT, tmp_path_factory.mktemp("site")).parent


@SLOW
def test_one_package_has_all(installed):
    assert [path.name for path in installed.iterdir()] == [PACKAGE]
    package = installed / PACKAGE
    assert {path.name for path in package.iterdir()} >= {*MOVED, "py.typed"}
    moved = [ROOT / name for name in MOVED]
    files = [file for path in moved for file in (path.rglob("*.py") if path.is_dir() else [path])]
    for file in files:
        if file.name != "make_examples.py":
            lines = (package / file.relative_to(ROOT)).read_bytes().count(b"\n")
            assert lines == file.read_bytes().count(b"\n"), "tracebacks name the clone's lines"


@SLOW
def test_nothing_in_it_is_imported_by_a_name_of_the_clone(installed):
    for file in installed.rglob("*.py"):
        assert not re.search(
            rf"^\s*(from|import) ({'|'.join(OURS)})\b", file.read_text("utf-8"), re.MULTILINE
        )


@SLOW
@pytest.mark.parametrize("first", ["theirs", "ours"])
def test_a_project_may_have_modules_of_the_same_names(first, installed, tmp_path):
    (tmp_path / "core").mkdir()
    for name in ("core/__init__.py", "core/api.py", "gui.py", "main.py"):
        (tmp_path / name).write_text('OWNER = "the user"\n')
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("beside.py"), first, KWS],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "schedule.json").exists()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from core import cli\n", "from reefpoint.core import cli\n"),
        (
            "if 1:\n    from core.cli import a, b\n",
            "if 1:\n    from reefpoint.core.cli import a, b\n",
        ),
        ("from core.cli import (\n    a,\n)", "from reefpoint.core.cli import (\n    a,\n)"),
        ("a = 'ä', 'core.cli.compare'", "a = 'ä', 'reefpoint.core.cli.compare'"),
        ("from cores import a", None),
        ("import corelib, os", None),
        ('"""Of `core.cli` and\nfrom core import is no import.\n"""', None),
        ("a = 'core', 'core.cli is told', f'core.cli{1}'", None),
        ("core.cli = 1", None),
    ],
)
def test_names_of_modules_are_renamed_and_nothing_else(before, after):
    assert renamed(before.encode(), MODULES).decode() == (before if after is None else after)


def test_an_import_that_binds_another_name_is_refused():
    with pytest.raises(ValueError, match=re.escape("say `from` in 'import core.cli'")):
        renamed(b"import core.cli\n", MODULES)
