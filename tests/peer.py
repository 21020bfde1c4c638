"""The other compiler's schedules, operator by operator beside our own lowered operators."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from core.base.frozen import Frozen
from core.base.geometry import Shape4
from core.cost.ecosystem.works import seen_work_of
from core.cost.from_graph import Place
from core.cost.work import Work
from core.ir.network import Network
from core.ir.npugraph import NpuGraph, NpuOp
from core.ir.options import Options, Search
from core.ir.schedule import Stripe
from core.lower import run as lower
from core.target.block import BlockConfig
from core.target.format import Format
from core.target.resolve import resolve
from core.target.target import Area, Target
from core.tflite import reader
from tests.shared import files, need

SCHEDULES = tuple(files("peer/schedules/*/*.json"))

UNFINISHED = "u65-512-dedicated-128k/movenet_single_pose_lightning_ptq"
"""Here the other compiler stopped after it had addresses, so there is no schedule to compare."""

SAMPLE = (
    "u55-32-shared-64k/person_detect",
    "u55-64-sramonly-perf/micro_speech_quantized",
    "u55-128-shared-256k/omv_blazeface_front_128",
    "u55-256-shared-perf/keras_lstm_mnist_ptq",
    "u65-256-dedicated-384k/omv_yolov8n_192",
    "u65-512-dedicated-size/movenet_single_pose_lightning_ptq",
)
"""One for each accelerator; together they have every kind of operator."""


class Pair(Frozen, kw_only=False):
    """An operator as we lowered it, and what the other compiler decided for it."""

    target: Target
    network: Network
    graph: NpuGraph
    op: NpuOp
    peer: dict[str, Any]
    before: dict[str, Any] | None
    """The operator that the peer runs before this one."""

    @property
    def stripe(self) -> Stripe:
        """The peer's stripe."""
        ifm2 = self.peer["stripe_input2"]
        return Stripe(
            Shape4(*self.peer["stripe"]),
            Shape4(*self.peer["stripe_input"]),
            None if ifm2 is None else Shape4(*ifm2),
        )

    @property
    def places_at_scheduling(self) -> tuple[Place, ...]:
        """Where the maps were when the peer estimated: nothing had yet moved to fast storage."""
        return tuple(
            Place(Area(fm["mem_area"]) if fm["constant"] else self.target.arena.area, fm_format(fm))
            for fm in self._maps
        )

    @property
    def places(self) -> tuple[Place, ...]:
        """Where the maps are in the end."""
        return tuple(Place(Area(fm["mem_area"]), fm_format(fm)) for fm in self._maps)

    def work(self, block: BlockConfig, places: tuple[Place, ...], constants: Area) -> Work:
        """The operator's work."""
        return seen_work_of(self.graph, self.op, block, places, constants)

    @property
    def _maps(self) -> list[dict[str, Any]]:
        maps = self.peer["feature_maps"]
        return [maps[role] for role in ("ifm", "ifm2", "ofm") if role in maps]

    def __str__(self) -> str:
        return f"{self.peer['index']} {self.peer['type']} {self.peer['name']}"


def fm_format(fm: dict[str, Any]) -> Format:
    return Format(fm["format"])


COMPATIBLE = Options(search=Search.COMPATIBLE)
"""What decides as the other compiler does."""


def name_of(schedule: Path) -> str:
    return f"{schedule.parent.name}/{schedule.stem}"


FINISHED = tuple(schedule for schedule in SCHEDULES if name_of(schedule) != UNFINISHED)


def load(schedule: Path) -> dict[str, Any]:
    return json.loads(need(schedule).read_text())


def target_of(peer: dict[str, Any]) -> Target:
    """The target that a schedule was made for."""
    options = dict(zip(peer["options"][::2], peer["options"][1::2], strict=True))
    return resolve(
        options["--accelerator-config"],
        options["--system-config"],
        options["--memory-mode"],
        arena_cache_size=options.get("--arena-cache-size"),
    )


@cache
def lowered(model: str, accelerator: str) -> tuple[Network, NpuGraph]:
    network = reader.read(need(f"models/{model}").read_bytes())
    return network, lower.run(network, resolve(accelerator).accelerator, COMPATIBLE.lowering)


def pairs(schedule: Path) -> Iterator[Pair]:
    """All operators of a schedule."""
    peer = load(schedule)
    target = target_of(peer)
    network, graph = lowered(peer["model"], target.accelerator.name)
    parts = [part["ops"] for part in peer["schedules"]]
    assert sum(map(len, parts)) == len(graph.ops)
    ours = iter(graph.ops)
    for part in parts:
        for op, before in zip(part, [None, *part[:-1]], strict=True):
            yield Pair(target, network, graph, next(ours), op, before)
