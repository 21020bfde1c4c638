"""Our own examples, compiled and read back, beside the schedules that they were made from."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.api import compiler, programs, schedules, targets
from core.base.frozen import replace
from core.emit.conventions import CUSTOM_CODE
from core.emit.payload import read_payload, write_payload
from core.ir.constdata import ConstData
from core.ir.options import Options
from core.target.target import Target
from core.tflite import reader
from core.tflite.writer import write

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
SHARED_LIMIT = 144 << 10


class Case(NamedTuple):
    """An example on a target."""

    example: str
    accelerator: str
    memory_mode: str
    limit_bytes: int | None = None

    def target(self) -> Target:
        return targets.resolve_target(
            self.accelerator, None, self.memory_mode, arena_cache_size=self.limit_bytes
        )


CASES = (
    Case("kws_dscnn", "ethos-u55-256", "Shared_Sram"),
    Case("residual_tower", "ethos-u55-128", "Shared_Sram", SHARED_LIMIT),
    Case("residual_tower", "ethos-u65-256", "Dedicated_Sram_384KB", 96 << 10),
    Case("shuffle_with_cpu", "ethos-u55-256", "Shared_Sram"),
    Case("mobilenet_v2_035_96", "ethos-u65-512", "Dedicated_Sram_384KB", 128 << 10),
    Case("denoise_int16", "ethos-u65-256", "Dedicated_Sram_384KB", 128 << 10),
)


@cache
def compiled(case: Case) -> tuple[schedules.Scheduled, bytes]:
    """A schedule, and the file that it became."""
    model = (EXAMPLES / f"{case.example}.tflite").read_bytes()
    scheduled = schedules.schedule(model, case.target(), Options())
    return scheduled, compiler.compile_model(scheduled).data


@cache
def read_back(case: Case) -> programs.Readback:
    """What the file shows."""
    return back_from(compiled(case)[1], case.target())


def back_from(data: bytes, target: Target | None = None) -> programs.Readback:
    """What any compiled file shows."""
    read = programs.read_program(data)
    assert read is not None
    mode = programs.likely_memory_mode(read.program, programs.accelerator_in(read.program))
    return programs.read_back(
        programs.study_program(
            read, lambda found: target or targets.resolve_target(found.name, None, mode)
        )
    )


def with_words(data: bytes, change: Callable[[list[int]], None]) -> bytes:
    """A compiled file in which some words of the first command stream are others."""
    network = reader.read(data)
    op = next(op for op in network.main.operators if op.custom_code == CUSTOM_CODE)
    tensor = op.inputs[0]
    assert tensor is not None
    tensors = list(network.main.tensors)
    constant = tensors[tensor].data
    assert constant is not None
    payload = read_payload(constant.array.tobytes())
    changed = list(payload.stream)
    change(changed)
    written = write_payload(payload.accelerator, payload.architecture, tuple(changed))
    array = np.frombuffer(written, np.uint8)
    # The shape is that of the bytes, as in every file.
    tensors[tensor] = replace(tensors[tensor], data=ConstData.of(array), shape=array.shape)
    graph = replace(network.main, tensors=tuple(tensors))
    return write(replace(network, subgraphs=(graph, *network.subgraphs[1:])))
