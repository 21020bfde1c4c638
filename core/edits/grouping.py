"""Which operators of an island run together, and edits that ask for just that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from core.base.ids import NpuOpId
from core.edits.names import Names
from core.edits.resolve import border_of
from core.ir.edits import Edit, Grouping, OpsNamed, What
from core.ir.npugraph import NpuGraph
from core.ir.schedule import IslandSchedule, OpPlan

Group = tuple[NpuOpId, ...]
"""Operators of one cascade, or one that is in none."""


def groups_of(island: IslandSchedule) -> list[Group]:
    """The operators of an island, those of a cascade together, in their order."""
    found: list[list[OpPlan]] = []
    for plan in island.ops:
        if found and plan.cascade is not None and found[-1][-1].cascade == plan.cascade:
            found[-1].append(plan)
        else:
            found.append([plan])
    return [tuple(plan.op for plan in group) for group in found]


def asked_groups(graph: NpuGraph, names: Names, groups: Sequence[Group]) -> Iterator[Edit]:
    """That operators run together so, and in no other way."""
    alone = OpsNamed(tuple(names.ops[group[0]] for group in groups if len(group) == 1))
    if alone.ops:
        yield Edit(subject=alone, what=What.CASCADE, value=Grouping.NEVER)
    for group in groups:
        if len(group) > 1:
            ops = OpsNamed(tuple(names.ops[op] for op in group))
            yield Edit(subject=ops, what=What.CASCADE, value=Grouping.TOGETHER)
    for before, after in pairwise(groups):
        if len(before) > 1 and len(after) > 1:
            border = border_of(graph, names, before[-1], after[0])
            yield Edit(subject=border, what=What.CASCADE, value=Grouping.APART)
