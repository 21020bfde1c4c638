"""The door to what the compiler does: from a model to its schedule, and to the compiled model."""

from __future__ import annotations

from pathlib import Path

from core.base.errors import InputError
from core.base.progress import SILENT, Progress
from core.ir.network import Network
from core.ir.options import Options
from core.pipeline.compile import Compiled
from core.pipeline.compile import compile_model as compile_stages
from core.pipeline.run import Run, findings
from core.pipeline.run import run as run_stages
from core.pipeline.scheduled import Scheduled, Workbench
from core.target.target import Target
from core.weights.encode import EncodingCache

__all__ = [
    "Compiled",
    "Run",
    "Scheduled",
    "Workbench",
    "check_network",
    "compile_model",
    "findings",
    "read_bytes",
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


def compile_model(
    scheduled: Scheduled, progress: Progress = SILENT, *, encodings: EncodingCache | None = None
) -> Compiled:
    """The compiled model; a `Workbench` has encodings, with which it comes sooner."""
    return compile_stages(scheduled, progress, encodings=encodings)


def check_network(network: Network) -> tuple[str, ...]:
    """One line for each thing that is wrong with a network."""
    return tuple(f"{finding.where}: {finding.message}" for finding in findings(network))
