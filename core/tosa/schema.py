"""What a file of TOSA may hold."""

from __future__ import annotations

from core.flatbuf.schema import Schema

TOSA = Schema("tosa")
IDENTIFIER = b"TOSA"


def is_graph(data: bytes) -> bool:
    """Whether a file is a graph of TOSA."""
    return data[4:8] == IDENTIFIER
