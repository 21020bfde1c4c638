"""One run from a model's bytes as far as there is no schedule."""

from __future__ import annotations

from core.base.frozen import replace
from core.base.progress import SILENT, Progress
from core.check import network as network_check
from core.check import npugraph as npugraph_check
from core.check import target as target_check
from core.check.finding import Finding, hold
from core.emit.conventions import is_marked
from core.ir.network import Network
from core.ir.options import Options
from core.ir.scheduled import Run
from core.lower import run as lower
from core.pipeline.open_shapes import with_shapes_settled
from core.target.target import Target
from core.tflite import reader


def run(
    model: bytes,
    target: Target,
    options: Options,
    progress: Progress = SILENT,
) -> Run:
    """Read and lower a model."""
    network = read(model, progress)
    hold("the target", target_check.verify(target))
    saves = lower.saves_memory(network, target, options)
    lowering = replace(options.lowering, saves_memory=saves)
    graph = lower.run(network, target.accelerator, lowering, progress)
    hold("the lowered network", npugraph_check.verify(graph))
    return Run(network=network, accelerator=target.accelerator, graph=graph, saves_memory=saves)


def read(model: bytes, progress: Progress = SILENT) -> Network:
    """The network of a file; an InputError says where it is not what it says it is."""
    network = reader.read(model, progress)
    if is_marked(model):
        from core.emit.open import demand_readable  # with all that reads streams

        demand_readable(network)
    network = with_shapes_settled(network)
    network_check.demand_consistent(network)
    return network


def findings(network: Network) -> tuple[Finding, ...]:
    """What is wrong with a network that could be read all the same."""
    return network_check.verify(network)
