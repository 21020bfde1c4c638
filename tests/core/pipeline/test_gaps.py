"""Laws of early weights in gaps: nothing else moves, nothing meets, and room is always enough."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from core.api import networks
from core.ir.held import Held
from core.ir.layout import MemoryLayout
from core.ir.options import Options
from core.ir.schedule import Schedule
from core.liveness.lives import Buffers, spans_of
from core.pipeline import arrivals
from core.pipeline.early_weights import Ahead
from core.pipeline.gaps import in_gaps
from core.pipeline.scheduled import Workbench
from core.target.resolve import resolve
from tests.shared import need

CELLS = [
    ("vww_96_int8", "ethos-u55-128", 48),
    ("vww_96_int8", "ethos-u55-128", 52),
    ("person_detect", "ethos-u55-128", 64),
    ("mobilenet_v1_0.25_128_quant", "ethos-u55-128", 64),
]


class Asked:
    """What was asked of gaps, and what came of it."""

    def __init__(self, model: str, accelerator: str, kib: int) -> None:
        is_small = accelerator.startswith("ethos-u55")
        system = "Ethos_U55_High_End_Embedded" if is_small else "Ethos_U65_High_End"
        target = resolve(accelerator, system, "Shared_Sram" if is_small else "Dedicated_Sram")
        run = networks.run(need(f"models/{model}.tflite").read_bytes(), target, Options())
        with patch.object(arrivals, "in_gaps", side_effect=self._note):
            Workbench(run).schedule(target.with_limit(kib << 10), Options())

    def _note(
        self, ahead: Ahead, schedule: Schedule, layout: MemoryLayout, room_bytes: int
    ) -> tuple[Ahead, Held]:
        self.ahead, self.schedule, self.layout = ahead, schedule, layout
        self.room_bytes = room_bytes
        self.early, self.held = in_gaps(ahead, schedule, layout, room_bytes)
        return self.early, self.held


@pytest.fixture(params=CELLS, ids=str, scope="module")
def asked(request: pytest.FixtureRequest) -> Asked:
    return Asked(*request.param)


def test_weights_come_as_asked_or_later_or_as_the_search_has_them(asked: Asked):
    assert asked.early.changed.items() <= asked.ahead.changed.items()
    for op, lead_steps in asked.early.leads.items():
        own = asked.schedule.ops[op].weights
        assert own is not None
        assert 1 <= lead_steps <= max(asked.ahead.leads.get(op, 1), own.lead_steps)
    assert asked.early.changed or any(steps > 1 for steps in asked.early.leads.values())


def test_maps_stay_and_no_two_ranges_meet_within_the_room(asked: Asked):
    assert asked.held.maps == Held.maps_of(asked.layout).maps
    ranges = [
        (place.start_time, place.end_time + 1, place.address, place.address + place.size_bytes)
        for place in asked.layout.fast_area.placements
        if place.op is None
    ]
    with_weights = asked.early.of(asked.schedule)
    buffers = []
    for plan in with_weights.ops:
        if plan.weights is None:
            continue
        spans = spans_of(asked.layout.op_times[plan.op], Buffers.of(plan.weights))
        for at, (size_bytes, times) in enumerate(spans):
            spot = asked.held.buffers[plan.op, at]
            assert (spot.size_bytes, spot.address % 16) == (size_bytes, 0)
            assert spot.address + size_bytes <= asked.room_bytes
            buffers.append((times.start, times.stop, spot.address, spot.address + size_bytes))
    assert len(buffers) == len(asked.held.buffers)
    for at, (start, stop, low, high) in enumerate(buffers):
        for other_start, other_stop, other_low, other_high in (*buffers[:at], *ranges):
            is_at_once = start < other_stop and other_start < stop
            assert not (is_at_once and low < other_high and other_low < high)
