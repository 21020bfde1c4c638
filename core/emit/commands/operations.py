"""One operation: a stripe, or a depth slice of one, of an operator."""

from __future__ import annotations

from types import MappingProxyType

from core.base.frozen import Frozen
from core.base.geometry import NO_PADDING, ONE_ELEMENT, Box
from core.emit.commands.operands import Operands, broadcast_of
from core.emit.commands.scaling import Factors, activation_of, factors_of, rounding_of
from core.emit.commands.streams import Streams
from core.emit.commands.uses import with_edges
from core.emit.commands.windows import first_input, same_box
from core.ir.npugraph import NpuGraph, NpuOp, OpKind, Rounding
from core.ir.program import NO_BROADCAST, BufferUse, Job, MapUse, NpuOperation
from core.ir.schedule import OpPlan
from core.target.block import BlockConfig
from core.target.shram import ShramLayout

JOBS = MappingProxyType(
    {
        OpKind.CONV_2D: Job.CONVOLUTION,
        OpKind.TRANSPOSE_CONV_2D: Job.CONVOLUTION,
        OpKind.FULLY_CONNECTED: Job.CONVOLUTION,
        OpKind.DEPTHWISE_CONV_2D: Job.DEPTHWISE,
        OpKind.AVERAGE_POOL: Job.AVERAGE_POOL,
        OpKind.RESIZE_BILINEAR: Job.AVERAGE_POOL,
        OpKind.RESIZE_NEAREST: Job.AVERAGE_POOL,
        OpKind.MAX_POOL: Job.MAX_POOL,
        OpKind.REDUCE_SUM: Job.REDUCE_SUM,
        OpKind.ADD: Job.ADD,
        OpKind.SUB: Job.SUB,
        OpKind.MUL: Job.MUL,
        OpKind.MINIMUM: Job.MINIMUM,
        OpKind.MAXIMUM: Job.MAXIMUM,
        OpKind.SHIFT_LEFT: Job.SHIFT_LEFT,
        OpKind.SHIFT_RIGHT: Job.SHIFT_RIGHT,
        OpKind.ABS: Job.ABS,
        OpKind.LEAKY_RELU: Job.LEAKY_RELU,
        OpKind.COUNT_LEADING_ZEROS: Job.COUNT_LEADING_ZEROS,
    }
)
"""What the accelerator runs each kind as; a copy is a transfer."""

_NO_STREAMS = Streams()


class Recipe(Frozen):
    """What all operations of an operator have in common."""

    op: NpuOp
    block: BlockConfig
    job: Job
    factors: Factors
    rounding: Rounding
    cores: int

    @classmethod
    def of(cls, graph: NpuGraph, plan: OpPlan, cores: int) -> Recipe:
        """The recipe of a scheduled operator."""
        op = graph.ops[plan.op]
        ifm, job = graph.fm(op.ifm).dtype, JOBS[op.kind]
        return cls(
            op=op,
            block=plan.block,
            job=job,
            factors=Factors() if job.has_weights else factors_of(op, ifm),
            rounding=rounding_of(op, ifm),
            cores=cores,
        )


def operation(
    recipe: Recipe,
    operands: Operands,
    made: Box,
    *,
    streams: Streams = _NO_STREAMS,
    table: int | None = None,
) -> NpuOperation:
    """The operation that makes a box of the output, counted from where its view starts."""
    op, block, factors = recipe.op, recipe.block, recipe.factors
    window = first_input(op, made)
    ifm, padding = operands.use(op, op.ifm, window.box), window.padding
    if op.pads_with_edge:
        ifm, padding = with_edges(ifm, padding), NO_PADDING
    ofm = operands.use(op, op.ofm, made)
    second = None if op.ifm2 is None else operands.second(op, op.ifm2, same_box(op.ifm2, made))
    # The hardware divides the mean of a window with a border itself, by the elements it has.
    is_global = factors.output is not None and padding == NO_PADDING
    return NpuOperation(
        job=recipe.job,
        ifm=ifm,
        ofm=ofm,
        ifm2=second,
        broadcast=NO_BROADCAST if second is None else broadcast_of(ofm.shape, second),
        operands_swapped=op.operands_swapped,
        operand_scaling=factors.scaled,
        kernel=ONE_ELEMENT if recipe.job.is_elementwise else op.kernel,
        padding=padding,
        upscale=op.resampling,
        is_part_kernel=block.is_part_kernel,
        weights=streams.weights,
        scales=streams.scales,
        ofm_scale=factors.output if is_global else None,
        has_global_scale=is_global,
        ifm_scales=factors.inputs,
        rounding=recipe.rounding,
        activation=activation_of(op, ofm.dtype, table),
        block=block.ofm_block,
        accumulator=block.accumulator,
        buffer=_buffer(block.layout, has_second_map=isinstance(second, MapUse)),
        cores=recipe.cores,
    )


def _buffer(layout: ShramLayout | None, *, has_second_map: bool) -> BufferUse | None:
    if layout is None:
        return None
    second = layout.ib_start2 if has_second_map else None
    return BufferUse(layout.ib_end, layout.ab_start, second)
