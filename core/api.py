"""The door of the compiler for programs: the app, the command line, and tests of behaviour."""

from __future__ import annotations

from pathlib import Path

from core.base.errors import InputError
from core.base.progress import SILENT, Progress
from core.ir.network import Network
from core.ir.options import Options
from core.ir.trace import Analysis
from core.pipeline.analysis import analyse
from core.pipeline.compiled import Opened, open_compiled
from core.pipeline.run import Run, findings
from core.pipeline.run import run as run_stages
from core.pipeline.scheduled import Scheduled, Workbench
from core.report import (
    inspect_json,
    inspect_text,
    program_json,
    program_text,
    schedule_json,
    schedule_text,
)
from core.report.inspect_json import Json
from core.report.material import ScheduleMaterial
from core.report.why import (
    AboutBuffer,
    AboutCascade,
    AboutCpuOp,
    AboutMap,
    AboutNetwork,
    AboutOp,
    Subject,
)
from core.report.why import explain as explain_subject
from core.report.why_facts import Sentence
from core.target.accelerator import ACCELERATORS
from core.target.config import load as load_configs
from core.target.resolve import resolve as resolve_target
from core.target.target import Target

__all__ = [
    "ACCELERATORS",
    "AboutBuffer",
    "AboutCascade",
    "AboutCpuOp",
    "AboutMap",
    "AboutNetwork",
    "AboutOp",
    "Analysis",
    "Opened",
    "Run",
    "Scheduled",
    "Sentence",
    "Subject",
    "Workbench",
    "analyse",
    "describe",
    "describe_program",
    "describe_schedule",
    "explain",
    "findings",
    "load_configs",
    "open_compiled",
    "read_bytes",
    "render",
    "render_program",
    "render_schedule",
    "resolve_target",
    "run",
    "schedule",
]


def read_bytes(path: Path) -> bytes:
    """A file's content; an InputError that says what is wrong where it cannot be had."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(error.strerror or "cannot be read", str(path)) from error


def run(model: bytes, target: Target, options: Options, progress: Progress = SILENT) -> Run:
    """Everything that the compiler makes of a model today: its network and its NPU operators."""
    return run_stages(model, target, options, progress)


def schedule(
    model: bytes, target: Target, options: Options, progress: Progress = SILENT
) -> Scheduled:
    """A model's schedule, with addresses and costs; a `Workbench` makes further ones quickly."""
    return Workbench(run(model, target, options, progress)).schedule(target, options, progress)


def describe_schedule(name: str, scheduled: Scheduled) -> Json:
    """A schedule as JSON, with the keys of the ecosystem's schedule reports."""
    return schedule_json.describe(_material(name, scheduled))


def render_schedule(name: str, scheduled: Scheduled) -> str:
    """A schedule as text for a terminal."""
    return schedule_text.render(_material(name, scheduled))


def describe_program(name: str, opened: Opened) -> Json:
    """A compiled model as JSON."""
    return program_json.describe(name, opened.program, opened.studies)


def render_program(name: str, opened: Opened) -> str:
    """A compiled model as text for a terminal."""
    return program_text.render(name, opened.program, opened.studies)


def explain(scheduled: Scheduled, analysis: Analysis, subject: Subject) -> tuple[Sentence, ...]:
    """Why a part of a schedule is as it is, in sentences with numbers."""
    return explain_subject(_material("", scheduled), analysis, subject)


def _material(name: str, scheduled: Scheduled) -> ScheduleMaterial:
    return ScheduleMaterial(
        name=name,
        network=scheduled.run.network,
        graph=scheduled.run.graph,
        target=scheduled.target,
        options=scheduled.options,
        schedule=scheduled.schedule,
        layout=scheduled.layout,
        costs=scheduled.costs,
        total=scheduled.total,
    )


def describe(name: str, result: Run, target: Target) -> Json:
    """A run as JSON."""
    return inspect_json.describe(name, result.network, result.graph, target)


def render(name: str, result: Run, target: Target) -> str:
    """A run as text for a terminal."""
    return inspect_text.render(name, result.network, result.graph, target)


def check_network(network: Network) -> tuple[str, ...]:
    """One line for each thing that is wrong with a network."""
    return tuple(f"{finding.where}: {finding.message}" for finding in findings(network))
