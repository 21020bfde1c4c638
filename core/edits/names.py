"""Names of operators and maps that other runs know too."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from core.base.frozen import Frozen
from core.base.ids import FmId, NpuOpId
from core.base.memo import of_the_very
from core.ir.edits import EdgeNamed, MapNamed, OpNamed, OpsNamed, SpanNamed, Subject
from core.ir.npugraph import NpuGraph

_GRAPHS_AT_HAND = 2


class Names(Frozen):
    """The names in one network, both ways."""

    ops: tuple[OpNamed, ...]
    """By operator."""
    maps: tuple[MapNamed, ...]
    """By feature map."""
    op_ids: dict[OpNamed, NpuOpId]
    map_ids: dict[MapNamed, FmId]

    @staticmethod
    def of(graph: NpuGraph) -> Names:
        """Names by the order in which a lowered network has its operators and maps."""
        return _names_of(graph)


@of_the_very(_GRAPHS_AT_HAND)
def _names_of(graph: NpuGraph) -> Names:
    ops = tuple(OpNamed(*each) for each in counted([op.name for op in graph.ops]))
    maps = tuple(MapNamed(*each) for each in counted([fm.name for fm in graph.feature_maps]))
    return Names(
        ops=ops,
        maps=maps,
        op_ids={name: NpuOpId(place) for place, name in enumerate(ops)},
        map_ids={name: FmId(place) for place, name in enumerate(maps)},
    )


def counted(names: Sequence[str]) -> list[tuple[str, int]]:
    """Each name with its place among those that are equal."""
    seen: defaultdict[str, int] = defaultdict(int)
    found = []
    for name in names:
        found.append((name, seen[name]))
        seen[name] += 1
    return found


def named(subject: Subject) -> tuple[OpNamed | MapNamed, ...]:
    """All names in a subject."""
    match subject:
        case OpNamed() | MapNamed():
            return (subject,)
        case EdgeNamed():
            return subject.maker, subject.reader
        case OpsNamed():
            return subject.ops
        case SpanNamed():
            return subject.first, subject.last


def ops_of(subject: Subject, names: Names) -> tuple[NpuOpId, ...]:
    """The operators that a subject names, in the order in which they run."""
    found = (names.op_ids[each] for each in named(subject) if isinstance(each, OpNamed))
    return tuple(sorted({*found}))


def map_of(subject: Subject, names: Names) -> FmId:
    """The map that a subject is."""
    assert isinstance(subject, MapNamed)
    return names.map_ids[subject]
