"""What decisions and notes call operators and maps, in words."""

from __future__ import annotations

from collections.abc import Callable

from core.base.harmless import visible
from core.edits.names import Names
from core.ir.edits import MapNamed, OpNamed
from core.ir.npugraph import NpuGraph

Call = Callable[[OpNamed | MapNamed], str]
"""From a name in a file to the one that people read."""


def whole(name: OpNamed | MapNamed) -> str:
    """The name itself, in one line; of several with one name, its place in brackets."""
    line = visible(name.name) or "without a name"
    return f"{line} [{name.ordinal}]" if name.ordinal else line


def titled(graph: NpuGraph) -> Call:
    """The short names of a network; what it has not is called by its whole name."""
    names, titles = Names.of(graph), graph.titles

    def call(name: OpNamed | MapNamed) -> str:
        if isinstance(name, OpNamed):
            op = names.op_ids.get(name)
            return whole(name) if op is None else titles.op(op)
        fm = names.map_ids.get(name)
        return whole(name) if fm is None else titles.map(fm)

    return call
