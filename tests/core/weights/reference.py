"""Brick order spelled out weight by weight, as slowly and plainly as it can be said."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.weights.bricks import BrickShape


def slow_brick_order(weights: np.ndarray, shape: BrickShape) -> list[int]:
    return [int(weight) for weight in _walk(weights, shape)]


def _walk(weights: np.ndarray, shape: BrickShape) -> Iterator[int]:
    depth, height, width, channels = weights.shape
    for block in range(0, depth, shape.block_depth):
        block_end = min(block + shape.block_depth, depth)
        for ifm_block in range(0, channels, shape.ifm_block_depth):
            for top in range(0, height, shape.subkernel_h):
                for left in range(0, width, shape.subkernel_w):
                    taps = [
                        (y, x)
                        for y in range(top, min(top + shape.subkernel_h, height))
                        for x in range(left, min(left + shape.subkernel_w, width))
                    ]
                    taps += [(height, width)] * (-len(taps) % shape.tap_multiple)
                    for position in _inside(block, block_end, ifm_block, channels, taps, shape):
                        yield _at(weights, *position)


def _inside(block, block_end, ifm_block, channels, taps, shape):
    """Positions (output, tap, input) inside one sub-kernel of a pair of blocks."""
    ofm_ublocks = range(block, block_end, shape.ofm_ublock_depth)
    order = _depthwise if shape.is_depthwise else _part_kernel if shape.is_part_kernel else _depth
    ifm_end = ifm_block + shape.ifm_block_depth
    if shape.is_part_kernel:
        ifm_end = min(ifm_end, channels)
    ifm_ublocks = range(ifm_block, ifm_end, shape.ifm_ublock_depth)
    for ofm_ublock, tap, ifm_ublock in order(ofm_ublocks, taps, ifm_ublocks):
        for ofm_place in range(shape.ofm_ublock_depth):
            for ifm_place in range(1 if shape.is_depthwise else shape.ifm_ublock_depth):
                yield ofm_ublock + ofm_place, tap, ifm_ublock + ifm_place


def _depthwise(ofm_ublocks, taps, _):
    return [(ofm, tap, 0) for ofm in ofm_ublocks for tap in taps]


def _part_kernel(ofm_ublocks, taps, ifm_ublocks):
    return [(ofm, tap, ifm) for ifm in ifm_ublocks for ofm in ofm_ublocks for tap in taps]


def _depth(ofm_ublocks, taps, ifm_ublocks):
    return [(ofm, tap, ifm) for ofm in ofm_ublocks for tap in taps for ifm in ifm_ublocks]


def _at(weights: np.ndarray, ofm: int, tap: tuple[int, int], ifm: int) -> int:
    depth, height, width, channels = weights.shape
    is_inside = ofm < depth and tap[0] < height and tap[1] < width and ifm < channels
    return weights[ofm, tap[0], tap[1], ifm] if is_inside else 0
