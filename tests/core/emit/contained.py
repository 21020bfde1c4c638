"""Networks put into containers around streams that do nothing."""

from __future__ import annotations

import numpy as np

from core.base.frozen import Frozen
from core.base.ids import TensorId
from core.emit.container.memory import region_sizes
from core.emit.container.run import contain
from core.ir.freedoms import ALL, Freedoms
from core.ir.network import Network, Operator, Subgraph, Table
from core.ir.npugraph import NpuGraph
from core.ir.options import LoweringOptions, Options
from core.ir.program import CommandStream, Stop
from core.ir.scheduled import Run, Scheduled
from core.lower import run as lower
from core.pipeline.scheduled import Workbench
from core.synth.builder import Builder
from core.synth.windows import window
from core.target.resolve import resolve
from core.target.target import Target

NOTHING = CommandStream(commands=(Stop(),))

U55 = resolve("ethos-u55-128", arena_cache_size=65536)
TARGETS = {
    "shared": U55,
    "sram only": resolve("ethos-u55-64", "Ethos_U55_Deep_Embedded", "Sram_Only"),
    "dedicated": resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram_384KB"),
    "dedicated 48k": resolve(
        "ethos-u65-512", "Ethos_U65_High_End", "Dedicated_Sram", arena_cache_size=49152
    ),
}


class Contained(Frozen):
    """A compiled network beside all that it was made of."""

    source: Network
    scheduled: Scheduled
    constants: bytes
    network: Network

    @property
    def graph(self) -> NpuGraph:
        """What it was lowered to."""
        return self.scheduled.run.graph


def graph_of(network: Network, target: Target = U55, freedoms: Freedoms = ALL) -> NpuGraph:
    return lower.run(network, target.accelerator, LoweringOptions(freedoms=freedoms))


def contained(network: Network, target: Target = U55, graph: NpuGraph | None = None) -> Contained:
    """A network in its container; its graph may be another than lowering makes."""
    lowered = graph_of(network, target) if graph is None else graph
    run = Run(network=network, accelerator=target.accelerator, graph=lowered)
    scheduled = Workbench(run).schedule(target, Options())
    size = region_sizes(scheduled.layout, target).constants
    constants = np.random.default_rng(size).bytes(size)
    return Contained(
        source=network,
        scheduled=scheduled,
        constants=constants,
        network=contain(
            network,
            lowered,
            scheduled.schedule,
            scheduled.layout,
            target,
            {island.id: NOTHING for island in lowered.islands},
            constants,
        ),
    )


def shuffled() -> Network:
    """Two islands with the CPU between them, and a map that passes it by."""
    b = Builder(3)
    x = b.conv(b.input((1, 8, 8, 16)), 16, window(3))
    y = b.conv(b.gather(b.conv(x, 16), list(range(15, -1, -1)), 3), 16)
    return b.build((b.conv(b.concat((x, y)), 8, window(3)),), "shuffled")


def recurrent() -> Network:
    """A layer that keeps its states."""
    b = Builder(5)
    return b.build((b.lstm(b.input((1, 4, 12)), 8),), "recurrent")


def calling() -> Network:
    """A network whose one operator calls another subgraph, which has an island and the CPU."""
    body = shuffled()
    (given,), (made,) = body.main.inputs, body.main.outputs
    call = Operator(
        kind="CALL",
        inputs=(TensorId(0),),
        outputs=(TensorId(1),),
        options=Table(kind="CallOptions", fields=(("subgraph", 1),)),
    )
    main = Subgraph(
        name="main",
        tensors=(body.main.tensors[given], body.main.tensors[made]),
        operators=(call,),
        inputs=call.inputs,
        outputs=call.outputs,
    )
    return Network(subgraphs=(main, body.main))
