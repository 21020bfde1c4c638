"""Networks compiled, run on the simulator, and computed by LiteRT from the same inputs."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from core.ir.network import Network
from core.ir.options import Options
from core.ir.scheduled import Run, Scheduled
from core.lower import run as lower
from core.pipeline.compile import Compiled, compile_model
from core.pipeline.proof import litert
from core.pipeline.proof.random_inputs import random_inputs
from core.pipeline.proof.simulate import CompiledModel
from core.pipeline.scheduled import Workbench
from core.target.target import Target
from core.tflite import reader


def scheduled_and_compiled(
    network: Network, target: Target, options: Options
) -> tuple[Scheduled, Compiled]:
    graph = lower.run(network, target.accelerator, options.lowering)
    bench = Workbench(Run(network=network, accelerator=target.accelerator, graph=graph))
    scheduled = bench.schedule(target, options)
    return scheduled, compile_model(scheduled, encodings=bench.encodings)


def largest_differences(
    network: Network, compiled: bytes, seeds: Iterable[int]
) -> tuple[dict[str, float], list[str]]:
    """By output the largest difference, where there is any, and what the simulator found."""
    found: dict[str, float] = {}
    faults: list[str] = []
    made = CompiledModel.of(reader.read(compiled))
    for seed in seeds:
        given = random_inputs(network, seed, 0)
        expected = litert.compute(network, given)
        renamed = zip(network.main.inputs, made.network.main.inputs, strict=True)
        made.reset()
        result = made.run({new: given[old] for old, new in renamed})
        faults += [f"{fault.kind.value}: {fault}" for _, fault in result.faults[:3]]
        for old, new in zip(network.main.outputs, made.network.main.outputs, strict=True):
            if new not in result.outputs:
                continue
            difference = np.abs(result.outputs[new].astype(float) - expected[old].astype(float))
            largest = float(difference.max(initial=0.0))
            if largest:
                name = network.main.tensors[old].name
                found[name] = max(found.get(name, 0.0), largest)
    return found, faults
