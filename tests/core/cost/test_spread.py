"""The range of an answer: the same schedule, priced with somewhat other memories."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.api import compiler, listings, programs, schedules
from core.base.frozen import replace
from core.cost.island import schedule_cost
from core.cost.model import CostModel
from core.cost.spread import cycles_with, spread_of, with_memories
from core.cost.stripes import StripePrices
from core.ir.cost import Case, Spread
from core.ir.options import Options
from core.ir.robust_tried import Memories
from core.report.spread import range_text
from core.target.resolve import resolve

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
U55 = resolve("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram")
U65 = resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram").with_limit(48 << 10)


def scheduled(target):
    return schedules.schedule((EXAMPLES / "kws_dscnn.tflite").read_bytes(), target, Options())


@pytest.mark.parametrize("target", [U55, U65], ids=["u55", "u65"])
def test_slower_memories_never_take_less_and_faster_ones_never_more(target):
    done = scheduled(target)
    spread = spread_of(done)
    assert spread is not None
    sram, half, double, latency = (case.cycles for case in spread.cases)
    nominal = done.total.total_cycles
    assert double <= nominal <= min(sram, half, latency)
    assert spread.low_cycles <= nominal <= spread.high_cycles
    assert spread.low_cycles < spread.high_cycles


@pytest.mark.parametrize("target", [U55, U65], ids=["u55", "u65"])
def test_what_does_not_depend_on_memories_changes_no_price(target):
    done = scheduled(target)
    for memories, cycles in cycles_with(done, target, Memories).items():
        alone = StripePrices(done.graph, CostModel(with_memories(target, memories)))
        assert cycles == schedule_cost(alone, done.schedule, done.layout)[1].total_cycles


def test_a_case_is_the_compiled_schedule_with_that_memory():
    """The oracle: its commands, read back for a target that has the other memory."""
    done = scheduled(U55)
    spread, system = spread_of(done), U55.system
    assert spread is not None
    slow = replace(system, axi0=replace(system.axi0, clock_scale=system.axi0.clock_scale * 0.75))
    data = compiler.compile_model(done).data
    opened = programs.open_compiled(data, lambda _: replace(U55, system=slow))
    assert opened is not None
    total = programs.read_back(opened).scheduled.total
    assert spread.cases[0].cycles == pytest.approx(total.total_cycles, 0.01)
    assert spread.cases[0].cycles > 1.02 * done.total.total_cycles


def test_it_stands_in_text_and_json():
    done = scheduled(U55)
    spread = spread_of(done)
    assert spread is not None
    told = listings.describe_schedule("x", done)["range"]
    assert told["low_cycles"] == spread.low_cycles
    assert [case["cycles"] for case in told["cases"]] == [each.cycles for each in spread.cases]
    assert f" cycles, {range_text(spread)} with other memories" in listings.outline_schedule(
        "x", done
    )
    assert range_text(spread) in listings.render_schedule("x", done)


def test_of_a_compiled_model_it_is_not_known():
    done = replace(scheduled(U55), compiled_by="somebody")
    assert spread_of(done) is None


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (2_701_000, 3_600_000, "2.70 to 3.60 M"),
        (950_000, 1_200_000, "950 k to 1.20 M"),
        (5e6, 5e6, "5.00 M"),
    ],
)
def test_a_range_has_one_letter_where_it_can(low, high, text):
    assert range_text(Spread(nominal_cycles=low, cases=(Case("x", high),))) == text


def test_whoever_waits_for_something_else_can_end_it_at_each_operator():
    """It follows answers, of which the next is not to wait."""
    steps = []

    class Watch:
        def advance(self, stage, done, total):
            steps.append((stage, done, total))

    done = scheduled(U65)
    assert spread_of(done, Watch()) == spread_of(done)
    assert len(steps) == 4 * len(done.graph.ops)
