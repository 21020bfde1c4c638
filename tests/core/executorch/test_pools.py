"""The RAM that programs take: held against where they place tensors and what their makers said."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from core.api import targets
from core.base.frozen import replace
from core.cli.run import main
from core.emit.touched import written_bytes
from core.executorch import reader
from core.executorch.tables import tables_bytes
from core.ir.executorch import PlanTensor
from core.ir.pools import DelegatePools, Pools
from core.ir.program import NpuOperation
from core.pipeline.compiled import read_program
from core.report.board.room import Room, needs_of_pools
from core.report.pools import Build, pools_build, pools_text
from tests.core.executorch.samples import READ, SMALL, title
from tests.shared import need

IO8 = "executorch/convres_io8_u55-128.pte"


def pools_of(path: Path) -> tuple[Pools, ...]:
    read = read_program(need(path).read_bytes(), beside=lambda _: b"")
    assert read is not None
    return read.program.pools


@pytest.mark.parametrize("path", READ, ids=title)
def test_each_delegate_takes_what_its_compiler_said(path: Path):
    (pools,) = [each for each in pools_of(path) if each.delegates]
    for each in pools.delegates:
        with np.load(path.with_name(f"{path.stem}.delegate{each.delegate}.vela.npz")) as told:
            assert each.fast_scratch_bytes == int(told["scratch_fast_size"])
            assert each.scratch_bytes == int(told["scratch_size"])


def test_a_read_of_what_is_never_written_makes_no_fast_scratch_memory_larger():
    data = need(SMALL).read_bytes()
    read = read_program(data)
    assert read is not None
    stream = read.program.parts[1].stream
    longer = [
        replace(each, weights=(each.weights[0]._replace(size_bytes=645_316_087),))
        if isinstance(each, NpuOperation) and each.weights
        else each
        for each in stream.commands
    ]
    assert longer != list(stream.commands)
    changed = replace(stream, commands=tuple(longer))
    assert written_bytes(changed, 2) == written_bytes(stream, 2) == 4864


@pytest.mark.parametrize("path", READ, ids=title)
def test_all_planned_tensors_are_within_what_is_planned(path: Path):
    for pools, plan in zip(pools_of(path), reader.read(path.read_bytes()).plans, strict=True):
        ends: dict[int, int] = {}
        for value in plan.values:
            if isinstance(value, PlanTensor) and value.place is not None:
                memory, offset = value.place
                ends[memory] = max(ends.get(memory, 0), offset + value.size_bytes)
        for memory, end in ends.items():
            # The exporter's own slack is an alignment.
            assert end <= pools.planned[memory - 1] < end + 64
        assert sum(ends.values()) <= pools.method_bytes


POOLS = Pools(
    plan="forward",
    planned=(1001, 0, 512),
    tables_bytes=100,
    inputs_bytes=16,
    delegates=(
        DelegatePools(delegate=0, scratch_bytes=4096, fast_scratch_bytes=0, copied_bytes=10),
        DelegatePools(delegate=1, scratch_bytes=2048, fast_scratch_bytes=640, copied_bytes=10),
    ),
)


def test_delegates_take_turns_and_planned_memories_do_not():
    assert (POOLS.planned_bytes, POOLS.planned_fast_bytes) == (1008, 512)
    assert POOLS.method_bytes == 1008 + 100 + 16
    assert (POOLS.temporary_bytes, POOLS.fast_scratch_bytes) == (4096, 640)


def test_a_call_more_makes_larger_tables():
    (plan,) = reader.read(need(SMALL).read_bytes()).plans
    assert tables_bytes(replace(plan, calls=plan.calls[1:])) < tables_bytes(plan)
    assert tables_bytes(replace(plan, values=plan.values[:-1])) < tables_bytes(plan)


@pytest.mark.parametrize(
    ("build", "pattern"),
    [
        (Build.C, r"#define ET_ARM_BAREMETAL_{} (\d+)"),
        (Build.CMAKE, r'set\(ET_ARM_BAREMETAL_{} (\d+) CACHE STRING ".*"\)'),
    ],
)
def test_builds_are_told_enough_for_every_plan(build: Build, pattern: str):
    other = replace(POOLS, planned=(2000,), delegates=())
    text = pools_build("model.pte", (POOLS, other), build)
    for name, size in (
        ("METHOD_ALLOCATOR_POOL_SIZE", 2000 + 16 + 2 * 100),
        ("SCRATCH_TEMP_ALLOCATOR_POOL_SIZE", 4096),
        ("FAST_SCRATCH_TEMP_ALLOCATOR_POOL_SIZE", 640),
        ("PLANNED_FAST_MEMORY_SIZE", 512),
    ):
        assert re.findall(pattern.format(name), text) == [str(size)]


def test_a_configuration_for_zephyr_has_the_options_of_its_samples():
    lines = pools_build("model.pte", (POOLS,), Build.KCONFIG).splitlines()
    assert [line for line in lines if not line.startswith("#")] == [
        f"CONFIG_EXECUTORCH_METHOD_ALLOCATOR_POOL_SIZE={1008 + 16 + 200}",
        "CONFIG_EXECUTORCH_TEMP_ALLOCATOR_POOL_SIZE=4096",
    ]


def test_what_is_missing_is_said_of_the_memory_that_a_mode_has_beside_the_accelerator():
    near = targets.resolve_target("ethos-u55-128", arena_cache_size="4000")
    assert "96 ARE MISSING" in pools_text((POOLS,), near)
    far = targets.resolve_target("ethos-u65-256", arena_cache_size="639")
    assert ": 1 ARE MISSING" in pools_text((POOLS,), far)
    enough = targets.resolve_target("ethos-u65-256", arena_cache_size="640")
    assert "MISSING" not in pools_text((POOLS,), enough)


def test_inspect_tells_the_pools_of_all_plans(capsys: pytest.CaptureFixture[str]):
    assert main(["inspect", str(need(IO8)), "--json", "-"]) == 0
    told = json.loads(capsys.readouterr().out)["ram"]
    assert [each["plan"] for each in told][:2] == ["forward", "input0_scale"]
    assert told[0]["planned_bytes"] == [5120]
    assert told[0]["missing_bytes"] == 0
    assert main(["inspect", str(need(IO8)), "--pools", "c"]) == 0
    assert "#define ET_ARM_BAREMETAL_METHOD" in capsys.readouterr().out


def test_linkers_are_told_of_the_memories_that_pools_are_in():
    far = targets.resolve_target("ethos-u65-256")
    text = pools_build("model.pte", (POOLS,), Build.LINKER, far)
    found = re.findall(r"KEEP\(\*\((\S+)\)\)\n.*\n\} > (\w+)\nASSERT\(\S+ >= (\d+),", text)
    assert found == [
        ("input_data_sec", "DRAM", str(1008 + 16 + 200)),
        (".bss.tensor_arena", "DRAM", "4096"),
        (".bss.ethosu_scratch", "SRAM", "640"),
    ]


def test_what_is_missing_on_a_board_is_said_of_all_that_is_in_its_sram():
    board = targets.board_named("ek-ra8p1")
    near, far = (targets.resolve_target(name) for name in ("ethos-u55-256", "ethos-u65-256"))
    needs = needs_of_pools((POOLS, replace(POOLS, planned=(10,))), near)
    assert dict(needs) == {
        "fast scratch": 640,
        "planned fast": 512,
        "method pool": POOLS.method_bytes,
        "temporary pool": 4096,
    }
    assert dict(needs_of_pools((POOLS,), far)) == {"fast scratch": 640, "planned fast": 512}
    tight = replace(board, sram_bytes=6000)
    room = Room(tight, needs, near.accelerator)
    total = 640 + 512 + POOLS.method_bytes + 4096
    assert room.missing_bytes == total - 6000
    assert f"{total - 6000:,} ARE MISSING" in room.text()
    assert "REFUSES" not in room.text()
    assert "REFUSES" in Room(tight, needs, far.accelerator).text()


def test_inspect_tells_what_is_missing_on_a_board(capsys: pytest.CaptureFixture[str]):
    assert main(["inspect", str(need(IO8)), "--board", "alif-e7-hp", "--json", "-"]) == 0
    told = json.loads(capsys.readouterr().out)["room"]
    assert (told["sram_bytes"], told["missing_bytes"]) == (4 << 20, 0)
    assert told["fits_accelerator"] is False
    compiled = str(need("peer/compiled/person_detect_vela.tflite"))
    assert main(["inspect", compiled, "--board", "alif-e7-hp"]) == 0
    assert "alif-e7-hp: 75,776 of 4,194,304 bytes of SRAM (75,776 tensor arena)" in (
        capsys.readouterr().out
    )
    assert main(["inspect", compiled, "--pools", "linker"]) == 0
    assert "ASSERT(SIZEOF(.tensor_arena) >= 75776," in capsys.readouterr().out
    blob = str(need("executorch/convres_u55-128.delegate0.vela_bin"))
    assert main(["inspect", blob, "--board", "alif-e7-he"]) == 0
    assert "scratch), " in capsys.readouterr().out


def test_models_without_plans_have_no_pools(capsys: pytest.CaptureFixture[str]):
    blob = need("executorch/convres_u55-128.delegate0.vela_bin")
    assert main(["inspect", str(blob), "--pools", "c"]) == 2
    assert main(["inspect", str(need("models/kws_dscnn_int8.tflite")), "--pools", "c"]) == 2
    assert main(["inspect", str(need(IO8)), "--pools", "c", "--json", "-"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 3
