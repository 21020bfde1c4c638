"""The door of the compiler for programs: the app, the command line, and tests of behaviour."""

from __future__ import annotations

from pathlib import Path

from core.base.errors import InputError
from core.base.progress import SILENT, Progress
from core.ir.network import Network
from core.ir.options import Options
from core.pipeline.run import Run, findings
from core.pipeline.run import run as run_stages
from core.report import inspect_json, inspect_text
from core.report.inspect_json import Json
from core.target.accelerator import ACCELERATORS
from core.target.config import load as load_configs
from core.target.resolve import resolve as resolve_target
from core.target.target import Target

__all__ = [
    "ACCELERATORS",
    "Run",
    "describe",
    "findings",
    "load_configs",
    "read_bytes",
    "render",
    "resolve_target",
    "run",
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


def describe(name: str, result: Run, target: Target) -> Json:
    """A run as JSON."""
    return inspect_json.describe(name, result.network, result.graph, target)


def render(name: str, result: Run, target: Target) -> str:
    """A run as text for a terminal."""
    return inspect_text.render(name, result.network, result.graph, target)


def check_network(network: Network) -> tuple[str, ...]:
    """One line for each thing that is wrong with a network."""
    return tuple(f"{finding.where}: {finding.message}" for finding in findings(network))
