"""Logs of a whole inference, as kits, drivers and runtimes print them; those that are damaged."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given

from core.base.errors import InputError
from core.ir.cost import Direction
from core.report.measured.logs import read_log
from core.target.target import Port

KIT = """INFO - Profile for Inference:
INFO - NPU AXI0_RD_DATA_BEAT_RECEIVED beats: 132130
INFO - NPU AXI0_WR_DATA_BEAT_WRITTEN beats: 48252
INFO - NPU AXI1_RD_DATA_BEAT_RECEIVED beats: 17544
INFO - NPU ACTIVE cycles: 413814
INFO - NPU IDLE cycles: 358
INFO - NPU TOTAL cycles: 414172
"""
NEWER_KIT = """INFO - NPU AXI0_RD_DATA_BEAT_RECEIVED: 132130 beats
INFO - NPU AXI0_WR_DATA_BEAT_WRITTEN: 48252 beats
INFO - NPU AXI1_RD_DATA_BEAT_RECEIVED: 17544 beats
INFO - NPU ACTIVE: 413814 cycles
INFO - NPU TOTAL: 414172 cycles
"""
MONITOR = """I [executorch:arm_perf_monitor.cpp:121] Profiler report, CPU cycles per operator:
I [executorch:arm_perf_monitor.cpp:125] ethos-u : cycle_cnt : 1498202 cycles
I [executorch:arm_perf_monitor.cpp:138] Inference runtime: 6925114 CPU cycles total
I [executorch:arm_perf_monitor.cpp:167] Ethos-U PMU report:
I [executorch:arm_perf_monitor.cpp:168] ethosu_pmu_cycle_cntr : 414172
I [executorch:arm_perf_monitor.cpp:171] ethosu_pmu_cntr0 : 132130
I [executorch:arm_perf_monitor.cpp:171] ethosu_pmu_cntr1 : 17544
I [executorch:arm_perf_monitor.cpp:171] ethosu_pmu_cntr2 : 48252
I [executorch:arm_perf_monitor.cpp:171] ethosu_pmu_cntr3 : 503
I [executorch:arm_perf_monitor.cpp:178] Ethos-U PMU Events:[ETHOSU_PMU_AXI0_RD_DATA_BEAT_RECEIVED, \
ETHOSU_PMU_AXI1_RD_DATA_BEAT_RECEIVED, ETHOSU_PMU_AXI0_WR_DATA_BEAT_WRITTEN, ETHOSU_PMU_NPU_IDLE]
"""
MONITOR_OF_FIVE = (
    MONITOR.replace("cntr : 414172", "cntr : 2070860 (414172.00 per inference)")
    .replace("cntr0 : 132130", "cntr0 : 660650 (132130.00 per inference)")
    .replace("cntr1 : 17544", "cntr1 : 87720 (17544.00 per inference)")
    .replace("cntr2 : 48252", "cntr2 : 241260 (48252.00 per inference)")
)
EVENTS = """╒════╤════════════════════╤══════════════════════════════╤════════════╤════════════╕
│    │ event_block_name   │ event_name                   │   p50 (ms) │   avg (ms) │
╞════╪════════════════════╪══════════════════════════════╪════════════╪════════════╡
│  0 │ Default            │ Method::init                 │     9.0    │     9.0    │
├────┼────────────────────┼──────────────────────────────┼────────────┼────────────┤
│  1 │ Execute            │ +EthosUBackend::execute()NPU │     3.5    │     3.6    │
│  2 │ Execute            │ DELEGATE_CALL                │     3.9    │     4.0    │
│  3 │ Execute            │ Method::execute              │     4.1    │     4.2    │
╘════╧════════════════════╧══════════════════════════════╧════════════╧════════════╛
"""
BEATS = {
    (Port.AXI0, Direction.READ): 132130,
    (Port.AXI0, Direction.WRITE): 48252,
    (Port.AXI1, Direction.READ): 17544,
}


@pytest.mark.parametrize("text", [KIT, NEWER_KIT, MONITOR, MONITOR_OF_FIVE])
def test_pmu_lines_of_one_inference(text):
    found = read_log(text)
    assert found.cycles == 414172
    assert {(each.port, each.direction): each.count for each in found.beats} == BEATS


@pytest.mark.parametrize(
    ("text", "cycles"),
    [
        ("NPU TOTAL: 414172 cycles", 414172),
        ("INFO - NPU total cycles: 414172", 414172),
        ("ethosu_pmu_cycle_cntr : 0x651DC cycles", 414172),
        # TensorFlow Lite Micro's profiler counts the accelerator's own cycles here.
        ("ethos-u : cycle_cnt : 414172 cycles", 414172),
        ("NPU ACTIVE: 413814 cycles\nNPU IDLE: 358 cycles", 414172),
        ("NPU TOTAL: 1000 cycles\nNPU TOTAL: 1010 cycles\nNPU TOTAL: 1004 cycles", 1004),
        ("414172", 414172),
        ("414,172 cycles\n", 414172),
        (EVENTS.replace("(ms)", "(cycles)"), 3.6),
    ],
)
def test_cycles(text, cycles):
    assert read_log(text).cycles == cycles


@pytest.mark.parametrize(
    ("text", "seconds", "clock"),
    [
        ("3.67 ms", 3.67e-3, None),
        ("3.67ms@400MHz", 3.67e-3, 400e6),
        ("boot took 12 s\nclock 0.4 GHz\nInference time: 3670 us", None, None),
        ("uart ready after 12 s\nInference time: 3670 us at 400 MHz\n", 3.67e-3, 400e6),
        (EVENTS, 3.6e-3, None),
        (EVENTS.replace("+EthosUBackend::execute()NPU", "OPERATOR_CALL"), 4e-3, None),
    ],
)
def test_times(text, seconds, clock):
    if seconds is None:
        with pytest.raises(InputError, match="one network"):
            read_log(text)
        return
    found = read_log(text)
    assert found.seconds == pytest.approx(seconds)
    assert found.clock_hz == clock
    assert found.cycles_at(200e6) == pytest.approx(seconds * (clock or 200e6))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("NPU TOTAL: cycles", "line 1: 'cycles' is no count"),
        (MONITOR.replace("414172", "41x172"), "line 5: '41x172' is no count"),
        ("NPU TOTAL: 0 cycles", "an inference of 0 cycles"),
        ("NPU TOTAL: 100 cycles\nNPU TOTAL: 200 cycles", "a log has to be of one network"),
        ("NPU AXI0_RD_DATA_BEAT_RECEIVED: 5 beats", "beats of an inference, and not its cycles"),
        ("Inference: 3 ms at 200 MHz, then 400 MHz", "more than one clock"),
        (EVENTS.replace("3.6", "x"), "'x' is no time"),
        (EVENTS.replace("(ms)", "(h)"), "times in 'h'"),
    ],
)
def test_what_is_damaged_is_refused_in_one_sentence(text, message):
    with pytest.raises(InputError) as error:
        read_log(text)
    assert message in str(error.value)


@given(st.text() | st.lists(st.sampled_from((KIT + MONITOR + EVENTS).splitlines())).map("\n".join))
def test_any_text_is_a_log_or_none_or_refused(text):
    try:
        found = read_log(text)
    except InputError:
        return
    assert found is None or found.cycles_at(1e6) > 0
