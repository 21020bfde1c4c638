"""Allocation problems: random ones, shared ones, and those of other planners' own tests."""

from __future__ import annotations

import csv
import itertools
import json
from collections.abc import Iterable

from hypothesis import strategies as st

from core.base.frozen import replace
from core.check.layout import Placed, verify
from core.memory import run
from core.memory.packing import Packing, Range, Solution, Trail
from tests.peer import name_of
from tests.shared import need

ALLOCATORS = {kind.value: allocate for kind, allocate in run.ALLOCATORS.items()}

MINIMALLOC = "ABCDEFGHIJK"
MINIMALLOC_LIMIT = 1_048_576


def problem_of(spans, limit=None, alignment=1):
    """A problem of (first time, last time, bytes)."""
    ranges = (
        Range(name=f"r{i}", start_time=first, end_time=last, size_bytes=size, alignment=alignment)
        for i, (first, last, size) in enumerate(spans)
    )
    return Packing(ranges=tuple(ranges), limit_bytes=limit)


@st.composite
def problems(draw, max_ranges=25, alignments=(1, 16, 48), max_size=40):
    spans = draw(
        st.lists(
            st.tuples(
                st.integers(0, 12),
                st.integers(0, 6),
                st.integers(0, max_size),
                st.sampled_from(alignments),
                st.sampled_from([None, None, None, "a", "b"]),
            ),
            max_size=max_ranges,
        )
    )
    return Packing(
        ranges=tuple(
            Range(
                name=f"r{index}",
                start_time=first,
                end_time=first + width,
                # Equal contents have equal sizes.
                size_bytes={"a": 7, "b": 32}.get(content, size),
                alignment=alignment,
                content=content,
            )
            for index, (first, width, size, alignment, content) in enumerate(spans)
        ),
        limit_bytes=draw(st.none() | st.integers(1, 200)),
    )


@st.composite
def tilings(draw, duration=40, height=60):
    """Ranges that fill a rectangle of this height without a gap, cut again and again."""
    chance = draw(st.randoms(use_true_random=False))
    tiles = [(0, duration, height)]
    for _ in range(draw(st.integers(4, 40))):
        first, end, size = tiles.pop(chance.randrange(len(tiles)))
        if chance.random() < 0.5 and end - first > 1:
            cut = chance.randrange(first + 1, end)
            tiles += [(first, cut, size), (cut, end, size)]
        elif size > 1:
            cut = chance.randrange(1, size)
            tiles += [(first, end, cut), (first, end, size - cut)]
        else:
            tiles.append((first, end, size))
    chance.shuffle(tiles)
    return problem_of([(first, end - 1, size) for first, end, size in tiles], height)


@st.composite
def pinned_problems(draw):
    """Problems of which some ranges, that do not meet, have their address."""
    problem = draw(problems())
    chosen = draw(st.sets(st.integers(0, max(len(problem.ranges) - 1, 0)), max_size=6))
    ranges, placed = list(problem.ranges), []
    for index in sorted(chosen.intersection(range(len(ranges)))):
        item = replace(ranges[index], content=None)
        address = draw(st.integers(0, 8)) * item.alignment
        while lowest_place(item, placed, address) != address:
            address = lowest_place(item, placed, address)
        placed.append((address, item))
        ranges[index] = replace(item, address=address)
    return replace(problem, ranges=tuple(ranges))


@st.composite
def trailed_problems(draw):
    """Problems in which some ranges may follow others into their bytes."""
    problem = draw(problems())
    ranges = tuple(replace(item, content=None) for item in problem.ranges)
    uppers, lowers, trails = set(), set(), []
    pairs = [
        (upper, lower)
        for upper, one in enumerate(ranges)
        for lower, other in enumerate(ranges)
        if one.start_time < other.start_time <= one.end_time and one.size_bytes > 0
    ]
    for upper, lower in draw(st.permutations(pairs)) if pairs else ():
        size = ranges[lower].size_bytes
        if upper not in uppers and lower not in lowers and size and draw(st.booleans()):
            trails.append(Trail(upper, lower, draw(st.integers(0, size - 1))))
            uppers.add(upper)
            lowers.add(lower)
    return replace(problem, ranges=ranges, trails=tuple(trails))


def faults(problem: Packing, solution: Solution, *, may_share=False):
    """What the independent check finds, and the promises about bounds that are broken."""
    placed = [
        Placed(
            item.name,
            address,
            item.size_bytes,
            item.start_time,
            item.end_time,
            item.alignment,
            item.content if may_share else None,
        )
        for item, address in zip(problem.ranges, solution.addresses, strict=True)
    ]
    leads = {
        (placed[trail.lower].name, placed[trail.upper].name): trail.lead_bytes
        for trail in problem.trails
    }

    def may_meet(low: Placed, high: Placed) -> bool:
        lead = leads.get((low.name, high.name))
        return lead is not None and low.address + lead <= high.address

    judged = verify(placed, solution.height_bytes, may_share=may_meet if leads else None)
    found = [str(finding) for finding in judged]
    if solution.height_bytes < solution.lower_bound_bytes:
        found.append(f"{solution.height_bytes} is below {solution.lower_bound_bytes}")
    return found


def lowest_place(item: Range, placed: Iterable[tuple[int, Range]], address: int = 0) -> int:
    """The lowest address from here on at which a range meets none of those live with it."""
    while any(
        address < at + other.size_bytes
        and at < address + item.size_bytes
        and not (other.end_time < item.start_time or item.end_time < other.start_time)
        for at, other in placed
    ):
        address += item.alignment
    return address


def lowest_by_trial(problem: Packing) -> int:
    """The lowest height: lowest fit in every order finds it."""
    ranges = [item for item in problem.ranges if item.size_bytes]
    best = sum(item.size_bytes + item.alignment for item in ranges)
    for order in itertools.permutations(ranges):
        placed: list[tuple[int, Range]] = []
        for item in order:
            placed.append((lowest_place(item, placed), item))
        best = min(best, max((at + item.size_bytes for at, item in placed), default=0))
    return best


def minimalloc(letter: str) -> Packing:
    """An instance that is known to fit its limit."""
    file = need(f"bench/minimalloc/{letter}.{MINIMALLOC_LIMIT}.csv")
    with file.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    spans = [(int(row["lower"]), int(row["upper"]) - 1, int(row["size"])) for row in rows]
    return problem_of(spans, MINIMALLOC_LIMIT)


def peer_problems(schedule):
    """The peer's live ranges for each memory, with the height that it reached."""
    text = json.loads(need(schedule).read_text("utf-8"))
    for allocation in text["allocations"]:
        if not allocation["live_ranges"]:
            continue
        spans = [(r["start"], r["end"], r["bytes"]) for r in allocation["live_ranges"]]
        name = f"{name_of(schedule)} {allocation['mem_area']} {allocation['mem_types']}"
        yield name, problem_of(spans, alignment=16), allocation["total"]
