"""The door to compiled models: a file of any maker, back to what it does."""

from __future__ import annotations

from typing import Any

from core.base.checked import door
from core.base.errors import InputError
from core.executorch.beside import Beside, beside, nothing_beside
from core.ir.calls import Call
from core.ir.program import Program
from core.ir.untold import Matter, Untold
from core.pipeline.board import settings_for
from core.pipeline.compiled import (
    Opened,
    Readback,
    ReadProgram,
    accelerator_in,
    demand_whole,
    likely_memory_mode,
    open_compiled,
    read_back,
    read_program,
    study_program,
)
from core.report import calls, pools, program_json, program_text
from core.report.calls import CallRow
from core.report.pools import Build
from core.report.program_advice import program_advice

__all__ = [
    "CALLS",
    "CALL_HEADERS",
    "Beside",
    "Build",
    "Call",
    "CallRow",
    "Matter",
    "Opened",
    "Program",
    "ReadProgram",
    "Readback",
    "Untold",
    "accelerator_in",
    "advice",
    "beside",
    "call_rows",
    "demand_whole",
    "likely_memory_mode",
    "nothing_beside",
    "open_compiled",
    "read_back",
    "read_program",
    "render_pools",
    "render_program",
    "render_program_json",
    "settings_for",
    "study_program",
]


@door
def render_program(name: str, opened: Opened) -> str:
    """A compiled model as text for a terminal."""
    return program_text.render(name, opened.network, opened.program, opened.studies)


@door
def render_program_json(name: str, opened: Opened) -> str:
    """A compiled model as JSON, as it is written."""
    return program_json.render(name, opened.network, opened.program, opened.studies)


@door
def advice(opened: Opened) -> list[dict[str, Any]]:
    """What would make a program of ExecuTorch faster, each with its figures and in words."""
    return program_advice(opened.network, opened.program, opened.studies)


CALLS = calls.TITLE
CALL_HEADERS = tuple(calls.HEADERS)


@door
def call_rows(found: tuple[Call, ...]) -> tuple[CallRow, ...]:
    """The lines of a table of calls, under `CALL_HEADERS`."""
    return tuple(calls.rows_of(found))


@door
def render_pools(name: str, program: Program, build: Build) -> str:
    """The RAM that a program of ExecuTorch takes, as a build is told."""
    if not program.pools:
        raise InputError("has no plans of ExecuTorch, whose pools could be told")
    return pools.pools_build(name, program.pools, build)
