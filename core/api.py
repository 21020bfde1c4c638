"""The door of the compiler for programs: the app, the command line, and tests of behaviour."""

from __future__ import annotations

from pathlib import Path

from core.base.errors import InputError
from core.base.progress import SILENT, Progress
from core.ir.network import Network
from core.ir.options import Options
from core.ir.program import Program
from core.ir.trace import Analysis
from core.pipeline.analysis import analyse
from core.pipeline.compile import Compiled
from core.pipeline.compile import compile_model as compile_stages
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
from core.pipeline.run import Run, findings
from core.pipeline.run import run as run_stages
from core.pipeline.scheduled import Scheduled, Workbench
from core.pipeline.verdict import OutputVerdict, Verification
from core.pipeline.verify import verify as verify_models
from core.report import (
    inspect_json,
    inspect_text,
    layer_csv,
    program_json,
    program_text,
    schedule_json,
    schedule_text,
    summary_csv,
)
from core.report.board.sizes import Board, board_of
from core.report.board.snippets import SNIPPETS as BOARD_SNIPPETS
from core.report.inspect_json import Json
from core.report.material import ScheduleMaterial
from core.report.measured.match import Measured
from core.report.measured.match import read as read_measured_rows
from core.report.page import document as page
from core.report.page.document import Contents as ReportContents
from core.report.page.style import ReportTheme
from core.report.perfetto import document as perfetto
from core.report.untold import Matter, Untold
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
from core.weights.encode import EncodingCache

__all__ = [
    "ACCELERATORS",
    "BOARD_SNIPPETS",
    "AboutBuffer",
    "AboutCascade",
    "AboutCpuOp",
    "AboutMap",
    "AboutNetwork",
    "AboutOp",
    "Analysis",
    "Board",
    "Compiled",
    "Matter",
    "Measured",
    "Opened",
    "OutputVerdict",
    "Program",
    "ReadProgram",
    "Readback",
    "ReportContents",
    "ReportTheme",
    "Run",
    "Scheduled",
    "Sentence",
    "Subject",
    "Untold",
    "Verification",
    "Workbench",
    "accelerator_in",
    "analyse",
    "board",
    "compile_model",
    "describe",
    "describe_program",
    "describe_schedule",
    "explain",
    "findings",
    "likely_memory_mode",
    "load_configs",
    "open_compiled",
    "outline_schedule",
    "read_back",
    "read_bytes",
    "read_measured",
    "read_program",
    "render",
    "render_layer_csv",
    "render_program",
    "render_report",
    "render_schedule",
    "render_summary_csv",
    "render_trace",
    "resolve_target",
    "run",
    "schedule",
    "study_program",
    "verify",
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


def compile_model(
    scheduled: Scheduled, progress: Progress = SILENT, *, encodings: EncodingCache | None = None
) -> Compiled:
    """The compiled model; a `Workbench` has encodings, with which it comes sooner."""
    return compile_stages(scheduled, progress, encodings=encodings)


def verify(
    compiled: bytes, model: bytes, *, inputs: int = 1, seed: int = 0, progress: Progress = SILENT
) -> Verification:
    """Whether a compiled model computes what its original does, by running both."""
    return verify_models(compiled, model, inputs=inputs, seed=seed, progress=progress)


def describe_schedule(name: str, scheduled: Scheduled) -> Json:
    """A schedule as JSON, with the keys of the ecosystem's schedule reports."""
    return schedule_json.describe(_material(name, scheduled))


def outline_schedule(name: str, scheduled: Scheduled) -> str:
    """The figures of a schedule that matter most, in three or four lines."""
    return schedule_text.outline(_material(name, scheduled))


def render_schedule(name: str, scheduled: Scheduled) -> str:
    """A schedule as text for a terminal."""
    return schedule_text.render(_material(name, scheduled))


def render_summary_csv(name: str, scheduled: Scheduled) -> str:
    """The figures of a schedule as CSV, with the columns of the ecosystem's summaries."""
    return summary_csv.render(_material(name, scheduled))


def render_layer_csv(name: str, scheduled: Scheduled) -> str:
    """The operators of a schedule as CSV, with the columns of the ecosystem's reports."""
    return layer_csv.render(_material(name, scheduled))


def render_trace(
    name: str, scheduled: Scheduled, analysis: Analysis, measured: Measured | None = None
) -> str:
    """A schedule as a trace that Perfetto opens; measured cycles have lanes of their own."""
    return perfetto.render(_material(name, scheduled), analysis, measured)


def render_report(
    name: str, scheduled: Scheduled, analysis: Analysis, contents: ReportContents
) -> str:
    """A schedule as one HTML file that needs nothing else."""
    return page.render(_material(name, scheduled), analysis, contents)


def board(name: str, scheduled: Scheduled) -> Board:
    """What a board has to offer for a schedule."""
    return board_of(_material(name, scheduled))


def describe_program(name: str, opened: Opened) -> Json:
    """A compiled model as JSON."""
    return program_json.describe(name, opened.program, opened.studies)


def render_program(name: str, opened: Opened) -> str:
    """A compiled model as text for a terminal."""
    return program_text.render(name, opened.program, opened.studies)


def read_measured(data: bytes, scheduled: Scheduled) -> Measured:
    """Measured cycles of a file, matched to the operators of a schedule."""
    return read_measured_rows(data, _material("", scheduled))


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
        compiled_by=scheduled.compiled_by,
        untold=scheduled.untold,
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
