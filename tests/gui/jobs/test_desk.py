"""Compiled models at the desk, and what settings make of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.api import programs, targets
from core.base.digest import digest_bytes
from core.ir.settings import Settings
from gui.document.document import Document, ModelRef
from gui.jobs.desk import Bench, CompiledBench, Desk, assumed_target
from gui.jobs.wire import pack, unpack
from tests.core.pipeline.read_backs import CASES, compiled
from tests.gui.answers import model_path
from tests.settings import settings_with
from tests.shared import need

DEDICATED, SHARED = CASES[2], CASES[0]


def document(path: Path, **settings: object) -> Document:
    model = ModelRef(path=str(path), digest=digest_bytes(path.read_bytes()))
    return Document(model=model, settings=settings_with(**settings))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "compiled.tflite"
    found.write_bytes(compiled(DEDICATED)[1])
    return found


def test_the_desk_tells_compiled_models_from_others(path: Path):
    desk = Desk()
    assert isinstance(desk.bench(document(path)), CompiledBench)
    assert isinstance(desk.bench(document(model_path("kws_dscnn"))), Bench)


def test_every_answer_has_the_run_that_was_sent(path: Path):
    desk = Desk()
    bench = desk.bench(document(path))
    for mode in (None, "Shared_Sram", "Dedicated_Sram_384KB", None):
        solution = desk.solve(document(path, accelerator="ethos-u65-256", memory_mode=mode))
        assert solution.scheduled.run is desk.bench(document(path, accelerator="ethos-u65-256")).run
    data = pack(solution, {bench.key: solution.scheduled.run})
    assert len(data) < 1 << 20
    back = unpack(data, {bench.key: bench.run})
    assert back.scheduled.run is bench.run


def test_the_highest_limit_is_what_it_takes(path: Path):
    solution = Desk().solve(document(path))
    fast = solution.scheduled.layout.areas[0]
    assert solution.unlimited_bytes == fast.height_bytes
    assert solution.scheduled.target.fast_limit_bytes == (
        solution.scheduled.target.accelerator.max_address
    )


@pytest.mark.parametrize(
    ("case", "settings", "names"),
    [
        (DEDICATED, {}, ("ethos-u65-256", "Ethos_U65_Client_Server", "Dedicated_Sram_384KB")),
        (SHARED, {}, ("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram")),
        (
            DEDICATED,
            {"memory_mode": "Shared_Sram"},
            ("ethos-u65-256", "Ethos_U65_Client_Server", "Shared_Sram"),
        ),
        # What was asked for another accelerator, and does not go with this one, is passed over.
        (
            DEDICATED,
            {"system_config": "Ethos_U55_Deep_Embedded"},
            ("ethos-u65-256", "Ethos_U65_Client_Server", "Dedicated_Sram_384KB"),
        ),
        (
            SHARED,
            {"limit_bytes": 4096, "memory_mode": "Sram_Only"},
            ("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Sram_Only"),
        ),
    ],
)
def test_memories_are_those_that_are_asked_for_as_far_as_they_fit(case, settings, names):
    read = programs.read_program(compiled(case)[1])
    target = assumed_target(read.program, settings_with(**settings))
    assert (target.accelerator.name, target.system.name, target.mode.name) == names


def test_a_program_of_executorch_has_the_memories_that_it_names():
    data = need("executorch/cpubetween_u65-256.pte").read_bytes()
    target = assumed_target(programs.read_program(data).program, Settings())
    assert target.system.name == "Ethos_U65_High_End"
    assert target.mode.name == "Dedicated_Sram_384KB"


def test_a_question_has_accelerators_by_name_and_runs_whole_where_they_are_not_known(path: Path):
    bench = Desk().bench(document(path))
    accelerator = targets.ACCELERATORS["ethos-u65-256"]
    assert unpack(pack(accelerator)) is targets.ACCELERATORS[accelerator.name]
    assert len(pack(accelerator)) < 200
    assert unpack(pack(bench.run)).graph == bench.run.graph
    with pytest.raises(KeyError):
        unpack(pack(bench.run, {"a key": bench.run}))
