"""What eyes make of colours: contrast, and distance as people see it who see few hues."""

from __future__ import annotations

import numpy as np

# Machado, Oliveira and Fernandes 2009, severity 1, for linear light.
SEEN_BY = {
    "most": np.eye(3),
    "protanopes": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopes": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopes": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
_TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
_WHITE = np.array([0.9505, 1.0, 1.089])


def linear(colour: str) -> np.ndarray:
    """The light of a colour such as #12ab34."""
    parts = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(colour: str, other: str) -> float:
    """The ratio that accessibility guidelines ask for."""
    light = sorted(float(_TO_XYZ[1] @ linear(each)) for each in (colour, other))
    return (light[1] + 0.05) / (light[0] + 0.05)


def distance(colour: str, other: str) -> float:
    """How far apart two colours are for those who tell them apart worst (CIE76)."""
    return min(
        float(np.linalg.norm(_lab(linear(colour), seen) - _lab(linear(other), seen)))
        for seen in SEEN_BY.values()
    )


def _lab(light: np.ndarray, seen: np.ndarray) -> np.ndarray:
    parts = _TO_XYZ @ np.clip(seen @ light, 0, 1) / _WHITE
    x, y, z = np.where(parts > 0.008856, np.cbrt(parts), 7.787 * parts + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])
