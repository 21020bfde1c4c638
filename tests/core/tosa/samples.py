"""Graphs of TOSA that are at hand, with what TOSA's reference model makes of one input each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tests.shared import files, need

GRAPHS = [path for folder in ("executorch", "executorch/*") for path in files(f"{folder}/*.tosa")]
SAME = {"u55-256": "u55-128", "u65-256": "u55-128", "u85-1024": "u85-256"}
"""Of which target a graph is the same bytes; some graphs have the first one alone."""
ALL = re.compile(r"^(in|out)(\d+)$")
OF_CALL = re.compile(r"^call\d+_delegate(\d+)_(in|out)(\d+)$")


class Reference(NamedTuple):
    """Inputs and outputs in their order."""

    inputs: list[np.ndarray]
    outputs: list[np.ndarray]


def title(path: Path) -> str:
    return path.stem


def reference(path: Path) -> Reference:
    """What is kept of a graph, for the delegate that it is of or for the whole."""
    stem, _, number = path.stem.partition(".delegate")
    found: dict[tuple[str, int], np.ndarray] = {}
    with np.load(need(path.with_name(f"{stem}.reference.npz"))) as arrays:
        for name in arrays:
            whole, part = ALL.match(name), OF_CALL.match(name)
            if whole is not None:
                found[whole[1], int(whole[2])] = arrays[name]
            elif part is not None and part[1] == number:
                found[part[2], int(part[3])] = arrays[name]
    return Reference(*(_in_order(found, kind) for kind in ("in", "out")))


def _in_order(found: Mapping[tuple[str, int], np.ndarray], kind: str) -> list[np.ndarray]:
    return [found[key] for key in sorted(found) if key[0] == kind]
