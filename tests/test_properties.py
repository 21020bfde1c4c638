"""Which examples properties try: the same ones in every run, and new ones for whoever explores."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

DRAWS = """
import time
from hypothesis import given, strategies as st

@given(st.integers())
def test_it_holds(number):
    print("drawn", number)

@given(st.integers().map(lambda number: time.sleep(0.2) or number))
def test_it_is_slow(number):
    pass
"""


def outcome(folder: Path, test: str, *options: str) -> subprocess.CompletedProcess[str]:
    """What pytest makes of that test in a process of its own, with the settings of all tests."""
    file = folder / "test_drawn.py"
    file.write_text(DRAWS, "utf-8")
    alone = ("-c", str(ROOT / "pyproject.toml"), "-p", "tests.conftest", "-p", "no:cacheprovider")
    command = [sys.executable, "-m", "pytest", *alone, *options, "-s", f"{file}::{test}"]
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def drawn(folder: Path, *options: str) -> list[str]:
    done = outcome(folder, "test_it_holds", *options)
    assert done.returncode == 0, done.stdout
    return [line for line in done.stdout.splitlines() if line.startswith("drawn")]


@pytest.mark.long
def test_every_run_tries_the_same_examples_unless_it_explores(tmp_path):
    once = drawn(tmp_path)
    assert len(once) > 20
    assert drawn(tmp_path) == once
    assert drawn(tmp_path, "--explore")[: len(once)] != once


@pytest.mark.long
def test_no_clock_judges_a_property(tmp_path):
    assert outcome(tmp_path, "test_it_is_slow").returncode == 0
