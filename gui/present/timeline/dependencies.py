"""Who hands what to whom around what is selected."""

from __future__ import annotations

from collections.abc import Iterable

from core.base.frozen import NamedTuple
from core.base.ids import FmId
from core.ir.npugraph import NpuGraph
from gui.document.selection import Selection
from gui.present.timeline.picks import inputs_of, order_of_execution, outputs_of, storages_of


class Handover(NamedTuple):
    """One makes what another reads."""

    maker: Selection
    reader: Selection


def handovers(graph: NpuGraph, selection: Selection) -> tuple[Handover, ...]:
    """To and from the selected operator, or of the selected feature map, in order of execution."""
    order = order_of_execution(graph)
    last_maker: dict[FmId, Selection] = {}
    found: dict[Handover, None] = {}
    wanted = _wanted_bytes(graph, selection)
    node_asked = _node_asked(selection)
    for node in order:
        for storage in sorted(storages_of(graph, inputs_of(graph, node))):
            maker = last_maker.get(storage)
            if maker is None or maker == node:
                continue
            if storage in wanted or node_asked in (maker, node):
                found[Handover(maker, node)] = None
        for storage in storages_of(graph, outputs_of(graph, node)):
            last_maker[storage] = node
    return tuple(found)


def _wanted_bytes(graph: NpuGraph, selection: Selection) -> set[FmId]:
    is_map = selection.fm is not None and selection.fm < len(graph.feature_maps)
    picked: Iterable[FmId] = (selection.fm,) if is_map and selection.fm is not None else ()
    return storages_of(graph, picked)


def _node_asked(selection: Selection) -> Selection | None:
    if selection.buffer is not None:
        return Selection(op=selection.buffer.op)
    if selection.op is not None:
        return Selection(op=selection.op)
    return None if selection.cpu_op is None else Selection(cpu_op=selection.cpu_op)
