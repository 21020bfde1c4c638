"""The compiled network: islands become `ethos-u` operators, and the rest stays what it was.

a -> CONV_2D -> b -> ADD -> c -> GATHER -> d

becomes

command stream, constants, scratch, fast scratch, a -> ethos-u -> c -> GATHER -> d
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.base.errors import DoesNotFit, InternalError
from core.base.ids import FmId, IslandId, SubgraphId
from core.base.version import VERSION
from core.emit.assemble import assemble
from core.emit.container.memory import places_in_arena, region_sizes, shared_tensors
from core.emit.container.metadata import metadata_of, moved_signatures
from core.emit.container.subgraph import Shared, make_subgraph
from core.emit.conventions import PROGRAM
from core.emit.instructions.known import instructions_for
from core.emit.payload import word_of, write_payload
from core.ir.layout import MemoryLayout
from core.ir.network import MOST_BYTES, Network
from core.ir.npugraph import NpuGraph
from core.ir.program import Architecture, CommandStream
from core.ir.schedule import Schedule
from core.target.format import Format
from core.target.target import Target


def contain(
    network: Network,
    graph: NpuGraph,
    schedule: Schedule,
    layout: MemoryLayout,
    target: Target,
    streams: Mapping[IslandId, CommandStream],
    constants: bytes,
) -> Network:
    """The network that runs these streams; `constants` are the bytes that all of them read."""
    sizes = region_sizes(layout, target)
    if max(sizes) > MOST_BYTES:
        placed = (item for area in layout.areas for item in area.placements)
        beyond = (item.name for item in placed if item.address + item.size_bytes > MOST_BYTES)
        raise DoesNotFit(MOST_BYTES, max(sizes), beyond)
    arena = places_in_arena(layout)
    _demand_visible(graph, schedule, arena)
    family = target.accelerator.family
    known, word = instructions_for(family), word_of(target.accelerator)
    architecture = Architecture(*family.product.architecture)
    shared = Shared(
        memory=shared_tensors(sizes, constants),
        payloads={
            number: write_payload(word, architecture, assemble(stream, word, known))
            for number, stream in streams.items()
        },
        arena=arena,
    )
    made = [
        make_subgraph(network, graph, SubgraphId(number), shared)
        for number in range(len(network.subgraphs))
    ]
    return Network(
        subgraphs=tuple(part.subgraph for part in made),
        description=f"{PROGRAM} {VERSION}",
        version=network.version,
        metadata=metadata_of(network.metadata, [part.addresses for part in made]),
        signatures=moved_signatures(network.signatures, [part.moved for part in made]),
    )


def _demand_visible(graph: NpuGraph, schedule: Schedule, arena: Mapping[FmId, int]) -> None:
    """What islands hand over must lie in the arena, row by row, where an interpreter finds it."""
    for fm in _handed_over(graph):
        plan = schedule.maps[fm]
        if fm not in arena or plan.rolling is not None or plan.format is not Format.LINEAR:
            name = graph.feature_maps[fm].name
            raise InternalError(f"'{name}' leaves its island, and no interpreter can read it")


def _handed_over(graph: NpuGraph) -> Iterator[FmId]:
    for island in graph.islands:
        yield from (*island.inputs, *island.outputs)
