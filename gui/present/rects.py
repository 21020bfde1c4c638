"""Many rectangles as columns, in the order in which a batch item wants them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen, NamedTuple, field
from gui.theme.tones import Tone

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Positions = npt.NDArray[np.intp]


class Rects(Frozen, eq=False):
    """Axis-parallel rectangles in data coordinates; x is time, y grows upwards."""

    left: Floats
    right: Floats
    bottom: Floats
    top: Floats
    ink: npt.NDArray[np.uint8]
    """Position in `inks`."""
    key: Ints
    """What each stands for; the meaning is the presenter's."""
    row: Ints
    """Rectangles of one row do not overlap along x, and are merged only with each other."""
    inks: tuple[str, ...] = ()
    """Values of `Tone`, by position."""
    labels: Sequence[str] = field(default=())
    """One for each rectangle, or none at all."""

    @property
    def count(self) -> int:
        """Number of rectangles."""
        return len(self.left)

    def having(self, keys: frozenset[int]) -> Positions:
        """Positions of those that have one of these keys."""
        wanted = np.fromiter(keys, dtype=np.int32, count=len(keys))
        return np.flatnonzero(np.isin(self.key, wanted))

    def part(self, where: Positions) -> Rects:
        """Some of them, without labels."""
        return Rects(
            left=self.left[where],
            right=self.right[where],
            bottom=self.bottom[where],
            top=self.top[where],
            ink=self.ink[where],
            key=self.key[where],
            row=self.row[where],
            inks=self.inks,
        )


class Lit(NamedTuple):
    """What is looked at, by keys: all else fades."""

    keys: frozenset[int]
    tones: Mapping[int, Tone] = MappingProxyType({})
    """Of those that a rule has found, its colour."""

    @property
    def by_tone(self) -> Mapping[Tone, list[int]]:
        """Those of each colour."""
        found: dict[Tone, list[int]] = {}
        for key, tone in self.tones.items():
            found.setdefault(tone, []).append(key)
        return found


def empty_rects(inks: tuple[str, ...] = ()) -> Rects:
    """No rectangle."""
    none = np.zeros(0)
    numbers = np.zeros(0, dtype=np.int32)
    return Rects(
        left=none,
        right=none,
        bottom=none,
        top=none,
        ink=np.zeros(0, dtype=np.uint8),
        key=numbers,
        row=numbers,
        inks=inks,
    )
