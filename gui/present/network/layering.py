"""A layered drawing of a graph without cycles: ranks, order within them, places.

Long edges get a place in every rank that they cross, so that they run between nodes instead of
through them. The result is folded into columns, for a deep network would else be a thread; it is
folded where few edges cross, so that what belongs together stands in one column.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from core.base.frozen import Frozen, NamedTuple

SWEEPS = 6
"""Down and up again; more change hardly anything."""

COLUMN_GAP = 0.7
"""Between what stands in two columns; edges between columns run there."""
_TRACKS = 8
"""Edges between columns run side by side in so many tracks."""
_TRACK = 0.08
_BEND = 0.3
"""What an edge takes of the width of a node where it runs past one: with as much as a node, boxes
would be too small for their names."""
_BEND_COUNTS = 0.02
"""Beside a node, in where others want to be."""
_MOST_IN_RANK = 8
"""So many operators stand side by side; a wider fan takes several rows."""
_LONGEST_ROUTED = 64
"""Edges over more ranks than this are drawn straight: their places would push all else apart."""
_WORDS = 4.5
"""So many times as wide as high is what has room for a number and a kind of operator."""
_SLACK = 0.3
"""By so much of its height a column may be higher or lower, where fewer edges cross then."""


class Point(NamedTuple):
    """A place in units of a node; y grows upwards."""

    x: float
    y: float


class Layering(Frozen):
    """Where nodes are, and through which places edges run."""

    places: tuple[Point, ...]
    """By node."""
    routes: tuple[tuple[Point, ...], ...]
    """By edge: from its source through places between nodes to its target."""
    columns: int

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """From where to where along x and along y nodes and edges reach."""
        points = [*self.places, *(point for route in self.routes for point in route)]
        xs, ys = [point.x for point in points] or [0.0], [point.y for point in points] or [0.0]
        return min(xs), max(xs), min(ys), max(ys)


def layered(count: int, edges: Sequence[tuple[int, int]], aspect: float = 1.6) -> Layering:
    """A drawing of nodes 0 to `count` whose edges lead to higher numbers, about so wide as high."""
    ranks = _ranks(count, edges)
    graph = _WithBends.of(ranks, edges)
    order = _ordered(graph)
    across = _placed(graph, order)
    spread = _Spread(across, [width / 2 for width in graph.widths])
    firsts = _first_ranks(order, spread, _crossings(len(order), ranks, edges), aspect)
    columns = _columns(order, spread, firsts)
    homes = [bisect_right(firsts, rank) - 1 for rank in graph.ranks]
    spots = [
        _Spot(Point(across[node] + columns[home], float(firsts[home] - rank)), home)
        for node, (rank, home) in enumerate(zip(graph.ranks, homes, strict=True))
    ]
    gaps = _Gaps(
        left=[
            shift + spread.extent(rows)[0]
            for shift, rows in zip(columns, _parts(order, firsts), strict=True)
        ],
        below=-float(max(map(len, _parts(order, firsts)))),
    )
    return Layering(
        places=tuple(spot.point for spot in spots[:count]),
        routes=tuple(
            tuple(_route([spots[node] for node in chain], gaps, number))
            for number, chain in enumerate(graph.chains)
        ),
        columns=len(columns),
    )


class _Spot(NamedTuple):
    point: Point
    column: int


class _Gaps(NamedTuple):
    """Where edges may run between columns."""

    left: list[float]
    """The left border of each column."""
    below: float
    """Under the highest of them."""


def _route(spots: Sequence[_Spot], gaps: _Gaps, number: int) -> Iterator[Point]:
    """Points of an edge; into another column it goes below the first and up before the second."""
    beside = _TRACK * (number % _TRACKS)
    for one, other in pairwise(spots):
        yield one.point
        if one.column != other.column:
            low, high = gaps.below + 0.4 - beside, 0.6 + beside
            x = gaps.left[other.column] - COLUMN_GAP + _TRACK + beside
            yield from (Point(one.point.x, low), Point(x, low))
            yield from (Point(x, high), Point(other.point.x, high))
    yield spots[-1].point


def _ranks(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Each node below the lowest of those that it needs, as high as there is room for one more; one
    that needs nothing is just above the first that reads it.
    """
    ranks = [0] * count
    taken: Counter[int] = Counter()
    needed: defaultdict[int, list[int]] = defaultdict(list)
    for source, target in edges:
        needed[target].append(source)
    for target in sorted(needed):
        rank = max(ranks[source] for source in needed[target]) + 1
        while taken[rank] >= _MOST_IN_RANK:
            rank += 1
        ranks[target] = rank
        taken[rank] += 1
    readers: dict[int, int] = {}
    for source, target in edges:
        if source not in needed:
            readers[source] = min(readers.get(source, ranks[target]), ranks[target])
    for source, rank in readers.items():
        ranks[source] = rank - 1
    return ranks


def _crossings(height: int, ranks: Sequence[int], edges: Sequence[tuple[int, int]]) -> list[int]:
    """How many edges cross the line above each rank."""
    changes = [0] * (height + 1)
    for source, target in edges:
        changes[ranks[source] + 1] += 1
        changes[ranks[target] + 1] -= 1
    return list(accumulate(changes))[:height]


class _WithBends(Frozen):
    """The graph with a node for each rank that an edge crosses."""

    ranks: list[int]
    widths: list[float]
    chains: list[list[int]]
    above: list[list[int]]
    below: list[list[int]]

    @classmethod
    def of(cls, ranks: Sequence[int], edges: Sequence[tuple[int, int]]) -> _WithBends:
        """The graph with bends."""
        all_ranks, chains = list(ranks), []
        for source, target in edges:
            crossed = range(ranks[source] + 1, ranks[target])
            bends: list[int] = []
            if len(crossed) <= _LONGEST_ROUTED:
                bends = list(range(len(all_ranks), len(all_ranks) + len(crossed)))
                all_ranks += crossed
            chains.append([source, *bends, target])
        above: list[list[int]] = [[] for _ in all_ranks]
        below: list[list[int]] = [[] for _ in all_ranks]
        for chain in chains:
            for one, other in pairwise(chain):
                below[one].append(other)
                above[other].append(one)
        widths = [1.0] * len(ranks) + [_BEND] * (len(all_ranks) - len(ranks))
        return cls(ranks=all_ranks, widths=widths, chains=chains, above=above, below=below)


def _ordered(graph: _WithBends) -> list[list[int]]:
    """The nodes of each rank from left to right, near the middle of those they belong to."""
    rows: list[list[int]] = [[] for _ in range(max(graph.ranks, default=-1) + 1)]
    for node, rank in enumerate(graph.ranks):
        rows[rank].append(node)
    position = [0.0] * len(graph.ranks)
    for row in rows:
        _number(row, position)
    for sweep in range(SWEEPS):
        goes_down = sweep % 2 == 0
        beside = graph.above if goes_down else graph.below
        for row in rows if goes_down else reversed(rows):
            if len(row) > 1:
                middle = {node: _middle(beside[node], position, position[node]) for node in row}
                row.sort(key=middle.__getitem__)
                _number(row, position)
    return rows


def _number(row: Sequence[int], position: list[float]) -> None:
    """Places of a row, centred, so that rows of different length can be compared."""
    for place, node in enumerate(row):
        position[node] = place - (len(row) - 1) / 2


def _middle(nodes: Sequence[int], position: Sequence[float], default: float) -> float:
    return sum(position[node] for node in nodes) / len(nodes) if nodes else default


def _placed(graph: _WithBends, order: Sequence[Sequence[int]]) -> list[float]:
    """x of each node: near its neighbours, beside each other, in the order that was found."""
    widths, weights = graph.widths, [_weight(width) for width in graph.widths]
    across = [0.0] * len(graph.ranks)
    for row in order:
        _number(row, across)
    for sweep in range(SWEEPS):
        goes_down = sweep % 2 == 0
        beside = graph.above if goes_down else graph.below
        for row in order if goes_down else reversed(order):
            wanted = [_mean(beside[node], across, weights, across[node]) for node in row]
            found = _apart(wanted, [widths[node] for node in row], [weights[node] for node in row])
            for node, x in zip(row, found, strict=True):
                across[node] = x
    return across


def _weight(width: float) -> float:
    """How much it counts where a node is wanted: edges make way, and chains are straight."""
    return 1.0 if width == 1.0 else _BEND_COUNTS


def _mean(
    nodes: Sequence[int], across: Sequence[float], weights: Sequence[float], default: float
) -> float:
    total = sum(weights[node] for node in nodes)
    return sum(across[node] * weights[node] for node in nodes) / total if nodes else default


def _apart(
    wanted: Sequence[float], widths: Sequence[float], weights: Sequence[float]
) -> list[float]:
    """Middles of things that stand beside each other, as near to the wanted ones as can be."""
    # So far to the right they would be if all stood close together.
    shifts = [end - width / 2 for end, width in zip(accumulate(widths), widths, strict=True)]
    pools: list[tuple[float, float, int]] = []
    for x, shift, weight in zip(wanted, shifts, weights, strict=True):
        mean, total, size = x - shift, weight, 1
        while pools and pools[-1][0] > mean:
            before, heavy, count = pools.pop()
            mean = (mean * total + before * heavy) / (total + heavy)
            total += heavy
            size += count
        pools.append((mean, total, size))
    means = [mean for mean, _, size in pools for _ in range(size)]
    return [mean + shift for mean, shift in zip(means, shifts, strict=True)]


class _Spread(NamedTuple):
    """Where nodes are along x, before there are columns."""

    across: list[float]
    halves: list[float]
    """Of their widths."""

    def extent(self, rows: Sequence[Sequence[int]]) -> tuple[float, float]:
        """From where to where rows reach."""
        nodes = [node for row in rows for node in row]
        left = min((self.across[node] - self.halves[node] for node in nodes), default=0.0)
        return left, max((self.across[node] + self.halves[node] for node in nodes), default=1.0)


def _first_ranks(
    order: Sequence[Sequence[int]],
    spread: _Spread,
    crossings: Sequence[int],
    aspect: float,
) -> list[int]:
    """The first rank of each column, so that letters are largest where all of it is shown."""
    best, found, tried = float("inf"), [0], 0
    height = len(order)
    while height >= 1:
        firsts = _folds(crossings, height)
        if len(firsts) != tried:
            tried = len(firsts)
            width = _columns(order, spread, firsts)[-1]
            width += spread.extent(order[firsts[-1] :])[1]
            highest = max(map(len, _parts(order, firsts)))
            size = max(_WORDS * width, aspect * highest)
            if size < best:
                best, found = size, firsts
        height = height * 9 // 10 if height > 10 else height - 1
    return found


def _folds(crossings: Sequence[int], height: int) -> list[int]:
    """Where columns of about a height begin: where the fewest edges cross nearby."""
    count = -(-len(crossings) // height) if crossings else 1
    even = len(crossings) / count
    slack = int(even * _SLACK)
    firsts = [0]
    for number in range(1, count):
        ideal = round(even * number)
        near = range(max(firsts[-1] + 1, ideal - slack), min(len(crossings), ideal + slack + 1))
        if near:
            firsts.append(min(near, key=lambda rank: (crossings[rank], abs(rank - ideal))))
    return firsts


def _parts(order: Sequence[Sequence[int]], firsts: Sequence[int]) -> list[Sequence[Sequence[int]]]:
    """The ranks of each column."""
    return [order[first:end] for first, end in pairwise([*firsts, len(order)])]


def _columns(order: Sequence[Sequence[int]], spread: _Spread, firsts: Sequence[int]) -> list[float]:
    """What to add to x in each column."""
    shifts: list[float] = []
    left = 0.0
    for rows in _parts(order, firsts):
        low, high = spread.extent(rows)
        shifts.append(left - low)
        left += high - low + COLUMN_GAP
    return shifts
