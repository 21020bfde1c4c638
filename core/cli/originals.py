"""What compiled files are held against where it is no model: graphs of TOSA, or values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from core.api import networks, proof
from core.base.errors import InputError, about
from core.base.files import read_bytes
from core.base.frozen import NamedTuple
from core.base.progress import Progress

_ZIP = b"PK\x03\x04"


class Originals(NamedTuple):
    """Graphs by the names of their files, or else what was kept of an inference."""

    graphs: Mapping[str, bytes] | None = None
    kept: bytes | None = None


Verifier = Callable[[Path, bytes, Progress], proof.Verification]
"""Executes a compiled file, of a path."""


def verifier(against: Path, inputs: int | None, seed: int) -> Verifier:
    """What holds compiled files against a model, or against what is there in place of one."""
    originals = originals_of(against, is_program=False)
    if originals is not None:
        return lambda path, compiled, progress: proof.verify_delegates(
            compiled,
            *originals,
            inputs=inputs,
            seed=seed,
            progress=progress,
            beside=proof.beside(path),
        )
    original = read_bytes(against)
    with about(against):
        networks.read(original)
    return lambda path, compiled, progress: proof.verify(
        compiled,
        original,
        inputs=inputs,
        seed=seed,
        progress=progress,
        names=proof.Names(path.name, str(against)),
    )


def originals_of(against: Path, *, is_program: bool) -> Originals | None:
    """What a file or a folder has; None for a model, which nothing of a program is held against."""
    if against.is_dir():
        paths = sorted(against.glob("*.tosa"))
        if not paths:
            raise InputError("has no .tosa files", str(against))
        return Originals(graphs={str(path): read_bytes(path) for path in paths})
    original = read_bytes(against)
    if original.startswith(_ZIP):
        return Originals(kept=original)
    if is_program or proof.is_graph(original):
        return Originals(graphs={str(against): original})
    return None
