"""Compiled models: their streams are told, read back, executed, and held against originals."""

from __future__ import annotations

import functools
import struct
from collections.abc import Sequence
from contextlib import suppress
from random import Random
from typing import NamedTuple

import numpy as np

from core.api import compiler, programs, proof, schedules, targets
from core.base.errors import CoreError
from core.base.frozen import replace
from core.emit import words
from core.emit.assemble import assemble
from core.emit.disassemble import disassemble
from core.emit.instructions.known import instructions_of
from core.emit.open import open_program
from core.emit.payload import read_payload, write_payload
from core.ir.constdata import ConstData
from core.ir.network import Network, Tensor
from core.ir.options import Options
from core.target.accelerator import Accelerator
from core.target.target import Target
from core.tflite import reader, writer
from tests.core.tflite.mutations import mutated, structure_of
from tests.fuzz.kind import Inconsistent, Kind
from tests.fuzz.models import RANDOM_NETWORKS, base_model, random_model
from tests.fuzz.spoilt_networks import other_data, spoilt

ACCELERATORS = ("ethos-u55-64", "ethos-u55-256", "ethos-u65-256", "ethos-u65-512")
HALVES = (0, 1, 2, 3, 7, 15, 16, 31, 63, 127, 255, 256, 0x7FFF, 0x8000, 0xFFFF)
ADDRESSES = (0, 1, 15, 16, 0xFFFF, 0xFFFFFFFF, 0x80000000, 0xFFFFFFF0)
WIDE = 0x4000


class Pair(NamedTuple):
    """A compiled model and its original."""

    made: bytes
    original: bytes


def _base(random: Random) -> Pair:
    original, accelerator = base_model(random), random.choice(ACCELERATORS)
    try:
        return Pair(_compiled(original, accelerator), original)
    except CoreError:
        original = random_model(0)
        return Pair(_compiled(original, accelerator), original)


@functools.lru_cache(maxsize=400)
def _compiled(original: bytes, accelerator: str) -> bytes:
    target = targets.resolve_target(accelerator)
    made = compiler.compile_model(schedules.schedule(original, target, Options()))
    return made.data


def _damaged(pair: Pair, random: Random) -> bytes:
    network = reader.read(pair.made)
    parts = open_program(network).parts if programs.read_program(pair.made) else ()
    choice = random.random()
    if not parts or choice < 0.15:
        return mutated(pair.made, structure_of(pair.made), random)
    part = random.choice(parts)
    payload, constants, *_ = network.operator(part.op).inputs
    assert payload is not None
    assert constants is not None
    try:
        if choice < 0.7:
            changed = _with_stream(network, payload, random)
        elif choice < 0.8:
            changed = _with_constants(network, random.choice((payload, constants)), random)
        else:
            other = reader.read(random_model(random.randrange(RANDOM_NETWORKS)))
            changed = spoilt(network, other, random)
        return writer.write(changed)
    except (CoreError, struct.error, OverflowError):
        return mutated(pair.made, structure_of(pair.made), random)


def _with_constants(network: Network, number: int, random: Random) -> Network:
    tensor = network.main.tensors[number]
    data = None if tensor.data is None else other_data(tensor.data, random)
    return _with_tensor(network, number, replace(tensor, data=data))


def _with_tensor(network: Network, number: int, tensor: Tensor) -> Network:
    tensors = list(network.main.tensors)
    tensors[number] = tensor
    return replace(
        network,
        subgraphs=(replace(network.main, tensors=tuple(tensors)), *network.subgraphs[1:]),
    )


def _with_stream(network: Network, number: int, random: Random) -> Network:
    """Commands that are spoilt, in a payload that is as long as it says."""
    tensor = network.main.tensors[number]
    assert tensor.data is not None
    payload = read_payload(tensor.data.array.tobytes())
    known = instructions_of(payload.architecture)
    starts = [write.word for write in words.decode(payload.stream, known)]
    ends = [*starts[1:], len(payload.stream)]
    pairs = zip(starts, ends, strict=True)
    commands = [list(payload.stream[start:end]) for start, end in pairs]
    for _ in range(random.choice((1, 1, 1, 2, 6))):
        _spoil(commands, tuple(known.names), random)
    stream = [word for command in commands for word in command]
    content = write_payload(payload.accelerator, payload.architecture, stream)
    data = ConstData.of(np.frombuffer(content, np.uint8))
    return _with_tensor(network, number, replace(tensor, data=data, shape=data.shape))


def _spoil(commands: list[list[int]], codes: Sequence[int], random: Random) -> None:
    """One command's value, code or place is another; where none is left, nothing is."""
    if not commands:
        return
    at, other = random.randrange(len(commands)), random.randrange(len(commands))
    command, choice = list(commands[at]), random.random()
    if choice < 0.3:
        command[random.randrange(len(command))] ^= 1 << random.randrange(32)
        commands[at] = command
    elif choice < 0.6:
        commands[at] = _other_value(command, random)
    elif choice < 0.7:
        fitting = [code for code in codes if bool(code & WIDE) == (len(command) == 2)]
        commands[at] = [command[0] & ~0xFFFF | random.choice(fitting), *command[1:]]
    elif choice < 0.8:
        del commands[at]
    elif choice < 0.9:
        commands.insert(other, command)
    else:
        commands[at], commands[other] = commands[other], command


def _other_value(command: list[int], random: Random) -> list[int]:
    half, code = command[0] >> 16, command[0] & 0xFFFF
    if len(command) == 2 and random.random() < 0.9:
        flipped = command[1] ^ 1 << random.randrange(32)
        moved = command[1] + random.choice((-16, -1, 1, 16))
        return [command[0], random.choice((*ADDRESSES, flipped, moved)) & 0xFFFFFFFF]
    near = (half ^ 1 << random.randrange(16), half + random.choice((-1, 1)), 2 * half)
    return [code | (random.choice((*HALVES, *near)) & 0xFFFF) << 16, *command[1:]]


def _use(pair: Pair, data: bytes, _: Random) -> None:
    read = programs.read_program(data)
    if read is not None:
        opened = programs.study_program(read, _target_of)
        programs.render_program("model", opened)
        programs.render_program_json("model", opened)
        _check_streams(read)
        # A stream that shows no schedule can still be executed.
        with suppress(CoreError):
            programs.read_back(opened)
            if any(part.stream.problem is not None for part in read.program.parts):
                raise Inconsistent("what was read in part is taken for the whole")
    proof.verify(data, pair.original, inputs=1).sentences()


def _check_streams(read: programs.ReadProgram) -> None:
    """What was read to its end is the same when it is written and read again, bit by bit."""
    for part in read.program.parts:
        if part.stream.problem is not None:
            continue
        known = instructions_of(part.architecture)
        written = assemble(part.stream, part.accelerator, known)
        if disassemble(written, known) != part.stream:
            raise Inconsistent("a stream that is written again is another")
        command = read.network.main.tensors[read.network.operator(part.op).inputs[0] or 0].data
        assert command is not None
        found = read_payload(command.array.tobytes()).stream
        set_before, set_again = (
            {(write.name, write.value) for write in words.decode(each, known)}
            for each in (found, written)
        )
        # What was never set holds 0.
        if any(write not in set_before for write in set_again if write[1]):
            raise Inconsistent("a register is set to what nobody set it to")


def _target_of(accelerator: Accelerator) -> Target:
    return targets.resolve_target(accelerator.name)


KIND = Kind("tflite", _base, _damaged, _use)
