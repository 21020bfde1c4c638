"""One run from a model's bytes as far as the stages go, checked after each where asked."""

from __future__ import annotations

from dataclasses import dataclass

from core.base.errors import InternalError
from core.base.progress import SILENT, Progress
from core.check import network as network_check
from core.check import npugraph as npugraph_check
from core.check.finding import Finding
from core.ir.network import Network
from core.ir.npugraph import NpuGraph
from core.ir.options import Options
from core.lower import run as lower
from core.target.accelerator import Accelerator
from core.target.target import Target
from core.tflite import reader


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What the stages made of one model for one target."""

    network: Network
    accelerator: Accelerator
    graph: NpuGraph


def run(
    model: bytes,
    target: Target,
    options: Options,
    progress: Progress = SILENT,
    *,
    is_checked: bool = False,
) -> Run:
    """Read and lower a model; when checked, a stage that breaks its promise is an InternalError."""
    network = reader.read(model, progress)
    graph = lower.run(network, target.accelerator, options, progress)
    if is_checked:
        _demand_none("npu graph", npugraph_check.verify(graph))
    return Run(network=network, accelerator=target.accelerator, graph=graph)


def findings(network: Network) -> tuple[Finding, ...]:
    """What is wrong with a network that could be read all the same."""
    return network_check.verify(network)


def _demand_none(noun: str, found: tuple[Finding, ...]) -> None:
    if found:
        lines = "; ".join(f"{finding.where}: {finding.message}" for finding in found[:5])
        raise InternalError(f"the {noun} does not hold: {lines}")
