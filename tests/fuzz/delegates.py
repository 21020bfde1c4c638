"""Programs of ExecuTorch, files of data, graphs of TOSA and blobs: damaged, and used."""

from __future__ import annotations

import functools
import struct
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import NamedTuple

from core.api import programs, proof, targets
from core.executorch.beside import entry_of
from core.executorch.container import open_data
from core.target.accelerator import Accelerator
from core.target.target import Target
from tests.core.tflite.mutations import MUTATIONS
from tests.fuzz.kind import Inconsistent, Kind
from tests.shared import SHARED

FOLDER = SHARED / "executorch"
NAMES = (
    "cpubetween_u55-128",
    "cpubetween_u65-256",
    "convres_nhwc_u55-128",
    "convres_inline_u55-128",
    "convres_io8_u55-128",
    "convres_int16_u55-128",
    "softmax_u55-128",
    "convres_u85-256",
)
HEAD_BYTES = 2048
"""Of a file: most of its tables are among these, and damage there goes furthest."""
SMALL_BYTES = 1 << 16
SHARE_OF_OPERATORS = 0.6
"""Of graphs and blobs: single operators, of which there are many kinds and which take little."""


class Whole(NamedTuple):
    """A file as it was, and what goes with it."""

    data: bytes
    more: bytes = b""
    ends: tuple[int, ...] = (1 << 30, HEAD_BYTES)
    """Damage is before one of these."""


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
    blob, graph = _delegate(random, NAMES)
    return Whole(blob, graph)


def _graph(random: Random) -> Whole:
    blob, graph = _delegate(random, NAMES[:-1])
    return Whole(graph, blob)


def _delegate(random: Random, names: Sequence[str]) -> tuple[bytes, bytes]:
    """A blob and its graph: of a single operator, or of a program."""
    if random.random() < SHARE_OF_OPERATORS:
        blob, graph = random.choice(_operators())
    else:
        name = random.choice(names)
        blob, graph = (FOLDER / f"{name}.delegate0.{end}" for end in ("vela_bin", "tosa"))
    return _bytes(blob), _bytes(graph)


@functools.cache
def _operators() -> tuple[tuple[Path, Path], ...]:
    """Blobs and graphs of single operators that are not large."""
    blobs = sorted((FOLDER / "ops").glob("*_u55-*.vela_bin"))
    graphs = [blob.with_name(f"{blob.stem.rpartition('_')[0]}.tosa") for blob in blobs]
    pairs = zip(blobs, graphs, strict=True)
    found = tuple(pair for pair in pairs if all(len(_bytes(each)) < SMALL_BYTES for each in pair))
    return found or ((FOLDER / "ops" / "no.vela_bin",) * 2,)


def _data(_: Random) -> Whole:
    name = "convres_external_u55-128"
    data, program = _bytes(FOLDER / f"{name}.flash.ptd"), _bytes(FOLDER / f"{name}.pte")
    tables = open_data(data).base
    # Behind are weights alone, and any of these make a good file.
    return Whole(data, program, (len(data), *(7 * (tables,))))


def _damaged(whole: Whole, random: Random) -> bytes:
    """A piece of damage or a few, most of it where tables are."""
    data = bytearray(whole.data)
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        words = list(range(0, min(random.choice(whole.ends), len(data)) - 3, 4))
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
