"""The door of the memory stage: addresses for everything that a schedule needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from core.base.frozen import replace
from core.base.ids import FmId
from core.base.progress import SILENT, Progress
from core.ir.fixed import NOTHING_FIXED, Against, Fixed
from core.ir.held import NOTHING_HELD, Held
from core.ir.layout import AreaLayout, MemoryLayout, Placement, Purpose
from core.ir.npugraph import NpuGraph
from core.ir.options import Allocator, Options
from core.ir.schedule import Schedule
from core.liveness.lives import Life
from core.liveness.separate import separate_maps
from core.memory import greedy, hillclimb, linear, optimal
from core.memory.given import with_addresses, without_address
from core.memory.held import kept_free, staying
from core.memory.packing import DEFAULT_OPTIONS, AllocationOptions, Packing, Range, Solution
from core.memory.packing import Allocator as Allocate
from core.memory.ranges import Constant, Timeline, constants, timeline
from core.memory.trails import common_of, trails_of
from core.target.format import ALIGNMENT_BYTES
from core.target.region import Region, memory_of
from core.target.target import Target

ALLOCATORS: Mapping[Allocator, Allocate] = {
    Allocator.LINEAR: linear.allocate,
    Allocator.GREEDY: greedy.allocate,
    Allocator.HILL_CLIMB: hillclimb.allocate,
    Allocator.OPTIMAL: optimal.allocate,
}

_RESERVED = "reserved"


def run(  # noqa: PLR0913 - what is placed, for whom, how, and what of it has a place already
    graph: NpuGraph,
    schedule: Schedule,
    target: Target,
    options: Options,
    progress: Progress = SILENT,
    *,
    search: AllocationOptions = DEFAULT_OPTIONS,
    fixed: Fixed = NOTHING_FIXED,
    held: Held = NOTHING_HELD,
) -> MemoryLayout:
    """Addresses in each region; a limit that is not met shows in the layout.

    What is fixed is placed first: maps at their addresses, as far as these are possible, and
    bytes that are reserved for others. What is held stays where it is, beside these.
    """
    search = replace(search, iteration_limit=options.hill_climb_orders)
    align = _alignments(graph, options.cpu_alignment)
    separate = separate_maps(graph) if options.separate_io_regions else frozenset()
    whens = {
        regions: timeline(graph, schedule, regions, fixed, separate)
        for regions in _shared_regions(target)
    }
    allocate = ALLOCATORS[options.allocator]

    def solve(problem: Packing) -> Solution:
        return allocate(problem, search, progress)

    areas: list[AreaLayout] = []
    against: list[Against] = []
    for regions, when in whens.items():
        lives = kept_free(when.lives, when.op_times, held)
        ranges = tuple(_range(graph, life, align(life)) for life in lives)
        limit = _limit(target, regions)
        most = target.accelerator.max_address if limit is None else limit
        trails = trails_of(schedule, when.op_times, lives)
        given = with_addresses(lives, ranges, fixed.address_of, most, trails)
        is_fast = Region.SCRATCH_FAST in regions
        ranges = staying(lives, given.ranges, held, trails, is_fast=is_fast)
        asked = Packing(ranges=ranges, limit_bytes=limit, trails=trails)
        areas.append(_area(schedule, target, regions, lives, asked, solve(asked)))
        against += given.against
    placed = {fm for when in whens.values() for life in when.lives for fm in life.fms}
    against += without_address(
        [graph.feature_maps[fm] for fm in fixed.address_of if fm not in placed]
    )
    when = next(iter(whens.values()))
    always = list(constants(graph, schedule))
    areas += _separate(graph, schedule, target, separate)
    areas += [
        _permanent(target, region, always, when, progress)
        for region in (Region.PERMANENT_NPU, Region.PERMANENT_CPU)
    ]
    return MemoryLayout(
        areas=tuple(areas),
        op_times=when.op_times,
        end_time=when.end_time,
        against=tuple(against),
        allocator=options.allocator,
    )


def _limit(target: Target, regions: tuple[Region, ...]) -> int | None:
    return target.fast_limit_bytes if Region.SCRATCH_FAST in regions else None


def _area(
    schedule: Schedule,
    target: Target,
    regions: tuple[Region, ...],
    lives: Sequence[Life],
    asked: Packing,
    found: Solution,
) -> AreaLayout:
    """Addresses of everything that lives in some regions for a time."""
    placements = tuple(
        _placement(schedule, life, item, address)
        for life, item, address in zip(lives, asked.ranges, found.addresses, strict=True)
    )
    return AreaLayout(
        area=memory_of(target, regions[0]).area,
        regions=regions,
        placements=placements,
        height_bytes=found.height_bytes,
        lower_bound_bytes=found.lower_bound_bytes,
        limit_bytes=asked.limit_bytes,
        common=common_of(asked.trails, placements),
    )


def _shared_regions(target: Target) -> tuple[tuple[Region, ...], ...]:
    """Regions that share addresses: both kinds of scratch, where they are in one memory."""
    if target.is_spilling:
        return (Region.SCRATCH_FAST,), (Region.SCRATCH,)
    return ((Region.SCRATCH, Region.SCRATCH_FAST),)


def _alignments(graph: NpuGraph, for_cpu: int) -> Callable[[Life], int]:
    """How the address of each life is aligned; the CPU also hands command streams their maps."""
    maps = {fm for island in graph.islands for fm in (*island.inputs, *island.outputs)}
    maps |= {fm for fms in (*graph.inputs, *graph.outputs) for fm in fms}
    maps |= {fm for op in graph.cpu_ops for fm in (*op.inputs, *op.outputs)}

    def align(life: Life) -> int:
        return ALIGNMENT_BYTES if maps.isdisjoint(life.fms) else for_cpu

    return align


def _range(graph: NpuGraph, life: Life, alignment: int) -> Range:
    return Range(
        name=_name(graph, life),
        size_bytes=life.size_bytes,
        start_time=life.start_time,
        end_time=life.end_time,
        alignment=alignment,
    )


def _name(graph: NpuGraph, life: Life) -> str:
    if life.op is None:
        return graph.feature_maps[life.fms[0]].name if life.fms else _RESERVED
    return f"{graph.ops[life.op].name}: weight buffer{' 2' if life.buffer else ''}"


def _placement(schedule: Schedule, life: Life, item: Range, address: int) -> Placement:
    if life.fms:
        purpose, region = Purpose.FEATURE_MAP, schedule.maps[life.fms[0]].region
    else:
        purpose = Purpose.RESERVED if life.op is None else Purpose.WEIGHTS
        region = Region.SCRATCH_FAST
    return Placement(
        name=item.name,
        purpose=purpose,
        region=region,
        address=address,
        size_bytes=life.size_bytes,
        start_time=life.start_time,
        end_time=life.end_time,
        fms=life.fms,
        op=life.op,
        buffer=life.buffer,
        alignment=item.alignment,
    )


def _separate(
    graph: NpuGraph, schedule: Schedule, target: Target, separate: frozenset[FmId]
) -> Iterator[AreaLayout]:
    """Buffers of the application's: nobody knows where they are, and they are drawn in a row."""
    if not separate:
        return
    placements: list[Placement] = []
    address = 0
    lives = timeline(graph, schedule, (Region.SEPARATE_IO,), separate=separate).lives
    for life in sorted(lives, key=lambda life: life.fms):
        placements.append(
            Placement(
                name=_name(graph, life),
                purpose=Purpose.FEATURE_MAP,
                region=Region.SEPARATE_IO,
                address=address,
                size_bytes=life.size_bytes,
                start_time=life.start_time,
                end_time=life.end_time,
                fms=life.fms,
            )
        )
        address += life.size_bytes
    yield AreaLayout(
        area=memory_of(target, Region.SEPARATE_IO).area,
        regions=(Region.SEPARATE_IO,),
        placements=tuple(placements),
        height_bytes=address,
        lower_bound_bytes=address,
        limit_bytes=None,
    )


def _permanent(
    target: Target,
    region: Region,
    always: Iterable[Constant],
    when: Timeline,
    progress: Progress,
) -> AreaLayout:
    """Constants one behind the other; equal ones share their place."""
    own = [item for item in always if item.region is region]
    ranges = tuple(
        Range(
            name=item.name,
            size_bytes=item.size_bytes,
            start_time=0,
            end_time=when.end_time,
            content=item.content,
        )
        for item in own
    )
    found = linear.allocate(Packing(ranges=ranges), DEFAULT_OPTIONS, progress)
    return AreaLayout(
        area=memory_of(target, region).area,
        regions=(region,),
        placements=tuple(
            Placement(
                name=item.name,
                purpose=item.purpose,
                region=region,
                address=address,
                size_bytes=item.size_bytes,
                start_time=0,
                end_time=when.end_time,
                fms=item.fms,
                op=item.op,
                content=item.content,
            )
            for item, address in zip(own, found.addresses, strict=True)
        ),
        height_bytes=found.height_bytes,
        lower_bound_bytes=found.lower_bound_bytes,
        limit_bytes=None,
    )
