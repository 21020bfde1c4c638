"""Networks of a few operators, in which there is nevertheless something to decide."""

from __future__ import annotations

from pathlib import Path

from core.synth.builder import Builder
from core.synth.windows import window
from core.tflite import writer

EXAMPLES = Path(__file__).parents[2] / "resources" / "examples"


def five_operators() -> bytes:
    """Windows with a way around some; a few steps find a front of several points."""
    b = Builder(1)
    first = b.conv(b.input((1, 24, 24, 8)), 16, window(3))
    second = b.conv(b.depthwise(first, window(3)), 16, window(1))
    last = b.conv(b.add(first, second), 8, window(3, 2))
    return writer.write(b.build([last], "five_operators"))


def short_tower() -> bytes:
    """Skips of several lengths over windows, one of them around a gate, and a pair that is joined:
    with too little memory all of it is searched again and again, as for `residual_tower`."""
    b = Builder(2)
    early = b.conv(b.input((1, 40, 40, 3)), 24, window(5, 2))
    x = b.depthwise(b.conv(early, 48, window(3)), window(3, 1, 2))
    x = b.add(b.conv(x, 24, activation="NONE", gain=0.6), early, "RELU")
    pooled = b.max_pool(x, window(3, 2))
    late = b.concat((b.conv(x, 44, window(3, 2), "NONE"), pooled))
    x = b.leaky_relu(b.conv(late, 36, window(3), "NONE"))
    x = b.add(b.conv(x, late.shape[3], activation="NONE", gain=0.7), late, "RELU")
    gate = b.logistic(b.conv(b.mean(x), x.shape[3], activation="NONE", gain=2.0))
    skip = b.conv(b.avg_pool(early, window(2, 2)), x.shape[3], activation="NONE", gain=0.5)
    x = b.add(b.mul(x, gate), skip, "RELU")
    return writer.write(b.build((b.fully_connected(b.mean(x, keep=False), 20),), "short_tower"))


def small_or_example(name: str) -> bytes:
    """The small network of that name, or else the example."""
    small = {"five_operators": five_operators, "short_tower": short_tower}
    return small[name]() if name in small else (EXAMPLES / f"{name}.tflite").read_bytes()
