"""Programs that are bundled with tests of them, as exporters write them."""

from __future__ import annotations

import flatbuffers

from core.executorch.schema import BUNDLED, EXECUTORCH
from core.flatbuf.encode import encode
from core.ir.network import Table


def bundled(program: bytes) -> bytes:
    builder = flatbuffers.Builder(0)
    record = Table(kind="BundledProgram", fields=(("program", program),))
    builder.Finish(encode(builder, EXECUTORCH, record), BUNDLED)
    return bytes(builder.Output())
