"""The direct search beside itself with one edit: `python -m tests.core.pipeline.one_edit [WORDS]`.

What a user asks for is one schedule of those that the search could have found, so no edit that is
honoured makes it faster. Where one does all the same, by over half a percent, that is a breach.
Those of today are in `breaches.txt`, which may only get shorter; the command writes them anew, for
cells that have all of the words in their names, or for all.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from core.base.errors import CoreError
from core.base.frozen import replace
from core.base.ids import FmId, NpuOpId
from core.edits.names import Names
from core.ir.edits import (
    EdgeNamed,
    Edit,
    EditFate,
    Grouping,
    Living,
    MapNamed,
    OpsNamed,
    Value,
    What,
)
from core.ir.options import Options, Search, Strategy
from core.ir.scheduled import Scheduled
from core.pipeline.adoption import adopted
from core.pipeline.scheduled import Workbench
from core.target.target import Target
from core.tflite import reader
from tests.core.edits.frozen import bench_of
from tests.core.emit.shared_cases import TARGETS, target_of
from tests.shared import SHARED, files, need

FILE = Path(__file__).with_name("breaches.txt")
MOST_RATIO = 1.005
"""What another schedule may be faster by: prices of the last commands are found out late."""
STEP = 0.001
"""Ratios are told so finely."""


class Cell(NamedTuple):
    """A network and what it is scheduled for."""

    model: str
    target: str
    limit_bytes: int | None = None
    """Where it is another than the target's."""

    def __str__(self) -> str:
        within = "" if self.limit_bytes is None else f"@{self.limit_bytes}"
        return f"{self.model}/{self.target}{within}"

    @property
    def asked(self) -> tuple[Target, Options]:
        """The target and the options."""
        target, options = target_of(self.target)
        target = target if self.limit_bytes is None else target.with_limit(self.limit_bytes)
        return target, replace(options, search=Search.DIRECT)

    @property
    def peer(self) -> Path:
        """What the other compiler decides there."""
        return SHARED / f"peer/schedules/{self.target}/{self.model}.json"


SMALL = (
    Cell("kws_dscnn_int8", "u65-256-dedicated-384k", 3_296),
    Cell("str_ww_int8", "u65-256-dedicated-384k", 3_712),
    Cell("kws_dscnn_int8", "u55-128-shared-256k", 12 << 10),
    Cell("resnet8_int8", "u65-512-dedicated-128k", 16 << 10),
    Cell("person_detect", "u55-64-sramonly-perf", 32 << 10),
    Cell("vww_96_int8", "u65-256-shared-48k"),
)
"""Of a second or two each."""
ALL = tuple(Cell(path.stem, name) for path in files("models/*.tflite") for name in TARGETS)
CELLS = (*SMALL, *(cell for cell in ALL if cell not in SMALL))


class Breach(NamedTuple):
    """One kind of edit, and how much faster the best of it makes a network."""

    kind: str
    ratio: float
    edit: str
    """Whom it is about."""


Breaches = Mapping[str, Breach]
"""Of one cell, by kind."""


def breaches(cell: Cell) -> Breaches:
    """The worst breach of each kind."""
    target, options = cell.asked
    model = need(f"models/{cell.model}.tflite").read_bytes()
    bench = bench_of(reader.read(model), target, options)
    first = bench.schedule(target, options)
    found: dict[str, Breach] = {}
    for kind, title, edits in trials(cell, first):
        ratio = first.total.total_cycles / _cycles_with(bench, first, edits)
        if ratio > max(MOST_RATIO, found[kind].ratio if kind in found else 0.0):
            found[kind] = Breach(kind, ratio, title)
    return found


def trials(cell: Cell, first: Scheduled) -> Iterator[tuple[str, str, tuple[Edit, ...]]]:
    """What is asked for: by kind, with the name of whom it is about."""
    yield "never", "all", (_edit(_all(first), What.CASCADE, Grouping.NEVER),)
    names = Names.of(first.graph)
    for fm in _slow_with_room(first):
        yield "fast", f"map {fm}", (_edit(names.maps[fm], What.REGION, Living.FAST),)
    for maker, maps_reader in _borders(first):
        edge = EdgeNamed(names.ops[maker], names.ops[maps_reader])
        title = f"operators {maker} and {maps_reader}"
        yield "apart", title, (_edit(edge, What.CASCADE, Grouping.APART),)
    if cell.limit_bytes is None and cell.peer.exists():
        try:
            peer = adopted(cell.peer.read_bytes(), first.graph, first.target)
        except CoreError:
            return
        yield "peer", "adopted", peer.edits


def _edit(subject: OpsNamed | MapNamed | EdgeNamed, what: What, value: Value) -> Edit:
    return Edit(subject=subject, what=what, value=value)


def _all(first: Scheduled) -> OpsNamed:
    names = Names.of(first.graph)
    return OpsNamed(tuple(names.ops[op.id] for op in first.graph.ops))


def _slow_with_room(first: Scheduled) -> Iterator[FmId]:
    """Maps that could be in fast storage as it is, and are not."""
    for island in first.schedule.islands:
        for each in island.evicted:
            beside = max(island.snapshot[each.start_time : each.end_time + 1], default=0)
            if beside + each.size_bytes <= island.limit_bytes:
                yield from each.fms


def _borders(first: Scheduled) -> Iterator[tuple[NpuOpId, NpuOpId]]:
    """Neighbours in a cascade of which one reads what the other makes."""
    ops = first.graph.ops
    for island in first.schedule.islands:
        for cascade in island.cascades:
            for maker, maps_reader in pairwise(cascade.ops):
                if any(view.fm == ops[maker].ofm.fm for view in ops[maps_reader].views):
                    yield maker, maps_reader


def _cycles_with(bench: Workbench, first: Scheduled, edits: tuple[Edit, ...]) -> float:
    """What it takes where a single edit is honoured, in no more memory; else no less than ever.

    Of many that are adopted some may have no room: what comes of them is a schedule all the same.
    """
    done = bench.schedule(first.target, replace(first.options, edits=edits))
    is_had = len(edits) > 1 or all(each.fate is EditFate.HONOURED for each in done.edits)
    most_bytes = first.fast_bytes
    if first.options.strategy is not Strategy.SIZE:
        most_bytes = max(most_bytes, first.target.fast_limit_bytes)
    return done.total.total_cycles if is_had and done.fast_bytes <= most_bytes else float("inf")


def told() -> dict[str, dict[str, Breach]]:
    """What the file tells, by the names of cells."""
    found: dict[str, dict[str, Breach]] = {}
    for line in FILE.read_text("utf-8").splitlines() if FILE.exists() else ():
        cell, kind, ratio, edit = line.split(maxsplit=3)
        found.setdefault(cell, {})[kind] = Breach(kind, float(ratio), edit)
    return found


def complaints(found: Breaches, listed: Breaches) -> list[str]:
    """What is wrong: a breach that is new or got worse, and a line whose breach is gone or less."""
    wrong = []
    for kind in sorted({*found, *listed}):
        if kind not in found:
            wrong.append(f"'{kind}' is no breach any more: take its line out of {FILE.name}")
        elif kind not in listed:
            wrong.append(f"'{kind}' is a new breach: {found[kind]}")
        elif found[kind].ratio > listed[kind].ratio + 1.5 * STEP:
            wrong.append(f"'{kind}' got worse, from {listed[kind].ratio:.3f}: {found[kind]}")
        elif found[kind].ratio < listed[kind].ratio - 5 * STEP:
            wrong.append(f"'{kind}' is less: write {found[kind].ratio:.3f} into {FILE.name}")
    return wrong


def _write(cell: Cell, found: Breaches) -> None:
    """The file with what was found of a cell, as others may have written to it meanwhile."""
    cells = told()
    cells[str(cell)] = dict(found)
    lines = [
        f"{name} {kind} {breach.ratio:.3f} {breach.edit}\n"
        for name, kinds in sorted(cells.items())
        for kind, breach in sorted(kinds.items())
    ]
    FILE.write_text("".join(lines), "utf-8")


def main(words: list[str]) -> None:
    """Write the breaches of some cells."""
    for cell in CELLS:
        if all(word in str(cell) for word in words):
            found = breaches(cell)
            _write(cell, found)
            print(cell, *found.values(), flush=True)  # noqa: T201 - it takes long


if __name__ == "__main__":
    main(sys.argv[1:])
