"""Weights of many kinds, and operators that have them."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from core.base.geometry import Kernel, Shape4
from core.base.ids import FmId, NpuOpId
from core.ir.constdata import ConstData
from core.ir.npugraph import NpuOp, OpKind, Quant, View, Weights

KINDS = ("zero", "equal", "two values", "uniform", "laplace", "runs", "extremes", "drifting")


def drawn(kind: str, size: int, seed: int) -> np.ndarray:
    """Weights of one kind; the same for the same seed."""
    rng = np.random.default_rng(seed)
    if kind == "zero":
        return np.zeros(size, dtype=np.int16)
    if kind == "equal":
        return np.full(size, rng.integers(-255, 256), dtype=np.int16)
    if kind == "two values":
        return rng.choice(rng.integers(-255, 256, 2), size).astype(np.int16)
    if kind == "uniform":
        low, high = np.sort(rng.integers(-255, 256, 2))
        return rng.integers(low, high + 1, size).astype(np.int16)
    if kind == "extremes":
        return rng.choice([-255, -254, 0, 254, 255], size).astype(np.int16)
    weights = np.clip(rng.laplace(0, rng.uniform(0.3, 60), size).round(), -255, 255)
    if kind == "laplace":
        weights[rng.random(size) < rng.integers(0, 100) / 100] = 0
    elif kind == "runs":
        weights[np.repeat(rng.random(size // 24 + 1) < 0.6, 24)[:size]] = 0
    else:
        weights = np.trunc(weights * np.linspace(0, 1, size))
    return weights.astype(np.int16)


def weight_arrays(most: int = 3000) -> st.SearchStrategy[np.ndarray]:
    """Weights of any kind, from one to `most`."""
    sizes = st.integers(1, 40) | st.integers(1, most)
    return st.builds(drawn, st.sampled_from(KINDS), sizes, st.integers(0, 2**32 - 1))


def operator(  # the defaults make a plain convolution
    values: np.ndarray,
    *,
    kind: OpKind = OpKind.CONV_2D,
    scales: tuple[float, ...] = (0.5,),
    zero_points: tuple[int, ...] = (0,),
    bias: np.ndarray | None = None,
    kernel: Kernel | None = None,
    **fields,
) -> NpuOp:
    """An operator with these weights."""
    depth, height, width, _ = (*values.shape, 1, 1, 1)[:4]
    shape = Shape4(1, 8, 8, depth)
    return NpuOp(
        id=NpuOpId(0),
        kind=kind,
        name="the operator",
        ifm=fields.pop("ifm", View(fm=FmId(0), shape=shape, quant=Quant(scale=0.25))),
        ofm=fields.pop("ofm", View(fm=FmId(1), shape=shape, quant=Quant(scale=2.0))),
        kernel=kernel or Kernel(h=height, w=width),
        weights=Weights(
            values=ConstData.of(values),
            scales=scales,
            zero_points=zero_points,
            bias=ConstData.of(np.arange(depth, dtype=np.int32) if bias is None else bias),
        ),
        origin=fields.pop("origin", kind.name),
        **fields,
    )
