"""The other compiler's weight decoder, in a process with an interpreter of its own."""

from __future__ import annotations

import os
import struct
import subprocess
from collections.abc import Sequence

import numpy as np
import pytest

VARIABLE = "REEFPOINT_PEER"
"""Names an interpreter that can import ethos-u-vela 5.2.0."""

_PROGRAM = """
import struct, sys
import numpy as np
from ethosu import mlw_codec
source, sink = sys.stdin.buffer, sys.stdout.buffer
while head := source.read(4):
    weights = np.array(mlw_codec.decode(bytearray(source.read(*struct.unpack("<I", head)))), "<i2")
    sink.write(struct.pack("<I", weights.nbytes) + weights.tobytes())
"""


def peer_python() -> str:
    """The interpreter, or a skipped test that says what is missing."""
    python = os.environ.get(VARIABLE)
    if not python:
        pytest.skip(f"{VARIABLE} names no interpreter with ethos-u-vela")
    return python


def peer_decode(streams: Sequence[bytes]) -> list[np.ndarray]:
    """What the other compiler reads in weight streams."""
    frames = b"".join(struct.pack("<I", len(stream)) + stream for stream in streams)
    ran = subprocess.run(
        [peer_python(), "-c", _PROGRAM], input=frames, capture_output=True, check=False
    )
    assert ran.returncode == 0, ran.stderr.decode()[-2000:]
    decoded, at = [], 0
    while at < len(ran.stdout):
        (size,) = struct.unpack_from("<I", ran.stdout, at)
        decoded.append(np.frombuffer(ran.stdout, "<i2", size // 2, at + 4))
        at += 4 + size
    assert len(decoded) == len(streams)
    return decoded
