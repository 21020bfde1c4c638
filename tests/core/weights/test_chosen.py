"""Searching a schedule makes no bytes of weights; compiling makes those of chosen streams alone."""

from __future__ import annotations

from core.api import compiler, networks, schedules, targets
from core.ir.options import Options
from core.tflite import writer
from tests.networks.branching_networks import branching_network


def test_only_what_is_chosen_is_encoded() -> None:
    target = targets.resolve_target("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram")
    run = networks.run(writer.write(branching_network(1)), target, Options())
    bench = schedules.Workbench(run)
    for limit in (4 << 10, 16 << 10):
        scheduled = bench.schedule(target.with_limit(limit), Options())
    assert bench.encodings.sizes
    assert not bench.encodings.streams
    compiler.compile_model(scheduled, encodings=bench.encodings)
    chosen = {plan.weights.encoding for plan in scheduled.schedule.ops if plan.weights is not None}
    assert len(bench.encodings.encoded) == len(chosen)
    sizes = bench.encodings.sizes
    for key, streams in bench.encodings.streams.items():
        assert sizes[key] == tuple(map(len, streams))
