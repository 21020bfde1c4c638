"""Ordered drafts become the value: ids are given, islands cut, every fate written down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat

from core.base.errors import InternalError
from core.base.frozen import Frozen, replace
from core.base.ids import FmId, IslandId, NpuOpId, OpRef
from core.ir.npugraph import (
    CpuOp,
    FeatureMap,
    Island,
    Lineage,
    NpuGraph,
    NpuOp,
    Rejection,
    SourceFate,
    Step,
    View,
)
from core.lower.draft import Draft, Item, reads, writes


class LoweredSubgraph(Frozen, kw_only=False):
    """A draft whose passes are done."""

    draft: Draft
    items: Sequence[Item]
    rejections: tuple[Rejection, ...]
    source_ops: tuple[OpRef, ...]
    warnings: tuple[str, ...] = ()
    source_names: tuple[str, ...] = ()
    """By source operator."""

    @property
    def sources(self) -> Iterator[tuple[OpRef, str]]:
        """Each with its name."""
        return zip(self.source_ops, self.source_names or repeat(""), strict=False)


def freeze(network: str, subgraphs: Sequence[LoweredSubgraph]) -> NpuGraph:
    """The NPU graph of all subgraphs."""
    frozen = _Freezer()
    for lowered in subgraphs:
        frozen.add(lowered)
    return NpuGraph(
        network=network,
        feature_maps=tuple(frozen.feature_maps),
        ops=tuple(frozen.ops),
        islands=tuple(frozen.islands),
        steps=tuple(frozen.steps),
        inputs=tuple(frozen.inputs),
        outputs=tuple(frozen.outputs),
        rejections=tuple(rejection for lowered in subgraphs for rejection in lowered.rejections),
        lineage=tuple(_lineage(frozen, subgraphs)),
        rewrites=tuple(tried for lowered in subgraphs for tried in lowered.draft.rewrites),
        warnings=tuple(warning for lowered in subgraphs for warning in lowered.warnings),
    )


class _Freezer:
    """The value's tuples while they grow."""

    def __init__(self) -> None:
        self.feature_maps: list[FeatureMap] = []
        self.ops: list[NpuOp] = []
        self.islands: list[Island] = []
        self.steps: list[tuple[Step, ...]] = []
        self.inputs: list[tuple[FmId, ...]] = []
        self.outputs: list[tuple[FmId, ...]] = []

    def add(self, lowered: LoweredSubgraph) -> None:
        """Add one subgraph; only the feature maps that something touches get an id."""
        draft = lowered.draft
        used = [*draft.inputs]
        for item in lowered.items:
            used += [*reads(item), *writes(item)]
        used += [*draft.outputs]
        used += [draft.feature_maps[fm].storage for fm in used]
        ids = {fm: FmId(len(self.feature_maps) + n) for n, fm in enumerate(dict.fromkeys(used))}
        for old, new in ids.items():
            fm = draft.feature_maps[old]
            self.feature_maps.append(replace(fm, id=new, storage=ids[fm.storage]))
        self.inputs.append(tuple(ids[fm] for fm in draft.inputs))
        self.outputs.append(tuple(ids[fm] for fm in draft.outputs))
        self.steps.append(self._steps(lowered, ids))

    def _steps(self, lowered: LoweredSubgraph, ids: dict[FmId, FmId]) -> tuple[Step, ...]:
        steps: list[Step] = []
        runs = _runs([_renumbered(item, ids) for item in lowered.items])
        last_reader = _last_readers(runs, self.outputs[-1])
        begun: set[FmId] = set()
        for position, run in enumerate(runs):
            if isinstance(run, CpuOp):
                steps.append(run)
                continue
            first = len(self.ops)
            numbered = [replace(op, id=NpuOpId(first + n)) for n, op in enumerate(run)]
            self.ops += numbered
            made = dict.fromkeys(fm for op in run for fm in writes(op))
            read = dict.fromkeys(fm for op in run for fm in reads(op))
            given = [fm for fm in read if fm not in made and self.feature_maps[fm].data is None]
            given += [fm for fm in made if fm in begun]
            # Whoever leaves a state has to know where it is kept, also without reading it.
            kept = dict.fromkeys(self.feature_maps[fm].storage for fm in made)
            given += [fm for fm in kept if fm not in made and fm not in given]
            begun.update(made)
            island = Island(
                id=IslandId(len(self.islands)),
                subgraph=lowered.draft.subgraph,
                ops=tuple(op.id for op in numbered),
                inputs=tuple(given),
                outputs=tuple(fm for fm in made if last_reader.get(fm, -1) > position),
            )
            self.islands.append(island)
            steps.append(island.id)
        return tuple(steps)


def _runs(items: Sequence[Item]) -> list[CpuOp | list[NpuOp]]:
    """CPU operators, and between them the NPU operators that run without one."""
    runs: list[CpuOp | list[NpuOp]] = []
    for item in items:
        if isinstance(item, CpuOp):
            runs.append(item)
        elif isinstance(item, NpuOp):
            if not runs or isinstance(runs[-1], CpuOp):
                runs.append([])
            current = runs[-1]
            if isinstance(current, list):
                current.append(item)
        else:
            raise InternalError(f"a {type(item).__name__} is left in the draft")
    return runs


def _last_readers(runs: Sequence[CpuOp | list[NpuOp]], outputs: Sequence[FmId]) -> dict[FmId, int]:
    """The last run that reads each feature map; outputs are read after all of them."""
    last: dict[FmId, int] = {}
    for position, run in enumerate(runs):
        for item in [run] if isinstance(run, CpuOp) else run:
            for fm in reads(item):
                last[fm] = position
    return last | dict.fromkeys(outputs, len(runs))


def _renumbered(item: Item, ids: dict[FmId, FmId]) -> Item:
    if isinstance(item, CpuOp):
        return replace(
            item,
            inputs=tuple(ids[fm] for fm in item.inputs),
            outputs=tuple(ids[fm] for fm in item.outputs),
        )
    if isinstance(item, NpuOp):
        return replace(
            item,
            ifm=_moved(item.ifm, ids),
            ifm2=None if item.ifm2 is None else _moved(item.ifm2, ids),
            ofm=_moved(item.ofm, ids),
        )
    return item


def _moved(view: View, ids: dict[FmId, FmId]) -> View:
    return replace(view, fm=ids[view.fm])


def _lineage(frozen: _Freezer, subgraphs: Sequence[LoweredSubgraph]) -> list[Lineage]:
    led: dict[OpRef, list[NpuOpId]] = {}
    joined: dict[OpRef, list[NpuOpId]] = {}
    for op in frozen.ops:
        for position, source in enumerate(op.sources):
            (joined if position else led).setdefault(source, []).append(op.id)
    on_cpu = {step.source for steps in frozen.steps for step in steps if isinstance(step, CpuOp)}
    lineage = []
    for ref, name in (pair for lowered in subgraphs for pair in lowered.sources):
        ids: tuple[NpuOpId, ...] = ()
        if ref in on_cpu:
            fate = SourceFate.CPU
        elif ref in led:
            fate, ids = SourceFate.NPU, tuple(sorted({*led[ref], *joined.get(ref, ())}))
        elif ref in joined:
            fate, ids = SourceFate.FUSED, tuple(joined[ref])
        else:
            fate = SourceFate.REMOVED
        lineage.append(Lineage(op=ref, fate=fate, npu_ops=ids, name=name))
    return lineage
