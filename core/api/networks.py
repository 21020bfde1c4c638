"""The door to networks: a model as it is read and lowered, before there is a schedule."""

from __future__ import annotations

from core.base.checked import door
from core.base.progress import SILENT, Progress
from core.ir.network import Network
from core.ir.options import Options
from core.ir.scheduled import Run
from core.pipeline.marks import is_of_executorch, may_be_compiled
from core.pipeline.run import findings
from core.pipeline.run import read as read_network
from core.pipeline.run import run as run_stages
from core.report import inspect_json, inspect_text
from core.report.inspect_json import Json
from core.target.target import Target

__all__ = [
    "Run",
    "check_network",
    "describe",
    "findings",
    "is_of_executorch",
    "may_be_compiled",
    "read",
    "render",
    "run",
]


@door
def read(model: bytes) -> Network:
    """The network of a file."""
    return read_network(model)


@door
def run(model: bytes, target: Target, options: Options, progress: Progress = SILENT) -> Run:
    """Everything that the compiler makes of a model before there is a schedule."""
    return run_stages(model, target, options, progress)


@door
def check_network(network: Network) -> tuple[str, ...]:
    """One line for each thing that is wrong with a network."""
    return tuple(f"{finding.where}: {finding.message}" for finding in findings(network))


@door
def describe(name: str, result: Run, target: Target) -> Json:
    """A run as JSON."""
    return inspect_json.describe(name, result.network, result.graph, target)


@door
def render(name: str, result: Run, target: Target) -> str:
    """A run as text for a terminal."""
    return inspect_text.render(name, result.network, result.graph, target)
