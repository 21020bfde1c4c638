"""Networks of a few operators, in which there is nevertheless something to decide."""

from __future__ import annotations

from core.synth.builder import Builder
from core.synth.windows import window
from core.tflite import writer


def five_operators() -> bytes:
    """Windows with a way around some; a few steps find a front of several points."""
    b = Builder(1)
    first = b.conv(b.input((1, 24, 24, 8)), 16, window(3))
    second = b.conv(b.depthwise(first, window(3)), 16, window(1))
    last = b.conv(b.add(first, second), 8, window(3, 2))
    return writer.write(b.build([last], "five_operators"))
