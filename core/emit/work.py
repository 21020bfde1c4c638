"""Operations of a stream in the terms of the cost model, as far as a stream tells."""

from __future__ import annotations

from core.base.frozen import replace
from core.base.geometry import Shape4
from core.cost.rates import Rates
from core.cost.work import FmUse, Work
from core.emit.touched import transferred_bytes
from core.ir.program import (
    ActivationUse,
    Curve,
    DmaPlace,
    DmaTransfer,
    Job,
    MapUse,
    NpuOperation,
    RegionRole,
    RegionUse,
    ScalarUse,
)
from core.target.block import BlockConfig, BlockQuery
from core.target.blocks import block_search
from core.target.format import Format
from core.target.shram import Accumulator
from core.target.target import Area, Target
from core.target.throughput import Arithmetic, Finish
from core.target.unit import Unit

_ARITHMETIC = {
    Job.MUL: Arithmetic.MULTIPLY,
    Job.ADD: Arithmetic.ADD,
    Job.SUB: Arithmetic.ADD,
    Job.MAX_POOL: Arithmetic.MAXIMUM,
}


def area_of(target: Target, regions: tuple[RegionUse, ...], number: int) -> Area:
    """The memory that a region is in, by what a driver binds it to."""
    role = regions[number].role if number < len(regions) else RegionRole.SCRATCH
    if role is RegionRole.CONSTANTS:
        return target.permanent.area
    return (target.fast if role is RegionRole.SCRATCH_FAST else target.arena).area


def work_of(target: Target, regions: tuple[RegionUse, ...], op: NpuOperation) -> Work | None:
    """The work of an operation; None where the accelerator does not allow its block."""
    block = _block(target, op)
    if block is None:
        return None
    is_weighted = op.weights or op.scales
    read_from = (*op.weights, *op.scales)[0].region if is_weighted else 0
    return Work(
        unit=_unit(op),
        arithmetic=_ARITHMETIC.get(op.job, Arithmetic.OTHER),
        finish=_finish(op.activation, op.ofm),
        kernel_h=op.kernel.h,
        kernel_w=op.kernel.w,
        ifm=_use(target, regions, op.ifm),
        ofm=_use(target, regions, op.ofm),
        ifm2=None if op.ifm2 is None else _use(target, regions, op.ifm2),
        block=block,
        constants=area_of(target, regions, read_from) if is_weighted else None,
    )


def transfer_cycles(
    rates: Rates, target: Target, regions: tuple[RegionUse, ...], item: DmaTransfer
) -> int:
    """Cycles of a transfer on its own."""

    def area(place: DmaPlace) -> Area:
        return area_of(target, regions, place.region)

    size = transferred_bytes(item)
    if item.destination.is_internal:
        return rates.table_cycles(area(item.source), size)
    if item.source.is_internal:
        return rates.table_cycles(area(item.destination), size)
    return rates.copy_cycles(area(item.source), area(item.destination), size)


def _unit(op: NpuOperation) -> Unit:
    if op.job.is_elementwise:
        return Unit.ELEMENTWISE
    if op.job is Job.CONVOLUTION:
        is_vector = op.kernel.taps == 1 and op.ofm.shape.h == op.ofm.shape.w == 1
        return Unit.VECTOR_PRODUCT if is_vector else Unit.CONVOLUTION
    if op.job is Job.DEPTHWISE:
        return Unit.DEPTHWISE
    return Unit.REDUCE_SUM if op.job is Job.REDUCE_SUM else Unit.POOLING


def _finish(use: ActivationUse, ofm: MapUse) -> Finish:
    if use.curve is not Curve.NONE:
        return Finish.TABLE
    low, high = ofm.dtype.limits
    is_open = use.minimum <= max(low, -(1 << 15)) and use.maximum >= min(high, (1 << 15) - 1)
    return Finish.NONE if is_open else Finish.CLAMP


def _use(target: Target, regions: tuple[RegionUse, ...], use: MapUse | ScalarUse) -> FmUse:
    if isinstance(use, MapUse):
        area = area_of(target, regions, use.region)
        pitch = use.strides.x // use.dtype.size_bytes
        return FmUse(
            shape=use.shape, bits=use.dtype.bits, format=use.format, area=area, pitch=pitch
        )
    return FmUse(
        shape=Shape4(), bits=use.dtype.bits, format=Format.LINEAR, area=target.permanent.area
    )


def _block(target: Target, op: NpuOperation) -> BlockConfig | None:
    """The block that the operation names, with the division of the shared buffer that it needs.

    Sums of 16 bits may be of 32 bits in a buffer that was divided for 40: these take fewer banks
    where a granule of theirs is filled better.
    """
    unit = _unit(op)
    if unit is Unit.VECTOR_PRODUCT and op.is_part_kernel:
        unit = Unit.CONVOLUTION
    query = BlockQuery(
        unit=unit,
        ifm=op.ifm.shape,
        ofm=op.ofm.shape,
        ifm2=op.ifm2.shape if isinstance(op.ifm2, MapUse) else None,
        ifm_bits=op.ifm.dtype.bits,
        kernel=op.kernel,
        uses_table=op.activation.table is not None,
        has_scaling=op.accumulator is Accumulator.ACC40,
        uses_scalar=isinstance(op.ifm2, ScalarUse),
        resampling=op.upscale,
    )
    accelerator = target.accelerator
    for asked in (query, replace(query, has_scaling=True)):
        found = block_search(accelerator).block_of(
            accelerator, asked, op.block, is_part_kernel=op.is_part_kernel
        )
        if found is not None:
            return replace(found, accumulator=op.accumulator)
    return None
