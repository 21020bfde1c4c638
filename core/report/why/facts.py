"""What explanations are made of: decisions and plans, found by what they are about."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import Any, TypeVar

from core.base.frozen import Frozen, NamedTuple
from core.base.ids import FmId, NpuOpId
from core.ir.decisions import Fate
from core.ir.npugraph import NpuOp
from core.ir.schedule import IslandSchedule, MapPlan, OpPlan
from core.ir.scheduled import Scheduled
from core.ir.trace import Analysis, EvictionCost
from core.report.ecosystem_names import AREA_TITLES
from core.report.words import counted, ranges_text
from core.target.region import memory_of
from core.target.target import Area

Kind = TypeVar("Kind")


class Sentence(NamedTuple):
    """One statement of an explanation, and what it is about."""

    topic: str
    text: str


class Touch(NamedTuple):
    """Who makes a feature map, and who reads it."""

    makers: tuple[NpuOpId, ...]
    readers: tuple[NpuOpId, ...]
    cpu_makers: tuple[int, ...]
    """Positions among the operators on the CPU."""
    cpu_readers: tuple[int, ...]


class Facts(Frozen, kw_only=False, dict=True):
    """A schedule with everything that explains it."""

    material: Scheduled
    analysis: Analysis

    @cached_property
    def _by_kind(self) -> dict[type, list[Any]]:
        grouped: defaultdict[type, list[Any]] = defaultdict(list)
        for decision in self.material.schedule.decisions:
            grouped[type(decision)].append(decision)
        return grouped

    def decisions(self, kind: type[Kind]) -> list[Kind]:
        """All decisions of a kind, in the order in which they were taken."""
        return self._by_kind.get(kind, [])

    @cached_property
    def fates(self) -> dict[FmId, Fate]:
        """Why maps are in fast storage or not."""
        return self.material.schedule.fates

    def op(self, number: NpuOpId) -> NpuOp:
        """An operator of the accelerator."""
        return self.material.graph.ops[number]

    def place(self, number: NpuOpId) -> tuple[IslandSchedule, OpPlan]:
        """An operator's island and plan."""
        for island in self.material.schedule.islands:
            for plan in island.ops:
                if plan.op == number:
                    return island, plan
        raise KeyError(number)

    def touch(self, fm: FmId) -> Touch:
        """Who makes and reads a map."""
        graph = self.material.graph
        return Touch(
            makers=tuple(op.id for op in graph.ops if op.ofm.fm == fm),
            readers=tuple(op.id for op in graph.ops if fm in {view.fm for view in op.views[:-1]}),
            cpu_makers=tuple(at for at, op in enumerate(graph.cpu_ops) if fm in op.outputs),
            cpu_readers=tuple(at for at, op in enumerate(graph.cpu_ops) if fm in op.inputs),
        )

    def map_plan(self, fm: FmId) -> MapPlan:
        """Where a map lives."""
        return self.material.schedule.maps[fm]

    def map_area(self, fm: FmId) -> Area:
        """The memory that holds a map."""
        return memory_of(self.material.target, self.map_plan(fm).region).area

    def eviction(self, fm: FmId) -> EvictionCost | None:
        """What it costs that a map is not in fast storage; None where it is, or cannot be."""
        for cost in self.analysis.evictions:
            island = self.material.schedule.islands[cost.island]
            if fm in island.evicted[cost.position].fms:
                return cost
        return None

    def map_name(self, fm: FmId) -> str:
        """A map as sentences call it."""
        return f"'{self.material.graph.titles.map(fm)}'"

    def op_name(self, number: NpuOpId) -> str:
        """An operator as sentences call it."""
        return f"operator {number} ({self.op(number).kind.value})"

    @property
    def fast(self) -> str:
        """Fast storage by the name of its memory."""
        return area_title(self.material.target.fast.area)

    @property
    def permanent(self) -> str:
        """Where weights are stored, by the name of the memory."""
        return area_title(self.material.target.permanent.area)

    def is_limit(self, size_bytes: int) -> bool:
        """Whether a number of bytes is a limit, and not all that can be addressed."""
        return size_bytes < self.material.target.accelerator.max_address

    def limit_text(self, size_bytes: int) -> str:
        """A limit as sentences write it: that of the user, or one of the search's own."""
        if not self.is_limit(size_bytes):
            return "no limit"
        is_asked = size_bytes == self.material.target.fast_limit_bytes
        return f"the {'limit of ' if is_asked else ''}{in_bytes(size_bytes)}" + (
            "" if is_asked else " that were aimed at"
        )


def area_title(area: Area) -> str:
    """A memory as sentences call it."""
    title = AREA_TITLES[area]
    return title if title.isupper() else title.lower()


def in_bytes(size_bytes: float) -> str:
    """A size in bytes."""
    return counted(round(size_bytes), "byte")


def in_cycles(cycles: float) -> str:
    """A time in cycles."""
    return counted(round(cycles), "cycle")


def share_text(part: float, whole: float) -> str:
    """How much of something a part is."""
    return f"{part / whole:.1%}" if whole else "0.0%"


def listed(parts: list[str], last: str = "and") -> str:
    """Words one after the other: "a, b and c"."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def ops_text(ops: tuple[NpuOpId, ...]) -> str:
    """Some operators by their numbers."""
    noun = "operator" if len(ops) == 1 else "operators"
    return f"{noun} {ranges_text(sorted(ops))}"
