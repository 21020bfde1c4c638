"""Networks that are lowered otherwise with the strategy Size, so that least is live."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.api import compiler, networks, proof, schedules, targets
from core.base.geometry import Kernel, round_up
from core.ir.network import Network
from core.ir.options import Options, Search, Strategy
from core.synth.builder import Builder
from core.synth.windows import window
from core.target.target import Area
from core.tflite import writer

SIZE, FAST = Options(strategy=Strategy.SIZE), Options(strategy=Strategy.PERFORMANCE)
COMPATIBLE = Options(strategy=Strategy.SIZE, search=Search.COMPATIBLE)
TARGET = targets.resolve_target("ethos-u55-256")
KEYWORDS = Path(__file__).parents[3] / "resources" / "examples" / "kws_dscnn.tflite"


def recurrent() -> Network:
    b = Builder(5)
    return b.build([b.lstm(b.input((1, 8, 16), -2.0, 2.0), 24)], "recurrent")


def attention() -> Network:
    b = Builder(5)
    return b.build([b.batch_matmul(b.input((1, 16, 24)), b.input((1, 24, 20)))], "attention")


def pooled(size: tuple[int, int], window_size: tuple[int, int]) -> Network:
    b = Builder(5)
    over = window(window_size, window_size, same=False)
    return b.build([b.max_pool(b.input((1, *size, 8)), over)], "pooled")


def bench_of(network: Network, options: Options) -> schedules.Workbench:
    return schedules.Workbench(networks.run(writer.write(network), TARGET, options))


@pytest.mark.parametrize("network", [recurrent(), attention()], ids=["lstm", "products"])
def test_size_takes_less_memory_and_holds(network: Network) -> None:
    """Less than by any limit of the search alone."""
    bench = bench_of(network, SIZE)
    small = bench.schedule(TARGET, SIZE)
    least = min(
        bench.schedule(TARGET.with_limit(limit), FAST).layout.used_bytes(Area.SRAM)
        for limit in (1, small.layout.used_bytes(Area.SRAM))
    )
    assert small.layout.used_bytes(Area.SRAM) < 0.8 * least
    compiled = compiler.compile_model(small).data
    assert proof.verify(compiled, writer.write(network), inputs=3).holds


@pytest.mark.parametrize(
    ("size", "window_size"), [((1, 400), (1, 4)), ((400, 1), (4, 1)), ((5, 81), (1, 9))]
)
def test_windows_beside_each_other_are_pooled_with_nothing_between(
    size: tuple[int, int], window_size: tuple[int, int]
) -> None:
    """In two steps, as without Size, the first one's output is live as well."""
    network = pooled(size, window_size)
    small, fast = (bench_of(network, each).schedule(TARGET, each) for each in (SIZE, FAST))
    (only,) = small.graph.ops
    assert only.kernel == Kernel(w=max(window_size))
    assert len(fast.graph.ops) == 2
    maps = sum(round_up(each.elements, 16) for each in network.main.tensors)
    assert small.layout.used_bytes(Area.SRAM) == maps
    assert small.layout.used_bytes(Area.SRAM) < fast.layout.used_bytes(Area.SRAM)
    compiled = compiler.compile_model(small).data
    assert proof.verify(compiled, writer.write(network), inputs=3).holds


def test_one_workbench_answers_both_strategies_as_two_would() -> None:
    network = recurrent()
    for asked in ((SIZE, FAST), (FAST, SIZE)):
        bench = bench_of(network, asked[0])
        for options in (*asked, *asked):
            alone = bench_of(network, options).schedule(TARGET, options)
            assert bench.schedule(TARGET, options) == alone


@pytest.mark.parametrize("options", [FAST, COMPATIBLE], ids=["fast", "compatible"])
def test_nobody_else_is_lowered_for_less_memory(options: Options) -> None:
    bench = bench_of(recurrent(), options)
    assert not bench.run.saves_memory
    assert bench.lowered_for(TARGET, options) is bench


def test_a_network_without_such_operators_is_lowered_once() -> None:
    bench = schedules.Workbench(networks.run(KEYWORDS.read_bytes(), TARGET, FAST))
    assert bench.lowered_for(TARGET, SIZE) is bench


def test_where_maps_need_no_fast_storage_nothing_is_saved() -> None:
    """What Size counts takes none of it either way, and commands would take longer."""
    shared = targets.resolve_target("ethos-u65-256", "Ethos_U65_Embedded", "Shared_Sram")
    apart = targets.resolve_target("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram")
    run = networks.run(writer.write(recurrent()), shared, SIZE)
    found = schedules.Workbench(run).schedule(apart, SIZE)
    assert run.saves_memory
    assert found.fast_bytes == 0
    assert not found.run.saves_memory
