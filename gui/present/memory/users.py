"""Who makes and who reads a feature map, by name."""

from __future__ import annotations

from collections.abc import Iterable

from core.base.frozen import Frozen
from core.base.ids import FmId
from core.ir.npugraph import NpuGraph

_MOST_NAMES = 4


class Users(Frozen, eq=False):
    """By feature map, the names of those that touch it."""

    makers: tuple[tuple[str, ...], ...]
    readers: tuple[tuple[str, ...], ...]


def users_of(graph: NpuGraph) -> Users:
    """The users of all feature maps of a graph, in order of execution."""
    makers: list[list[str]] = [[] for _ in graph.feature_maps]
    readers: list[list[str]] = [[] for _ in graph.feature_maps]
    for fms in graph.inputs:
        _add(makers, fms, "the application")
    for op in graph.ops:
        title = graph.titles.op(op.id)
        makers[op.ofm.fm].append(title)
        _add(readers, {view.fm for view in op.views[:-1]}, title)
    for cpu_op, name in zip(graph.cpu_ops, graph.titles.cpu_ops, strict=True):
        _add(makers, cpu_op.outputs, name)
        _add(readers, set(cpu_op.inputs), name)
    for fms in graph.outputs:
        _add(readers, fms, "the application")
    return Users(
        makers=tuple(map(tuple, makers)),
        readers=tuple(map(tuple, readers)),
    )


def _add(users: list[list[str]], fms: Iterable[FmId], name: str) -> None:
    for fm in fms:
        users[fm].append(name)


def listed(names: Iterable[str]) -> str:
    """Names in a row, the last ones counted where they are many."""
    unique = list(dict.fromkeys(names))
    shown = unique[:_MOST_NAMES]
    rest = len(unique) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")
