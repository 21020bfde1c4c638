"""The door to compiled models: a file of any maker, back to what it does."""

from __future__ import annotations

from core.ir.program import Program
from core.ir.untold import Matter, Untold
from core.pipeline.compiled import (
    Opened,
    Readback,
    ReadProgram,
    accelerator_in,
    likely_memory_mode,
    open_compiled,
    read_back,
    read_program,
    study_program,
)
from core.report import program_json, program_text
from core.report.inspect_json import Json

__all__ = [
    "Matter",
    "Opened",
    "Program",
    "ReadProgram",
    "Readback",
    "Untold",
    "accelerator_in",
    "describe_program",
    "likely_memory_mode",
    "open_compiled",
    "read_back",
    "read_program",
    "render_program",
    "study_program",
]


def describe_program(name: str, opened: Opened) -> Json:
    """A compiled model as JSON."""
    return program_json.describe(name, opened.program, opened.studies)


def render_program(name: str, opened: Opened) -> str:
    """A compiled model as text for a terminal."""
    return program_text.render(name, opened.program, opened.studies)
