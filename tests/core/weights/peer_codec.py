"""The other compiler's weight decoder, in a process with an interpreter of its own."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Sequence

import numpy as np

from tests.core.peer import peer_python

_PROGRAM = """
import struct, sys
import numpy as np
from ethosu import mlw_codec
source, sink = sys.stdin.buffer, sys.stdout.buffer
while head := source.read(4):
    weights = np.array(mlw_codec.decode(bytearray(source.read(*struct.unpack("<I", head)))), "<i2")
    sink.write(struct.pack("<I", weights.nbytes) + weights.tobytes())
"""


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
