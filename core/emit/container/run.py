"""The compiled network: islands become `ethos-u` operators, and the rest stays what it was.

a -> CONV_2D -> b -> ADD -> c -> GATHER -> d

becomes

command stream, constants, scratch, fast scratch, a -> ethos-u -> c -> GATHER -> d
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from core.base.errors import DoesNotFit, InternalError
from core.base.frozen import NamedTuple
from core.base.ids import FmId, IslandId, SubgraphId
from core.base.version import VERSION
from core.emit.assemble import assemble
from core.emit.container.memory import maps_in, region_sizes, shared_tensors
from core.emit.container.metadata import metadata_of, moved_signatures
from core.emit.container.subgraph import Shared, make_subgraph
from core.emit.conventions import PROGRAM
from core.emit.instructions.known import instructions_for
from core.emit.payload import word_of, write_newer_payload, write_payload
from core.ir.layout import MemoryLayout
from core.ir.network import MOST_BYTES, Network
from core.ir.npugraph import NpuGraph
from core.ir.program import Architecture, CommandStream
from core.ir.schedule import Schedule
from core.target.format import Format
from core.target.region import Region
from core.target.target import Target


def contain(  # noqa: PLR0913 - what is in the file, and in which form
    network: Network,
    graph: NpuGraph,
    schedule: Schedule,
    layout: MemoryLayout,
    target: Target,
    streams: Mapping[IslandId, CommandStream],
    constants: bytes,
    *,
    is_newer: bool = False,
) -> Network:
    """The network that runs these streams; `constants` are the bytes that all of them read.

    A newer container is written where it is asked for.
    """
    sizes = region_sizes(layout, target)
    if max(sizes) > MOST_BYTES:
        placed = (item for area in layout.areas for item in area.placements)
        beyond = (item.name for item in placed if item.address + item.size_bytes > MOST_BYTES)
        raise DoesNotFit(MOST_BYTES, max(sizes), beyond)
    arena = maps_in(layout, Region.SCRATCH)
    separate = maps_in(layout, Region.SEPARATE_IO)
    _demand_visible(graph, schedule, arena.keys() | separate.keys())
    shared = Shared(
        memory=shared_tensors(sizes, constants),
        payloads=_payloads(target, streams, _Form(is_newer, bool(separate), sizes.scratch_fast)),
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


class _Form(NamedTuple):
    """What a payload says besides the stream."""

    is_newer: bool
    has_own_regions: bool
    scratch_bytes: int


def _payloads(
    target: Target, streams: Mapping[IslandId, CommandStream], form: _Form
) -> dict[IslandId, bytes]:
    family = target.accelerator.family
    known, word = instructions_for(family), word_of(target.accelerator)
    architecture = Architecture(*family.product.architecture)
    laid_out = {number: assemble(stream, word, known) for number, stream in streams.items()}
    if not form.is_newer:
        return {
            number: write_payload(word, architecture, words) for number, words in laid_out.items()
        }
    return {
        number: write_newer_payload(
            word, architecture, words, form.scratch_bytes, has_own_regions=form.has_own_regions
        )
        for number, words in laid_out.items()
    }


def _demand_visible(graph: NpuGraph, schedule: Schedule, outside: Set[FmId]) -> None:
    """What islands hand over must lie row by row in the arena, or in buffers of its own."""
    for fm in _handed_over(graph):
        plan = schedule.maps[fm]
        if fm not in outside or plan.rolling is not None or plan.format is not Format.LINEAR:
            name = graph.feature_maps[fm].name
            raise InternalError(f"'{name}' leaves its island, and no interpreter can read it")


def _handed_over(graph: NpuGraph) -> Iterator[FmId]:
    for island in graph.islands:
        yield from (*island.inputs, *island.outputs)
