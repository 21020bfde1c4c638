"""The feature maps of a program: tensors of the file, live ranges of streams, and constants."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from core.base.dtype import DType
from core.base.frozen import Changing, Frozen, NamedTuple, field
from core.base.geometry import Shape4
from core.base.ids import FmId, OpId, OpRef, SubgraphId, TensorId, TensorRef
from core.emit.lives import NOBODY
from core.emit.recover.found import Found, FoundOp, FoundPart
from core.emit.recover.streamops import ends_of, operands_of
from core.emit.touched import map_ranges, transferred_bytes
from core.ir.constdata import ConstData
from core.ir.npugraph import FeatureMap
from core.ir.program import DmaTransfer, MapUse, RegionRole, ScalarUse
from core.ir.schedule import MapPlan
from core.target.format import Format
from core.target.region import Region


class LifeKey(NamedTuple):
    """A live range of a stream."""

    part: int
    life: int
    kind: str = "life"
    """Tells it from other keys, which are tuples of numbers too."""


class ConstantKey(NamedTuple):
    """Bytes of a part that do not change."""

    part: int
    address: int
    size_bytes: int


class ScalarKey(NamedTuple):
    """A number in the command stream itself."""

    op: int


MapKey = TensorRef | LifeKey | ConstantKey | ScalarKey


class OpMaps(NamedTuple):
    """The feature maps of an operator."""

    ifm: MapKey
    ofm: MapKey
    ifm2: MapKey | None


class _Seen(Changing):
    """What is known of a map so far."""

    shape: Shape4
    dtype: DType
    format: Format
    region: Region
    rolling: Shape4 | None = None
    maker: str = ""
    data: ConstData | None = None


class Atlas(Frozen):
    """All feature maps, and which of them operators touch."""

    maps: tuple[FeatureMap, ...]
    plans: tuple[MapPlan, ...]
    ids: dict[MapKey, FmId]
    shapes: dict[MapKey, Shape4]
    """As the operator that touches most of it sees it."""
    of_op: tuple[OpMaps, ...]
    """By operator."""


def atlas(found: Found) -> Atlas:
    """The feature maps of a program in the order in which they are met."""
    draft = _Draft(found)
    draft.see_tensors()
    of_op = tuple(draft.see(part, op) for part in found.parts for op in part.ops)
    return Atlas(
        maps=tuple(draft.maps()),
        plans=tuple(
            MapPlan(format=seen.format, region=seen.region, rolling=_whole_depth(seen))
            for seen in draft.seen.values()
        ),
        ids={key: FmId(place) for place, key in enumerate(draft.seen)},
        shapes={key: seen.shape for key, seen in draft.seen.items()},
        of_op=of_op,
    )


def key_of(part: FoundPart, life: int) -> MapKey:
    """The map that a live range belongs to."""
    return part.tensors.get(life) or LifeKey(part.number, life)


class _Draft(Changing):
    """Feature maps that are still being gathered."""

    found: Found
    seen: dict[MapKey, _Seen] = field(default_factory=dict)

    def see_tensors(self) -> None:
        """Tensors that the network names, or that operators hand to each other."""
        parts = {part.study.part.op: part.study.part for part in self.found.parts}
        for number, graph in enumerate(self.found.network.subgraphs):
            ids: list[TensorId | None] = [*graph.inputs]
            for place, op in enumerate(graph.operators):
                part = parts.get(OpRef(SubgraphId(number), OpId(place)))
                if part is None:
                    ids += [*op.inputs, *op.outputs]
                else:
                    ids += [bound.tensor for bound in (*part.inputs, *part.outputs)]
            for tensor in (*ids, *graph.outputs):
                if tensor is not None:
                    self._see_tensor(TensorRef(SubgraphId(number), tensor))

    def _see_tensor(self, ref: TensorRef) -> None:
        tensor = self.found.network.subgraphs[ref.subgraph].tensors[ref.tensor]
        self.seen.setdefault(
            ref,
            _Seen(
                shape=Shape4(c=math.prod(max(dim, 0) for dim in tensor.shape)),
                dtype=tensor.dtype,
                format=Format.LINEAR,
                region=Region.SCRATCH if tensor.data is None else Region.PERMANENT_CPU,
                data=tensor.data,
            ),
        )

    def see(self, part: FoundPart, op: FoundOp) -> OpMaps:
        """The maps of an operator."""
        if op.first is None or op.whole is None:
            return self._see_copy(part, op)
        lives = operands_of(part.study, op.position)
        whole, first = op.whole, op.first
        ifm2: MapKey | None = None
        if isinstance(first.ifm2, MapUse):
            ifm2 = self._see_use(part, lives.ifm2, first.ifm2, whole.ifm2 or first.ifm2.shape)
        elif first.ifm2 is not None:
            ifm2 = self._see_scalar(op, first.ifm2)
        ifm = self._see_use(part, lives.ifm, first.ifm, whole.ifm)
        ofm = self._see_use(part, lives.ofm, first.ofm, whole.ofm)
        made = self.seen[ofm]
        made.maker = made.maker or op.name
        if op.steps.stripes > 1 and isinstance(ofm, LifeKey):
            made.rolling = made.rolling or _rolling(part, lives.ofm, first.ofm, whole.ofm)
        return OpMaps(ifm, ofm, ifm2)

    def _see_use(self, part: FoundPart, life: int, use: MapUse, shape: Shape4) -> MapKey:
        if life != NOBODY:
            key, data = key_of(part, life), None
        else:
            ranges = map_ranges(use)
            start = min((each.address for each in ranges), default=use.bases[0])
            size = max((each.end for each in ranges), default=start) - start
            key = ConstantKey(part.number, start, size)
            data = part.study.part.constant_bytes(start, size)
        region = Region.PERMANENT_NPU if life == NOBODY else region_of(part, use.region)
        known = self.seen.get(key)
        if known is None:
            self.seen[key] = _Seen(shape, use.dtype, use.format, region, data=data)
        elif known.shape.elements < shape.elements or isinstance(key, TensorRef):
            known.shape, known.format, known.region = shape, use.format, region
            known.dtype = known.dtype if isinstance(key, TensorRef) else use.dtype
        return key

    def _see_scalar(self, op: FoundOp, use: ScalarUse) -> MapKey:
        key = ScalarKey(op.id)
        value = np.array(use.value, np.dtype(np.int64))
        self.seen[key] = _Seen(
            Shape4(), use.dtype, Format.LINEAR, Region.PERMANENT_NPU, data=ConstData.of(value)
        )
        return key

    def _see_copy(self, part: FoundPart, op: FoundOp) -> OpMaps:
        item = part.study.part.stream.commands[op.position]
        assert isinstance(item, DmaTransfer)
        size = transferred_bytes(item)
        ends = ends_of(part.study, op.position)
        keys: list[MapKey] = []
        for life, place in zip(ends, (item.source, item.destination), strict=True):
            key: MapKey = ConstantKey(part.number, place.address, size)
            region, data = Region.PERMANENT_NPU, None
            if life != NOBODY:
                key, region = key_of(part, life), region_of(part, place.region)
            elif not place.is_internal:
                data = part.study.part.constant_bytes(place.address, size)
            seen = _Seen(Shape4(c=size), DType.INT8, Format.LINEAR, region, data=data)
            self.seen.setdefault(key, seen)
            keys.append(key)
        made = self.seen[keys[1]]
        made.maker = made.maker or op.name
        return OpMaps(keys[0], keys[1], None)

    def maps(self) -> Iterator[FeatureMap]:
        """What has been gathered."""
        for place, (key, seen) in enumerate(self.seen.items()):
            tensor = None
            if isinstance(key, TensorRef):
                tensor = self.found.network.subgraphs[key.subgraph].tensors[key.tensor]
            is_scalar = isinstance(key, ScalarKey)
            shape = tensor.shape if tensor is not None else () if is_scalar else tuple(seen.shape)
            yield FeatureMap(
                id=FmId(place),
                name=tensor.name if tensor is not None else self._name(key, seen),
                shape=shape,
                dtype=seen.dtype,
                data=seen.data,
                source=key if isinstance(key, TensorRef) else None,
                storage=FmId(place),
                is_variable=tensor is not None and tensor.is_variable,
            )

    def _name(self, key: MapKey, seen: _Seen) -> str:
        if seen.maker:
            return f"{seen.maker}: output"
        match key:
            case LifeKey(part=part, life=life):
                found = self.found.parts[part].study.lives[life]
                return f"given at {found.region}:0x{found.address:x}"
            case ConstantKey(_, address, _):
                return f"constant at 0x{address:x}"
            case _:
                return "number in the stream"


def region_of(part: FoundPart, number: int) -> Region:
    """What a region of a stream is called in a layout."""
    regions = part.study.part.regions
    role = regions[number].role if number < len(regions) else RegionRole.SCRATCH
    if role is RegionRole.CONSTANTS:
        return Region.PERMANENT_NPU
    if role in (RegionRole.INPUT, RegionRole.OUTPUT):
        return Region.SEPARATE_IO
    return Region.SCRATCH_FAST if role is RegionRole.SCRATCH_FAST else Region.SCRATCH


def _rolling(part: FoundPart, life: int, use: MapUse, whole: Shape4) -> Shape4 | None:
    """What exists at once of a map that has fewer bytes than its rows would take, all channels of
    them: who makes a part of the channels steps over those of others."""
    row_bytes, size_bytes = abs(use.strides.y), part.study.lives[life].size_bytes
    if not row_bytes:
        return None
    rows = -(-size_bytes // row_bytes)
    return whole.with_hw(rows, whole.w) if rows < whole.h else None


def _whole_depth(seen: _Seen) -> Shape4 | None:
    """What exists at once of a map, with the channels of all who make parts of it."""
    ring = seen.rolling
    if ring is None or seen.shape.w != ring.w:
        return ring
    return ring.with_depth(max(ring.c, seen.shape.c))
