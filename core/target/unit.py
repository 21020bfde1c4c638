"""The parts of the hardware that an operator can keep busy."""

from __future__ import annotations

import enum


class Unit(enum.Enum):
    """Which part of the hardware an operator keeps busy; decides blocks and cycles."""

    __hash__ = object.__hash__  # searches look it up often, and the usual one is slow

    CONVOLUTION = "convolution"
    DEPTHWISE = "depthwise"
    VECTOR_PRODUCT = "vector product"
    POOLING = "pooling"
    REDUCE_SUM = "reduce sum"
    ELEMENTWISE = "element-wise"
    DMA = "dma"
