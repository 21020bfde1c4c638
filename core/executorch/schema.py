"""What files of ExecuTorch may hold, and how each begins."""

from __future__ import annotations

from core.flatbuf.schema import Schema

EXECUTORCH = Schema("executorch")

PROGRAM = b"ET12"
BUNDLED = b"BP08"
DATA = b"FT01"
BLOB = b"vela_bin_stream\0"
BACKEND = "EthosUBackend"
"""The delegate that runs command streams."""


def is_program(data: bytes) -> bool:
    """Whether a file is a program, bundled with tests of it or not."""
    return data[4:8] in {PROGRAM, BUNDLED}


def is_blob(data: bytes) -> bool:
    """Whether a file is what a delegate was compiled to."""
    return data.startswith(BLOB)
