"""Every operator of the source becomes the draft's operators that do its work."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType

from core.base.ids import FmId, OpRef, TensorId
from core.ir.npugraph import CpuOp, NpuOp, OpKind
from core.ir.options import LoweringOptions
from core.lower.aliases import Aliases
from core.lower.draft import UNNUMBERED, Draft, tensor_fms
from core.lower.pieces import emit_pieces
from core.lower.rewrites.absorbed import find_absorbed
from core.lower.rewrites.table import REWRITES
from core.lower.scope import Scope
from core.lower.source import SourceGraph, SourceOp
from core.target.accelerator import Accelerator

_REWRITES = MappingProxyType({"first architecture": REWRITES})


def expand(
    graph: SourceGraph,
    on_cpu: Collection[OpRef],
    aliases: Aliases,
    accelerator: Accelerator,
    options: LoweringOptions,
    work_of: Mapping[OpRef, tuple[OpRef, ...]],
) -> Draft:
    """The draft of a subgraph, one source operator after the other in the file's order.

    Some do the work of others, too.
    """
    draft = Draft(graph.subgraph)
    maps = _map_tensors(draft, graph, aliases)
    family = accelerator.family
    absorbed = find_absorbed(
        graph, on_cpu, family.limits, in_all_forms=options.freedoms.fewer_operators
    )
    draft.rewrites += absorbed.tried
    rewrites = family.chosen("set of rewrites", family.algorithms.lowering, _REWRITES)
    for op in graph.ops:
        if op.ref in aliases.removed or op.ref in absorbed.without_work:
            continue
        if op.ref in on_cpu:
            draft.items.append(_cpu_op(op, maps))
            continue
        taken = absorbed.by.get(op.ref)
        sources = work_of.get(op.ref, (op.ref,))
        if taken is not None:
            sources = (*sources, taken.ref)
        scope = Scope(
            *(draft, op, maps, sources, family.limits, taken),
            freedoms=options.freedoms,
            macs=accelerator.macs,
            saves_memory=options.saves_memory,
        )
        emit_pieces(scope, rewrites[op.kind])
    _copy_constant_outputs(draft, graph, maps)
    draft.inputs = tuple(maps[tensor] for tensor in graph.inputs)
    draft.outputs = tuple(maps[tensor] for tensor in graph.outputs)
    return draft


def _map_tensors(draft: Draft, graph: SourceGraph, aliases: Aliases) -> dict[TensorId, FmId]:
    used = [tensor for op in graph.ops for tensor in (*op.operator.inputs, *op.operator.outputs)]
    ids = dict.fromkeys(
        aliases.resolve(tensor)
        for tensor in (*graph.inputs, *used, *graph.outputs)
        if tensor is not None
    )
    maps = tensor_fms(draft, graph.tensors, ids)
    return maps | {tensor: maps[aliases.resolve(tensor)] for tensor in aliases.names}


def _cpu_op(op: SourceOp, maps: Mapping[TensorId, FmId]) -> CpuOp:
    return CpuOp(
        source=op.ref,
        kind=op.operator.title,
        name=op.name,
        inputs=tuple(maps[tensor] for tensor in op.operator.inputs if tensor is not None),
        outputs=tuple(maps[tensor] for tensor in op.operator.outputs),
    )


def _copy_constant_outputs(draft: Draft, graph: SourceGraph, maps: dict[TensorId, FmId]) -> None:
    """An output that became a constant is still to be written where the caller looks for it.

    constant -> output      becomes   constant -> ADD 0 -> output
    """
    for tensor in graph.outputs:
        constant = draft.feature_maps[maps[tensor]]
        if tensor not in graph.computed or constant.data is None:
            continue
        quant = draft.quants[constant.id]
        output = draft.new_fm(
            constant.name, constant.shape, constant.dtype, quant, source=constant.source
        )
        zero = draft.new_constant(f"{constant.name}_zero", 0, constant.dtype, quant, (1,))
        draft.items.append(
            NpuOp(
                id=UNNUMBERED,
                kind=OpKind.ADD,
                name=f"{constant.name}_copy",
                ifm=draft.view(constant.id),
                ifm2=draft.view(zero),
                ofm=draft.view(output),
                sources=(graph.computed[tensor],),
            )
        )
        maps[tensor] = output
