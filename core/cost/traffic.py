"""What is moved for an operator: feature maps, weights, scales, tables, by memory and direction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from core.base.frozen import NamedTuple
from core.cost.accesses import Accesses
from core.cost.bursts import Bursts
from core.cost.price import Price
from core.cost.rates import Rates
from core.cost.work import Step, WeightUse, Work
from core.ir.cost import Direction, Purpose, Traffic
from core.target.target import Area
from core.target.unit import Unit


def traffic(price: Price, rates: Rates, step: Step) -> tuple[Traffic, ...]:
    """All that is moved for an operator."""
    moved = price.accesses(rates.accelerator, step.work)
    return (
        *_loads(step),
        *_weight_dma(step.weights),
        *map_traffic(price.bursts, rates, step.work, moved),
        *_weight_reads(price, step, moved),
    )


def _loads(step: Step) -> Iterator[Traffic]:
    if step.table is not None:
        size = float(step.table.size_bytes)
        yield Traffic(step.table.area, Purpose.TABLE, Direction.READ, size, 0.0)
    if step.is_moving:
        work, size = step.work, float(step.copied_bytes)
        yield Traffic(work.ifm.area, Purpose.FEATURE_MAP, Direction.READ, size, 0.0)
        yield Traffic(work.ofm.area, Purpose.FEATURE_MAP, Direction.WRITE, size, 0.0)


def _weight_dma(weights: WeightUse | None) -> Iterator[Traffic]:
    if weights is not None and weights.buffer is not None:
        size = weights.stream_bytes * 1.0
        yield Traffic(weights.area, Purpose.WEIGHTS, Direction.READ, size, 0.0)
        yield Traffic(weights.buffer.area, Purpose.WEIGHTS, Direction.WRITE, size, 0.0)


class MapMoved(NamedTuple):
    """What is moved of a map, wherever it is."""

    direction: Direction
    size_bytes: int
    run_bytes: int
    """Of these lie together."""

    def traffic(self, rates: Rates, area: Area) -> Traffic:
        """The same in a memory."""
        size = self.size_bytes
        busy = rates.areas[area].busy_bytes(size, self.run_bytes)
        return Traffic(area, Purpose.FEATURE_MAP, self.direction, size * 1.0, busy)


def maps_moved(bursts: Bursts, cores: int, work: Work, moved: Accesses) -> tuple[MapMoved, ...]:
    """What is moved of the output, and then of the inputs."""
    if work.unit is Unit.DMA:
        return ()
    ofm, ifm, ifm2, block = work.ofm, work.ifm, work.ifm2, work.block
    run = bursts.write(ofm, block.ofm_block, cores)
    made = MapMoved(Direction.WRITE, moved.ofm * ofm.element_bytes, run)
    run = bursts.read(ifm, block.ifm_block)
    read = MapMoved(Direction.READ, moved.ifm * ifm.element_bytes, run)
    if ifm2 is None:
        return made, read
    run = bursts.read(ifm2, block.ifm_block)
    return made, read, MapMoved(Direction.READ, moved.ifm2 * ifm2.element_bytes, run)


def map_traffic(bursts: Bursts, rates: Rates, work: Work, moved: Accesses) -> Iterator[Traffic]:
    """The same where they are."""
    uses = (use for use in (work.ofm, work.ifm, work.ifm2) if use is not None)
    maps = maps_moved(bursts, rates.accelerator.cores, work, moved)
    return (each.traffic(rates, use.area) for each, use in zip(maps, uses, strict=False))


def busy_cycles(rates: Rates, moved: Iterable[Traffic]) -> dict[Area, float]:
    """Cycles in which memories serve what is moved; those that are not here serve nothing."""
    busy: defaultdict[Area, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for part in moved:
        busy[part.area][part.direction is Direction.WRITE] += part.busy_bytes
    return {area: rates.areas[area].cycles(read, made) for area, (read, made) in busy.items()}


def _weight_reads(price: Price, step: Step, moved: Accesses) -> Iterator[Traffic]:
    """Weights and scales as they go from where they are used to the decoder."""
    weights = step.weights
    if weights is None:
        return
    scale_bytes = moved.scales * weights.scale_bytes
    # What is left of the stream without its scales is spread evenly over the weights.
    mean = (weights.stream_bytes - scale_bytes) / weights.elements
    is_free = price.buffered_weights_are_free and weights.buffer is not None
    area = weights.area if weights.buffer is None else weights.buffer.area
    for purpose, size in (
        (Purpose.WEIGHTS, moved.weights * mean),
        (Purpose.SCALES, scale_bytes * 1.0),
    ):
        yield Traffic(area, purpose, Direction.READ, size, 0.0 if is_free else size)
