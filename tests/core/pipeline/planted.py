"""Compiled files with a fault in them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from core.api import compiler, schedules, targets
from core.base.frozen import replace
from core.emit.open import open_program
from core.emit.payload import read_payload, write_payload
from core.ir.constdata import ConstData
from core.ir.network import Network
from core.ir.options import Options
from core.ir.program import Command, NpuOperation
from core.tflite import reader, writer
from tests.core.emit.streams import assemble

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "resources" / "examples"

Change = Callable[[NpuOperation], NpuOperation]


def example(name: str) -> bytes:
    return (EXAMPLES / f"{name}.tflite").read_bytes()


@cache
def compiled(name: str, accelerator: str = "ethos-u55-128") -> bytes:
    """An example as we compile it."""
    return compiled_here(example(name), accelerator)


def compiled_here(model: bytes, accelerator: str = "ethos-u55-128") -> bytes:
    """A model as we compile it."""
    target = targets.resolve_target(accelerator)
    return compiler.compile_model(schedules.schedule(model, target, Options())).data


def with_commands(data: bytes, change: Callable[[list[Command]], None], stream: int = 0) -> bytes:
    """A compiled file one of whose streams has other commands."""
    network = reader.read(data)
    part = open_program(network).parts[stream]
    number = network.operator(part.op).inputs[0]
    old = read_payload(network.main.tensors[number].data.array.tobytes())
    commands = list(part.stream.commands)
    change(commands)
    changed = replace(part.stream, commands=tuple(commands), positions=())
    words = assemble(changed, part.accelerator)
    return writer.write(
        _with_bytes(network, number, write_payload(old.accelerator, old.architecture, words))
    )


def with_operation(data: bytes, number: int, change: Change, stream: int = 0) -> bytes:
    """A compiled file one of whose streams has another operation at one place."""

    def apply(commands: list[Command]) -> None:
        places = [at for at, item in enumerate(commands) if isinstance(item, NpuOperation)]
        commands[places[number]] = change(commands[places[number]])

    return with_commands(data, apply, stream)


def with_constants(data: bytes, change: Callable[[bytearray], None]) -> bytes:
    """A compiled file with other weights."""
    network = reader.read(data)
    number = network.operator(open_program(network).parts[0].op).inputs[1]
    content = bytearray(network.main.tensors[number].data.array.tobytes())
    change(content)
    return writer.write(_with_bytes(network, number, bytes(content)))


def with_payload(data: bytes, change: Callable[[bytearray], None]) -> bytes:
    """A compiled file with another payload."""
    network = reader.read(data)
    number = network.operator(open_program(network).parts[0].op).inputs[0]
    content = bytearray(network.main.tensors[number].data.array.tobytes())
    change(content)
    return writer.write(_with_bytes(network, number, bytes(content)))


def _with_bytes(network: Network, number: int, content: bytes) -> Network:
    graph = network.main
    tensors = list(graph.tensors)
    tensors[number] = replace(
        tensors[number],
        data=ConstData.of(np.frombuffer(content, tensors[number].dtype.numpy)),
        shape=(len(content),),
    )
    main = replace(graph, tensors=tuple(tensors))
    return replace(network, subgraphs=(main, *network.subgraphs[1:]))
