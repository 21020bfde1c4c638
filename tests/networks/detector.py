"""A single-shot detector: heads for scores and for boxes on maps of three sizes."""

from __future__ import annotations

from core.ir.network import Network
from core.synth.builder import Builder
from core.synth.graph import Value
from core.synth.windows import window

_CLASSES = 2
_COORDINATES = 4
_BOXES = 3
"""Of each place of a map."""


def detector(*, boxes_last: bool) -> Network:
    """All boxes after all scores and their softmax, or before them."""
    b = Builder(7)
    x = b.conv(b.input((1, 120, 160, 1)), 16, window(3, 2))
    for depth, step in ((32, 2), (32, 2), (64, 1), (64, 1)):
        x = b.conv(b.depthwise(x, window(3, step)), depth)
    maps = [b.conv(b.depthwise(x, window(3)), 64)]
    for depth in (128, 256):
        maps.append(b.conv(b.depthwise(maps[-1], window(3, 2)), depth))
    scores = b.concat([_head(b, each, _CLASSES) for each in maps], 1)
    boxes = b.concat([_head(b, each, _COORDINATES) for each in maps], 1)
    ends = [b.softmax(scores), boxes]
    # What makes the last output runs first.
    return b.build(ends[::-1] if boxes_last else ends, "detector")


def _head(b: Builder, x: Value, values: int) -> Value:
    """What is said of each place of a map."""
    found = b.conv(b.depthwise(x, window(3)), values * _BOXES, window(1), "NONE")
    return b.reshape(found, (1, x.shape[1] * x.shape[2] * _BOXES, values))
