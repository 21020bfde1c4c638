"""The door of the lowering stage, and the order of its passes."""

from __future__ import annotations

from core.base.digest import digest
from core.base.ids import OpId, OpRef, SubgraphId
from core.base.progress import SILENT, Progress
from core.ir.network import Network, Operator, Subgraph
from core.ir.npugraph import NpuGraph, Rejection
from core.ir.options import LoweringOptions, Options, Strategy
from core.ir.rewritten import RewriteTried
from core.lower.aliases import find_aliases
from core.lower.composed_tables import compose_tables
from core.lower.dilations import joined_dilations
from core.lower.expand import expand
from core.lower.fold import fold_constants
from core.lower.folded_shapes import fold_shapes
from core.lower.folded_widths import fold_widths
from core.lower.freeze import LoweredSubgraph, freeze
from core.lower.fuse import fuse_clamps, fuse_tables, looks_up_few_channels_apart, merges_tables
from core.lower.joins import with_parts_in_place
from core.lower.late_turns import with_late_turns
from core.lower.legality.table import in_forms_of_the_npu, place, rules_of
from core.lower.near_copies import bring_constants_near, bring_numbers_near, hand_out_by_copies
from core.lower.on_purpose import Named, name_of, named_by_edits, named_for_cpu
from core.lower.operands import (
    hold_numbers_in_commands,
    put_main_operand_first,
    read_bytes_as_stored,
)
from core.lower.order import order_items
from core.lower.real_detours import joined_detours
from core.lower.slices import read_slices_directly
from core.lower.source import SourceGraph
from core.lower.source_joins import join_operators
from core.lower.symmetric import take_as_symmetric
from core.lower.table_carriers import choose_carriers, with_pools_in_place
from core.lower.variables import pairs_in_order
from core.target.accelerator import Accelerator
from core.target.target import Target

_JOINS = (joined_dilations, joined_detours)

_MADE_IN_PARTS = frozenset({"UNIDIRECTIONAL_SEQUENCE_LSTM", "BATCH_MATMUL"})
"""Kinds whose rewrites look at whether memory is saved."""
_OF_PARTS = frozenset({"CONCATENATION", "PACK"})


def run(
    network: Network,
    accelerator: Accelerator,
    options: LoweringOptions,
    progress: Progress = SILENT,
) -> NpuGraph:
    """Lower every subgraph of a network."""
    named = {
        **named_for_cpu(network, options.to_cpu, rules_of(accelerator.family).keys()),
        **named_by_edits(network, options.on_cpu),
    }
    lowered = []
    for index in range(len(network.subgraphs)):
        progress.advance("lower", index, len(network.subgraphs))
        lowered.append(_lower(network, SubgraphId(index), accelerator, options, named))
    progress.advance("lower", len(network.subgraphs), len(network.subgraphs))
    graph = freeze(digest(network), lowered)
    if options.freedoms.folded_shapes:
        graph = fold_shapes(fold_widths(graph, accelerator), accelerator)
    if options.freedoms.tables_by_cost:
        graph = choose_carriers(graph, accelerator)
    if options.freedoms.pools_in_place:
        graph = with_pools_in_place(graph)
    if options.freedoms.near_results and accelerator.family.writes_at_both_ports:
        graph = hand_out_by_copies(graph)
    if options.freedoms.near_constants:
        graph = bring_constants_near(bring_numbers_near(graph))
    return graph


def saves_memory(network: Network, target: Target, options: Options) -> bool:
    """Whether a network is to be lowered otherwise, so that least is live. Where fast storage is
    dedicated it is not: there maps may stay outside, and more commands would only take time."""
    is_asked = options.strategy is Strategy.SIZE and not target.is_spilling
    limits = target.accelerator.family.limits
    return (is_asked and options.freedoms.fewer_operators) and any(
        op.kind in _MADE_IN_PARTS
        or (op.kind == "FULLY_CONNECTED" and _is_computed(graph, op))
        or (op.kind in _OF_PARTS and _joins_reshaped(graph, op))
        or (op.kind == "MAX_POOL_2D" and _longest_stride(op) > limits.longest_stride)
        for graph in network.subgraphs
        for op in graph.operators
    )


def _joins_reshaped(graph: Subgraph, op: Operator) -> bool:
    """Whether some part may be made in another shape than it has among the others."""
    given = frozenset(op.inputs)
    return op.kind == "PACK" or any(
        each.kind == "RESHAPE" and given.intersection(each.outputs) for each in graph.operators
    )


def _longest_stride(op: Operator) -> int:
    options = op.options
    return 0 if options is None else max(map(options.integer, ("stride_h", "stride_w")))


def _is_computed(graph: Subgraph, op: Operator) -> bool:
    """Whether what an operator multiplies by is not known beforehand."""
    weights = op.inputs[1] if len(op.inputs) > 1 else None
    return weights is not None and graph.tensors[weights].data is None


def _lower(
    network: Network,
    subgraph: SubgraphId,
    accelerator: Accelerator,
    options: LoweringOptions,
    named: Named,
) -> LoweredSubgraph:
    source = network.subgraphs[subgraph]
    warnings: tuple[str, ...] = ()
    if options.force_symmetric_int_weights:
        source, warnings = take_as_symmetric(source)
    source = fold_constants(source, subgraph, named)
    joined: tuple[RewriteTried, ...] = ()

    def seen(changed: Subgraph) -> SourceGraph:
        graph = SourceGraph.of(changed, subgraph)
        is_free = options.freedoms.fewer_operators
        family = accelerator.family
        return in_forms_of_the_npu(graph, family, options, named) if is_free else graph

    def rejected(changed: Subgraph) -> dict[OpRef, Rejection]:
        return place(seen(changed), accelerator.family, options, named)

    if options.freedoms.fewer_operators:
        source, joined = join_operators(source, subgraph, _JOINS, rejected, named)
    graph = seen(source)
    rejections = place(graph, accelerator.family, options, named)
    if options.freedoms.fewer_operators:
        late, tried = with_late_turns(graph, {*rejections, *named})
        if place(late, accelerator.family, options, named) == rejections:
            graph, joined = late, (*joined, *tried)
    aliases = find_aliases(graph, rejections.keys(), among_readers=options.freedoms.fewer_operators)
    work_of = {tried.sources[0]: tried.sources for tried in joined}
    draft = expand(graph, rejections.keys(), aliases, accelerator, options, work_of)
    draft.rewrites += joined
    is_merged = merges_tables(accelerator, options.freedoms)
    if options.freedoms.composed_tables:
        compose_tables(draft, accelerator, is_merged=is_merged)
    if is_merged:
        is_apart = looks_up_few_channels_apart(accelerator, options.freedoms)
        fuse_tables(draft, leaves_few_channels=is_apart)
    read_slices_directly(draft)
    fuse_clamps(draft)
    read_bytes_as_stored(draft, options.freedoms)
    put_main_operand_first(draft)
    hold_numbers_in_commands(draft, options.freedoms)
    steps = order_items(draft, pairs_in_order(graph))
    if options.freedoms.fewer_operators:
        steps = with_parts_in_place(draft, steps, saves_memory=options.saves_memory)
    refs = tuple(OpRef(subgraph, OpId(index)) for index in range(len(source.operators)))
    names = tuple(name_of(network, ref) for ref in refs)
    return LoweredSubgraph(draft, steps, tuple(rejections.values()), refs, warnings, names)
