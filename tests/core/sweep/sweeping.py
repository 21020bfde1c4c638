"""Small sweeps, as commands make them."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

from core.api import sweeps
from core.tflite import writer
from tests.networks.random_networks import random_network

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "resources" / "examples"
AXES = ("--sram", "8K:64K:8K,1M", "--accelerator-config", "ethos-u55-64,ethos-u65-256")
CELLS = 18
"""Of one model with these."""


def small_models(folder: Path, count: int = 2) -> list[Path]:
    """Networks of a few operators."""
    paths = [folder / f"model{seed}.tflite" for seed in range(count)]
    for seed, path in enumerate(paths):
        path.write_bytes(writer.write(random_network(seed)))
    return paths


def command(*words: object) -> list[str]:
    """A sweep as a process of its own."""
    return [sys.executable, "main.py", "sweep", *map(str, words)]


def ran(*words: object, **more: object) -> subprocess.CompletedProcess[str]:
    """A sweep that comes to its end."""
    return subprocess.run(
        command(*words),
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
        **more,  # type: ignore[call-overload] - as given
    )


def rows_of(path: Path) -> str:
    """Everything that a sweep's file says of its cells but the time that they took."""
    with sweeps.SweepFile.read(path) as file:
        return sweeps.render(path.name, file.cells(), "csv")


def count_of(path: Path) -> int:
    """How many cells a file has that somebody may be making."""
    connection = sqlite3.connect(path)
    try:
        return int(connection.execute("SELECT count(*) FROM cell").fetchone()[0])
    except sqlite3.OperationalError:
        return 0
    finally:
        connection.close()
