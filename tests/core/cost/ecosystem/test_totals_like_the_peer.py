"""The network's totals, summed up from what the ecosystem's compiler says of its operators.

Its files do not say how large the first depth slice of sliced weights is, so the cycles in which it
is fetched are only compared where no operator of the network has slices.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from core.base.geometry import Block, round_up
from core.cost.ecosystem.estimate import ECOSYSTEM
from core.cost.from_graph import uses_table
from core.cost.operators import network_cost, operator_cost
from core.cost.work import Step, Table, WeightBuffer, WeightUse
from core.ir.cost import Direction, NetworkCost, Purpose
from core.ir.npugraph import OpKind
from core.target.block import BlockConfig
from core.target.shram import Accumulator
from core.target.target import Area
from tests.peer import FINISHED, SAMPLE, Pair, load, name_of, pairs

AREAS = {
    "sram": Area.SRAM,
    "dram": Area.DRAM,
    "on_chip_flash": Area.ON_CHIP_FLASH,
    "off_chip_flash": Area.OFF_CHIP_FLASH,
}
SCALE_BYTES = 10
RECURRENT = "UNIDIRECTIONAL_SEQUENCE_LSTM"


def block_of(pair: Pair) -> BlockConfig:
    return BlockConfig(
        ofm_block=Block(*pair.peer["ofm_block"][1:]),
        ifm_block=Block(*pair.peer["ifm_block"][1:]),
        ofm_ublock=pair.target.accelerator.ofm_ublock,
        accumulator={"6": Accumulator.ACC32, "7": Accumulator.ACC40}[pair.peer["acc_type"]],
        is_part_kernel=pair.peer["is_partkernel"],
    )


def weights_of(pair: Pair) -> WeightUse | None:
    if pair.op.weights is None:
        return None
    peer, buffer = pair.peer, None
    if peer["weight_buffers"]:
        buffer = WeightBuffer(
            area=pair.target.fast.area,
            is_double=peer["weight_buffers"][0]["sub_purpose"] == "DoubleBuffer",
            first_bytes=peer["encoded_weight_bytes"],
            whole_cycles=peer["full_weight_transfer_cycles"],
            last_slice_cycles=peer["slack_buffering_cycles"],
        )
    return WeightUse(
        area=pair.target.permanent.area,
        stream_bytes=peer["encoded_weight_bytes"],
        elements=pair.op.weights.values.array.size,
        scale_bytes=SCALE_BYTES,
        buffer=buffer,
    )


def step_of(pair: Pair) -> Step:
    """The operator as it stands in the peer's finished schedule."""
    permanent, weights, table = pair.target.permanent.area, weights_of(pair), None
    if uses_table(pair.op):
        values = pair.op.activation.table.array
        table = Table(area=permanent, size_bytes=round_up(values.nbytes, 16))
    is_buffered = weights is not None and weights.buffer is not None
    work = pair.work(
        block_of(pair), pair.places, pair.target.fast.area if is_buffered else permanent
    )
    size = work.ifm.shape.elements * work.ifm.element_bytes
    return Step(
        work=work,
        weights=weights,
        table=table,
        copied_bytes=round_up(size, 16) if pair.op.kind is OpKind.COPY else 0,
        slack_cycles=pair.before["slack_buffering_cycles"] if pair.before else 0,
    )


def totals(cost: NetworkCost) -> dict[str, float]:
    """Our totals, by the names of the summary."""
    found = {
        "nn_macs": cost.macs,
        "cycles_npu": cost.npu_cycles,
        "cycles_sram_access": cost.sram_cycles,
        "cycles_dram_access": cost.dram_cycles,
        "cycles_on_chip_flash_access": cost.on_chip_flash_cycles,
        "cycles_off_chip_flash_access": cost.off_chip_flash_cycles,
        "cycles_total": cost.total_cycles,
        "inference_time": cost.seconds,
        "inferences_per_second": cost.inferences_per_second,
    }
    for name, area in AREAS.items():
        found[f"{name}_total_bytes"] = cost.moved_bytes(area)
        for what, purpose in (("feature_map", Purpose.FEATURE_MAP), ("weight", Purpose.WEIGHTS)):
            for direction in Direction:
                key = f"{name}_{what}_{direction.value}_bytes"
                found[key] = cost.moved_bytes(area, purpose, direction)
    return found


def comparable(found: dict[str, float], all_pairs: list[Pair]) -> set[str]:
    """Names of the totals for which the peer's files hold all that goes in."""
    names = set(found)
    if any(len(pair.peer["depth_slices"]) > 2 for pair in all_pairs):
        names -= {"cycles_npu", "cycles_total", "inference_time", "inferences_per_second"}
    if any(pair.op.origin == RECURRENT for pair in all_pairs):
        # Where a time step repeats weights, the peer counts scales by the width of the bias.
        names -= {name for name in names if "weight_read" in name or "total" in name}
        names -= {name for name in names if "access" in name or name.startswith("inference")}
    return names


def check(schedule: Path) -> None:
    summary = load(schedule)["summary"]
    all_pairs = list(pairs(schedule))
    rates = ECOSYSTEM.rates_of(all_pairs[0].target)
    costs = [operator_cost(ECOSYSTEM, rates, step_of(pair)) for pair in all_pairs]
    found = totals(network_cost(rates, costs))
    different = {
        name: (found[name], float(summary[name]))
        for name in sorted(comparable(found, all_pairs))
        if not math.isclose(found[name], float(summary[name]), rel_tol=1e-9)
    }
    assert different == {}


@pytest.mark.parametrize("schedule", [s for s in FINISHED if name_of(s) in SAMPLE], ids=name_of)
def test_totals(schedule):
    check(schedule)


@pytest.mark.slow
@pytest.mark.parametrize("schedule", FINISHED, ids=name_of)
def test_totals_of_all_schedules(schedule):
    check(schedule)
