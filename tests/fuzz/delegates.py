"""Programs of ExecuTorch, files of data, graphs of TOSA and blobs: damaged, and used."""

from __future__ import annotations

import functools
import struct
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import NamedTuple

from core.api import programs, proof, targets
from core.executorch.beside import entry_of
from core.target.accelerator import Accelerator
from core.target.target import Target
from tests.core.tflite.mutations import MUTATIONS
from tests.fuzz.kind import Inconsistent, Kind
from tests.shared import SHARED

FOLDER = SHARED / "executorch"
NAMES = (
    "cpubetween_u55-128",
    "cpubetween_u65-256",
    "convres_u55-128",
    "convres_inline_u55-128",
    "convres_io8_u55-128",
    "convres_int16_u55-128",
    "softmax_u55-128",
    "convres_u85-256",
)
HEAD_BYTES = 2048
"""Of a file: most of its tables are among these, and damage there goes furthest."""


class Whole(NamedTuple):
    """A file as it was, and what goes with it."""

    data: bytes
    more: bytes = b""


@functools.cache
def _bytes(path: Path) -> bytes:
    if not path.exists():
        wanted = path.relative_to(SHARED.parent)
        raise SystemExit(f"needs {wanted} beside the repository; --kind names attacks without it")
    return path.read_bytes()


def _program(random: Random) -> Whole:
    name = random.choice(NAMES)
    return Whole(_bytes(FOLDER / f"{name}.pte"), _bytes(FOLDER / f"{name}.delegate0.tosa"))


def _blob(random: Random) -> Whole:
    name = random.choice(NAMES)
    blob, graph = (FOLDER / f"{name}.delegate0.{end}" for end in ("vela_bin", "tosa"))
    return Whole(_bytes(blob), _bytes(graph))


def _graph(random: Random) -> Whole:
    if random.random() < 0.6:
        path = random.choice(sorted((FOLDER / "ops").glob("*.tosa")))
        blobs = sorted(path.parent.glob(f"{path.stem}_u55-*.vela_bin"))
        if blobs and len(_bytes(path)) < 1 << 16:
            return Whole(_bytes(path), _bytes(blobs[0]))
    name = random.choice(NAMES[:-1])
    graph, blob = (FOLDER / f"{name}.delegate0.{end}" for end in ("tosa", "vela_bin"))
    return Whole(_bytes(graph), _bytes(blob))


def _data(_: Random) -> Whole:
    name = "convres_external_u55-128"
    return Whole(_bytes(FOLDER / f"{name}.flash.ptd"), _bytes(FOLDER / f"{name}.pte"))


def _damaged(whole: Whole, random: Random) -> bytes:
    """A piece of damage or a few, most of it where tables are."""
    data = bytearray(whole.data)
    ends = (len(data), min(HEAD_BYTES, len(data)))
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        words = list(range(0, min(random.choice(ends), len(data)) - 3, 4))
        if words:
            with suppress(struct.error):
                random.choice(MUTATIONS)(random, data, words)
    return bytes(data)


def _use_compiled(whole: Whole, data: bytes, random: Random) -> None:
    """One of the uses of a compiled file: 100,000 cases see each often enough."""
    random.choice(USES)(whole, data)


def _judge(_: Whole, data: bytes) -> None:
    proof.verify_delegates(data, inputs=1).sentences()


def _hold_against_graph(whole: Whole, data: bytes) -> None:
    proof.verify_delegates(data, {"graph": whole.more}, inputs=1).sentences()


def _show(whole: Whole, data: bytes) -> None:
    read = programs.read_program(data)
    if read is None:
        return
    if data == whole.data and read.program.misfits:
        raise Inconsistent("a whole program is said not to fit")
    opened = programs.study_program(read, _target_of)
    programs.render_program("model", opened)
    programs.render_program_json("model", opened)
    programs.read_back(opened)


USES = (_judge, _hold_against_graph, _show)


def _use_graph(whole: Whole, data: bytes, random: Random) -> None:
    found = proof.verify_delegates(whole.more, {"graph": data}, inputs=1, seed=random.randrange(9))
    found.sentences()


def _use_data(whole: Whole, data: bytes, _: Random) -> None:
    proof.verify_delegates(whole.more, inputs=1, beside=lambda key: entry_of((data,), key))


def _target_of(accelerator: Accelerator) -> Target:
    return targets.resolve_target(accelerator.name)


PROGRAMS = Kind("pte", _program, _damaged, _use_compiled)
BLOBS = Kind("vela_bin", _blob, _damaged, _use_compiled)
GRAPHS = Kind("tosa", _graph, _damaged, _use_graph)
DATA = Kind("ptd", _data, _damaged, _use_data)
