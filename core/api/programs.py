"""The door to compiled models: a file of any maker, back to what it does."""

from __future__ import annotations

from typing import Any

from core.base.checked import door
from core.base.errors import InputError
from core.base.frozen import replace
from core.base.progress import SILENT, Progress
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
from core.pipeline.shown_model import demand_same, shown_model
from core.pipeline.together import Model
from core.report import calls, pools, program_json, program_text
from core.report.board.room import Room, needs_of_arena, needs_of_pools, needs_of_regions
from core.report.board.sizes import Board as Sheet
from core.report.board.sizes import board_of
from core.report.board.snippets import SNIPPETS
from core.report.calls import CallRow
from core.report.pools import Build
from core.report.program_advice import describe as describe_advice
from core.report.program_advice import program_advice
from core.target.boards import Board
from core.target.target import Target

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
    "compiled_model",
    "demand_same",
    "demand_whole",
    "describe_advice",
    "likely_memory_mode",
    "nothing_beside",
    "open_compiled",
    "read_back",
    "read_program",
    "render_pools",
    "render_program",
    "render_program_json",
    "room_on",
    "settings_for",
    "study_program",
]


@door
def render_program(name: str, opened: Opened, room: Room | None = None) -> str:
    """A compiled model as text for a terminal, and whether it fits a board."""
    return program_text.render(name, opened.network, opened.program, opened.studies, room)


@door
def render_program_json(name: str, opened: Opened, room: Room | None = None) -> str:
    """A compiled model as JSON, as it is written."""
    return program_json.render(name, opened.network, opened.program, opened.studies, room)


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
def render_pools(name: str, opened: Opened, build: Build) -> str:
    """The memory that a compiled model takes, as a build is told: the pools of ExecuTorch, or the
    arena of TensorFlow Lite Micro."""
    if opened.program.pools:
        target = opened.studies[0].target
        return pools.pools_build(name, opened.program.pools, build, target)
    if opened.program.parts[0].title:
        raise InputError("has no plans of ExecuTorch, whose pools could be told")
    return _SNIPPETS[build](_sheet(name, opened))


@door
def room_on(board: Board, opened: Opened) -> Room:
    """Whether what a compiled model takes fits a board."""
    accelerator = accelerator_in(opened.program)
    target = opened.studies[0].target
    assert target is not None
    part = opened.program.parts[0]
    if opened.program.pools:
        needs = needs_of_pools(opened.program.pools, target)
    elif part.title:
        needs = needs_of_regions(part, target)
    else:
        needs = needs_of_arena(_sheet("", opened), target)
    return Room(board, needs, accelerator)


def _sheet(name: str, opened: Opened) -> Sheet:
    scheduled = replace(read_back(opened).scheduled, name=name)
    return board_of(scheduled, opened.network)


_SNIPPETS = dict(zip(Build, (write for _, write in SNIPPETS), strict=True))


@door
def compiled_model(
    name: str,
    data: bytes,
    target: Target,
    progress: Progress = SILENT,
    beside: Beside = nothing_beside,
) -> Model | None:
    """One of several models in a device that is compiled already; None where it is yet to be
    scheduled."""
    return shown_model(name, data, target, progress, beside)
