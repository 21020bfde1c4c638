"""Another compiler, run on the spot.

REEFPOINT_PEER names an interpreter that has it; without it tests with `NEEDS_PEER` are skipped.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.shared import need

VARIABLE = "REEFPOINT_PEER"
"""Names an interpreter that can import ethos-u-vela 5.2.0."""

ABSENT = f"{VARIABLE} names no interpreter with ethos-u-vela"

NEEDS_PEER = [
    pytest.mark.slow,
    pytest.mark.skipif(not os.environ.get(VARIABLE), reason=ABSENT),
]
"""Marks of tests that run it, which takes long."""


def peer_python() -> str:
    """The interpreter, or a skipped test that says what is missing."""
    python = os.environ.get(VARIABLE)
    if not python:
        pytest.skip(ABSENT)
    return python


class PeerFile(NamedTuple):
    """What the other compiler made of a model for a target, asked for as options say."""

    model: Path
    options: list[str]
    report: dict[str, Any]
    compiled: Path


def compiled_by_peer(pair: str, folder: Path, core: str = "legacy") -> PeerFile:
    """A model of the shared folder on a target (`target/model`), by one of its cores."""
    asked = json.loads(need(f"peer/schedules/{pair}.json").read_text("utf-8"))["options"]
    model, report = need(f"models/{pair.split('/')[1]}.tflite"), folder / "report.json"
    tool = str(need("tools/peer_golden.py"))
    command = [peer_python(), tool, str(model), str(report), "--core", core, *asked]
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    return PeerFile(
        model=model,
        options=asked,
        report=json.loads(report.read_text("utf-8")),
        compiled=report.with_suffix(".tflite"),
    )
