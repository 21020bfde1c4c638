"""Whole schedules of the other compiler, adopted: with the search that decides as it does."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from core.base.frozen import replace
from core.edits.adopt import Adopted
from core.ir.options import Strategy
from core.ir.scheduled import Run, Scheduled
from core.pipeline.adoption import adopted
from core.pipeline.scheduled import Workbench
from tests.peer import COMPATIBLE, load, lowered, target_of


class Adoption(NamedTuple):
    """What could be asked for, and what came of it."""

    found: Adopted
    done: Scheduled


def adoption_of(path: Path) -> Adoption:
    """One of the shared schedules, adopted."""
    peer = load(path)
    target = target_of(peer)
    given = dict(zip(peer["options"][::2], peer["options"][1::2], strict=True))
    strategy = Strategy(given.get("--optimise", Strategy.PERFORMANCE.value))
    network, graph = lowered(peer["model"], target.accelerator.name)
    bench = Workbench(Run(network=network, accelerator=target.accelerator, graph=graph))
    found = adopted(path.read_bytes(), graph, target)
    options = replace(COMPATIBLE, strategy=strategy, edits=found.edits)
    return Adoption(found, bench.schedule(target, options))
