"""The parts of the hardware that an operator can keep busy."""

from __future__ import annotations

from core.base.named import Named


class Unit(Named):
    """Which part of the hardware an operator keeps busy; decides blocks and cycles."""

    CONVOLUTION = "convolution"
    DEPTHWISE = "depthwise"
    VECTOR_PRODUCT = "vector product"
    POOLING = "pooling"
    REDUCE_SUM = "reduce sum"
    ELEMENTWISE = "element-wise"
    DMA = "dma"
